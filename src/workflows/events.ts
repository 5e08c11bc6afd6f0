/**
 * Tells a merchant's own handler what happens to a payment: at least once, in order, and beside the payment, which never
 * waits for a handler that fails. What is left when the payment is over goes on in a workflow of its own, and what another
 * run or the after-sale has to tell of the same payment meanwhile queues up behind it.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountEvent } from './account-contract';
import type { PaymentPolicy } from './activities';
import {
  type AfterSaleState,
  eventsWorkflowId,
  type PaymentEvent,
  type PaymentState,
  SIGNAL,
  type Transition,
  WORKFLOW,
} from './contract';

/** Everything that a merchant's handler can hear; `type` tells the kinds apart. */
export type MerchantEvent = PaymentEvent | AccountEvent;

export interface EventActivities {
  /** The merchant's handler. Whatever it throws is tried again. */
  'payments.onEvent'(event: MerchantEvent): Promise<void>;
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

const tellSignal = defineSignal<[MerchantEvent[]]>(SIGNAL.tell);

/** Goes on telling what a payment's handler had not heard when the payment was over, and what it is sent after that. */
export async function paymentEvents(events: MerchantEvent[]): Promise<void> {
  const untold = [...events];
  setHandler(tellSignal, (more) => {
    untold.push(...more);
  });
  for (let next = untold[0]; next; next = untold[0]) {
    await tellUntilHeard(next);
    untold.shift();
  }
}

/** So many go into the input of one workflow: each has about 1 KB, of 2 MB that Temporal takes. */
const EVENTS_AT_ONCE = 1_000;

/** Events that are told one after the other. */
export class Outbox {
  private readonly untold: MerchantEvent[] = [];
  private telling: Promise<void> | undefined;
  private repeating: CancellationScope | undefined;
  private closing = false;
  private handedOver = false;

  /**
   * `tells`: the id of the workflow that takes over what is left, and that may be telling still what came before.
   * Without it: one of this run's own.
   */
  constructor(private tells?: { readonly id: string; mayRun: boolean }) {}

  get isEmpty(): boolean {
    return this.untold.length === 0;
  }

  /** Begins to tell these, after those before them. */
  put(events: readonly MerchantEvent[]): void {
    this.untold.push(...events);
    if (this.handedOver) return;
    // A part of the payment that is cut short does not cut short the telling.
    if (this.untold.length > 0) this.telling ??= CancellationScope.nonCancellable(() => this.tell());
  }

  /** Returns when everything was heard, or where the handler fails, when another workflow has taken over. What comes later is told after that. */
  async close(): Promise<void> {
    this.closing = true;
    this.repeating?.cancel();
    await this.telling;
    if (this.untold.length === 0) return;
    const { workflowId, runId } = workflowInfo();
    await goOnTelling(this.tells?.id ?? eventsWorkflowId(workflowId, runId), this.untold.splice(0));
    if (this.tells) this.tells.mayRun = true;
  }

  /** Returns at once when others tell what was not heard, which is heard twice where it is being told just now. */
  async handOver(): Promise<void> {
    this.handedOver = true;
    this.repeating?.cancel();
    const { workflowId, runId } = workflowInfo();
    for (let part = 1; this.untold.length > 0; part += 1) {
      await goOnTelling(eventsWorkflowId(workflowId, `${runId}:${part}`), this.untold.splice(0, EVENTS_AT_ONCE));
    }
  }

  private async tell(): Promise<void> {
    for (let next = this.untold[0]; next && (await this.isTaken(next)); next = this.untold[0]) {
      if (this.handedOver) return;
      this.untold.shift();
    }
    this.telling = undefined;
  }

  private async isTaken(event: MerchantEvent): Promise<boolean> {
    return (await this.isQueued(event)) || this.isHeard(event);
  }

  /** True where somebody tells still what came before this event, and will tell it after that. */
  private async isQueued(event: MerchantEvent): Promise<boolean> {
    return this.tells?.mayRun === true && queue(this.tells.id, [event]);
  }

  /** False where the payment is over before the handler takes the event. */
  private async isHeard(event: MerchantEvent): Promise<boolean> {
    try {
      await tellOnce(event);
      return true;
    } catch {
      if (this.closing || this.handedOver) return false;
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

async function goOnTelling(workflowId: string, events: MerchantEvent[]): Promise<void> {
  try {
    await startChild(WORKFLOW.paymentEvents, {
      workflowId,
      args: [events],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `What the handler of events has not heard of ${workflowInfo().workflowId}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // It tells what came before; should it end this very moment, another one begins.
    if (!(await queue(workflowId, events))) await goOnTelling(workflowId, events);
  }
}

/** Whether a workflow that tells events runs, and has these now. */
async function queue(workflowId: string, events: MerchantEvent[]): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(tellSignal, events);
    return true;
  } catch {
    return false;
  }
}

/** The events of one payment, and of what follows its sale. */
export class PaymentOutbox {
  private readonly outbox: Outbox;
  private made = 0;
  private steps = 0;
  private attention: PaymentState['attention'] = null;

  /**
   * `isFirst`: whether nobody can have told anything of this payment before. The first histories have for what is left a
   * workflow of each run's own.
   */
  constructor(paymentId: string, isFirst: boolean, { behaviour = 0 }: Pick<PaymentPolicy, 'behaviour'>) {
    const isOne = behaviour >= 1;
    this.outbox = new Outbox(isOne ? { id: eventsWorkflowId(paymentId), mayRun: !isFirst } : undefined);
  }

  /** Takes note of what is new in the state, and begins to tell it. */
  note({ history, payment_data: _data, ...payment }: PaymentState): void {
    this.tellOf(history, { payment });
  }

  /** The same for what comes after the sale. */
  noteAfterSale(state: AfterSaleState, payment: PaymentEvent['payment']): void {
    const { refunds, refunded_amount, refunding_amount, ledger_complete } = state;
    this.tellOf(state.history, {
      payment,
      after_sale: { refunds, refunded_amount, refunding_amount, ledger_complete },
    });
  }

  /** What a former run has told already. */
  skip({ history, attention }: Pick<AfterSaleState, 'history' | 'attention'>): void {
    this.steps = history.length;
    this.attention = attention;
  }

  close(): Promise<void> {
    return this.outbox.close();
  }

  private tellOf(history: readonly Transition[], about: Pick<PaymentEvent, 'payment' | 'after_sale'>): void {
    const { attention } = about.payment;
    const events = history
      .slice(this.steps)
      .map((transition) => this.event({ type: 'transition', time: transition.time, ...about, transition }));
    if (attention !== null && attention !== this.attention) {
      events.push(this.event({ type: 'attention', time: new Date().toISOString(), ...about }));
    }
    this.steps = history.length;
    this.attention = attention;
    this.outbox.put(events);
  }

  private event(event: Omit<PaymentEvent, 'id'>): PaymentEvent {
    const { workflowId, originalExecutionRunId } = workflowInfo();
    this.made += 1;
    return { id: `${workflowId}:${originalExecutionRunId}:${this.made}`, ...event };
  }
}
