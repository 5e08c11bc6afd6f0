/** The buyer's data that a payment already has, so that a refund can leave it out. It never leaves the activity. */

import type { RefundAttempt, RefundOrder } from '../contract';

/** What a refund can copy from its payment: the fields of `user_info` by their dotted paths. */
export type Buyer = Readonly<Record<string, string | undefined>>;

/** Finds the buyer of a trade; empty if Temporal does not have the payment (any more). */
export type BuyerOf = (trade: Pick<RefundAttempt, 'app_id' | 'id'>) => Promise<Buyer>;

const COPIED_FIELDS = ['name', 'email', 'phone', 'identify.number', 'identify.type'];

/** How long a refund's identity number and type may be (section 4.3). */
const MOST_OF_IDENTITY = 16;

/** The buyer of an order, from its `customer` (section 4.1). */
export function buyerOfOrder({ customer }: { readonly [field: string]: unknown }): Buyer {
  return Object.fromEntries(COPIED_FIELDS.map((path) => [path, textAt(customer, path)]));
}

/** The refund with its missing `user_info` filled in. Fields that the refund itself gives are kept. */
export function fillUserInfo(refund: RefundOrder, buyer: Buyer): Record<string, unknown> {
  const given = asRecord(refund.user_info);
  const { 'identify.number': number, 'identify.type': type, ...rest } = buyer;
  // A number belongs to its type, so the identity is copied as a whole or not at all. Orders take longer ones, such as a CURP.
  const fits = [number, type].every((text) => text === undefined || text.length <= MOST_OF_IDENTITY);
  const identify = given.identify ?? (number === undefined || !fits ? undefined : defined({ number, type }));
  const user_info = { ...defined(rest), ...given, ...(identify === undefined ? {} : { identify }) };
  return { ...refund, ...(Object.keys(user_info).length > 0 ? { user_info } : {}) };
}

function textAt(value: unknown, path: string): string | undefined {
  const found = path.split('.').reduce<unknown>((at, key) => asRecord(at)[key], value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function defined(fields: Buyer): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}
