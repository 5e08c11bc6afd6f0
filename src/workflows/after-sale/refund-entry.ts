/** One refund in the ledger of a trade: what it counts as, and how it begins. Pure: `now` is ms since the epoch. */
import type { RefundOrder, RefundOutcome, RefundState } from '../../contract';

/** What the amount of a refund counts as, by its outcome. */
export const COUNTS_AS: Record<RefundOutcome | 'under way', 'refunded' | 'refunding' | 'nothing'> = {
  'under way': 'refunding',
  REFUNDED: 'refunded',
  REFUND_REFUSED: 'nothing',
  REFUND_REVOKE: 'nothing',
  NOT_CREATED: 'nothing',
};

/** Where a person has to decide, the money may be gone. */
export const countsAs = ({ outcome, attention }: RefundState) =>
  attention === null ? COUNTS_AS[outcome ?? 'under way'] : 'refunding';

export const mayHaveLeft = (entry: RefundState) =>
  countsAs(entry) === 'refunded' || (countsAs(entry) === 'refunding' && entry.sent_at !== null);

/** The trade's status alone does not say whose refund it is. */
export const isOnlySeen = ({ answer, confirmed_by }: RefundState) =>
  answer?.recovered === true && confirmed_by === 'query';

/** A refused or revoked refund keeps its number: the gateway has used it. */
export const isSpent = ({ outcome }: RefundState) => outcome === 'REFUND_REFUSED' || outcome === 'REFUND_REVOKE';

/** One that was just requested: its number follows. */
export function newRefund({ refund_amount, refund_currency }: RefundOrder, now: number): RefundState {
  return {
    out_request_no: '',
    attempt: 1,
    refund_amount,
    refund_currency,
    partial: false,
    refund_status: null,
    outcome: null,
    confirmed_by: null,
    attention: null,
    requested_at: new Date(now).toISOString(),
    started_at: null,
    sent_at: null,
    answer: null,
    unnamed_end_seen: false,
    failure: null,
    resolved: null,
  };
}
