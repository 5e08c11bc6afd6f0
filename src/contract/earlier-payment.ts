/** What earlier runs under the same workflow id knew of a payment. Plain JSON, read once by the run that follows them. */
import type { Attention } from './attention';
import type { NotedTrade } from './known-order';
import type { NotificationSignal } from './notification';
import type { NewPayment, PaymentState } from './payment';

/** An order as it was requested. */
export type Order = Pick<NewPayment, 'kind' | 'request'>;

/** What one run knew. The fields of the state are null if the run cannot be asked any more. */
export interface EarlierPayment
  extends Pick<
    PaymentState,
    | ('app_id' | 'out_trade_no' | 'trade_no' | 'trade_status' | 'order_amount' | 'order_currency' | 'method')
    | ('outcome' | 'confirmed_by' | 'payment_data' | 'refused_because' | 'other_trades' | 'mismatch')
  > {
  run_id: string;
  /**
   * Null if the run certainly made no order, so that a trade under the number is not its own; absent if no run was asked for an order. The
   * same order gets the same answer again.
   */
  order?: Order | null | undefined;
  /** `order`: it may have made, or has sold, an order of ours. `of others`: the gateway has another system's trade under the number. */
  made: 'order' | 'nothing' | 'of others';
  /** Its callers were told that there is no order, and may have ordered again since. */
  failed: boolean;
  /** It was withdrawn, and callers may have been told so: it is not sent any more, whoever starts it again. */
  withdrawn: boolean;
  /** How many of its requests may have made a trade, or may still make one. */
  reached: number;
}

/** Whether the gateway, or a person, has said anything about a trade under the number. */
export const hasSeenTrade = ({ trade_status, outcome }: Pick<PaymentState, 'trade_status' | 'outcome'>): boolean =>
  trade_status !== null || outcome !== null;

/**
 * Whether the trade under the number is another system's: an order was requested here and not made (`order` is null). An order whose creation
 * was answered here is ours, although Temporal has forgotten who requested it.
 */
export const isTradeOfOthers = (order: Order | null | undefined, state: PaymentState): boolean =>
  order === null && hasSeenTrade(state) && state.payment_data?.recovered !== false;

/** What the next run takes over. */
export interface EarlierPayments {
  /** The latest first. */
  readonly runs: readonly EarlierPayment[];
  /** Trades under the number that terminated runs had put before a person. */
  readonly other_trades: readonly NotedTrade[];
  /** Notifications to such runs that none of them had settled. */
  readonly untaken: readonly NotificationSignal[];
  /** Why such runs needed a person. */
  readonly reasons: readonly Attention[];
  /** The order has an after-sale that waits to be told of the end. */
  readonly is_followed: boolean;
  /** The run that has read this: a reset of that run has not. */
  readonly read_by: string;
}

/** What a payment's run answers to the next one: the query `carried`. */
export interface PaymentCarried {
  readonly payment: EarlierPayment;
  /** Whether it has taken over what the runs before it had left, or there were none. */
  readonly has_read: boolean;
  /** How many notifications it has taken. */
  readonly taken: number;
  /** Notifications that no look has confirmed, and those that only the after-sale can settle. */
  readonly claims: readonly NotificationSignal[];
  /** Trades that only this run has put before a person. */
  readonly other_trades: readonly NotedTrade[];
  /** Why it needs a person who has not answered yet, as far as the after-sale does not know. */
  readonly reasons: readonly Attention[];
}
