/** A merchant's event handler, and the addresses that get events, as an activity that workflows call. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { EVENT_HANDLER, type EventActivities, type MerchantEvent, telling } from '../contract';
import { endpointOf, hostsOf } from '../process/settings';
import { assertPresent, countedDelivery, type EventEndpoints, handOver, noAddressLeft } from './event-endpoints';

/**
 * Handles the events of payments and virtual accounts (`event.type` tells which). Each event is delivered at least once,
 * the events of one payment in order; `event.id` is the idempotency key. If the handler throws or takes more than 30 s,
 * Temporal calls it again with growing delays. It never delays a payment. The text of what it throws is kept nowhere: log it
 * yourself.
 */
export type OnEvent = (event: MerchantEvent) => Promise<void> | void;

/** The listeners to events of this worker: the handler, and the addresses by their digests. */
export const listenersOf = (onEvent: OnEvent | undefined, endpoints?: EventEndpoints): string[] => [
  ...(onEvent ? [EVENT_HANDLER] : []),
  ...(endpoints?.urls ?? []).map(endpointOf),
];

/** Who hears events, in a sentence for the log of a worker's start. */
export function saidOfListeners(onEvent: OnEvent | undefined, urls: readonly string[] = []): string {
  const listeners = [...hostsOf(urls), ...(onEvent ? ['the handler onEvent'] : [])];
  return listeners.length > 0
    ? `events are told to ${listeners.join(', ')}`
    : 'PAYMENTS_EVENTS_URL is not set: no event is told';
}

/**
 * The activity that calls the handler, and then hands the event to the addresses. Workers with neither have it, too: who listens is decided
 * when an event is reported, and a workflow that began while somebody listened may end when nobody does.
 */
export function eventActivity(onEvent: OnEvent | undefined, endpoints?: EventEndpoints): EventActivities {
  return {
    'payments.onEvent': telling(async (event: MerchantEvent, listeners: readonly string[] = []) => {
      const here = listenersOf(onEvent, endpoints);
      if (listeners.length > 0)
        assertPresent(
          listeners.every((one) => here.includes(one)),
          'the handler onEvent, or each address of PAYMENTS_EVENTS_URL, that the workflow knows of',
        );
      if (here.length === 0 && listeners.some((one) => one !== EVENT_HANDLER)) throw noAddressLeft();
      const told = Promise.resolve(event)
        .then(onEvent)
        .catch((error: unknown) => {
          throw error instanceof CancelledFailure ? error : handlerFailed(error);
        });
      await (onEvent ? countedDelivery('handler', told) : told);
      await handOver([event], endpoints);
      return listeners.filter((one) => here.includes(one));
    }),
  };
}

/**
 * What a handler throws may quote a buyer, and histories are shown to people: only its kind and the lines of code are kept. Only the
 * delivery decides when the next attempt is made: it counts attempts as time.
 */
function handlerFailed(error: unknown): ApplicationFailure {
  const { name, message, stack = '' } = error instanceof Error ? error : { name: '', message: '' };
  const kind = /^[A-Z]\w{0,60}$/i.test(name) ? name : 'no error';
  const { nonRetryable } = error instanceof ApplicationFailure ? error : {};
  const failure = ApplicationFailure.create({
    type: 'EventHandlerFailed',
    message: `The handler onEvent threw (${kind}). Its text is kept out of Temporal: log it in the handler.`,
    ...(nonRetryable ? { nonRetryable } : {}),
  });
  failure.stack = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at [^\n]+:\d+:\d+\)?$/.test(line))
    .join('\n');
  return failure;
}
