/** What the parts of one payment share. */
import type { Attention, PaymentPolicy } from '../../contract';
import type { RecheckRequests } from '../shared/recheck-requests';
import type { Upsert } from '../shared/visibility';
import type { NewPaymentFact } from './facts';
import type { KnownPayment } from './known-payment';

export interface PaymentContext {
  readonly app_id: string;
  readonly policy: PaymentPolicy;
  /** All that is known now. */
  readonly known: KnownPayment;
  readonly requests: RecheckRequests;
  /** Appends facts. A fact that asks for a person is shown at once, other facts with the next `waitFor`. */
  learn(...facts: readonly NewPaymentFact[]): void;
  /** Puts the payment before a person. */
  raise(attention: Attention): void;
  /** Shows everybody the state, and what the payment waits for from now on. */
  waitFor(what: string, upsert?: Upsert): void;
}
