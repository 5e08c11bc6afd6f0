/** Payments that a merchant's own workflow starts, and their refunds. */
import type { RefundAnswer, RefundOrder } from './after-sale';
import type { Checkout, DirectPayment } from './gateway';
import type { NewPayment, PaymentData, PaymentState } from './payment';

/** What `startPayment` of calls/ takes: the order of the client's `pay` or `createCheckout`, and the app that sells. */
export type AppOrder = (DirectPayment | Checkout) & { app_id: string };

/** What `startPayment` of calls/ returns. */
export interface StartedPayment {
  /** What the buyer needs to pay: the answer of the update `created`. */
  data: PaymentData;
  /** Waits until the payment has ended, possibly for days, and returns its final state. */
  outcome(): Promise<PaymentState>;
}

/** A refund, and the task queue of the worker that runs its after-sale. */
export interface RefundToAsk {
  app_id: string;
  out_trade_no: string;
  task_queue: string;
  refund: RefundOrder;
}

export interface StarterActivities {
  /** The answer to the creation of a payment that has been started; the failures are those of the update `created`. */
  'payments.created'(payment: NewPayment): Promise<PaymentData>;
  /** The answer to a refund, which it asks for; the failures are those of the update `refund`. */
  'payments.refunded'(input: RefundToAsk): Promise<RefundAnswer>;
}
