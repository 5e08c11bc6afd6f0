import { namesOf } from '../names';
import type { RefundStatus, TradeState } from '../records';

/** One step that a trade can take. */
export interface TradeStep {
  from: TradeState;
  to: TradeState;
  why: string;
  /** The merchant gets no notification of this step, whatever the settings say. */
  silent?: true;
}

/** All steps. A step that is not in this table cannot happen. */
export const tradeSteps: readonly TradeStep[] = [
  { from: 'INITIAL', to: 'EXPIRED', why: 'the buyer did nothing in time' },
  { from: 'INITIAL', to: 'PROCESSING', why: 'the buyer submitted the payment' },
  { from: 'INITIAL', to: 'RISK_CONTROLLING', why: 'risk control looks at it' },
  { from: 'INITIAL', to: 'REFUSED', why: 'the bank refused it' },
  { from: 'PROCESSING', to: 'SUCCESS', why: 'the buyer paid' },
  { from: 'PROCESSING', to: 'REFUSED', why: 'the bank refused it' },
  { from: 'PROCESSING', to: 'CANCEL', why: 'it was not paid in time, or the buyer gave it up' },
  { from: 'RISK_CONTROLLING', to: 'SUCCESS', why: 'risk control let it pass' },
  { from: 'RISK_CONTROLLING', to: 'REFUSED', why: 'risk control refused it' },
  { from: 'SUCCESS', to: 'REFUND_VERIFYING', why: 'the merchant asked for a refund' },
  { from: 'SUCCESS', to: 'DISPUTE', why: 'the buyer disputes it' },
  { from: 'SUCCESS', to: 'CHARGEBACK', why: 'the bank took the money back' },
  { from: 'SUCCESS', to: 'REFUNDED', why: 'the bank forced a refund' },
  { from: 'PARTIAL_REFUND', to: 'REFUND_VERIFYING', why: 'the merchant asked for another refund' },
  { from: 'PARTIAL_REFUND', to: 'DISPUTE', why: 'the buyer disputes what is left' },
  { from: 'PARTIAL_REFUND', to: 'CHARGEBACK', why: 'the bank took the money back' },
  { from: 'PARTIAL_REFUND', to: 'REFUNDED', why: 'the bank forced a refund of what is left' },
  // If the settings call a partial refund REFUNDED too, another refund may follow.
  { from: 'REFUNDED', to: 'REFUND_VERIFYING', why: 'the merchant asked for another refund' },
  { from: 'REFUND_REFUSED', to: 'REFUND_VERIFYING', why: 'the merchant asked for another refund' },
  { from: 'REFUND_VERIFYING', to: 'REFUND_PROCESSING', why: 'the buyer gave an account' },
  { from: 'REFUND_VERIFYING', to: 'REFUND_REVOKE', why: 'the refund expired' },
  { from: 'REFUND_PROCESSING', to: 'REFUNDED', why: 'the refund is done' },
  { from: 'REFUND_PROCESSING', to: 'PARTIAL_REFUND', why: 'the refund of a part is done' },
  { from: 'REFUND_PROCESSING', to: 'REFUND_REVOKE', why: 'the refund was canceled' },
  { from: 'REFUND_PROCESSING', to: 'REFUND_REFUSED', why: 'the bank refused the refund' },
  { from: 'REFUND_REVOKE', to: 'SUCCESS', why: 'the payment stands again', silent: true },
  { from: 'DISPUTE', to: 'CHARGEBACK', why: 'the bank confirmed the dispute' },
  { from: 'CHARGEBACK', to: 'CHARGEBACK_REVERSED', why: 'the buyer reversed it' },
  { from: 'CHARGEBACK_REVERSED', to: 'SUCCESS', why: 'the payment stands again', silent: true },
];

/** The step between two states, if the table has one. */
export function tradeStep(from: TradeState, to: TradeState): TradeStep | undefined {
  return tradeSteps.find((step) => step.from === from && step.to === to);
}

// Some actions take two steps: submit and pay (or give up), name an account and decide the refund.
const onTheWay: Partial<Record<TradeState, TradeState>> = {
  INITIAL: 'PROCESSING',
  REFUND_VERIFYING: 'REFUND_PROCESSING',
};

/** The steps from one state to another: one, or two with a state between them. `undefined` if there is no way. */
export function stepsBetween(from: TradeState, to: TradeState): readonly TradeStep[] | undefined {
  const direct = tradeStep(from, to);
  if (direct) return [direct];
  const between = onTheWay[from];
  const first = between && tradeStep(from, between);
  const second = between && tradeStep(between, to);
  return first && second ? [first, second] : undefined;
}

/** Whether a trade still waits for its buyer, its bank or risk control. */
export function isOpen(status: TradeState): boolean {
  return status === 'INITIAL' || status === 'PROCESSING' || status === 'RISK_CONTROLLING';
}

// biome-ignore format: a table, read by columns
/** What a buyer or a bank can do with a trade. A bank refuses and risk control looks as part of a buyer's payment. */
export const tradeActions = {
  submit:               { by: 'buyer', to: 'PROCESSING',          does: 'The buyer submits: INITIAL becomes PROCESSING.' },
  pay:                  { by: 'buyer', to: 'SUCCESS',             does: 'The buyer pays. An INITIAL trade is submitted first.' },
  refuse:               { by: 'buyer', to: 'REFUSED',             does: 'The bank refuses the payment.' },
  cancel:               { by: 'buyer', to: 'CANCEL',              does: 'The buyer gives up.' },
  risk:                 { by: 'buyer', to: 'RISK_CONTROLLING',    does: 'Risk control checks the payment; cards only.' },
  dispute:              { by: 'bank',  to: 'DISPUTE',             does: 'The buyer disputes a paid trade.' },
  chargeback:           { by: 'bank',  to: 'CHARGEBACK',          does: 'The bank takes the money back.' },
  'reverse-chargeback': { by: 'bank',  to: 'CHARGEBACK_REVERSED', does: 'A chargeback is reversed. Soon the trade is silently SUCCESS again.' },
  'force-refund':       { by: 'bank',  to: 'REFUNDED',            does: 'The bank gives back all that is left; the merchant did not ask.' },
} as const satisfies Record<string, { by: 'buyer' | 'bank'; to: TradeState; does: string }>;

/** What a buyer or a bank can do with a refund. Where `approve` leads depends on what is left of the trade. */
export const refundActions = {
  confirm: { to: 'REFUND_PROCESSING', does: 'The buyer names an account: REFUND_VERIFYING becomes REFUND_PROCESSING.' },
  approve: { to: 'REFUNDED', does: 'The refund is done.' },
  refuse: { to: 'REFUND_REFUSED', does: 'The bank refuses the refund.' },
  revoke: { to: 'REFUND_REVOKE', does: 'The refund is canceled. Soon the trade is silently SUCCESS again.' },
} as const satisfies Record<string, { to: RefundStatus; does: string }>;

export type TradeAction = keyof typeof tradeActions;
export type RefundAction = keyof typeof refundActions;

/** The names of all actions on a trade, and on a refund. */
export const tradeActionNames = namesOf(tradeActions);
export const refundActionNames = namesOf(refundActions);

/** The step of a bank's action, if the state allows it. No bank ends a refund that is under way: it is the merchant's. */
export function bankStep(from: TradeState, action: TradeAction): TradeStep | undefined {
  return from === 'REFUND_PROCESSING' ? undefined : tradeStep(from, tradeActions[action].to);
}
