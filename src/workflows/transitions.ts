/** The trade's states, how they may follow each other, and what each means for the payment. Pure. */
import { isKnownStatus, type TradeStatus } from '../gateway/statuses';
import type { Outcome } from './contract';

/** Which state the gateway moves a trade to from which. What happens in between two looks may skip states. */
const NEXT: Record<TradeStatus, readonly TradeStatus[]> = {
  INITIAL: ['EXPIRED', 'PROCESSING', 'RISK_CONTROLLING', 'REFUSED'],
  // The field's table ends an unpaid PROCESSING trade in CANCEL only; EXPIRED means the same: nothing was paid.
  PROCESSING: ['SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'],
  RISK_CONTROLLING: ['SUCCESS', 'REFUSED'],
  SUCCESS: ['REFUND_VERIFYING', 'DISPUTE', 'CHARGEBACK', 'REFUNDED'],
  REFUND_VERIFYING: ['REFUND_PROCESSING', 'REFUND_REVOKE'],
  REFUND_PROCESSING: ['REFUNDED', 'PARTIAL_REFUND', 'REFUND_REVOKE', 'REFUND_REFUSED'],
  REFUND_REVOKE: ['SUCCESS'],
  REFUND_REFUSED: [],
  REFUNDED: [],
  // In the interface, but not in the field's table: it stands where REFUNDED does, and further refunds may follow.
  PARTIAL_REFUND: ['REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUNDED'],
  DISPUTE: ['CHARGEBACK'],
  CHARGEBACK: ['CHARGEBACK_REVERSED'],
  CHARGEBACK_REVERSED: ['SUCCESS'],
  REFUSED: [],
  CANCEL: [],
  EXPIRED: [],
};

/** What a state means for the payment; null while it is under way. States after the sale follow a SUCCESS. */
const OUTCOME: Record<TradeStatus, Outcome | null> = {
  INITIAL: null,
  PROCESSING: null,
  RISK_CONTROLLING: null,
  SUCCESS: 'SUCCESS',
  CANCEL: 'CANCEL',
  REFUSED: 'REFUSED',
  EXPIRED: 'EXPIRED',
  REFUND_VERIFYING: 'SUCCESS',
  REFUND_PROCESSING: 'SUCCESS',
  REFUND_REVOKE: 'SUCCESS',
  REFUND_REFUSED: 'SUCCESS',
  REFUNDED: 'SUCCESS',
  PARTIAL_REFUND: 'SUCCESS',
  DISPUTE: 'SUCCESS',
  CHARGEBACK: 'SUCCESS',
  CHARGEBACK_REVERSED: 'SUCCESS',
};

/** `same`: nothing new. `stale`: an older state, told late. `unlisted`: no way leads there; a person must look. */
export type Step = 'same' | 'forward' | 'stale' | 'unlisted' | 'unknown-status';

/** What to make of `to` where `from` was known before; null is "nothing known yet". */
export function step(from: string | null, to: string): Step {
  if (from === to) return 'same';
  if (!isKnownStatus(to)) return 'unknown-status';
  if (from === null || !isKnownStatus(from) || leads(from, to)) return 'forward';
  return leads(to, from) ? 'stale' : 'unlisted';
}

/** The payment's outcome in this state; null while it is under way or where the state is unknown to us. */
export function outcomeOf(status: string): Outcome | null {
  return isKnownStatus(status) ? OUTCOME[status] : null;
}

/** Whether a trade comes to this state only once it was sold. */
export function comesAfterSale(status: string): boolean {
  return status !== 'SUCCESS' && outcomeOf(status) === 'SUCCESS';
}

/** Whether a claim, made after a trade was last seen in `status`, is of money that came or moved since. */
export function tellsOfMoney(status: string | null, claim: string): boolean {
  return outcomeOf(claim) === 'SUCCESS' && !['same', 'stale'].includes(step(status, claim));
}

function leads(from: TradeStatus, to: TradeStatus): boolean {
  const reached = new Set<TradeStatus>([from]);
  for (const status of reached) for (const next of NEXT[status]) reached.add(next);
  return from !== to && reached.has(to);
}
