/** How events reach the addresses of PAYMENTS_EVENTS_URL: a workflow for each address and each payment or account. */
import type { Attention } from './attention';
import type { MerchantEvent } from './events';
import { nameDigests, SEARCH_ATTRIBUTE } from './search-attributes';

/** The `endpoint` of the merchant's handler `onEvent`. No digest of an address is so short. */
export const EVENT_HANDLER = 'handler';

/** By what a delivery is found whose events are those of this payment or account. */
export const deliveryAttributes = (subject: string) => [
  { key: SEARCH_ATTRIBUTE.names, value: nameDigests([['subject', subject]]) },
];

/** The input of the workflow `eventDelivery`. Its events come as signals (`tell`). */
export interface EventDeliveryInput {
  /** Names the address without telling it: it may hold a secret. `handler`: the handler `onEvent`. See docs/contract.md. */
  endpoint: string;
  /** The workflow id of the payment or account whose events these are. */
  subject: string;
  /** An event that the address does not take for so long needs a person, in ms. */
  give_up_ms: number;
  /** Of the handler's delivery: who hears events, as the workflow knows it that tells these. */
  listeners?: readonly string[] | undefined;
  /** Events that the run before has not delivered. */
  waiting?: readonly MerchantEvent[] | undefined;
}

/** Why a delivery needs a person. */
export type EventAttention = Extract<Attention, 'undelivered-event'>;

/** The query `state` of `eventDelivery`, and what it returns. */
export interface EventDeliveryState {
  endpoint: string;
  subject: string;
  attention: EventAttention | null;
  /** Why the last try failed; null where none did since the last success. */
  problem: string | null;
  /** The ids of the events that are still to be delivered, in their order. */
  waiting: string[];
  /** Events that a person decided not to deliver: those of each decision. */
  dropped: { ids: string[]; by: string; reason: string }[];
}

/** The input of the update `resolve`. */
export interface DropEvents {
  by: string;
  reason: string;
  /** All that wait, and not only the one that holds up the others. */
  all?: boolean | undefined;
}

export interface PostedEvents {
  endpoint: string;
  events: readonly MerchantEvent[];
}

export interface EventDeliveryActivities {
  /**
   * Posts events in their order, each once, for a few seconds. Returns how many the address has taken. Throws where it does not answer
   * 2xx to the first, or where the worker lacks it. Those of an address that no worker has had for hours are handed to those that are there.
   */
  'payments.postEvents'(input: PostedEvents): Promise<number>;
}
