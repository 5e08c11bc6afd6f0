/** What is known of each payment method: how long its orders stay open and take to settle, and where its refunds go. Pure. */
import { DAY, HOUR, MINUTE } from './durations';

export interface MethodTiming {
  /** When an unpaid order expires if it names no `timeout_express`. */
  usual_expiry_ms: number;
  /** How long the gateway may take to learn that the buyer has paid. */
  settles_ms: number;
}

const IMMEDIATE = 0;

const TIMINGS: Record<string, readonly [usualExpiry: number, settles: number]> = {
  PIX: [2 * HOUR, IMMEDIATE],
  Boleto: [30 * DAY, 3 * DAY],
  Lottery: [10 * DAY, DAY],
  DepositExpress: [7 * DAY, DAY],
  OpenFinance: [HOUR, IMMEDIATE],
  CreditCard: [HOUR, 4 * DAY],
  SPEI: [3 * DAY, IMMEDIATE],
  CoDi: [2 * HOUR, IMMEDIATE],
  OXXO: [5 * DAY, 2 * DAY],
  OXXOPay: [5 * DAY, IMMEDIATE],
  Cash: [DAY, IMMEDIATE],
  PSE: [DAY, IMMEDIATE],
  Efecty: [DAY, IMMEDIATE],
  Khipu: [DAY, IMMEDIATE],
  BNCR: [7 * DAY, IMMEDIATE],
  PicPay: [3 * MINUTE, IMMEDIATE],
};

/** For a method that is not in the table, or not known because the buyer chooses it at checkout: long on both counts. */
const UNKNOWN: readonly [number, number] = [3 * DAY, 4 * DAY];

/** The longest time that an order of any method stays open and settles, in ms. */
export const LONGEST_OPEN_MS = Math.max(...Object.values(TIMINGS).map(([expiry, settles]) => expiry + settles));

/** Keys are in lower case, because case does not count (see methods.ts). A Map, so that `constructor` is not found. */
const BY_NAME = new Map<string | undefined, readonly [number, number]>(
  Object.entries(TIMINGS).map(([name, timing]) => [name.toLowerCase(), timing]),
);

/** The timing of a method; `null` if the method is not known yet. Lengths are in ms. */
export function timingOf(method: string | null): MethodTiming {
  const [usual_expiry_ms, settles_ms] = BY_NAME.get(method?.toLowerCase()) ?? UNKNOWN;
  return { usual_expiry_ms, settles_ms };
}

// — Where the money of a refund goes (section 4.3) —

const BY_METHOD: readonly (readonly [methods: readonly string[], to: string])[] = [
  [['PIX', 'Boleto', 'Lottery', 'DepositExpress'], 'a bank account'],
  [['SPEI'], 'a bank account (CLABE)'],
];

/** The buyer's bank account that a refund by this method needs, which no order has; undefined if the interface names none. */
export const refundNeedsAccount = (method: string | null): string | undefined =>
  BY_METHOD.find(([methods]) => methods.some((one) => one.toLowerCase() === method?.toLowerCase()))?.[1];
