/**
 * The names and shapes that cross languages. A merchant in any language starts these workflows with plain JSON; nothing
 * here may change its meaning. Names are never built from strings anywhere else.
 */

export const WORKFLOW = {
  payment: 'payment',
  afterSale: 'afterSale',
  refund: 'refund',
  strayNotification: 'strayNotification',
  createSpeiAccount: 'createSpeiAccount',
  speiAccount: 'speiAccount',
  speiAccountQuantity: 'speiAccountQuantity',
  /** Ours alone: hands on what a merchant's handler has not heard yet when its payment is over. */
  paymentEvents: 'paymentEvents',
} as const;
export const UPDATE = {
  created: 'created',
  recheck: 'recheck',
  resolve: 'resolve',
  refund: 'refund',
  cancel: 'cancel',
} as const;
export const SIGNAL = {
  notification: 'notification',
  deposit: 'deposit',
  /** Ours alone, between an after-sale and its refunds: a person's word, and what has become of a refund. */
  resolve: 'resolve',
  refundChanged: 'refundChanged',
  /** Ours alone: events for the workflow that tells what is left of a payment. */
  tell: 'tell',
} as const;
export const QUERY = { state: 'state' } as const;

export type AfterSaleWorkflow = (input: AfterSaleInput) => Promise<AfterSaleState>;
export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentState>;

/** The workflow id is the idempotency key: one order, one workflow. */
export const paymentWorkflowId = (app_id: string, out_trade_no: string) => `payment:${app_id}:${out_trade_no}`;
export const afterSaleWorkflowId = (app_id: string, out_trade_no: string) => `after-sale:${app_id}:${out_trade_no}`;
export const refundWorkflowId = (app_id: string, out_trade_no: string, out_request_no: string | null) =>
  `refund:${app_id}:${out_trade_no}:${out_request_no ?? 'full'}`;
export const strayNotificationWorkflowId = (app_id: string, digest: string) => `stray-notification:${app_id}:${digest}`;

export const speiAccountWorkflowId = (app_id: string, account_id: string) => `spei-account:${app_id}:${account_id}`;
/** `key` is the merchant's own name for the account: one key, one account. */
export const createSpeiAccountWorkflowId = (app_id: string, key: string) => `create-spei-account:${app_id}:${key}`;
export const speiAccountQuantityWorkflowId = (app_id: string) => `spei-account-quantity:${app_id}`;

/** Tells what is left to be told of a workflow: of all its runs in one place, unless a run has one of its own. */
export const eventsWorkflowId = (workflowId: string, run?: string) =>
  run === undefined ? `events:${workflowId}` : `events:${workflowId}:${run}`;

/** Search attributes. They are never encrypted: no personal data, ever. */
export const SEARCH_ATTRIBUTES = {
  PaymentStatus: 'KEYWORD',
  PaymentMethod: 'KEYWORD',
  PaymentCurrency: 'KEYWORD',
  PaymentAttention: 'KEYWORD',
  PaymentTradeNo: 'KEYWORD',
  PaymentAmount: 'DOUBLE',
  PaymentExpiresAt: 'DATETIME',
} as const;

/** A request as it travels: the body of `/trade/pay` or `/trade/create` without `app_id` and `timestamp`. */
export interface OrderRequest {
  readonly out_trade_no: string;
  readonly order_amount: string;
  readonly order_currency: string;
  readonly method?: string | undefined;
  readonly timeout_express?: string | undefined;
  readonly cancellation_express?: string | undefined;
  readonly [field: string]: unknown;
}

/** Starts a payment: `direct` is `/trade/pay`, `checkout` is `/trade/create`. */
export interface NewPayment {
  kind: 'direct' | 'checkout';
  app_id: string;
  request: OrderRequest;
}

/** Takes on a trade that exists already: made elsewhere, or announced by a notification. One of the ids suffices. */
export interface AdoptedPayment {
  kind: 'adopt';
  app_id: string;
  trade_no?: string | undefined;
  out_trade_no?: string | undefined;
  /** The run that had ended when news of its trade came, such as money after its expiry. */
  previous?: PreviousRun | undefined;
  /** The state that a notification told of, which the run before did not find. */
  announced?: string | undefined;
}

/** What a payment's next run knows of the one before. */
export interface PreviousRun {
  run_id: string;
  /** What it ended in; null where it was never created, or was terminated. */
  outcome: Outcome | null;
  /** The order, and what `created` answered: the same order is still to get the same answer. */
  order?: Pick<NewPayment, 'kind' | 'request'> | undefined;
  payment_data?: PaymentData | null | undefined;
}

export type PaymentInput = NewPayment | AdoptedPayment;

