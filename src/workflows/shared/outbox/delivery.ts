/**
 * Delivers events to the merchant's handler at least once and in order, beside the workflow that publishes them: that
 * workflow never waits for a handler that fails.
 */
import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import {
  activityWords,
  deliveryAttributes,
  EVENT_HANDLER,
  type EventActivities,
  type EventDeliveryInput,
  eventDeliveryWorkflowId,
  type MerchantEvent,
  onePage,
  runStream,
  SIGNAL,
  WORKFLOW,
} from '../../../contract';
import { DAY } from '../../../gateway/pure/durations';
import { isTold } from '../ended-by-hand';
import { signalIfRunning, startOrSignal } from '../other-workflows';

const { 'payments.onEvent': deliverOnce } = proxyActivities<EventActivities>({
  startToCloseTimeout: '30 seconds',
  summary: activityWords('payments.onEvent'),
  retry: { maximumAttempts: 1 },
});

type KnownListeners = readonly string[] | null;

export class InlineDelivery {
  private readonly undelivered: MerchantEvent[] = [];
  private running: Promise<void> | undefined;
  private isHandedOver = false;
  /** Set while the relay takes all events: they stay here until it has them, because a run that ends would lose them. */
  private leaving: Promise<void> | undefined;

  /** `listeners`: the listeners of events, as far as the workflow knows; null if there are certainly none, and an event is left out. */
  constructor(
    private readonly relay: EventRelay,
    private readonly listeners: () => KnownListeners | Promise<KnownListeners>,
  ) {}

  get isEmpty(): boolean {
    return this.undelivered.length === 0;
  }

  get waiting(): readonly MerchantEvent[] {
    return this.undelivered;
  }

  /** Adds events behind those that wait, and returns at once. */
  put(events: readonly MerchantEvent[]): void {
    this.undelivered.push(...events);
    if (this.isHandedOver || this.isEmpty) return;
    // Cancelling a part of the workflow must not cancel the delivery.
    this.running ??= CancellationScope.nonCancellable(() => this.deliverAll());
  }

  /** Waits until the handler, or the relay, has every event. May be called again after another `put`. */
  async drain(): Promise<void> {
    await this.running;
  }

  /** Gives all events to the relay at once. The event that is being tried may be delivered twice. */
  async handOver(): Promise<void> {
    this.isHandedOver = true;
    while (!this.isEmpty) await this.leaveAll((await this.listeners()) ?? []);
  }

  private leaveAll(listeners: readonly string[]): Promise<void> {
    this.leaving ??= this.relay.takeOver(this.undelivered, listeners).finally(() => {
      this.leaving = undefined;
    });
    return this.leaving;
  }

  private async deliverAll(): Promise<void> {
    for (let next = this.undelivered[0]; next; next = this.undelivered[0]) {
      const listeners = await this.listeners();
      const isTaken = listeners === null || (await this.isTaken(next, listeners));
      // The relay has emptied the queue meanwhile.
      if (this.isHandedOver) return;
      if (isTaken) this.undelivered.shift();
      else await this.leaveAll(listeners);
    }
    this.running = undefined;
  }

  /** One try. An event that the handler does not take goes to the relay, and so do later ones until the relay has delivered all. */
  private async isTaken(event: MerchantEvent, listeners: readonly string[]): Promise<boolean> {
    if (await this.relay.queue(event)) return true;
    try {
      return isTold(await deliverOnce(event, listeners));
    } catch {
      return false;
    }
  }
}

/** The default of PAYMENTS_EVENTS_GIVE_UP, in ms. */
const GIVE_UP_MS = 3 * DAY;

/** Takes the events that the merchant's handler does not take: the workflow `eventDelivery` keeps trying, and a person may decide. */
export class EventRelay {
  private constructor(
    private readonly subject: string,
    private readonly workflowId: string,
    private mayRun: boolean,
  ) {}

  /** One relay for a payment and its after-sale keeps their events in order. `mayRun`: an earlier run, or the payment, may have started it. */
  static ofPayment(paymentId: string, mayRun: boolean): EventRelay {
    return new EventRelay(paymentId, eventDeliveryWorkflowId(EVENT_HANDLER, paymentId), mayRun);
  }

  /** A relay for this run alone: events of different runs of an account need no common order. */
  static ofRun(): EventRelay {
    const run = workflowInfo();
    return new EventRelay(run.workflowId, eventDeliveryWorkflowId(EVENT_HANDLER, runStream(run)), false);
  }

  /** Adds the event to a delivery that still has earlier ones. False if none runs: then only this relay starts the next delivery. */
  async queue(event: MerchantEvent): Promise<boolean> {
    this.mayRun &&= await signalIfRunning(this.workflowId, SIGNAL.tell, [event]);
    return this.mayRun;
  }

  /** Empties `undelivered`: from now on the delivery has these events. */
  async takeOver(undelivered: MerchantEvent[], listeners: readonly string[]): Promise<void> {
    while (undelivered.length > 0) {
      const events = onePage(undelivered);
      const of = { endpoint: EVENT_HANDLER, subject: this.subject, listeners };
      const input = { ...of, give_up_ms: GIVE_UP_MS, waiting: events };
      const start = {
        workflowId: this.workflowId,
        args: [input satisfies EventDeliveryInput],
        staticSummary: `Events of ${this.subject} that the handler has not taken yet`,
        typedSearchAttributes: deliveryAttributes(this.subject),
      };
      await startOrSignal(WORKFLOW.eventDelivery, start, SIGNAL.tell, events);
      undelivered.splice(0, events.length);
      this.mayRun = true;
    }
  }
}
