/**
 * Tells a merchant's own handler what happens to a payment: at least once, in order, and beside the payment, which never
 * waits for a handler that fails. What is left when the payment is over goes on in a workflow of its own.
 */
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type PaymentEvent, type PaymentState, paymentEventsWorkflowId, WORKFLOW } from './contract';

export interface EventActivities {
  /** The merchant's handler. Whatever it throws is tried again. */
  'payments.onEvent'(event: PaymentEvent): Promise<void>;
}

const startToCloseTimeout = '30 seconds';
const { 'payments.onEvent': tellOnce } = proxyActivities<EventActivities>({
  startToCloseTimeout,
  retry: { maximumAttempts: 1 },
});
const { 'payments.onEvent': tellUntilHeard } = proxyActivities<EventActivities>({
  startToCloseTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Goes on telling what a payment's handler had not heard when the payment was over. */
export async function paymentEvents(events: PaymentEvent[]): Promise<void> {
  for (const event of events) await tellUntilHeard(event);
}

/** The events of one payment, told one after the other. */
export class Outbox {
  private readonly untold: PaymentEvent[] = [];
  private telling: Promise<void> | undefined;
  private repeating: CancellationScope | undefined;
  private closing = false;
  private made = 0;
  private steps = 0;
  private attention: PaymentState['attention'] = null;

  /** Takes note of what is new in the state, and begins to tell it. */
  note(state: PaymentState): void {
    const { history, payment_data: _data, ...payment } = state;
    for (const transition of history.slice(this.steps)) {
      this.add({ type: 'transition', time: transition.time, payment, transition });
    }
    if (state.attention !== null && state.attention !== this.attention) {
      this.add({ type: 'attention', time: new Date().toISOString(), payment });
    }
    this.steps = history.length;
    this.attention = state.attention;
    // A part of the payment that is cut short does not cut short the telling.
    if (this.untold.length > 0) this.telling ??= CancellationScope.nonCancellable(() => this.tell());
  }

  /** Returns when everything was heard; where the handler fails, another workflow has taken over. */
  async close(): Promise<void> {
    this.closing = true;
    this.repeating?.cancel();
    await this.telling;
    if (this.untold.length === 0) return;
    const { workflowId, runId } = workflowInfo();
    await startChild(WORKFLOW.paymentEvents, {
      workflowId: paymentEventsWorkflowId(workflowId, runId),
      args: [this.untold],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `What the handler of events has not heard of ${workflowId}`,
    });
  }

  private add(event: Omit<PaymentEvent, 'id'>): void {
    const { workflowId, firstExecutionRunId } = workflowInfo();
    this.made += 1;
    this.untold.push({ id: `${workflowId}:${firstExecutionRunId}:${this.made}`, ...event });
  }

  private async tell(): Promise<void> {
    for (let next = this.untold[0]; next && (await this.isHeard(next)); next = this.untold[0]) this.untold.shift();
    this.telling = undefined;
  }

  /** False where the payment is over before the handler takes the event. */
  private async isHeard(event: PaymentEvent): Promise<boolean> {
    try {
      await tellOnce(event);
      return true;
    } catch {
      if (this.closing) return false;
    }
    this.repeating = new CancellationScope();
    try {
      await this.repeating.run(() => tellUntilHeard(event));
      return true;
    } catch (error) {
      if (isCancellation(error)) return false;
      throw error;
    } finally {
      this.repeating = undefined;
    }
  }
}
