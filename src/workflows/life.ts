/** What the parts of one payment's life share. */
import type { GatewayErrorFields } from '../gateway/errors';
import type { PaymentPolicy } from './activities';
import type { PaymentRecord } from './payment-record';

/** An answer of the gateway that settled nothing: who waits for payment data is told of it. */
export interface Problem {
  message: string;
  error: GatewayErrorFields;
}

export interface Life {
  readonly record: PaymentRecord;
  readonly policy: PaymentPolicy;
  met(problem: Problem): void;
  /** Shows everybody the state, and what the payment waits for from now on. */
  waitFor(what: string): void;
}
