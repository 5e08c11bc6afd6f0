/** How long orders of each payment method usually stay open, and how long they take to settle, as seen in the field. */
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
