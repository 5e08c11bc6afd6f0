/** The events for a merchant: to the handler `onEvent`, and to the addresses of PAYMENTS_EVENTS_URL. */
import { MINUTE } from '../gateway/pure/durations';
import type { Deposit, Deposits, SetAsideDeposit, SpeiAccountState } from './account';
import type { AfterSaleState, RefundState, ShownFailure } from './after-sale';
import type { Attention } from './attention';
import type { PaymentState, Transition } from './payment';
import type { Swept } from './scheduled-jobs';
import { nameDigests, SEARCH_ATTRIBUTE } from './search-attributes';

interface AnyEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The payment right after the event, without its `history` and `payment_data`. */
export type EventPayment = Omit<PaymentState, 'history' | 'payment_data'>;

/** The payment as an event has it. */
export function eventPayment({ history: _history, payment_data: _data, ...payment }: PaymentState): EventPayment {
  return payment;
}

/** The part of the after-sale's state that an event has. */
type EventAfterSale = Pick<
  AfterSaleState,
  'refunds' | 'refunded_amount' | 'refunding_amount' | 'refunded_elsewhere' | 'ledger_complete' | 'answer_by'
>;

interface OfPayment extends AnyEvent {
  readonly payment: EventPayment;
  /** The refunds of the trade, and by when a dispute has to be answered, for an event after the sale. */
  readonly after_sale?: EventAfterSale;
}

/** The payment has moved to another state. */
interface TransitionEvent extends OfPayment {
  readonly type: 'transition';
  /** What changed. */
  readonly transition: Transition;
}

/** A person has to look at the payment. */
interface AttentionEvent extends OfPayment {
  /** `attention.overdue`: it has waited for a person for longer than the settings allow. Once for each wait. */
  readonly type: 'attention' | 'attention.overdue';
  readonly payment: EventPayment & { attention: Attention };
}

interface UnattendedEvent extends OfPayment {
  /**
   * `attention.cleared`: nobody has to look any more. `sold`: an order that was paid counts as sold now, or again, and no other event says
   * so.
   */
  readonly type: 'attention.cleared' | 'sold';
  readonly payment: EventPayment & { attention: null };
}

/**
 * A refund has another outcome than it had. Whoever asked for it may have been told only that it goes on. Of the refunds, `after_sale` has
 * this one alone.
 */
interface RefundEvent extends OfPayment {
  readonly type: 'refund';
  readonly refund: RefundState;
}

/** The payment has failed: it made no order, unless its failure says that there may be one. */
interface FailedEvent extends OfPayment {
  readonly type: 'failed';
  /** What callers are told who wait for the payment. */
  readonly failure: ShownFailure;
}

/** An event of a payment: delivered at least once, and in order for each payment. */
export type PaymentEvent = TransitionEvent | AttentionEvent | UnattendedEvent | RefundEvent | FailedEvent;

interface OfAccount extends AnyEvent {
  /** The account right after the event, without its `latest` deposits. */
  readonly account: Omit<SpeiAccountState, 'deposits' | 'unseen'> & { deposits: Pick<Deposits, 'count' | 'total'> };
}

interface DepositEvent extends OfAccount {
  readonly type: 'deposit';
  /** The deposit that was counted. */
  readonly deposit: Deposit;
}

interface SetAsideEvent extends OfAccount {
  readonly type: 'deposit-set-aside';
  /** The deposit that was not counted. */
  readonly set_aside: SetAsideDeposit;
}

interface AccountChangedEvent extends OfAccount {
  /**
   * `account-attention.overdue`: it has waited for a person for longer than the settings allow. Once for each wait.
   * `account-attention.cleared`: nobody has to look any more.
   */
  readonly type: 'account-status' | 'account-attention' | 'account-attention.overdue' | 'account-attention.cleared';
}

/** An event of a virtual account. Besides, each deposit's payment has its own events. */
export type AccountEvent = DepositEvent | SetAsideEvent | AccountChangedEvent;

/** An event of the sweep for stuck payments: once for each sweep that found some. */
export interface SweepEvent extends AnyEvent {
  readonly type: 'stuck-payments';
  readonly sweep: Swept;
}

/** Any event; its `type` says which fields it has. */
export type MerchantEvent = PaymentEvent | AccountEvent | SweepEvent;

const SUBJECTS = ['payment', 'account', 'sweep'] as const;

/** The events in the argument of a signal `tell`. Anybody can send the signal without an argument, or with another one. */
export function eventsOf(given: unknown): MerchantEvent[] {
  return Array.isArray(given) ? given.filter(isEvent) : [];
}

function isEvent(given: unknown): given is MerchantEvent {
  if (typeof given !== 'object' || given === null) return false;
  const isAbout = (subject: (typeof SUBJECTS)[number]) => typeof Reflect.get(given, subject) === 'object';
  return typeof Reflect.get(given, 'id') === 'string' && SUBJECTS.some(isAbout);
}

// — How they reach an address: a workflow for each address and each payment or account —

/** The `endpoint` of the merchant's handler `onEvent`. No digest of an address is so short. */
export const EVENT_HANDLER = 'handler';

/** The search attributes by which the delivery of this payment's or account's events is found. */
export const deliveryAttributes = (subject: string) => [
  { key: SEARCH_ATTRIBUTE.names, value: nameDigests([['subject', subject]]) },
];

/** The input of the workflow `eventDelivery`. Its events come as signals (`tell`). */
export interface EventDeliveryInput {
  /** Names the address without telling it: it may hold a secret. `handler`: the handler `onEvent`. See docs/contract.md. */
  endpoint: string;
  /** The workflow id of the payment or account whose events these are. */
  subject: string;
  /** For how long an address may not take an event before a person is told, in ms. */
  give_up_ms: number;
  /** Only for the handler: the listeners, as the workflow that publishes the events knows them. */
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
  /** Why the last try failed; null if none has failed since the last success. */
  problem: string | null;
  /** The ids of the events that are still to be delivered, in their order. */
  waiting: string[];
  /** The events that a person decided not to deliver, by decision. */
  dropped: { ids: string[]; by: string; reason: string }[];
}

/** The input of the update `resolve`. */
export interface DropEvents {
  by: string;
  reason: string;
  /** Drop all that wait, and not only the event that delays the others. */
  all?: boolean | undefined;
}

export interface PostedEvents {
  endpoint: string;
  events: readonly MerchantEvent[];
}

export interface EventDeliveryActivities {
  /**
   * Posts events in their order, each once, for a few seconds. Returns how many the address has taken. Throws if it does not answer 2xx
   * to the first, or the worker lacks the address. Events of an address that no worker has had for hours go to the addresses that there are.
   */
  'payments.postEvents'(input: PostedEvents): Promise<number>;
}

/** The pauses between the attempts of a delivery, in ms: each is twice the one before, up to the longest. */
export const DELIVERY_PAUSES = { first_ms: 1_000, longest_ms: 10 * MINUTE } as const;

/** How many attempts fit into `within_ms`. Attempts count, and not time: while no worker runs, nobody has tried the receiver. */
export function attemptsWithin(within_ms: number): number {
  const { first_ms, longest_ms } = DELIVERY_PAUSES;
  let attempts = 1;
  for (let at = 0, pause: number = first_ms; at + pause <= within_ms; pause = Math.min(2 * pause, longest_ms)) {
    at += pause;
    attempts += 1;
  }
  return attempts;
}
