/** What the parts of one payment share. */
import type { Attention, GatewayErrorFields, PaymentPolicy, Trade } from '../../contract';
import type { Upsert } from '../shared/visibility';
import type { PaymentRecord } from './record';

/** An answer of the gateway that settled nothing: who waits for payment data is told of it. */
export interface GatewayProblem {
  message: string;
  error: GatewayErrorFields;
}

/** What the creation and the wait for the outcome need of their payment. */
export interface PaymentContext {
  readonly record: PaymentRecord;
  readonly policy: PaymentPolicy;
  /** The trade that is taken on, where the first look found it paid. */
  readonly paid: Trade | null;
  onGatewayError(problem: GatewayProblem): void;
  /** Puts the payment before a person, and shows it. */
  raise(attention: Attention): void;
  /** Shows everybody the state, and what the payment waits for from now on. */
  waitFor(what: string, upsert?: Upsert): void;
}
