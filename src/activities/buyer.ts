/** The buyer's data that a payment has already, so that a refund need not be given it again. It never leaves the activity. */

import type { RefundTry } from '../workflows/activities';
import type { RefundOrder } from '../workflows/contract';

/** What a refund can take over from its payment: the fields of `user_info` by their dotted paths. */
export type Buyer = Readonly<Record<string, string | undefined>>;

/** Finds the buyer of a trade; empty where Temporal does not have the payment (any more). */
export type BuyerOf = (trade: Pick<RefundTry, 'app_id' | 'id'>) => Promise<Buyer>;

const TAKEN_OVER = ['name', 'email', 'phone', 'identify.number', 'identify.type'];

/** The buyer of an order, as `/trade/pay` has it under `customer`. */
export function buyerOfOrder({ customer }: { readonly [field: string]: unknown }): Buyer {
  return Object.fromEntries(TAKEN_OVER.map((path) => [path, textAt(customer, path)]));
}

/** The refund with what its payment knows of the buyer. What the refund itself says stands. */
export function withBuyer(refund: RefundOrder, buyer: Buyer): Record<string, unknown> {
  const given = asRecord(refund.user_info);
  const { 'identify.number': number, 'identify.type': type, ...rest } = buyer;
  // An identity is a number with its type: never one of each.
  const identify = given.identify ?? (number === undefined ? undefined : defined({ number, type }));
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
