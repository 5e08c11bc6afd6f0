/**
 * The names and shapes that cross languages. A merchant in any language starts these workflows with plain JSON; nothing
 * here may change its meaning. Names are never built from strings anywhere else.
 */

export const WORKFLOW = {
  payment: 'payment',
  strayNotification: 'strayNotification',
  createSpeiAccount: 'createSpeiAccount',
  speiAccount: 'speiAccount',
  speiAccountQuantity: 'speiAccountQuantity',
  /** Ours alone: hands on what a merchant's handler has not heard yet when its payment is over. */
  paymentEvents: 'paymentEvents',
} as const;
export const UPDATE = { created: 'created', recheck: 'recheck', resolve: 'resolve', cancel: 'cancel' } as const;
export const SIGNAL = { notification: 'notification', deposit: 'deposit' } as const;
export const QUERY = { state: 'state' } as const;

export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentState>;

/** The workflow id is the idempotency key: one order, one workflow. */
export const paymentWorkflowId = (app_id: string, out_trade_no: string) => `payment:${app_id}:${out_trade_no}`;
export const strayNotificationWorkflowId = (app_id: string, digest: string) => `stray-notification:${app_id}:${digest}`;

export const speiAccountWorkflowId = (app_id: string, account_id: string) => `spei-account:${app_id}:${account_id}`;
/** `key` is the merchant's own name for the account: one key, one account. */
export const createSpeiAccountWorkflowId = (app_id: string, key: string) => `create-spei-account:${app_id}:${key}`;
export const speiAccountQuantityWorkflowId = (app_id: string) => `spei-account-quantity:${app_id}`;

export const paymentEventsWorkflowId = (paymentId: string, run: string) => `events:${paymentId}:${run}`;

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
}

/** A person's decision. `by` says who. */
export interface Resolution {
  outcome: Outcome;
  reason: string;
  by: string;
}

/** A verified notification, as the webhook passes it on. Anything of it may be missing where somebody else signals. */
export interface NotificationSignal {
  readonly trade_no?: string | undefined;
  readonly out_trade_no?: string | undefined;
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
  /** `{ issues: [{ field, rule }] }`: nothing was sent. */
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
} as const;
