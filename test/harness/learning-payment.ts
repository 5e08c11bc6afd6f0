/** A payment that learns one fact after the other, for tests of the fold. */
import type { LatePayments, PaymentInput, PaymentState, Trade } from '../../src/contract';
import type { NewPaymentFact } from '../../src/workflows/payment/facts';
import { foldPayment } from '../../src/workflows/payment/fold';
import { type KnownPayment, paymentState, startedWith } from '../../src/workflows/payment/known-payment';

/** When a fact is learned where a test does not say it, in ms since the epoch. */
export const LEARNED_AT = Date.parse('2026-03-02T12:00:00Z');

export class LearningPayment {
  known: KnownPayment;

  constructor(
    input: PaymentInput,
    private readonly late_payments: LatePayments = 'attention',
  ) {
    this.known = startedWith(input);
  }

  get state(): PaymentState {
    return paymentState(this.known);
  }

  learn(fact: NewPaymentFact, at = LEARNED_AT): void {
    this.known = foldPayment(this.known, { ...fact, at }, { late_payments: this.late_payments });
  }

  /** A query shows the trade. */
  query(trade: Trade, at?: number): void {
    this.learn({ is: 'queried', trade, after: 0 }, at);
  }

  /** A notification is believed without a query. */
  believe(signal: { trade_status: string; amount?: string; currency?: string }, at?: number): void {
    this.learn({ is: 'notified', signal }, at);
    const claim = this.known.claims.at(-1);
    if (claim) this.learn({ is: 'believed', claim }, at);
  }
}
