/** The states a trade can be in: the interface's, and the four more that occur in the field. */
export const tradeStatuses = [
  'INITIAL',
  'PROCESSING',
  'SUCCESS',
  'CANCEL',
  'EXPIRED',
  'RISK_CONTROLLING',
  'REFUSED',
  'DISPUTE',
  'CHARGEBACK',
  'CHARGEBACK_REVERSED',
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUND_REVOKE',
  'REFUND_REFUSED',
  'REFUNDED',
  'PARTIAL_REFUND',
] as const;

/** A state of a trade. */
export type TradeStatus = (typeof tradeStatuses)[number];

/** One step that a trade may take. */
export interface Transition {
  from: TradeStatus;
  to: TradeStatus;
  why: string;
  /** Some steps are never told to the merchant, whatever the settings say. */
  silent?: true;
}

/** Every step that there is. What is not in this table cannot happen. */
export const transitions: readonly Transition[] = [
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
  // Where a partial refund is called REFUNDED too, more of them may follow.
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

/** What a buyer (or a test in the buyer's place) can do with a trade, and where that leads. */
export const buyerActions = {
  submit: 'PROCESSING',
  pay: 'SUCCESS',
  refuse: 'REFUSED',
  cancel: 'CANCEL',
  risk: 'RISK_CONTROLLING',
} as const satisfies Record<string, TradeStatus>;

/** The name of a buyer's action. */
export type BuyerAction = keyof typeof buyerActions;

/** What a bank (or an operator in its place) can do with a paid trade, and where that leads. */
export const bankActions = {
  dispute: 'DISPUTE',
  chargeback: 'CHARGEBACK',
  'reverse-chargeback': 'CHARGEBACK_REVERSED',
  'force-refund': 'REFUNDED',
} as const satisfies Record<string, TradeStatus>;

/** The name of a bank's action. */
export type BankAction = keyof typeof bankActions;

/** Whether a text names a bank's action. */
export function isBankAction(text: string): text is BankAction {
  return Object.hasOwn(bankActions, text);
}

/** Whether a text names a buyer's action. */
export function isBuyerAction(text: string): text is BuyerAction {
  return Object.hasOwn(buyerActions, text);
}

/** The step between two states, if the table has one. */
export function transition(from: TradeStatus, to: TradeStatus): Transition | undefined {
  return transitions.find((step) => step.from === from && step.to === to);
}

/** The step that a bank's action takes; a refund on its way is the merchant's, and no bank ends it. */
export function bankStep(from: TradeStatus, action: BankAction): Transition | undefined {
  return from === 'REFUND_PROCESSING' ? undefined : transition(from, bankActions[action]);
}

// Where somebody may do two things in one go: submit and pay (or give up), name an account and have the refund decided.
const onTheWay: Partial<Record<TradeStatus, TradeStatus>> = {
  INITIAL: 'PROCESSING',
  REFUND_VERIFYING: 'REFUND_PROCESSING',
};

/** The steps from one state to another: one, or two through the state on the way. `undefined` where no way leads there. */
export function route(from: TradeStatus, to: TradeStatus): readonly Transition[] | undefined {
  const direct = transition(from, to);
  if (direct) return [direct];
  const between = onTheWay[from];
  const first = between && transition(from, between);
  const second = between && transition(between, to);
  return first && second ? [first, second] : undefined;
}

/** A trade that still waits for its buyer, its bank or risk control. */
export function isOpen(status: TradeStatus): boolean {
  return status === 'INITIAL' || status === 'PROCESSING' || status === 'RISK_CONTROLLING';
}
