/** The activities of payments and refunds: names, inputs and results. */
import type { GrantedRefund, RefundAnswer, RefundOrder } from './after-sale';
import type { Silence } from './attention';
import type { EarlierPayments } from './earlier-payment';
import type { MerchantEvent } from './events';
import type { Checkout, DirectPayment, GatewayErrorFields, GatewayResponse, QueriedTrade, TradeId } from './gateway';
import type { KnownOrder, PaymentEnd } from './known-order';
import type { NotificationClaim } from './notification';
import type { NewPayment, OtherTrade, PaymentData, PaymentState } from './payment';
import type { PollSchedule } from './poll-schedule';
import type { Told } from './told';

/** The gateway certainly made nothing, and will not; `credentials`: because it refuses ours. */
export interface NotCreated {
  is: 'not-created';
  error: GatewayErrorFields;
  message: string;
  credentials: boolean;
}

/** The outcome of one try to create an order. */
export type CreateResult =
  | { is: 'created'; answer: GatewayResponse }
  | { is: 'created-refused'; error: GatewayErrorFields; message: string }
  | NotCreated
  /** The gateway says that it made nothing, and may be asked again. */
  | { is: 'busy'; error: GatewayErrorFields; message: string }
  | { is: 'duplicate'; error: GatewayErrorFields; message: string }
  | { is: 'unknown'; error: GatewayErrorFields; message: string }
  | NotSent;

/**
 * The run that has read what was known before: in a reset of it the activity fails with {@link WAS_RESET}, and asks and sends nothing. Absent:
 * nothing has been read that one could have forgotten.
 */
export interface ForRun {
  read_by: string;
}

export interface CreateInput extends NewPayment, ForRun {
  /** No attempt is begun from this time on, in ms since the epoch. */
  send_before: number;
  /** Whether an earlier try was answered `busy`: from then on attempts are repeated, and `busy` is not told again. */
  reached: boolean;
}

/** Asks for a trade until there is an answer that lasts, or for so long. */
export interface LookInput extends ForRun {
  app_id: string;
  id: TradeId;
  /** "No such order" counts once the gateway has kept answering so for this long, in ms. */
  settling_ms: number;
  /** The look ends without an answer after this long, in ms. */
  patience_ms: number;
  /** This status, too, counts only once the gateway has kept answering it for `settling_ms`. */
  seen?: string;
}

export type LookResult =
  | { is: 'found'; trade: QueriedTrade }
  | { is: 'no-such-order'; message: string }
  | { is: 'no-answer'; message: string; why: Silence };

/** The outcome of one try to make a refund. */
export type RefundResult =
  | { is: 'accepted'; answer: GatewayResponse }
  | NotCreated
  /** `reached`: an earlier attempt of the same try had reached the gateway. */
  | { is: 'duplicate'; error: GatewayErrorFields; message: string; reached: boolean }
  | { is: 'unknown'; error: GatewayErrorFields; message: string }
  /** The gateway took something, and its answer names another trade, refund or amount. */
  | { is: 'not-ours'; error: GatewayErrorFields; message: string }
  /** Nothing was sent: the trade's status is another one than the one that allowed the refund, or (null) the gateway has no such trade. */
  | { is: 'moved'; trade: QueriedTrade | null };

export type LatePayments = 'attention' | 'accept' | 'refund';

export interface PaymentPolicy extends WaitingPolicy {
  /** Whether a notified SUCCESS counts only once a query says so. */
  confirm_by_query: boolean;
  /** What becomes of money that comes after the end of its order: a person is asked, or it is accepted, or sent back. */
  late_payments: LatePayments;
  /** Who hears events, as the worker has it: the merchant's handler, and the addresses by their names. */
  listeners: readonly string[];
  /** How long a creation may wait before it is sent, where the order's own `timeout_express` is not shorter, in ms. */
  create_within_ms: number;
  /** How long an unknown creation is looked for before it is made again, in ms. */
  settling_ms: number;
  /** How long the gateway may stay silent before a person is asked, in ms. */
  patience_ms: number;
  /** How long it may wait for a person before that is told, in ms. */
  overdue_ms: number;
  /** How long a sold trade is polled for disputes and chargebacks, in ms; 0: not at all. */
  watch_window_ms: number;
  /** How long a dispute may wait for its answer, in ms. */
  dispute_ms: number;
  /** How long a trade is polled after the gateway has taken a refund, so that a refusal that nobody notifies is seen, in ms. */
  refund_watch_ms: number;
  /** The run that recorded them, and read what was known before: another one than the workflow was started as is a reset of it. */
  read_by: string;
}

