/** The activities of payments and refunds: names, inputs and results. */
import { MINUTE } from '../gateway/pure/durations';
import { PATH } from '../gateway/pure/paths';
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

/** Temporal's own pauses between the attempts of a creation or a query, in ms: each is twice the one before, up to the longest. */
export const RETRY_PAUSES = { first_ms: 1_000, longest_ms: 2 * MINUTE } as const;

/** The gateway certainly made nothing, and will not; `credentials`: because it refuses our credentials. */
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
 * The run that has read what was known before: in a reset of that run the activity fails with {@link WAS_RESET}, and asks and sends nothing.
 * Absent: nothing has been read that a reset could forget.
 */
export interface ForRun {
  read_by: string;
}

export interface CreateInput extends NewPayment, ForRun {
  /** No attempt is begun from this time on, in ms since the epoch. */
  send_before: number;
  /** Whether an earlier try was answered `busy`: then the server repeats attempts, and `busy` is not returned again. */
  reached: boolean;
}

/** A query of a trade by its own number. */
interface AsksNumber {
  /**
   * The order's number is asked for, too, where the trade has ended without a sale; with `unless sold` also where it is open. Another trade
   * under the number may have been paid, and no notification needs to name it.
   */
  number_too?: 'at an end' | 'unless sold' | undefined;
}

/** Asks for a trade until an answer has settled, or there was none for `patience_ms`. */
export interface LookInput extends ForRun, AsksNumber {
  app_id: string;
  id: TradeId;
  /** "No such order" counts once the gateway has kept answering so for this long, in ms. */
  settling_ms: number;
  /** The look ends without an answer once the gateway has been silent for this long, in ms. */
  patience_ms: number;
  /** This status, too, counts only once the gateway has kept answering it for `settling_ms`. */
  seen?: string;
}

export type LookResult =
  | { is: 'found'; trade: QueriedTrade }
  /** `second`: another trade that the gateway shows under the order's number. */
  | { is: 'no-such-order'; message: string; second?: QueriedTrade['second'] | undefined }
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
  /** Nothing was sent: the trade's status is no longer the one that allowed the refund, or (null) the gateway has no such trade. */
  | { is: 'moved'; trade: QueriedTrade | null };

export type LatePayments = 'attention' | 'accept' | 'refund';

