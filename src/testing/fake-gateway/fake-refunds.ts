/**
 * The refunds of the fake gateway. It makes every refund that it is asked for, as often as it is asked: so tests show that the workflows
 * alone keep refunds within what was paid, and make none twice.
 */
import Big from 'big.js';

/** How a refund ends: the money goes back, the bank refuses, or it is revoked and the payment stands again. */
export type RefundEnd = 'done' | 'refused' | 'revoked';

/** What becomes of the next refund that the gateway accepts. */
export interface RefundPlan {
  takes_ms: number;
  ends: RefundEnd;
  /** It waits for its buyer to name an account, as REFUND_VERIFYING. */
  waits?: boolean;
}

export interface FakeRefund extends RefundPlan {
  out_request_no: string | null;
  /** Decimal string in currency units. */
  amount: string;
  /** When it was accepted, in ms since the epoch. */
  at: number;
}

export const DEFAULT_PLAN: RefundPlan = { takes_ms: 20_000, ends: 'done' };
const STANDS_AGAIN_AFTER_MS = 60_000;

/** Money that has gone back or is on its way at a moment: a decimal string. */
export function refundedAmount(refunds: readonly FakeRefund[], now: number): string {
  const gone = refunds.filter(({ ends, at, takes_ms }) => ends === 'done' || now < at + takes_ms);
  return gone.reduce((sum, { amount }) => sum.plus(amount), new Big(0)).toFixed(2);
}

/** The status of a paid trade after its refunds; undefined without refunds. */
export function statusAfterRefunds(
  refunds: readonly FakeRefund[],
  { now, paid, partial }: { now: number; paid: string; partial: string },
): string | undefined {
  let status: string | undefined;
  let returned = new Big(0);
  for (const { at, takes_ms, ends, waits, amount } of refunds.filter((one) => one.at <= now)) {
    const ended = at + takes_ms;
    if (now < ended) return waits ? 'REFUND_VERIFYING' : 'REFUND_PROCESSING';
    if (ends === 'done') {
      returned = returned.plus(amount);
      status = returned.gte(paid) ? 'REFUNDED' : partial;
    } else if (ends === 'refused') status = 'REFUND_REFUSED';
    else status = now < ended + STANDS_AGAIN_AFTER_MS ? 'REFUND_REVOKE' : 'SUCCESS';
  }
  return status;
}