export interface RefundAttempt extends ForRun {
  app_id: string;
  id: TradeId;
  trade: { order_amount: string; method: string | null };
  request: GrantedRefund;
  /** Each attempt looks at the trade, and sends only while it has this status; null: nothing is sent. */
  seen: string | null;
  /** How long a denial of the trade has to last, in ms, until it counts. */
  settling_ms: number;
}

/** A refund that may have been sent, and the trade that it was sent for; null where that was not known. */
export interface SentRefund {
  readonly number: string;
  readonly amount: string;
  readonly currency: string;
  readonly trade_no: string | null;
}

/** What Temporal still knows of a trade when its after-sale starts. */
export interface EarlierAfterSale {
  /** What the run before knew; null where Temporal has none. */
  sale: KnownOrder | null;
  /** What was notified to it and to runs after it, and none has taken. */
  claims: readonly NotificationClaim[];
  /** What a payment has handed over to runs that never read it. Anybody may have sent it, with anything. */
  handed: readonly unknown[];
  /** Refunds that a run which does not answer may have sent, as its history has them. */
  sent: readonly SentRefund[];
  /** Whether an earlier run may know of refunds and does not answer: no worker polls its task queue, or its code does not replay. */
  is_unread: boolean;
  /** Whether Temporal has a payment of the order. */
  has_payment: boolean;
  /** Whether one runs. */
  is_running: boolean;
  /** The payment's method, where the payment was made here. */
  method: string | null;
  /** The number of the trade that the payment has sold. */
  trade_no: string | null;
  /** The payment as it ended; null where it runs, or has no outcome. */
  end: PaymentEnd | null;
}

export interface FindInput extends ForRun {
  app_id: string;
  id: TradeId;
  /** Further ids that the trade may be found by, asked for in turn. */
  others?: readonly TradeId[];
  /** What is known of other trades under the order's number: that they are there says nothing of the one that is searched for. */
  known?: WatchInput['known'];
  /**
   * The search ends once the gateway has said "no such order", in the settings' words for it, for this many ms; absent: it ends
   * only where the trade is found.
   */
  settling_ms?: number;
}

export interface GlanceInput extends Partial<ForRun> {
  app_id: string;
  id: TradeId;
}

/** Types of retryable failures by which an activity that sends says that it has sent nothing. */
export const NOTHING_SENT: readonly string[] = ['GatewayUnavailable'];

/**
 * What the attempts of an activity that sends note of themselves, in their heartbeats. `unsent`: no request has left. `sending`: one
 * may have left, and nothing certain is known of it. `busy`: the gateway has answered that it made nothing and may be asked again.
 */
export const SENDING_PHASES = ['unsent', 'sending', 'busy'] as const;
export type SendingPhase = (typeof SENDING_PHASES)[number];

/** The failure of a watch that was asked to tell when the gateway refuses our credentials. */
export const CREDENTIALS_REFUSED = 'CredentialsRefused';

/** The failure of an activity whose run is a reset of the one that has read what was before: what it knows is not the latest. */
export const WAS_RESET = 'WasReset';

export interface WatchInput extends ForRun {
  app_id: string;
  id: TradeId;
  /** The status that we know already. */
  seen: string | null;
  schedule: PollSchedule;
  /** Other ids under which a trade of the order may be found: the looks take turns. */
  others?: readonly TradeId[] | undefined;
  /** What is known of other trades under the order's number: each is news once it moves on, and one that is not among them at once. */
  known?: readonly Pick<OtherTrade, 'trade_no' | 'trade_status'>[] | undefined;
  /** `answered`: return at the first look that the gateway answers, news or not. */
  until?: 'answered' | undefined;
  /** Ask at once, and then as `schedule` says: something may have moved since the last look. */
  at_once?: boolean | undefined;
  /** Fail with `CredentialsRefused` when the gateway refuses our credentials. */
  tell_credentials?: boolean | undefined;
  /** Return null from this time on, in ms since the epoch, whatever the trade's status; absent: watch for ever. */
  due_at?: number | undefined;
}

