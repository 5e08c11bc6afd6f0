/** A merchant's event handler, and the addresses that get events, as an activity that workflows call. */
import type { EventActivities, MerchantEvent } from '../contract';
import { type EventEndpoints, handOver } from './event-endpoints';

/**
 * Handles the events of payments and virtual accounts (`event.type` tells which). Each event is delivered at least once,
 * the events of one payment in order; `event.id` is the idempotency key. If the handler throws or takes more than 30 s,
 * Temporal calls it again with growing delays. It never delays a payment.
 */
export type OnEvent = (event: MerchantEvent) => Promise<void> | void;

/** The activity that calls the handler, and then hands the event over to the addresses. */
export function eventActivity(onEvent: OnEvent | undefined, endpoints?: EventEndpoints): EventActivities {
  return {
    async 'payments.onEvent'(event) {
      await onEvent?.(event);
      if (endpoints) await handOver(event, endpoints);
    },
  };
}
