/** How long orders of each method usually live and settle (in ms), as known from the field; settings of an order win. */
import { DAY, HOUR, MINUTE } from './durations';

export interface MethodLife {
  /** When an unpaid order ends where it names no `timeout_express`. */
  usual_expiry_ms: number;
  /** How long after the buyer paid the gateway may take to know. */
  settles_ms: number;
}

const AT_ONCE = 0;

const LIVES: Record<string, readonly [usualExpiry: number, settles: number]> = {
  PIX: [2 * HOUR, AT_ONCE],
  Boleto: [30 * DAY, 3 * DAY],
  Lottery: [10 * DAY, DAY],
  DepositExpress: [7 * DAY, DAY],
  OpenFinance: [HOUR, AT_ONCE],
  CreditCard: [HOUR, 4 * DAY],
  SPEI: [3 * DAY, AT_ONCE],
  CoDi: [2 * HOUR, AT_ONCE],
  OXXO: [5 * DAY, 2 * DAY],
  OXXOPay: [5 * DAY, AT_ONCE],
  Cash: [DAY, AT_ONCE],
  PSE: [DAY, AT_ONCE],
  Efecty: [DAY, AT_ONCE],
  Khipu: [DAY, AT_ONCE],
  BNCR: [7 * DAY, AT_ONCE],
  PicPay: [3 * MINUTE, AT_ONCE],
};

/** A method that nobody told us about, or one that the buyer chooses at checkout: patient on both counts. */
const UNKNOWN: readonly [number, number] = [3 * DAY, 4 * DAY];

/** Names are told apart without regard to case, as methods.ts does, and never found on an object's prototype. */
const BY_NAME = new Map<string | undefined, readonly [number, number]>(
  Object.entries(LIVES).map(([name, life]) => [name.toLowerCase(), life]),
);

export function lifeOf(method: string | null): MethodLife {
  const [usual_expiry_ms, settles_ms] = BY_NAME.get(method?.toLowerCase()) ?? UNKNOWN;
  return { usual_expiry_ms, settles_ms };
}
