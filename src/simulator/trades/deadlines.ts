import type { TradeRecord } from '../records';
import { methodNamed, usualExpiryOf } from '../rules/methods';
import { expressEnd } from '../time';

/** What the deadlines of an order follow from. */
export type DatedOrder = Pick<
  TradeRecord,
  'created_at' | 'timeout_express' | 'cancellation_express' | 'method' | 'channel'
>;

/**
 * When an unfinished trade ends by itself. `timeout_express` ends INITIAL, `cancellation_express` ends PROCESSING. Without
 * a cancellation the timeout ends both. Without a timeout the method's usual expiry does.
 */
export function deadlinesOf(order: DatedOrder): Pick<TradeRecord, 'expires_at' | 'cancels_at'> {
  const { created_at, timeout_express, cancellation_express, channel } = order;
  const method = methodNamed(order.method ?? '');
  const usual = expressEnd(method ? usualExpiryOf(method, channel) : '1d', created_at);
  const timeout = timeout_express === null ? undefined : expressEnd(timeout_express, created_at);
  const cancellation = cancellation_express === null ? undefined : expressEnd(cancellation_express, created_at);
  return {
    expires_at: timeout ?? Math.min(usual, cancellation ?? usual),
    cancels_at: cancellation ?? timeout ?? usual,
  };
}
