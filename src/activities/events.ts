/** A merchant's own handler of events, as the activity that payments call. */
import type { EventActivities, MerchantEvent } from '../workflows/events';

/**
 * Hears what happens to payments and virtual accounts, told apart by `event.type`: at least once each, in order for a
 * payment, with `event.id` as idempotency key. What it throws is tried again, ever more slowly, and never holds up a
 * payment. It has 30 s.
 */
export type OnEvent = (event: MerchantEvent) => Promise<void> | void;

export function eventActivity(onEvent: OnEvent): EventActivities {
  return {
    async 'payments.onEvent'(event) {
      await onEvent(event);
    },
  };
}