export type Outcome = 'SUCCESS' | 'CANCEL' | 'REFUSED' | 'EXPIRED';
export type Source = 'query' | 'notification' | 'operator';

/** Why a payment needs a person. */
export type Attention =
  | 'amount-mismatch'
  | 'unlisted-transition'
  | 'unknown-status'
  | 'unknown-outcome'
  | 'credentials'
  | 'never-ended'
  | 'unconfirmed-notification'
  | 'late-payment'
  | 'unknown-trade'
  | 'dispute'
  | 'chargeback'
  | 'chargeback-reversed'
  | 'refund-elsewhere'
  | 'unknown-refund'
  | 'bare-secret'
  | 'unexpected-signal'
  | 'unreadable-notification';

/** One change of the trade's state, in the order in which it was learned. */
export interface Transition {
  /** ISO 8601, UTC. */
  time: string;
  from: string | null;
  to: string;
  source: 'creation' | Source | 'deadline';
  /** Who decided and why, where a person did. */
  by?: string;
  reason?: string;
}

/** The whole public state of a payment: the query `state`, and what the workflow returns. */
export interface PaymentState {
  app_id: string;
  out_trade_no: string | null;
  trade_no: string | null;
  /** What the gateway said last; null until it has said anything. */
  trade_status: string | null;
  /** Decimal string in currency units. */
  order_amount: string | null;
  order_currency: string | null;
  method: string | null;
  outcome: Outcome | null;
  confirmed_by: Source | null;
  attention: Attention | null;
  /** ISO 8601, UTC: when the order expires by `timeout_express` or by its method's usual time. */
  expires_at: string | null;
  history: Transition[];
  /** The run of this payment that had ended before news of its trade opened this one. */
  previous: { run_id: string; outcome: Outcome | null } | null;
  /** What the gateway answered to the creation, as the update `created` gives it. */
  payment_data: PaymentData | null;
  /** The gateway's reason, where the payment was refused. */
  refused_because: { code: string | null; sub_code: string | null } | null;
  /** The refund of money that came after the payment had ended otherwise; absent where none is to be made. */
  late_refund?: LateRefund;
}

/** Its further life is the after-sale's. */
export interface LateRefund {
  out_request_no: string;
  /** What the gateway answered to it; null until it has, or where there is none. */
  refund_status: string | null;
  /** Why there is none, where there is none. */
  reason: string | null;
}

/** The creation's answer without `code` and `msg`. */
export interface PaymentData {
  readonly [field: string]: unknown;
  /** The creation's answer was lost and the trade was found by query: method-specific data may be missing. */
  readonly recovered: boolean;
}

/** What a merchant's own handler hears (`onEvent`): at least once each, in their order for a payment. */
export interface PaymentEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  readonly type: 'transition' | 'attention';
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The payment right after it, without its `history` and `payment_data`. */
  readonly payment: Omit<PaymentState, 'history' | 'payment_data'>;
  /** The step, for a `transition`. */
  readonly transition?: Transition;
  /** The refunds of the trade, where the event is of a payment's time after the sale. */
  readonly after_sale?: Pick<AfterSaleState, 'refunds' | 'refunded_amount' | 'refunding_amount' | 'ledger_complete'>;
}

/** A person's decision. `by` says who. */
export interface Resolution {
  outcome: Outcome;
  reason: string;
  by: string;
}

/** Follows a paid trade: one of the ids suffices. */
export interface AfterSaleInput {
  app_id: string;
  trade_no?: string | undefined;
  out_trade_no?: string | undefined;
  /** What is known already, where the workflow goes on in a new run of its own. */
  previous?: AfterSaleState | undefined;
  /** What was notified of the trade, and not looked into by the run before. */
  announced?: readonly NotificationSignal[] | undefined;
}

/** The body of `/trade/refund` without `app_id`, `timestamp` and the trade's ids. */
export interface RefundOrder {
  readonly refund_amount: string;
  readonly refund_currency: string;
  readonly out_request_no?: string | undefined;
  readonly refund_reason?: string | undefined;
  readonly [field: string]: unknown;
}

/** The refund's answer without `code` and `msg`. */
export interface RefundAnswer {
  readonly [field: string]: unknown;
  /** The gateway's own answer was lost; that the refund exists is known otherwise. */
  readonly recovered: boolean;
}

/** `NOT_CREATED`: there certainly is no refund. A refund that was refused or revoked gave nothing back either. */
export type RefundOutcome = 'REFUNDED' | 'REFUND_REFUSED' | 'REFUND_REVOKE' | 'NOT_CREATED';

