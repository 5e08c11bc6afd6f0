/**
 * What a trade's state says of the one refund that is under way. The gateway has no query for refunds: a trade shows the
 * state of its latest one, and two partial refunds look the same. Pure.
 */
import { isKnownStatus, type TradeStatus } from '../gateway/statuses';

/** Whether a refund can be made of a trade in this state: at once, after the trade has moved on, or not at all. */
export type Readiness = 'now' | 'later' | 'no';

type Fate = 'pending' | 'given back' | 'refused' | 'revoked' | 'unclear';

const TABLE: Record<TradeStatus, readonly [begins: Readiness, fate: Fate]> = {
  SUCCESS: ['now', 'revoked'],
  PARTIAL_REFUND: ['now', 'given back'],
  REFUNDED: ['now', 'given back'],
  REFUND_REFUSED: ['now', 'refused'],
  REFUND_REVOKE: ['later', 'revoked'],
  REFUND_VERIFYING: ['later', 'pending'],
  REFUND_PROCESSING: ['later', 'pending'],
  CHARGEBACK_REVERSED: ['later', 'unclear'],
  // The bank takes, or has taken, the money back: a refund beside it would give it back twice.
  DISPUTE: ['no', 'unclear'],
  CHARGEBACK: ['no', 'unclear'],
  INITIAL: ['no', 'unclear'],
  PROCESSING: ['no', 'unclear'],
  RISK_CONTROLLING: ['no', 'unclear'],
  REFUSED: ['no', 'unclear'],
  CANCEL: ['no', 'unclear'],
  EXPIRED: ['no', 'unclear'],
};

export function readiness(status: string): Readiness {
  return isKnownStatus(status) ? TABLE[status][0] : 'no';
}

/** What is known of a refund that was sent. */
export interface Sent {
  /** The trade's state just before it was sent. */
  before: string;
  /** Whether another state was seen since, or a notification said that the present one is this refund's. */
  moved: boolean;
}

/** What to make of the trade's state; `as before` says nothing either way. */
export function fateOf(status: string, { before, moved }: Sent): Fate | 'as before' {
  if (status === before && !moved) return 'as before';
  return isKnownStatus(status) ? TABLE[status][1] : 'unclear';
}

/**
 * Whether a trade that keeps its state shows that a refund with a lost answer was never made: only where any refund would
 * have changed it. After a partial refund, another one ends in the very same state.
 */
export function tellsNothingWasMade(before: string): boolean {
  return before === 'SUCCESS';
}

/** Whether the gateway moves a trade out of this state by itself, so that it is followed whatever the watch window. */
export function movesByItself(status: string): boolean {
  return ['REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUND_REVOKE', 'CHARGEBACK_REVERSED'].includes(status);
}