export interface PaymentPolicy extends WaitingPolicy {
  /** Whether a notified SUCCESS counts only once a query says so. */
  confirm_by_query: boolean;
  /** What happens to money that comes after the end of its order: a person is asked, or it is accepted, or sent back. */
  late_payments: LatePayments;
  /** The listeners of events, as the worker has them: the merchant's handler, and the addresses by their names. */
  listeners: readonly string[];
  /** How long a creation may wait before it is sent, unless the order's own `timeout_express` is shorter, in ms. */
  create_within_ms: number;
  /** How long an unknown creation is looked for before it is made again, in ms. */
  settling_ms: number;
  /** How long the gateway may stay silent before a person is asked, in ms. */
  patience_ms: number;
  /** After how long a wait for a person is reported as overdue, in ms. */
  overdue_ms: number;
  /** How long a sold trade is polled for disputes and chargebacks, in ms; 0: not at all. */
  watch_window_ms: number;
  /** How long a dispute may wait for its answer, in ms. */
  dispute_ms: number;
  /** How long a trade is polled once the gateway has taken a refund, so that a refusal without a notification is seen, in ms. */
  refund_watch_ms: number;
  /** The run that recorded these settings, and read what was known before: if it is not the run that was started, it is a reset. */
  read_by: string;
  /** The order of this payment has an after-sale, which may know of a payment that Temporal has forgotten. */
  is_followed: boolean;
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

/** A refund that may have been sent, and the trade that it was sent for; null if the trade was not known. */
export interface SentRefund {
  readonly number: string;
  readonly amount: string;
  readonly currency: string;
  readonly trade_no: string | null;
}

/** What Temporal still knows of a trade when its after-sale starts. */
export interface EarlierAfterSale {
  /** What the run before knew; null if Temporal has no such run. */
  sale: KnownOrder | null;
  /** Notifications to this run and to later runs that no run has taken. */
  claims: readonly NotificationClaim[];
  /** What a payment has handed over to runs that never read it. Anybody may have sent these signals, with anything. */
  handed: readonly unknown[];
  /** Refunds that a run that does not answer may have sent, from its history. */
  sent: readonly SentRefund[];
  /** Whether an earlier run may know of refunds and does not answer: no worker polls its task queue, or its code does not replay. */
  is_unread: boolean;
  /** Whether Temporal has a payment of the order. */
  has_payment: boolean;
  /** Whether a payment of the order runs. */
  is_running: boolean;
  /** The payment's method, if the payment was made here. */
  method: string | null;
  /** The number of the trade that the payment has sold. */
  trade_no: string | null;
  /** The payment as it ended; null if it runs, or has no outcome. */
  end: PaymentEnd | null;
}

export interface FindInput extends ForRun, AsksNumber {
  app_id: string;
  id: TradeId;
  /** Further ids that the trade may be found by, asked for in turn. */
  others?: readonly TradeId[];
  /** What is known of other trades under the order's number: finding these does not end the search. */
  known?: WatchInput['known'];
  /**
   * The search ends once the gateway has kept saying "no such order", in the settings' words for it, for this many ms; absent: it
   * ends only when the trade is found.
   */
  settling_ms?: number;
}

export interface GlanceInput extends Partial<ForRun>, AsksNumber {
  app_id: string;
  id: TradeId;
}

/** Types of retryable failures with which an activity that sends reports that it has sent nothing. */
export const NOTHING_SENT: readonly string[] = ['GatewayUnavailable'];

/**
 * What the attempts of an activity that sends note in their heartbeats. `unsent`: no request has left. `sending`: a request may have
 * left, and nothing certain is known of it. `busy`: the gateway has answered that it made nothing and may be asked again.
 */
export const SENDING_PHASES = ['unsent', 'sending', 'busy'] as const;
export type SendingPhase = (typeof SENDING_PHASES)[number];

/** The failures of a watch that was asked to tell of these reasons, which a person has to mend. A gateway that is down is asked on. */
export const POLL_STOPPED = {
  credentials: 'CredentialsRefused',
  settings: 'AppNotConfigured',
  'unknown-trade': 'TradeDenied',
} as const;
export type ToldByPolls = keyof typeof POLL_STOPPED;
export const isToldByPolls = (reason: string): reason is ToldByPolls => Object.hasOwn(POLL_STOPPED, reason);
export const TOLD_BY_POLLS = Object.keys(POLL_STOPPED).filter(isToldByPolls);

/** The failure of an activity whose run is a reset of the run that has read what was known before: its state is not the latest. */
export const WAS_RESET = 'WasReset';

export interface WatchInput extends ForRun, AsksNumber {
  app_id: string;
  id: TradeId;
  /** The status that we know already. */
  seen: string | null;
  schedule: PollSchedule;
  /** Other ids under which a trade of the order may be found: the looks take turns. */
  others?: readonly TradeId[] | undefined;
  /** The known other trades under the order's number: each is news once its status changes; an unknown trade is news at once. */
  known?: readonly Pick<OtherTrade, 'trade_no' | 'trade_status'>[] | undefined;
  /** `answered`: return at the first look that the gateway answers, news or not. */
  until?: 'answered' | undefined;
  /** Ask at once, and then as `schedule` says: something may have moved since the last look. */
  at_once?: boolean | undefined;
  /**
   * Fail ({@link POLL_STOPPED}) for one of these reasons, each from its time on (ms since the epoch). A denial has to last for `lasting_ms`:
   * the looks of that time deny the trade, at least two of them, and none shows it.
   */
  tell?: { readonly from: Readonly<Partial<Record<ToldByPolls, number>>>; readonly lasting_ms: number } | undefined;
  /** Return null from this time on, in ms since the epoch, whatever the trade's status; absent: watch for ever. */
  due_at?: number | undefined;
}

/** Activity names have a prefix, so that ours and the merchant's do not clash on one worker. */
export interface GatewayActivities {
  /** Tries to create the order once. Repeats the try only if the gateway certainly has no order. */
  'gateway.create'(input: CreateInput): Promise<CreateResult>;
  /** Looks at a trade: an answer, or why there was none. */
  'gateway.look'(input: LookInput): Promise<LookResult>;
  /** Searches for a trade that may exist; null if the gateway keeps saying that it does not. */
  'gateway.find'(input: FindInput): Promise<QueriedTrade | null>;
  /** Asks once, for a moment, as a local activity; null if there is no answer about the trade. */
  'gateway.glance'(input: GlanceInput): Promise<QueriedTrade | null>;
  /** Polls slowly, and returns once the status differs from `seen`; null once `due_at` has come. */
  'gateway.watch'(input: WatchInput): Promise<QueriedTrade | null>;
  /** Looks, and tries once to make a refund. Repeats both only if the gateway certainly made none. */
  'gateway.refund'(input: RefundAttempt): Promise<RefundResult>;
}

export interface PreviousRunActivities {
  /** What the earlier runs of this payment knew; `unread` if Temporal gives no answer. */
  'payments.earlierRuns'(): Promise<Told<EarlierPayments | 'unread'>>;
  /** Reads what Temporal knows from earlier runs, or only how the order's payment has ended. */
  'payments.knownBefore'(input: {
    app_id: string;
    out_trade_no: string;
    of?: 'all' | 'payment';
  }): Promise<Told<EarlierAfterSale>>;
  /** Goes on for ever, and fails once the workflow is reset: a server goes on in the new run with what the run before waited for. */
  'payments.noticeReset'(input: ForRun): Promise<never>;
}

export interface LocalActivities {
  /** The worker's settings for a payment by this method, and whether its order has an after-sale: it asks Temporal, and no gateway. */
  'gateway.policy'(input: { method: string | null }): Promise<PaymentPolicy>;
}

/**
 * The worker's settings for waiting; durations in ms. Each payment records them once, so that a replay sees the same.
 */
export interface WaitingPolicy extends PollSchedule {
  /** The method's usual expiry, for an order without a `timeout_express`. */
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
   * that the workflow knows; a worker that lacks one of them fails the attempt. Returns the listeners that still exist.
   */
  'payments.onEvent'(event: MerchantEvent, listeners: readonly string[]): Promise<Told<readonly string[]>>;
}

// — A creation whose time was over before anything was sent. The worker says so, or the workflow if no worker took it —

/** Nothing was sent before `send_before`. `why` is for the person who is asked, `message` for the merchant. */
export interface NotSent {
  is: 'not-sent';
  error: GatewayErrorFields;
  message: string;
  why: Silence;
}

/** The gateway's operation that creates the order. */
export const creationOf = ({ kind }: Pick<NewPayment, 'kind'>) => (kind === 'direct' ? PATH.pay : PATH.createCheckout);

const NEVER_LEFT = { outcome: 'not-sent', retryable: false } as const;

export function orderNotSent(payment: NewPayment, reason: string, why: Silence): NotSent {
  const { out_trade_no } = payment.request;
  const message = `Order ${out_trade_no} was not sent in its time. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: creationOf(payment), out_trade_no } };
}

export function accountNotSent(reason: string, why: Silence): NotSent {
  const message = `The virtual account was not created in its time, and none was made. ${reason}`;
  return { is: 'not-sent', message, why, error: { ...NEVER_LEFT, operation: PATH.createSpeiAccount } };
}

// — Payments that a merchant's own workflow starts, and their refunds —

/** The input of `startPayment` of calls/: the order of the client's `pay` or `createCheckout`, and the app that sells. */
export type AppOrder = (DirectPayment | Checkout) & { app_id: string };

/** The result of `startPayment` of calls/. */
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
  /** The answer to the creation of a started payment. Fails as the update `created`. */
  'payments.created'(payment: NewPayment): Promise<PaymentData>;
  /** Requests a refund, and returns its answer. Fails as the update `refund`. */
  'payments.refunded'(input: RefundToAsk): Promise<RefundAnswer>;
}
