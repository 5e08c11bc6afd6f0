/** Reconciliation: what is known here, at the gateway and by the merchant of the same orders, held against each other. Pure. */
import { sameAmount } from '../gateway/pure/money';
import { isKnownStatus } from '../gateway/pure/statuses';
import type { Attention } from './attention';
import { outcomeOf } from './transitions';

/**
 * A period of one app's payments, and the merchant's own list of its orders, where there is one. A Schedule starts it without
 * an input: then the app is that of the workflow's id, and the period the UTC day before the one on which it was due.
 */
export interface ReconciliationInput {
  app_id: string;
  /** ISO 8601; by default the UTC day before the start. */
  since?: string | undefined;
  until?: string | undefined;
  /** The merchant's rows. Then orders that only one side has are differences too. */
  rows?: readonly MerchantRow[] | undefined;
  /** Take on orders that the gateway has and that are missing here. */
  adopt?: boolean | undefined;
  /** At most so many orders a second are asked for. */
  per_second?: number | undefined;
  /** Only orders with these numbers: a list that is too long for one start is compared in parts. */
  orders?: OrderRange | undefined;
}

/** Numbers of orders in the order of their UTF-16 code units: `from` belongs to the range, `to` does not. */
export interface OrderRange {
  from?: string | undefined;
  to?: string | undefined;
}

export interface MerchantRow {
  out_trade_no: string;
  order_amount: string;
  order_currency?: string | undefined;
  /** The gateway's word, or one such as paid, open, canceled, failed. */
  status: string;
}

/** `unanswered`: the gateway, or our own payment, does not answer for this order: while others are, or for an hour. */
export type DifferenceKind =
  | 'missing-here'
  | 'missing-there'
  | 'missing-at-merchant'
  | 'amount'
  | 'state'
  | 'unanswered';

/** What two sides say of one order. */
export interface Difference {
  out_trade_no: string;
  kind: DifferenceKind;
  /** The two that differ. */
  between: 'here and gateway' | 'merchant and gateway' | 'here and merchant';
  here: string | null;
  gateway: string | null;
  merchant: string | null;
  /** Whether the order was taken on. */
  adopted: boolean;
}

/** The query `state` of a reconciliation, and what it returns. */
export interface ReconciliationState {
  app_id: string;
  since: string;
  until: string;
  checked: number;
  /** How many differences there are so far. */
  found: number;
  /** The first of them; the query `differences` has all, in pages. */
  differences: Difference[];
  attention: Attention | null;
  /** Whether it has ended: every order was compared, or there were too many differences. */
  finished: boolean;
  /** Whether it was broken off: that many differences are a matter of settings, and no list for a person. */
  broken_off: boolean;
  resolved: { by: string; reason: string; time: string } | null;
}

/**
 * A list in parts of at most `size` rows, by the numbers of its orders. The ranges meet, so that every order is in one of
 * them.
 */
export function inParts(
  rows: readonly MerchantRow[],
  size: number,
): Required<Pick<ReconciliationInput, 'rows' | 'orders'>>[] {
  const sorted = [...rows].sort((one, other) => (one.out_trade_no < other.out_trade_no ? -1 : 1));
  const firstOf = (i: number) => sorted[i * size]?.out_trade_no;
  return Array.from({ length: Math.max(Math.ceil(sorted.length / size), 1) }, (_, i) => ({
    rows: sorted.slice(i * size, (i + 1) * size),
    orders: { from: i === 0 ? undefined : firstOf(i), to: firstOf(i + 1) },
  }));
}

/** What the query `differences` is asked: from which one on, counted from 0. */
export interface DifferencesQuestion {
  from: number;
}

/** One page of differences. */
export interface DifferencesPage {
  differences: Difference[];
  /** Where the next page begins; null where there is none now. */
  next: number | null;
}

/** One side's word on an order; null where it does not have it. */
export type Word = { status: string; amount: string | null; currency: string | null } | null;

/** What is said of one order: here, at the gateway, and by the merchant; undefined where nobody asked the merchant. */
export interface OrderWords {
  here: Word;
  gateway: Word;
  merchant: Word | undefined;
}