/** Activity names have a prefix, so that ours and the merchant's own on one worker do not clash. */
export interface GatewayActivities {
  /** Tries to create the order once. Repeats itself only where the gateway certainly has no order. */
  'gateway.create'(input: CreateInput): Promise<CreateResult>;
  /** Looks at a trade: an answer, or why there was none. */
  'gateway.look'(input: LookInput): Promise<LookResult>;
  /** Searches for a trade that may exist; null where the gateway keeps saying that it does not. */
  'gateway.find'(input: FindInput): Promise<QueriedTrade | null>;
  /** Asks once, for a moment, as a local activity; null where that brought no answer about the trade. */
  'gateway.glance'(input: GlanceInput): Promise<QueriedTrade | null>;
  /** Polls slowly, and returns once the status differs from `seen`; null once `due_at` has come. */
  'gateway.watch'(input: WatchInput): Promise<QueriedTrade | null>;
  /** Looks, and tries once to make a refund. Repeats both only where the gateway certainly made none. */
  'gateway.refund'(input: RefundAttempt): Promise<RefundResult>;
}

export interface PreviousRunActivities {
  /** What the earlier runs of this payment knew; `unread` where Temporal is silent. */
  'payments.earlierRuns'(): Promise<Told<EarlierPayments | 'unread'>>;
  /** Reads what Temporal knows from former runs, or only how the order's payment has ended. */
  'payments.knownBefore'(input: {
    app_id: string;
    out_trade_no: string | null;
    of?: 'all' | 'payment';
  }): Promise<Told<EarlierAfterSale>>;
}

export interface LocalActivities {
  /** The worker's settings for a payment by this method. Never fails. */
  'gateway.policy'(input: { method: string | null }): Promise<PaymentPolicy>;
}

/**
 * The worker's settings for waiting; durations in ms. Each payment records them once, so that a replay sees the same.
 */
export interface WaitingPolicy extends PollSchedule {
  /** Where the order names no `timeout_express`: its method's usual expiry. */
  usual_expiry_ms: number;
  /** How long to wait after the last deadline: past the last retry of a notification … */
  grace_ms: number;
  /** … and past the time that the method takes to settle. */
  settles_ms: number;
  /** How long risk control may hold a trade. */
  risk_control_ms: number;
}

export interface EventActivities {
  /**
   * Calls the merchant's handler, and hands the event over to the addresses. A handler that throws is called again. `listeners`: those
   * that the workflow knows; a worker that lacks one fails the attempt. Tells which of them are not gone.
   */
  'payments.onEvent'(event: MerchantEvent, listeners: readonly string[]): Promise<Told<readonly string[]>>;
}

// — A creation whose time was over before anything was sent. The worker says so, or the workflow, where no worker took it —

/** Nothing was made before `send_before`; `why`, for the person who is asked, and `message`, for the merchant. */
export interface NotSent {
  is: 'not-sent';
  error: GatewayErrorFields;
  message: string;
  why: Silence;
}

/** The gateway's operation that creates the order. */
export const creationOf = ({ kind }: Pick<NewPayment, 'kind'>) => (kind === 'direct' ? '/trade/pay' : '/trade/create');

const NEVER_LEFT = { outcome: 'not-sent', retryable: false } as const;

export function orderNotSent(payment: NewPayment, reason: string, why: Silence): NotSent {
  const { out_trade_no } = payment.request;
  const message = `Order ${out_trade_no} was not sent in its time. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: creationOf(payment), out_trade_no } };
}

export function accountNotSent(reason: string, why: Silence): NotSent {
  const message = `The virtual account was not created in its time, and none was made. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: '/virtual-account/spei/create' } };
}

// — Payments that a merchant's own workflow starts, and their refunds —

/** What `startPayment` of calls/ takes: the order of the client's `pay` or `createCheckout`, and the app that sells. */
export type AppOrder = (DirectPayment | Checkout) & { app_id: string };

/** What `startPayment` of calls/ returns. */
export interface StartedPayment {
  /** What the buyer needs to pay: the answer of the update `created`. */
  data: PaymentData;
  /** Waits until the payment has ended, possibly for days, and returns its final state. */
  outcome(): Promise<PaymentState>;
}

/** A refund, and the task queue of the worker that runs its after-sale. */
export interface RefundToAsk {
  app_id: string;
  out_trade_no: string;
  task_queue: string;
  refund: RefundOrder;
}

export interface StarterActivities {
  /** The answer to the creation of a payment that has been started; the failures are those of the update `created`. */
  'payments.created'(payment: NewPayment): Promise<PaymentData>;
  /** The answer to a refund, which it asks for; the failures are those of the update `refund`. */
  'payments.refunded'(input: RefundToAsk): Promise<RefundAnswer>;
}
