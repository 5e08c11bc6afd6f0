/** The search attributes of our workflows. Temporal never encrypts them, so they must never hold personal data. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { isMoney, sumOf } from '../gateway/pure/money';
import type { OrderRequest } from './payment';

/** The search attributes that workflows set, and lists filter by. */
export const SEARCH_ATTRIBUTE = {
  status: defineSearchAttributeKey('PaymentStatus', 'KEYWORD'),
  method: defineSearchAttributeKey('PaymentMethod', 'KEYWORD'),
  /** To read, with the currency first: see {@link moneyToRead}. */
  money: defineSearchAttributeKey('PaymentMoney', 'KEYWORD'),
  attention: defineSearchAttributeKey('PaymentAttention', 'KEYWORD'),
  tradeNo: defineSearchAttributeKey('PaymentTradeNo', 'KEYWORD'),
  /** To filter by size: a double, never to calculate with. */
  amount: defineSearchAttributeKey('PaymentAmount', 'DOUBLE'),
  /** Of a virtual account: a digest of each key that it was created for. One account may have several. */
  accountKeys: defineSearchAttributeKey('PaymentAccountKeys', 'KEYWORD_LIST'),
  /** When an order expires; of an after-sale, by when its dispute has to be answered. */
  expiresAt: defineSearchAttributeKey('PaymentExpiresAt', 'DATETIME'),
  /** How the order has ended, as far as is known. */
  outcome: defineSearchAttributeKey('PaymentOutcome', 'KEYWORD'),
  /** Since when it waits for a person for this reason. */
  attentionSince: defineSearchAttributeKey('PaymentAttentionSince', 'DATETIME'),
  /** The person who has taken the wait on, by the name that they gave. */
  takenBy: defineSearchAttributeKey('PaymentTakenBy', 'KEYWORD'),
  /** A digest of who decided last. */
  decidedBy: defineSearchAttributeKey('PaymentDecidedBy', 'KEYWORD'),
  /** Digests of other names to find it by: see {@link nameDigest}. */
  names: defineSearchAttributeKey('PaymentNames', 'KEYWORD_LIST'),
};

/** What a workflow is found by, besides the numbers of its order and trade: a buyer’s id, a refund’s number, an account’s number. */
export const NAME_KINDS = ['buyer', 'refund', 'account'] as const;
/** `subject`: for a delivery of events, the workflow id that the events are about. People find the delivery by the order. */
export type NameKind = (typeof NAME_KINDS)[number] | 'subject';

/** How many names are kept: the latest. Temporal takes 2 KB. */
const MOST_NAMES = 50;

/** A name as it stands in the search attribute: it can be compared, and not read. */
export const nameDigest = (kind: NameKind, name: string): string => digestOf(`${kind}:${name}`);

/** A digest of who decided: search attributes are in clear text, and nobody should read the name there. */
export const personDigest = (by: string): string => digestOf(`person:${by}`);

/** The digests of the names that are present. */
export function nameDigests(names: readonly (readonly [NameKind, unknown])[]): string[] {
  const given = names.flatMap(([kind, name]) =>
    typeof name === 'string' && name !== '' ? [nameDigest(kind, name)] : [],
  );
  return [...new Set(given)].slice(-MOST_NAMES);
}

/** Search attributes that Temporal itself sets on a workflow that cannot go on. */
export const TEMPORALS_ATTRIBUTE = {
  /** On an open workflow whose task has failed, or timed out, again and again. */
  problems: defineSearchAttributeKey('TemporalReportedProblems', 'KEYWORD_LIST'),
  /** On a workflow that is paused, or has a paused activity. */
  paused: defineSearchAttributeKey('TemporalPauseInfo', 'KEYWORD_LIST'),
};

/** The status of a payment whose order the gateway does not have yet. */
export const NOT_CREATED_YET = 'CREATING';

interface Money {
  readonly order_amount: unknown;
  readonly order_currency: unknown;
}

/** `BRL 150.00`: exact, for people to read; a query finds a currency by the prefix. Null if it is no money. */
export const moneyToRead = ({ order_amount, order_currency }: Money): string | null =>
  isMoney(order_amount) && typeof order_currency === 'string' && order_currency !== ''
    ? `${order_currency} ${sumOf([order_amount])}`
    : null;

/** Reads what {@link moneyToRead} wrote. */
export function moneyRead(text: string | undefined): { amount: string | null; currency: string | null } {
  const [, currency = null, amount = null] = /^(.*) (\S+)$/.exec(text ?? '') ?? [];
  return { amount, currency };
}

/** The amount as a number; null if it is no amount. */
export const amountToFindBy = (amount: unknown): number | null => (isMoney(amount) ? Number(amount) : null);

/** The status of an after-sale before the gateway's first answer. */
export const NOTHING_SAID = 'UNKNOWN';

/** The search attributes for the start of a payment, so that its first task has none to set. The payment sets those that are missing. */
export function attributesAtStart({
  method,
  order_currency,
  order_amount,
  buyer_id,
}: OrderRequest): SearchAttributePair[] {
  const names = nameDigests([['buyer', buyer_id]]);
  const [money, amount] = [moneyToRead({ order_amount, order_currency }), amountToFindBy(order_amount)];
  return [
    { key: SEARCH_ATTRIBUTE.status, value: NOT_CREATED_YET },
    ...(typeof method === 'string' ? [{ key: SEARCH_ATTRIBUTE.method, value: method }] : []),
    ...(money === null ? [] : [{ key: SEARCH_ATTRIBUTE.money, value: money }]),
    ...(amount === null ? [] : [{ key: SEARCH_ATTRIBUTE.amount, value: amount }]),
    ...(names.length > 0 ? [{ key: SEARCH_ATTRIBUTE.names, value: names }] : []),
  ];
}

/** A short digest of a text: 13 characters, the same on every machine. Pure: workflows have no crypto. */
export function digestOf(text: string): string {
  // FNV-1a with 64 bits: among a hundred million texts, the chance of two equal digests is 1 in 4,000.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36).padStart(13, '0');
}
