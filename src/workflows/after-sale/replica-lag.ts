/**
 * How old an answer of the gateway may be. Where the trade has shown the same for longer than any replica is behind, it shows what was true
 * when that time began, however often it was asked meanwhile, and whatever was silent. Pure.
 */
import type { KnownOrder } from '../../contract';

/** No replica of the gateway is further behind than this, in ms: ten settling times. */
export const replicaLag = ({ settling_ms }: { readonly settling_ms: number }): number => 10 * settling_ms;

/** How long the trade still has to show the same until no replica can be behind it, in ms; 0 where it has. */
export const lagLeft = ({ seen }: KnownOrder, lag_ms: number): number =>
  seen === null ? lag_ms : Math.max(0, lag_ms - Math.max(0, seen.asked_at - seen.same_since));

/** What was notified, or sent, at this time may have changed the trade: an answer of before says nothing of that. */
export const changedAt = (order: KnownOrder, at: number): KnownOrder =>
  order.seen === null ? order : { ...order, seen: { ...order.seen, same_since: at } };
