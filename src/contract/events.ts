/** The events that a merchant's handler (`onEvent`) gets. */
import type { Deposit, Deposits, SetAsideDeposit, SpeiAccountState } from './account';
import type { AfterSaleState } from './after-sale';
import type { PaymentState, Transition } from './payment';
import type { Swept } from './stuck-sweep';

/** An event of a payment: delivered at least once, and in order for each payment. */
export interface PaymentEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  /** `attention.overdue`: it has waited for a person for longer than the settings allow. Once for each wait. */
  readonly type: 'transition' | 'attention' | 'attention.overdue';
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The payment right after the event, without its `history` and `payment_data`. */
  readonly payment: Omit<PaymentState, 'history' | 'payment_data'>;
  /** What changed, for a `transition`. */
  readonly transition?: Transition;
  /** The refunds of the trade, for an event after the sale. */
  readonly after_sale?: Pick<AfterSaleState, 'refunds' | 'refunded_amount' | 'refunding_amount' | 'ledger_complete'>;
}

/** An event of a virtual account. Each deposit's payment has its own events besides. */
export interface AccountEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  readonly type: 'deposit' | 'deposit-set-aside' | 'account-status' | 'account-attention';
  readonly time: string;
  /** The account right after the event, without its `latest` deposits. */
  readonly account: Omit<SpeiAccountState, 'deposits'> & { deposits: Pick<Deposits, 'count' | 'total'> };
  /** The deposit that was counted, for a `deposit`. */
  readonly deposit?: Deposit;
  /** The deposit that was not counted, for a `deposit-set-aside`. */
  readonly set_aside?: SetAsideDeposit;
}

/** An event of the sweep for stuck payments: once for each sweep that found some. */
export interface SweepEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  readonly type: 'stuck-payments';
  readonly time: string;
  readonly sweep: Swept;
}

/** Any event; `type` says which kind. */
export type MerchantEvent = PaymentEvent | AccountEvent | SweepEvent;