/** The differences of one order. Two unpaid ends are the same: no money moved. */
export function differencesOf(out_trade_no: string, words: OrderWords): Difference[] {
  const { here, gateway, merchant } = words;
  const found = (kind: DifferenceKind, between: Difference['between']): Difference => ({
    out_trade_no,
    kind,
    between,
    here: text(here),
    gateway: text(gateway),
    merchant: merchant === undefined ? null : text(merchant),
    adopted: false,
  });
  const isMadeHere = here !== null && moneyIn(here.status) !== 'none';
  const between = (one: Word, other: Word, sides: Difference['between']): Difference[] => {
    if (!one || !other) return [];
    if (isOtherAmount(one, other)) return [found('amount', sides)];
    return isSameState(one.status, other.status) ? [] : [found('state', sides)];
  };
  const missing = [
    ...(gateway && !isMadeHere ? [found('missing-here', 'here and gateway')] : []),
    ...(!gateway && isMadeHere ? [found('missing-there', 'here and gateway')] : []),
    ...(!gateway && !isMadeHere && merchant ? [found('missing-there', 'merchant and gateway')] : []),
    ...(merchant === null && gateway ? [found('missing-at-merchant', 'merchant and gateway')] : []),
  ];
  const ours = isMadeHere ? between(here, gateway, 'here and gateway') : [];
  return [...missing, ...ours, ...between(merchant ?? null, gateway, 'merchant and gateway')];
}

/** What a status means for the money: `none` where the order was never made. */
type MoneyIn = 'paid' | 'unpaid' | 'open' | 'none';

/** Words that merchants use for it, and our own before a trade has a status. */
const WORDS: Readonly<Record<MoneyIn, readonly string[]>> = {
  paid: ['PAID', 'SUCCEEDED', 'REFUNDED'],
  unpaid: ['CANCELED', 'CANCELLED', 'FAILED', 'UNPAID'],
  open: ['OPEN', 'PENDING', 'CREATED', 'CREATING'],
  none: ['NOT_CREATED'],
};
const MEANINGS = ['paid', 'unpaid', 'open', 'none'] as const;

const wordFor = (name: string) => MEANINGS.find((meaning) => WORDS[meaning].includes(name));

/** Whether it is said of a status what it means for the money: one that nobody knows would count as open. */
export function isReconcilable(status: string): boolean {
  const name = status.toUpperCase();
  return wordFor(name) !== undefined || isKnownStatus(name);
}

function moneyIn(status: string): MoneyIn {
  const name = status.toUpperCase();
  const known = wordFor(name);
  if (known !== undefined) return known;
  const outcome = outcomeOf(name);
  if (outcome === null) return 'open';
  return outcome === 'SUCCESS' ? 'paid' : 'unpaid';
}

/** EXPIRED is our word where the gateway never ended a trade, so it does not contradict an open one. */
function isSameState(one: string, other: string): boolean {
  const [left, right] = [moneyIn(one), moneyIn(other)];
  return left === right || (left === 'unpaid' && right === 'open' && one === 'EXPIRED');
}

function isOtherAmount(one: NonNullable<Word>, other: NonNullable<Word>): boolean {
  if (one.amount !== null && other.amount !== null && !sameAmount(one.amount, other.amount)) return true;
  return (
    one.currency !== null && other.currency !== null && one.currency.toUpperCase() !== other.currency.toUpperCase()
  );
}

const text = (word: Word): string | null =>
  word && [word.status, word.amount, word.currency].filter((one) => one !== null).join(' ');

/** Compares the orders of one slice; resumes where an earlier attempt was. */
export interface ReconcileSlice {
  app_id: string;
  since: string;
  until: string;
  rows?: readonly MerchantRow[] | undefined;
  orders?: OrderRange | undefined;
  /** The last number that was compared before. */
  after?: string | undefined;
  per_second: number;
}

export interface ReconciledSlice {
  checked: number;
  differences: Difference[];
  /** The last number that was compared, where others follow: an answer has a page of differences at most. */
  after: string | null;
}

export interface ReconciliationActivities {
  /**
   * Asks the gateway for every order of the slice, at a bounded rate, until a page is full. Its heartbeat carries how far it
   * is.
   */
  'payments.reconcile'(input: ReconcileSlice): Promise<ReconciledSlice>;
  /** Starts the payments of these orders, as the webhook would. One that has a payment by now keeps it. */
  'payments.adopt'(input: { app_id: string; out_trade_nos: readonly string[] }): Promise<void>;
}
