/** Reconciliation: compares what is known of the same orders here, at the gateway and by the merchant. Pure. */

import { DAY } from '../gateway/pure/durations';
import { isMore, less, sameAmount } from '../gateway/pure/money';
import { isKnownStatus, type TradeStatus } from '../gateway/pure/names';
import type { Attention } from './attention';
import type { Told } from './told';

/**
 * A period of one app's payments, and the merchant's own list of its orders, if there is one. A Schedule starts it without
 * an input: then the workflow's id names the app, and the period is the UTC day before the one on which it was due.
 */
export interface ReconciliationInput {
  app_id: string;
  /** ISO 8601: a day, which begins in UTC, or a time with its zone; by default the UTC day before the start. */
  since?: string | undefined;
  /** ISO 8601, like `since`. */
  until?: string | undefined;
  /** The merchant's rows. Then orders that only one side has are differences too. */
  rows?: readonly MerchantRow[] | undefined;
  /** Take on orders that the gateway has and that are missing here. */
  adopt?: boolean | undefined;
  /** How many orders a second are asked for at most: 0.1 or more. */
  per_second?: number | undefined;
  /** Only orders with these numbers: a list that is too long for one start is compared in parts. */
  orders?: OrderRange | undefined;
}

/** ISO 8601, UTC, as `toISOString` writes it, so that texts compare as times do: from `since` on, before `until`. */
export type ComparedPeriod = Pick<ReconciliationState, 'since' | 'until'>;

/** Why nothing can be compared. */
export interface PeriodProblem {
  field: keyof ComparedPeriod;
  rule: string;
}

/**
 * The period that is compared: by default the UTC day before; with only `since`, until now. Or why it has no orders, so that its books would
 * seem to agree. `now`: ms since the epoch.
 */
export function readPeriod(
  { since, until }: Pick<ReconciliationInput, 'since' | 'until'>,
  now: number,
): ComparedPeriod | PeriodProblem {
  const today = Math.floor(now / DAY) * DAY;
  const begin = since === undefined ? today - DAY : momentOf(since);
  const byDefault = since === undefined ? today : now;
  const end = until === undefined ? byDefault : momentOf(until);
  if (begin === undefined) return { field: 'since', rule: IS_MOMENT };
  if (end === undefined) return { field: 'until', rule: IS_MOMENT };
  // What has not happened yet is not compared.
  const period = { since: new Date(begin).toISOString(), until: new Date(Math.min(end, now)).toISOString() };
  if (begin >= now) return { field: 'since', rule: `must be in the past, and is ${period.since}` };
  const beginning = `the period’s beginning, which is ${period.since}, and is ${period.until}`;
  if (end <= begin) return { field: 'until', rule: `must be a time after ${beginning}` };
  if (end - begin > LONGEST_PERIOD)
    return { field: 'until', rule: `must be at most ${LONGEST_PERIOD / DAY} days after ${beginning}` };
  return period;
}

/** Each hour is in the history once, and Temporal ends a workflow at 51,200 events. */
export const LONGEST_PERIOD = 300 * DAY;

const IS_MOMENT = 'must be a day, or a time with its zone, such as 2026-03-01T12:00:00Z';
const MOMENT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** In ms since the epoch. Undefined without a zone: a worker would take its own. */
function momentOf(text: unknown): number | undefined {
  const [, day = ''] = typeof text === 'string' ? (MOMENT.exec(text) ?? []) : [];
  const at = Date.parse(String(text));
  // Date.parse takes 30 February for 2 March.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  return isDay && !Number.isNaN(at) ? at : undefined;
}

/** The status of a reconciliation that has compared its whole period; {@link comparedOf} reads it. */
export const comparedStatus = ({ since, until }: ComparedPeriod) => `COMPARED ${since}/${until}`;

