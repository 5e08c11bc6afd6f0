/** The gateway's operations as a workflow sees them, and how each may be repeated. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Answer } from '../gateway/answers';
import type { GatewayErrorFields } from '../gateway/errors';
import type { Trade, TradeId } from '../gateway/query';
import { ASKING, CREATING, WATCHING } from './activity-options';
import type { AfterSaleState, NewPayment, RefundOrder } from './contract';
import type { WaitingPolicy } from './deadlines';

/** There certainly is none, and the gateway will not make one; `credentials`: because of ours. */
export interface NotCreated {
  is: 'not-created';
  error: GatewayErrorFields;
  message: string;
  credentials: boolean;
}

/** What became of one try to create an order. */
export type CreateResult =
  | { is: 'created'; answer: Answer }
  | { is: 'created-refused'; error: GatewayErrorFields; message: string }
  | NotCreated
  | { is: 'duplicate'; error: GatewayErrorFields; message: string; attempt: number }
  | { is: 'unknown'; error: GatewayErrorFields; message: string };

/** What became of one try to make a refund. */
export type RefundResult =
  | { is: 'accepted'; answer: Answer }
  | NotCreated
  | { is: 'duplicate'; error: GatewayErrorFields; message: string; attempt: number }
  | { is: 'unknown'; error: GatewayErrorFields; message: string };

export interface PaymentPolicy extends WaitingPolicy {
  /** Whether a notified SUCCESS counts only once a query says so. */
  confirm_by_query: boolean;
  /** Whether money that comes after the payment's end is taken without a person. */
  accept_late_payments: boolean;
  /** Whether such money is sent back without a person; absent: it is not. */
  refund_late_payments?: boolean;
  /** Whether the worker has a merchant's handler for events. */
  has_listener: boolean;
  /** How long an unknown creation is looked for before it is made again, in ms. */
  settling_ms: number;
  /** How long disputes and chargebacks are looked for by polling after a sale, in ms; 0 or absent: not at all. */
  watch_window_ms?: number;
  /** Which behaviour the life began with: what has come in since is done from this number on. Absent in the first histories. */
  behaviour?: number;
}

export interface RefundTry {
  app_id: string;
  id: TradeId;
  trade: { order_amount: string; method: string | null };
  request: RefundOrder;
}

export interface SettleInput {
  app_id: string;
  id: TradeId;
  seen: string;
  /** So many ms of the gateway's answering `seen` are enough. */
  settling_ms: number;
}

/** What Temporal still knows of a trade whose after-sale begins. */
export interface KnownBefore {
  /** The state in which the run before this one ended; null where there is none, or none that Temporal still has. */
  previous: AfterSaleState | null;
  /** The payment's method, where the payment was made here. */
  method: string | null;
}

export interface FindInput {
  app_id: string;
  id: TradeId;
  /** After this many ms of the gateway's answering "no such order" the search ends; absent: it never ends. */
  settling_ms?: number;
}

export interface WatchInput {
  app_id: string;
  id: TradeId;
  /** The status that is no news. */
  seen: string | null;
  schedule: Pick<WaitingPolicy, 'poll_schedule_ms' | 'poll_every_ms'>;
}

/** Activity names are prefixed: a worker's own activities must not be overridden by ours, nor ours by them. */
export interface GatewayActivities {
  /** Tries to create the order once. Repeats itself only where the gateway certainly has no order. */
  'gateway.create'(input: NewPayment): Promise<CreateResult>;
  /** Asks for the trade until the gateway answers. */
  'gateway.query'(input: { app_id: string; id: TradeId }): Promise<Trade>;
  /** Looks for a trade that may exist; null where the gateway kept saying that it does not. */
  'gateway.find'(input: FindInput): Promise<Trade | null>;
  /** Asks now and then, and answers when there is news. */
  'gateway.watch'(input: WatchInput): Promise<Trade>;
  /** Asks until the status is another than `seen`, or has stayed the same for the settling time. */
  'gateway.settle'(input: SettleInput): Promise<Trade>;
  /** Tries to make a refund once. Repeats itself only where the gateway certainly made none. */
  'gateway.refund'(input: RefundTry): Promise<RefundResult>;
}

export interface MemoryActivities {
  /** Reads what Temporal knows from former runs. */
  'payments.knownBefore'(input: { app_id: string; out_trade_no: string | null }): Promise<KnownBefore>;
}

/** Money to send back that came after the end of its payment. */
export interface LateMoney {
  app_id: string;
  out_trade_no: string;
  method: string | null;
  /** Where the after-sale runs. */
  task_queue: string;
  refund: RefundOrder;
}

/** `asked`: the after-sale has taken the refund and follows it. `refused`: there is none, and a person has to know why. */
export type LateMoneyResult = { is: 'asked'; refund_status: string | null } | { is: 'refused'; reason: string };

export interface LateMoneyActivities {
  /** Asks the after-sale for the refund; as often as need be, since a refund has its number. */
  'payments.refundLate'(input: LateMoney): Promise<LateMoneyResult>;
}

export interface LocalActivities {
  /** The worker's settings for a payment by this method. Never fails. */
  'gateway.policy'(input: { method: string | null }): Promise<PaymentPolicy>;
}

export const { 'gateway.create': createOrder, 'gateway.refund': refundTrade } =
  proxyActivities<GatewayActivities>(CREATING);

export const {
  'gateway.query': queryTrade,
  'gateway.find': findTrade,
  'gateway.settle': settleTrade,
} = proxyActivities<GatewayActivities>(ASKING);

export const { 'gateway.watch': watchTrade } = proxyActivities<GatewayActivities>(WATCHING);

export const { 'payments.knownBefore': knownBefore } = proxyActivities<MemoryActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

export const { 'payments.refundLate': refundLate } = proxyActivities<LateMoneyActivities>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
});

export const { 'gateway.policy': policyFor } = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: '10 seconds',
});
