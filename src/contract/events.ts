/** The events that a merchant's handler (`onEvent`) gets. */
import type { Deposit, Deposits, SetAsideDeposit, SpeiAccountState } from './account';
import type { AfterSaleState } from './after-sale';
import type { Attention } from './attention';
import type { PaymentState, Transition } from './payment';
import type { Swept } from './stuck-sweep';

interface AnyEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The payment right after the event, without its `history` and `payment_data`. */
export type EventPayment = Omit<PaymentState, 'history' | 'payment_data'>;

/** What an event has of the after-sale. */
type EventAfterSale = Pick<
  AfterSaleState,
  'refunds' | 'refunded_amount' | 'refunding_amount' | 'ledger_complete' | 'answer_by'
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

/** An event of a payment: delivered at least once, and in order for each payment. */
export type PaymentEvent = TransitionEvent | AttentionEvent;

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
  /** `account-attention.overdue`: it has waited for a person for longer than the settings allow. Once for each wait. */
  readonly type: 'account-status' | 'account-attention' | 'account-attention.overdue';
}

/** An event of a virtual account. Each deposit's payment has its own events besides. */
export type AccountEvent = DepositEvent | SetAsideEvent | AccountChangedEvent;

/** An event of the sweep for stuck payments: once for each sweep that found some. */
export interface SweepEvent extends AnyEvent {
  readonly type: 'stuck-payments';
  readonly sweep: Swept;
}

/** Any event; `type` says which kind, and what it has. */
export type MerchantEvent = PaymentEvent | AccountEvent | SweepEvent;

const SUBJECTS = ['payment', 'account', 'sweep'] as const;

/** The events in the argument of a signal `tell`. Anybody can send one without it, or with another one. */
export function eventsOf(given: unknown): MerchantEvent[] {
  return Array.isArray(given) ? given.filter(isEvent) : [];
}

function isEvent(given: unknown): given is MerchantEvent {
  if (typeof given !== 'object' || given === null) return false;
  const isAbout = (subject: (typeof SUBJECTS)[number]) => typeof Reflect.get(given, subject) === 'object';
  return typeof Reflect.get(given, 'id') === 'string' && SUBJECTS.some(isAbout);
}
