/** Which statuses of a trade may follow which. Pure. */
import { isKnownStatus, type TradeStatus } from '../gateway/pure/names';
import type { NotificationSignal } from './notification';
import type { PaymentState } from './payment';
import { isDecided, isUnlikeOrder } from './same-order';
import { outcomeOf } from './trade-status-table';

/** For each status, the statuses that the gateway may move a trade to. Between two queries a trade may skip some. */
const NEXT: Record<TradeStatus, readonly TradeStatus[]> = {
  INITIAL: ['EXPIRED', 'PROCESSING', 'RISK_CONTROLLING', 'REFUSED'],
  // The field's table ends an unpaid PROCESSING trade in CANCEL only; EXPIRED means the same: nothing was paid. The table also lacks an order
  // that is examined after its buyer has paid, and one that is not paid after the examination: a gateway with risk control may do both.
  PROCESSING: ['SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED', 'RISK_CONTROLLING'],
  RISK_CONTROLLING: ['SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'],
  SUCCESS: ['REFUND_VERIFYING', 'DISPUTE', 'CHARGEBACK', 'REFUNDED'],
  REFUND_VERIFYING: ['REFUND_PROCESSING', 'REFUND_REVOKE'],
  REFUND_PROCESSING: ['REFUNDED', 'PARTIAL_REFUND', 'REFUND_REVOKE', 'REFUND_REFUSED'],
  REFUND_REVOKE: ['SUCCESS'],
  REFUND_REFUSED: [],
  REFUNDED: [],
  // In the interface, but not in the field's table. It is like REFUNDED, but further refunds may follow.
  PARTIAL_REFUND: ['REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUNDED'],
  DISPUTE: ['CHARGEBACK'],
  CHARGEBACK: ['CHARGEBACK_REVERSED'],
  CHARGEBACK_REVERSED: ['SUCCESS'],
  REFUSED: [],
  CANCEL: [],
  EXPIRED: [],
};

/** How one status may follow another, in the words that people read. */
export const TRANSITION_KINDS = {
  same: 'nothing new',
  forward: 'the table of transitions leads there',
  stale: 'an older status, learned late: a state never moves backwards',
  unlisted: 'the table of transitions has no way there: a person must look',
  'unknown-status': 'the table of statuses does not have it: a person must look',
} as const;
export type TransitionKind = keyof typeof TRANSITION_KINDS;

/** How status `to` follows `from`, which is null if none is known yet. */
export function classifyTransition(from: string | null, to: string): TransitionKind {
  if (from === to) return 'same';
  if (!isKnownStatus(to)) return 'unknown-status';
  if (from === null || !isKnownStatus(from) || isReachable(from, to)) return 'forward';
  return isReachable(to, from) ? 'stale' : 'unlisted';
}

/**
 * The later of two statuses of a trade: the one that the other leads to, or else the one that was said last. But a status of a paid trade is
 * not replaced by an unpaid one: a stale replica must not undo money.
 */
export function laterStatus(known: string | null, said: string | null): string | null {
  if (known === null || said === null) return said ?? known;
  const isUnsaid = isKnownStatus(said) && outcomeOf(known) === 'SUCCESS' && outcomeOf(said) !== 'SUCCESS';
  return isUnsaid || classifyTransition(known, said) === 'stale' ? known : said;
}

/**
 * Whether a trade's status contradicts the refusal of its creation: it was paid, or may still be paid. INITIAL only says that the order was
 * made, as the refusal did.
 */
export function contradictsRefusal(status: string): boolean {
  const outcome = outcomeOf(status);
  return outcome === 'SUCCESS' || (outcome === null && status !== 'INITIAL');
}

/** Whether a trade has this status only after it was sold. */
export function isAfterSaleStatus(status: string): boolean {
  return status !== 'SUCCESS' && outcomeOf(status) === 'SUCCESS';
}

/** Whether a notified status (`claim`) reports money that a trade in `status` does not show yet. */
export function reportsNewMoney(status: string | null, claim: string): boolean {
  return outcomeOf(claim) === 'SUCCESS' && !['same', 'stale'].includes(classifyTransition(status, claim));
}

/**
 * The status that news of a trade is compared with: what is proven of its money. A sale is at least SUCCESS, even if only a person says so. A
 * payment that has ended without a sale does not prove that money came, whatever the gateway called it before.
 */
export function saleStatus({ outcome, trade_status }: Pick<PaymentState, 'outcome' | 'trade_status'>): string | null {
  const saysSold = outcomeOf(trade_status ?? '') === 'SUCCESS';
  if (outcome === 'SUCCESS') return saysSold ? trade_status : 'SUCCESS';
  return saysSold && outcome !== null ? null : trade_status;
}

function isReachable(from: TradeStatus, to: TradeStatus): boolean {
  const reached = new Set<TradeStatus>([from]);
  for (const status of reached) for (const next of NEXT[status]) reached.add(next);
  return from !== to && reached.has(to);
}

/** Whether an ended payment knows this trade with this status and amount: mostly a repetition whose acknowledgement was lost. */
export function isKnownToPayment(
  payment: Pick<PaymentState, 'trade_no' | 'trade_status' | 'order_amount' | 'order_currency'> &
    Pick<PaymentState, 'outcome' | 'confirmed_by' | 'other_trades' | 'mismatch'>,
  notified: NotificationSignal,
): boolean {
  const { trade_no, trade_status, amount, currency } = notified;
  const { trade_no: ours, outcome, trade_status: status, other_trades } = payment;
  if (trade_status === undefined) return false;
  // Another trade, or ours if the payment did not know its trade_no: it is news unless it was noted.
  if (trade_no !== undefined && trade_no !== ours)
    return other_trades.some((one) => one.trade_no === trade_no && one.trade_status === trade_status);
  const isNewsTo = (known: string | null) => !['same', 'stale'].includes(classifyTransition(known, trade_status));
  // A person's decision does not prove that the gateway has the money.
  if (isDecided(payment, { amount, currency })) return !isNewsTo(status);
  if (payment.confirmed_by === 'operator') return false;
  const { order_amount, order_currency } = payment;
  const isUnlike = isUnlikeOrder(
    { order_amount, order_currency },
    { amount: amount || undefined, currency: currency || undefined },
  );
  return !isNewsTo(saleStatus({ outcome, trade_status: status })) && !isUnlike;
}
