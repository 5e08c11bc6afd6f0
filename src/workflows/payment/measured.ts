/** What is measured of a payment. It changes nothing. */
import { workflowInfo } from '@temporalio/workflow';
import { isContinued } from '../shared/continued';
import { NotificationEffect, recordMetric, secondsSince } from '../shared/metrics';
import type { NewPaymentFact } from './facts';
import type { KnownPayment } from './known-payment';

export class MeasuredPayment {
  private readonly effect: NotificationEffect;
  /** How long it took, in seconds. */
  private took = 0;

  constructor(private readonly app_id: string) {
    this.effect = new NotificationEffect(app_id);
  }

  /** A run that continues another one is not a new payment. */
  began(known: KnownPayment): void {
    if (!isContinued()) recordMetric('started', 1, this.labelsOf(known));
  }

  learned(fact: NewPaymentFact, before: KnownPayment, known: KnownPayment): void {
    if (fact.is === 'created' && before.shown.payment_data === null)
      recordMetric('dataAfter', secondsSince(workflowInfo().startTime.getTime()), this.labelsOf(known));
    if (known.claims.length > before.claims.length) this.effect.begins();
    const isAnswer = fact.is === 'queried' && fact.after >= known.claimed;
    if (isAnswer || fact.is === 'believed') this.effect.ends();
  }

  /** The outcome is final. Events may still have to be delivered. */
  decided(): void {
    this.took = secondsSince(workflowInfo().startTime.getTime());
  }

  ended(known: KnownPayment): void {
    const outcome = known.shown.outcome ?? 'NOT_CREATED';
    recordMetric('ended', 1, { ...this.labelsOf(known), outcome });
    recordMetric('outcomeAfter', this.took, { app_id: this.app_id, outcome });
  }

  private labelsOf({ shown }: KnownPayment) {
    return { app_id: this.app_id, method: shown.method ?? 'none' };
  }
}
