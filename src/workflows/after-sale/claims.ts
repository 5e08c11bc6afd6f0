/** What notifications say after a sale, and whether the gateway's answer agrees. Pure. */
import {
  isBankStatus,
  isRefundStatus,
  type NotificationClaim,
  type NotificationSignal,
  type RefundOutcome,
  type RefundState,
} from '../../contract';
import { isBehind } from '../shared/stale-read';
import { outcomeNamedBy } from './refund/interpret';

/** What the bank does, in its order. */
const OF_THE_BANK: readonly string[] = ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'];

const stepOf = ({ trade_status = '' }: NotificationClaim) => OF_THE_BANK.indexOf(trade_status);

/** Whether a notification is the bank's word. */
export const isOfTheBank = ({ trade_status = '' }: NotificationClaim) => isBankStatus(trade_status);

/** What a notification says, without anything personal: the public state shows it while it is held. */
export function claimOf({ trade_no, trade_status, out_request_no }: NotificationSignal): NotificationClaim {
  return { trade_no, trade_status, out_request_no };
}

/**
 * Whether a queried status does not show yet what was notified. The bank's word can follow any status and come again, so only
 * the same word or a later one of the bank answers it.
 */
export function isUnanswered(status: string, claims: readonly NotificationClaim[]): boolean {
  const words = claims.filter(isOfTheBank);
  const others = claims.filter((claim) => !isOfTheBank(claim));
  const reached = OF_THE_BANK.indexOf(status);
  // After a reversal the payment stands again.
  const isOver = (claim: NotificationClaim) => claim.trade_status === 'CHARGEBACK_REVERSED' && status === 'SUCCESS';
  return words.some((claim) => reached < stepOf(claim) && !isOver(claim)) || isBehind(status, others);
}

/** Whether a notification is about a refund, by its number. */
export const namesRefund = ({ out_request_no, trade_status = '' }: NotificationClaim) =>
  typeof out_request_no === 'string' && out_request_no !== '' && isRefundStatus(trade_status);

/** Whether the status that names a refund cannot be true of one that has ended so. */
export function contradicts(status: string, outcome: RefundOutcome | null): boolean {
  if (outcome === null || outcome === 'NOT_CREATED') return outcome !== null;
  const paid = status === 'REFUNDED' || status === 'PARTIAL_REFUND';
  const paidNothing = status === 'REFUND_REFUSED' || status === 'REFUND_REVOKE';
  return outcome === 'REFUNDED' ? paidNothing : paid;
}

/** Whether a notification says that a refund came back, and not which one. */
export const isUnnamedRevoke = ({ out_request_no, trade_status }: NotificationClaim) =>
  trade_status === 'REFUND_REVOKE' && !out_request_no;

/**
 * Whether a refund of ours reads this notification itself, and the notification does not contradict the outcome of one that
 * has ended.
 */
export const isOfOurs = (claim: NotificationClaim, refund: RefundState | undefined): boolean => {
  if (refund === undefined || !namesRefund(claim)) return false;
  const named = outcomeNamedBy(claim.trade_status ?? null);
  return refund.outcome === null || named === undefined || named === refund.outcome;
};
