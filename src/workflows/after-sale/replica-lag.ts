/**
 * How old an answer of the gateway may be. If the trade has shown the same for longer than any replica is behind, that was true when this
 * time began, however often the gateway was asked or silent meanwhile. Pure.
 */
import type { KnownOrder } from '../../contract';

/** No replica of the gateway is further behind than this, in ms: ten settling times. */
export const replicaLag = ({ settling_ms }: { readonly settling_ms: number }): number => 10 * settling_ms;

/** How long the trade still has to show the same until no replica can be behind it, in ms; 0 if it has for long enough. */
export const lagLeft = ({ seen }: KnownOrder, lag_ms: number): number =>
  seen === null ? lag_ms : Math.max(0, lag_ms - Math.max(0, seen.asked_at - seen.same_since));

/** A notification or a request at this time may have changed the trade: earlier answers do not tell. */
export const changedAt = (order: KnownOrder, at: number): KnownOrder =>
  order.seen === null ? order : { ...order, seen: { ...order.seen, same_since: at } };
