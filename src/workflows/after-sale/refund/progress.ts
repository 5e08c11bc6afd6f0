/**
 * What a trade's status says about its one running refund. The gateway has no query for refunds: the trade shows the
 * status of the latest one, and two partial refunds look the same. Pure.
 */
import { isKnownStatus, type TradeStatus } from '../../../gateway/pure/statuses';

/** Whether a trade in this status can be refunded: now, after its next status, or not at all. */
export type RefundReadiness = 'now' | 'later' | 'no';

/** How the refund stands. `unknown`: the status says nothing about refunds. */
export type RefundProgress = 'pending' | 'refunded' | 'refused' | 'revoked' | 'unknown';

const STATUS_TABLE: Record<TradeStatus, readonly [readiness: RefundReadiness, progress: RefundProgress]> = {
  SUCCESS: ['now', 'revoked'],
  PARTIAL_REFUND: ['now', 'refunded'],
  REFUNDED: ['now', 'refunded'],
  REFUND_REFUSED: ['now', 'refused'],
  REFUND_REVOKE: ['later', 'revoked'],
  REFUND_VERIFYING: ['later', 'pending'],
  REFUND_PROCESSING: ['later', 'pending'],
  CHARGEBACK_REVERSED: ['later', 'unknown'],
  // The bank takes the money back. A refund beside that would pay the buyer twice.
  DISPUTE: ['no', 'unknown'],
  CHARGEBACK: ['no', 'unknown'],
  INITIAL: ['no', 'unknown'],
  PROCESSING: ['no', 'unknown'],
  RISK_CONTROLLING: ['no', 'unknown'],
  REFUSED: ['no', 'unknown'],
  CANCEL: ['no', 'unknown'],
  EXPIRED: ['no', 'unknown'],
};

/** Whether a trade in this status can be refunded. A status that we do not know: no. */
export function readiness(status: string): RefundReadiness {
  return isKnownStatus(status) ? STATUS_TABLE[status][0] : 'no';
}

/** What is known about a refund that was sent. */
export interface SentRefund {
  /** The trade's status just before the refund was sent. */
  baseline: string;
  /** The present status comes from this refund: it has changed since, or a notification names the refund. */
  attributed: boolean;
}

/** What the trade's status says about the refund; `unchanged` says nothing either way. */
export function refundProgress(status: string, { baseline, attributed }: SentRefund): RefundProgress | 'unchanged' {
  if (status === baseline && !attributed) return 'unchanged';
  return isKnownStatus(status) ? STATUS_TABLE[status][1] : 'unknown';
}

/**
 * Whether an unchanged status proves that a refund with a lost answer was never made. It does where every refund would
 * change it. It does not after a partial refund: another one ends in the same status.
 */
export function unchangedMeansNoRefund(baseline: string): boolean {
  return baseline === 'SUCCESS';
}

/** Whether the gateway moves a trade out of this status by itself. Then it is polled even after the watch window. */
export function isTransientStatus(status: string): boolean {
  return ['REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUND_REVOKE', 'CHARGEBACK_REVERSED'].includes(status);
}