/** The period in such a status; undefined for another status: it still compares, or compared only a part. */
export function comparedOf(status: string | null | undefined): ComparedPeriod | undefined {
  const [, since, until] = /^COMPARED (\S+)\/(\S+)$/.exec(status ?? '') ?? [];
  return since === undefined || until === undefined ? undefined : { since, until };
}

/** Those of these UTC days (ms since the epoch) that no period covers wholly. */
export const daysOutside = (days: readonly number[], periods: readonly ComparedPeriod[]): number[] =>
  days.filter((day) => !periods.some(({ since, until }) => Date.parse(since) <= day && day + DAY <= Date.parse(until)));

/** A range of order numbers, sorted by UTF-16 code units: `from` belongs to the range, `to` does not. */
export interface OrderRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Whether it is one of the orders that are compared. */
export const isInRange = (out_trade_no: string, { from = '', to }: OrderRange = {}): boolean =>
  out_trade_no >= from && (to === undefined || out_trade_no < to);

export interface MerchantRow {
  out_trade_no: string;
  order_amount: string;
  order_currency?: string | undefined;
  /** The gateway's status, or a word such as paid, partially refunded, chargeback, open, canceled. */
  status: string;
  /** All that went back to the buyer, if the merchant says it. */
  refunded_amount?: string | undefined;
}

type Rules = Readonly<Record<string, { rule: string; holds: (value: unknown) => boolean }>>;
type FieldsOf<Shape> = Required<{ [Field in keyof Shape]: Rules[string] }>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isSum = (value: unknown) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
const orNone = (holds: (value: unknown) => boolean) => (value: unknown) => value === undefined || holds(value);

const RANGE_RULES = {
  from: { rule: 'must be text', holds: orNone(isText) },
  to: { rule: 'must be text', holds: orNone(isText) },
} satisfies FieldsOf<OrderRange>;

const INPUT_RULES = {
  app_id: { rule: 'required', holds: isText },
  rows: { rule: 'must be a list', holds: orNone(Array.isArray) },
  adopt: { rule: 'must be true or false', holds: orNone((value) => typeof value === 'boolean') },
  // Below it, the pause between two looks is longer than any timer counts, and there would be none.
  per_second: { rule: 'must be at least 0.1', holds: orNone((value) => typeof value === 'number' && value >= 0.1) },
  orders: { rule: 'must be an object', holds: orNone((value) => typeof value === 'object' && value !== null) },
} satisfies FieldsOf<Omit<ReconciliationInput, 'since' | 'until'>>;

const ROW_RULES = {
  out_trade_no: { rule: 'must be the number of an order, as text', holds: isText },
  order_amount: { rule: 'must be a decimal as text, such as "150.00"', holds: isSum },
  order_currency: { rule: 'must be a currency, such as "BRL"', holds: orNone(isText) },
  status: {
    rule: 'must be a status of the gateway, or a word such as paid, refunded, open or canceled',
    holds: (status) => isText(status) && isReconcilable(status),
  },
  refunded_amount: { rule: 'must be a decimal as text, such as "50.00"', holds: orNone(isSum) },
} satisfies FieldsOf<MerchantRow>;

/** The first field that breaks its rule. */
function brokenField(within: string, shape: unknown, rules: Rules): { field: string; rule: string } | undefined {
  const fields: Readonly<Record<string, unknown>> = typeof shape === 'object' ? { ...shape } : {};
  const [field, broken] = Object.entries(rules).find(([name, { holds }]) => !holds(fields[name])) ?? [];
  return broken && { field: `${within}${field}`, rule: broken.rule };
}

/** The input as it is compared: what other languages write as null is absent. */
export const withoutNulls = (input: ReconciliationInput): ReconciliationInput =>
  JSON.parse(JSON.stringify(input), (_name, value) => value ?? undefined);

