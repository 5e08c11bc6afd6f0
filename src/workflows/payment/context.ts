/** What the parts of one payment share. */
import type { Attention, PaymentPolicy, Trade } from '../../contract';
import type { RecheckRequests } from '../shared/recheck-requests';
import type { Upsert } from '../shared/visibility';
import type { NewPaymentFact } from './facts';
import { hasClaimsAfter, type KnownPayment } from './known-payment';

/** What a part needs of its payment before the settings are loaded. */
export interface PaymentFacts {
  readonly app_id: string;
  /** All that is known now. */
  readonly known: KnownPayment;
  readonly requests: RecheckRequests;
  /** Appends facts. One that asks for a person is shown at once, any other with the next thing that the payment waits for. */
  learn(...facts: readonly NewPaymentFact[]): void;
  /** Puts the payment before a person. */
  raise(attention: Attention): void;
}

/** Whether something has come since the last look began. */
export const hasNews = ({ known, requests }: PaymentFacts): boolean =>
  requests.isRequested || hasClaimsAfter(known, known.looked_after);

/** What the creation and the wait for the outcome need of their payment. */
export interface PaymentContext extends PaymentFacts {
  readonly policy: PaymentPolicy;
  /** The trade that is taken on, where the first look found it paid. */
  readonly paid: Trade | null;
  /** Shows everybody the state, and what the payment waits for from now on. */
  waitFor(what: string, upsert?: Upsert): void;
}
