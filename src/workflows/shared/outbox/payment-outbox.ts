/** Publishes the events of one payment and of its after-sale to the merchant's handler. */
import { workflowInfo } from '@temporalio/workflow';
import type { AfterSaleState, EventPayment, PaymentPolicy, PaymentState, Transition } from '../../../contract';
import { EventRelay, InlineDelivery } from './delivery';
import { OverdueWait } from './overdue';
import { type EventContext, PaymentEventLog } from './payment-events';

export class PaymentOutbox {
  private readonly delivery: InlineDelivery;
  private readonly log: PaymentEventLog;
  private readonly overdue: OverdueWait;
  private latest: EventContext | undefined;

  /** `isFirst`: certainly no earlier run has published events of this payment, which could still be on their way. */
  constructor(
    paymentId: string,
    isFirst: boolean,
    { overdue_ms, listeners }: Pick<PaymentPolicy, 'overdue_ms' | 'listeners'>,
  ) {
    const { workflowId, originalExecutionRunId } = workflowInfo();
    this.delivery = new InlineDelivery(EventRelay.ofPayment(paymentId, !isFirst), () => listeners);
    this.log = new PaymentEventLog(`${workflowId}:${originalExecutionRunId}`);
    this.overdue = new OverdueWait(overdue_ms, (since) => {
      const id = `${paymentId}:attention.overdue:${since}`;
      const { payment, ...context } = this.latest ?? {};
      const attention = payment?.attention;
      if (attention)
        this.delivery.put([
          { id, type: 'attention.overdue', time: now(), ...context, payment: { ...payment, attention } },
        ]);
    });
  }

  /** Publishes what is new in the payment's state. */
  publish({ history, payment_data: _data, ...payment }: PaymentState): void {
    this.put(history, { payment });
  }

  /** Publishes what is new in the after-sale's state. */
  publishAfterSale(state: AfterSaleState, history: readonly Transition[], payment: EventPayment): void {
    const { refunds, refunded_amount, refunding_amount, ledger_complete, answer_by } = state;
    const after_sale = { refunds, refunded_amount, refunding_amount, ledger_complete, answer_by };
    this.put(history, { payment, after_sale });
  }

  /** Does not publish again what an earlier run has published. */
  skip({ history, attention }: Pick<AfterSaleState, 'history' | 'attention'>): void {
    this.log.skip(history, attention);
  }

  /** Returns once every event is delivered, or a relay has it, also those that are published meanwhile. */
  async close(): Promise<void> {
    this.overdue.close();
    do await this.delivery.drain();
    while (!this.delivery.isEmpty);
  }

  private put(history: readonly Transition[], context: EventContext): void {
    this.delivery.put(this.log.changes(history, context, Date.now()));
    this.latest = context;
    this.overdue.show(context.payment.attention_since);
  }
}

const now = () => new Date().toISOString();