/** Why an input, but for its period, cannot be compared: what is left out of a comparison would seem to agree. */
export function inputProblem(input: ReconciliationInput): { field: string; rule: string } | undefined {
  const { rows = [], orders = {} } = input;
  const broken = brokenField('', input, INPUT_RULES) ?? brokenField('orders.', orders, RANGE_RULES);
  if (broken) return broken;
  const numbers = new Set<string>();
  for (const [i, row] of rows.entries()) {
    const problem = brokenField(`rows[${i}].`, row, ROW_RULES);
    if (problem) return problem;
    const field = `rows[${i}].out_trade_no`;
    if (!isInRange(row.out_trade_no, orders)) return { field, rule: 'must be in the range `orders`' };
    if (numbers.has(row.out_trade_no)) return { field, rule: 'must not be in two rows' };
    numbers.add(row.out_trade_no);
  }
  return undefined;
}

/**
 * `state`: two sides differ about the money: paid, refunded wholly or in part, charged back, unpaid. `refunded`: the sums that went back
 * differ. `unanswered`: the gateway, or our own payment, does not answer for this order: while others are answered, or for an
 * hour.
 */
export type DifferenceKind =
  | 'missing-here'
  | 'missing-there'
  | 'missing-at-merchant'
  | 'amount'
  | 'state'
  | 'refunded'
  | 'unanswered';

/** What two sides say of one order. */
export interface Difference {
  out_trade_no: string;
  kind: DifferenceKind;
  /** The two sides that differ. */
  between: 'here and gateway' | 'merchant and gateway' | 'here and merchant';
  here: string | null;
  gateway: string | null;
  merchant: string | null;
  /** Whether a payment was started here for the order. */
  adopted: boolean;
}

/** The query `state` of a reconciliation, and what it returns. */
export interface ReconciliationState {
  app_id: string;
  since: string;
  until: string;
  checked: number;
  /** How many of them wait for their buyer, here or at the gateway: a list that lacks them does not differ. */
  open: number;
  /** How many differences there are so far. */
  found: number;
  /** The first differences; the query `differences` has all, in pages. */
  differences: Difference[];
  attention: Attention | null;
  /** Whether it has ended: every order was compared, or there were too many differences. */
  finished: boolean;
  /** Whether it was broken off: so many differences come from wrong settings, and are no list for a person. */
  broken_off: boolean;
  resolved: { by: string; reason: string; time: string } | null;
}

/**
 * A list in parts of at most `size` rows, by the numbers of its orders. The ranges meet, so that every order is in one
 * part.
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

/** The input of the query `differences`: the first difference of the page, counted from 0. */
export interface DifferencesQuestion {
  from: number;
}

/** One page of differences. */
export interface DifferencesPage {
  differences: Difference[];
  /** Where the next page begins; null if there is none now. */
  next: number | null;
}

/** What one side says of an order; null if it does not have the order. */
export type Word = {
  status: string;
  amount: string | null;
  currency: string | null;
  /** All that went back, if this side says it. */
  refunded?: string | null | undefined;
  /** The part of it that went back by refunds that a person has named: the gateway need not have made them. */
  elsewhere?: string | undefined;
} | null;

