/** What the runs of a payment before one, under the same workflow id, knew of it. Plain JSON, read once by the run that follows them. */
import type { NotedTrade } from './known-order';
import type { NotificationSignal } from './notification';
import type { NewPayment, PaymentState } from './payment';

/** The order that a number was asked for with. */
export type Order = Pick<NewPayment, 'kind' | 'request'>;

/** What one run knew. The fields of the state are null where it cannot be asked any more. */
export interface EarlierPayment
  extends Pick<
    PaymentState,
    | ('app_id' | 'out_trade_no' | 'trade_no' | 'trade_status' | 'order_amount' | 'order_currency' | 'method')
    | ('outcome' | 'confirmed_by' | 'payment_data' | 'refused_because' | 'other_trades' | 'mismatch')
  > {
  run_id: string;
  /**
   * Null where it certainly made no order, so that a trade under the number is not its; absent where no run was asked for one. The same
   * order gets the same answer again.
   */
  order?: Order | null | undefined;
  /** An order of ours, which it may have made or has sold; a trade of others, which the gateway has under the number; or none. */
  made: 'order' | 'nothing' | 'of others';
  /** Its callers were told that there is no order, and may have made another one since. */
  failed: boolean;
  /** How many requests for it may have made a trade, or may do so yet. */
  reached: number;
}

/** Whether the gateway, or a person, has said anything of a trade under the number. */
export const hasSeenTrade = ({ trade_status, outcome }: Pick<PaymentState, 'trade_status' | 'outcome'>): boolean =>
  trade_status !== null || outcome !== null;

/** Whether the trade under the number is another's: an order was asked for here (`order` is null), and none was made. */
export const isTradeOfOthers = (order: Order | null | undefined, state: PaymentState): boolean =>
  order === null && hasSeenTrade(state);

/** What the next run takes in. */
export interface EarlierPayments {
  /** The latest first. */
  readonly runs: readonly EarlierPayment[];
  /** Trades under the number that runs which somebody ended had put before a person. */
  readonly other_trades: readonly NotedTrade[];
  /** What was notified to such runs, and none of them had settled. */
  readonly untaken: readonly NotificationSignal[];
  /** The order has an after-sale, which waits to be told of the end. */
  readonly is_followed: boolean;
  /** The run that has read it: a reset of that has not. */
  readonly read_by: string;
}

/** What a payment's run answers to the next one: the query `carried`. */
export interface PaymentCarried {
  readonly payment: EarlierPayment;
  /** Whether it has taken in what the runs before it had left, or there were none. */
  readonly has_read: boolean;
  /** How many notifications it has taken. */
  readonly taken: number;
  /** What was notified, and not settled by a look. */
  readonly claims: readonly NotificationSignal[];
  /** Trades that nobody but this run has put before a person. */
  readonly other_trades: readonly NotedTrade[];
}
