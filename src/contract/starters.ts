/** Payments that a merchant's own workflow starts. */
import type { NewPayment, PaymentData, PaymentState } from './payment';

/** What `startPayment` of calls/ returns. */
export interface StartedPayment {
  /** What the buyer needs to pay: the answer of the update `created`. */
  data: PaymentData;
  /** Waits until the payment has ended, possibly for days, and returns its final state. */
  outcome(): Promise<PaymentState>;
}

export interface StarterActivities {
  /** The answer to the creation of a payment that has been started; the failures are those of the update `created`. */
  'payments.created'(payment: NewPayment): Promise<PaymentData>;
}