/** What is said of one order: here, at the gateway, and by the merchant; undefined if the merchant was not asked. */
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
  const isMadeHere = here !== null && moneyIn(here) !== 'none';
  const isRefunding = here !== null && moneyIn(here) === 'refunding';
  const between = (one: Word, other: Word, sides: Difference['between']): Difference[] => {
    if (!one || !other) return [];
    if (isOtherAmount(one, other)) return [found('amount', sides)];
    // A refund on its way is booked now or later, and the gateway may not show it yet.
    const isOnItsWay = isRefunding && isOfSale(moneyIn(one)) && isOfSale(moneyIn(other));
    const isNamed = isSameState(one, withNamed(other, here), sides);
    return isOnItsWay || isNamed || isSameState(one, other, sides) ? [] : [found('state', sides)];
  };
  const missing = [
    ...(gateway && !isMadeHere ? [found('missing-here', 'here and gateway')] : []),
    ...(!gateway && isMadeHere ? [found('missing-there', 'here and gateway')] : []),
    ...(!gateway && !isMadeHere && merchant ? [found('missing-there', 'merchant and gateway')] : []),
    ...(merchant === null && gateway && moneyIn(gateway) !== 'open'
      ? [found('missing-at-merchant', 'merchant and gateway')]
      : []),
  ];
  const ours = isMadeHere ? between(here, gateway, 'here and gateway') : [];
  const theirs = between(merchant ?? null, gateway, 'merchant and gateway');
  // The gateway says neither how much went back, nor always whether that was all.
  const isTold = ours.length > 0 || theirs.length > 0;
  const refunds = !isTold && isMadeHere && isOtherRefund(here, merchant) ? ['refunded' as const] : [];
  return [...missing, ...ours, ...theirs, ...refunds.map((kind) => found(kind, 'here and merchant'))];
}

/** Whether the order may still be paid, by the gateway's status or, if it does not know the order, by ours. */
export function waitsForBuyer({ here, gateway }: OrderWords): boolean {
  const known = gateway ?? here;
  return known !== null && moneyIn(known) === 'open';
}

/**
 * Where an order's money is: `none` if the order was never made, `open` while it waits for the buyer, `unpaid` if it ended without money,
 * `refunding` while some of it may be on its way back.
 */
type MoneyIn = 'paid' | 'refunding' | 'partly-refunded' | 'refunded' | 'charged-back' | 'unpaid' | 'open' | 'none';

/** What each status of the gateway means for the money. An unknown status counts as open. */
const STATUSES: Record<TradeStatus, MoneyIn> = {
  INITIAL: 'open',
  PROCESSING: 'open',
  RISK_CONTROLLING: 'open',
  SUCCESS: 'paid',
  CANCEL: 'unpaid',
  REFUSED: 'unpaid',
  EXPIRED: 'unpaid',
  REFUND_VERIFYING: 'refunding',
  REFUND_PROCESSING: 'refunding',
  REFUND_REVOKE: 'paid',
  REFUND_REFUSED: 'paid',
  REFUNDED: 'refunded',
  PARTIAL_REFUND: 'partly-refunded',
  // The bank has not decided: the money is still the merchant's.
  DISPUTE: 'paid',
  CHARGEBACK: 'charged-back',
  CHARGEBACK_REVERSED: 'paid',
};

/** The words that merchants use, with `_` for blanks and hyphens, and ours for orders without a trade status. */
const WORDS: Readonly<Record<string, MoneyIn>> = {
  PAID: 'paid',
  SUCCEEDED: 'paid',
  COMPLETED: 'paid',
  CAPTURED: 'paid',
  DISPUTED: 'paid',
  REFUND_PENDING: 'refunding',
  PARTIALLY_REFUNDED: 'partly-refunded',
  PARTLY_REFUNDED: 'partly-refunded',
  CHARGED_BACK: 'charged-back',
  CANCELED: 'unpaid',
  CANCELLED: 'unpaid',
  FAILED: 'unpaid',
  UNPAID: 'unpaid',
  DECLINED: 'unpaid',
  OPEN: 'open',
  PENDING: 'open',
  CREATED: 'open',
  CREATING: 'open',
  NOT_CREATED: 'none',
};

function meaningOf(status: string): MoneyIn | undefined {
  const name = status
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  if (isKnownStatus(name)) return STATUSES[name];
  return Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
}

/** Whether it is known what a status means for the money: an unknown status would count as open. */
export const isReconcilable = (status: string): boolean => meaningOf(status) !== undefined;

/** The sum that went back says more than the status, which a partial refund may leave unchanged. */
function moneyIn({ status, amount, refunded }: NonNullable<Word>): MoneyIn {
  const meaning = meaningOf(status) ?? 'open';
  if (!['paid', 'refunding', 'partly-refunded', 'refunded'].includes(meaning)) return meaning;
  if (refunded === null || refunded === undefined || amount === null || !isMore(refunded, '0')) return meaning;
  return isMore(amount, refunded) ? 'partly-refunded' : 'refunded';
}