/** One refund, as `state` shows it and as its workflow returns it. */
export interface RefundState {
  /** Null for a refund of the whole amount without a number. */
  out_request_no: string | null;
  /** Decimal string in currency units. */
  refund_amount: string;
  refund_currency: string;
  /** By our own reckoning: gateways call a part that was given back REFUNDED, too. */
  partial: boolean;
  /** What the gateway said of it last; null until it has said anything. */
  refund_status: string | null;
  outcome: RefundOutcome | null;
  confirmed_by: Source | null;
  attention: Attention | null;
  /** ISO 8601, UTC. */
  requested_at: string;
  /** Null while it waits for its turn: refunds of a trade are made one after the other. */
  started_at: string | null;
  answer: RefundAnswer | null;
  /** Why there is no refund, as the update `refund` tells it. */
  failure: { type: string; message: string; details: Readonly<Record<string, unknown>> } | null;
  /** Who decided and why, where a person did. */
  resolved: { by: string; reason: string } | null;
}

/** What a refund's workflow is started with, by the after-sale alone. */
export interface RefundInput {
  app_id: string;
  /** The after-sale that hears what becomes of it. */
  after_sale_id: string;
  trade_no?: string | undefined;
  out_trade_no?: string | undefined;
  /** What is known of the trade. */
  trade: { order_amount: string; method: string | null };
  request: RefundOrder;
  state: RefundState;
}

/** What a refund tells its after-sale. */
export interface RefundChange {
  refund: RefundState;
  /** The trade as the gateway showed it last. */
  trade_status: string | null;
}

/** The whole public state after the sale: the query `state`, and what the workflow returns. */
export interface AfterSaleState {
  app_id: string;
  out_trade_no: string | null;
  trade_no: string | null;
  /** What the gateway said last; null until it has said anything. */
  trade_status: string | null;
  /** Decimal string in currency units. */
  order_amount: string | null;
  order_currency: string | null;
  method: string | null;
  attention: Attention | null;
  /** What was given back, by our own reckoning. */
  refunded_amount: string;
  /** What is on its way back, or may be. */
  refunding_amount: string;
  /** In the order in which they were asked for. */
  refunds: RefundState[];
  /** False where the gateway shows refunds that are not among `refunds`: `refunded_amount` is then too small. */
  ledger_complete: boolean;
  /** ISO 8601, UTC: until when disputes and chargebacks are looked for by polling; null for not at all. */
  watched_until: string | null;
  history: Transition[];
}

/** A person's decision after the sale: `outcome` ends the refund that is under way; without it the attention is settled. */
export interface AfterSaleResolution {
  outcome?: RefundOutcome | undefined;
  reason: string;
  by: string;
}

/** A verified notification, as the webhook passes it on. Anything of it may be missing where somebody else signals. */
export interface NotificationSignal {
  readonly trade_no?: string | undefined;
  readonly out_trade_no?: string | undefined;
  readonly out_request_no?: string | undefined;
  readonly trade_status?: string | undefined;
  readonly method?: string | undefined;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly [field: string]: unknown;
}

/** A genuinely signed notification that could not be read. `body` is base64 of the bytes as they came. */
export interface StrayNotificationInput {
  app_id: string;
  body: string;
}

/** Types of the failures that callers meet; the details hold the fields named beside each. */
export const FAILURE = {
  /** `{ issues: [{ field, rule }], attention? }`: nothing was sent; `attention` where a person is told as well. */
  invalidRequest: 'InvalidRequest',
  /** `{ outcome, code, sub_code, http_status }`: the gateway refused, and no order exists. */
  notCreated: 'NotCreated',
  /** An order under this number exists that this workflow did not make. */
  duplicateOrder: 'DuplicateOrder',
  /** `{ fields }`: another request runs under the same number. */
  differentRequest: 'DifferentRequest',
  /** `{ outcome, code, sub_code, http_status }`: the gateway will not cancel this virtual account. */
  notCanceled: 'NotCanceled',
  /** The gateway has not answered yet; the payment goes on, ask again. */
  pending: 'PaymentPending',
  /** `{ left }`: more than is left of the trade; nothing was sent. */
  overRefund: 'OverRefund',
  /** `{ trade_status }` or `{ outcome, code, sub_code, http_status }`: there is no refund. */
  notRefunded: 'NotRefunded',
  /** A refund under this number exists that is not known here. */
  duplicateRefund: 'DuplicateRefund',
  /** The refund waits for its turn, or for the gateway; it goes on, ask again. */
  refundPending: 'RefundPending',
  /** The after-sale was just ending: nothing was done, and asking again opens it anew. */
  closing: 'Closing',
} as const;