function isSameState(one: NonNullable<Word>, gateway: NonNullable<Word>, sides: Difference['between']): boolean {
  const [left, right] = [moneyIn(one), moneyIn(gateway)];
  if (left === right) return true;
  // The next comparison decides.
  if (right === 'refunding' || left === 'refunding') return isOfSale(left) && isOfSale(right);
  // Gateways also call a partial refund REFUNDED.
  if (left === 'partly-refunded' && right === 'refunded') return true;
  // We say EXPIRED if the gateway never ended a trade, so it does not contradict an open trade.
  return sides === 'here and gateway' && left === 'unpaid' && right === 'open' && one.status === 'EXPIRED';
}

/**
 * The gateway's side, with the refunds that a person has named and the gateway does not show: if the two sides agree without these refunds, the
 * gateway's side gets our sum. Otherwise it stays as it is.
 */
function withNamed(gateway: NonNullable<Word>, here: Word): NonNullable<Word> {
  if (here?.refunded == null || here.elsewhere === undefined) return gateway;
  const without = { ...here, refunded: less(here.refunded, here.elsewhere) };
  return moneyIn(without) === moneyIn(gateway) ? { ...gateway, refunded: here.refunded } : gateway;
}

const isOfSale = (money: MoneyIn) => ['paid', 'refunding', 'partly-refunded', 'refunded'].includes(money);

/** Whether the merchant and we name different sums that went back, or only one of us says that it was all. */
function isOtherRefund(here: NonNullable<Word>, merchant: Word | undefined): boolean {
  if (!merchant) return false;
  const [ours, theirs] = [moneyIn(here), moneyIn(merchant)];
  if (!isOfSale(ours) || !isOfSale(theirs) || ours === 'refunding' || theirs === 'refunding') return false;
  if (ours !== theirs) return true;
  return here.refunded != null && merchant.refunded != null && !sameAmount(here.refunded, merchant.refunded);
}

function isOtherAmount(one: NonNullable<Word>, other: NonNullable<Word>): boolean {
  if (one.amount !== null && other.amount !== null && !sameAmount(one.amount, other.amount)) return true;
  return (
    one.currency !== null && other.currency !== null && one.currency.toUpperCase() !== other.currency.toUpperCase()
  );
}

function text(word: Word): string | null {
  if (word === null) return null;
  const { status, amount, currency, refunded } = word;
  const back = refunded != null && isMore(refunded, '0') ? `(refunded ${refunded})` : null;
  return [status, amount, currency, back].filter((one) => one !== null).join(' ');
}

/** One slice of orders to compare. */
export interface ReconcileSlice {
  app_id: string;
  since: string;
  until: string;
  /** The whole period: an order belongs to the first slice of the period in which it was open. */
  period: ComparedPeriod;
  rows?: readonly MerchantRow[] | undefined;
  orders?: OrderRange | undefined;
  /** The last number that an earlier call compared. */
  after?: string | undefined;
  per_second: number;
}

export interface ReconciledSlice {
  checked: number;
  open: number;
  differences: Difference[];
  /** The last number that was compared, if others follow: an answer has a page of differences at most. */
  after: string | null;
}

export interface ReconciliationActivities {
  /**
   * Asks the gateway for every order of the slice, at a bounded rate, until a page is full. Its heartbeat keeps the
   * progress.
   */
  'payments.reconcile'(input: ReconcileSlice): Promise<Told<ReconciledSlice>>;
  /** Starts the payments of these orders, as the webhook would. An order that has a payment by now keeps it. */
  'payments.adopt'(input: { app_id: string; out_trade_nos: readonly string[] }): Promise<Told<void>>;
}
