/**
 * The workflow `paymentEvents` delivers the events that another workflow could not deliver before it ended. Each relay
 * starts that workflow, or adds to one that already runs.
 */
import { defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  activityWords,
  type EventActivities,
  eventsOf,
  eventsWorkflowId,
  type MerchantEvent,
  onePage,
  SIGNAL,
  WORKFLOW,
} from '../../../contract';
import { uncancelled } from '../cancellable';
import { signalIfRunning, startOrSignal } from '../other-workflows';

/** Delivers an event, and repeats that until the merchant's handler takes it. */
export const { 'payments.onEvent': deliverWithRetries } = proxyActivities<EventActivities>({
  startToCloseTimeout: '30 seconds',
  summary: activityWords('payments.onEvent'),
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

const eventsSignal = defineSignal<[MerchantEvent[]]>(SIGNAL.tell);

/**
 * Delivers these events in order, and after them those that arrive as signals. Ends when none is left, and not by a
 * cancellation.
 */
export async function paymentEvents(events: MerchantEvent[]): Promise<void> {
  const undelivered = [...events];
  // Anybody can send a signal without its argument, or with another one.
  setHandler(eventsSignal, (more: unknown) => {
    undelivered.push(...eventsOf(more));
  });
  for (let next = undelivered[0]; next; next = undelivered[0]) {
    await uncancelled(() => deliverWithRetries(next));
    undelivered.shift();
  }
}

/** Where an outbox leaves the events that it cannot deliver itself. */
export interface EventRelay {
  /** Adds the event to a running relay that still delivers earlier events. False where no relay runs. */
  queue(event: MerchantEvent): Promise<boolean>;
  /** Empties `undelivered`: from now on the relay delivers these events. */
  takeOver(undelivered: MerchantEvent[]): Promise<void>;
}

/** One relay for all runs of a payment and for its after-sale, so that their events stay in order. */
export class PaymentRelay implements EventRelay {
  private readonly workflowId: string;

  /** `mayRun`: an earlier run, or the payment of this after-sale, may have started the relay. */
  constructor(
    paymentId: string,
    private mayRun: boolean,
  ) {
    this.workflowId = eventsWorkflowId(paymentId);
  }

  async queue(event: MerchantEvent): Promise<boolean> {
    return this.mayRun && signalIfRunning(this.workflowId, SIGNAL.tell, [event]);
  }

  async takeOver(undelivered: MerchantEvent[]): Promise<void> {
    if (undelivered.length === 0) return;
    while (undelivered.length > 0) await leaveToRelay(this.workflowId, undelivered);
    this.mayRun = true;
  }
}

/** Relays of this run alone. Runs of an account need no order among each other. */
export class RunRelay implements EventRelay {
  async queue(): Promise<boolean> {
    return false;
  }

  async takeOver(undelivered: MerchantEvent[]): Promise<void> {
    const { workflowId, runId } = workflowInfo();
    for (let part = 1; undelivered.length > 0; part += 1) {
      const relayId = eventsWorkflowId(workflowId, `${runId}:${part}`);
      await leaveToRelay(relayId, undelivered);
    }
  }
}

/** Leaves it as many of them as Temporal takes at once. */
function leaveToRelay(workflowId: string, undelivered: MerchantEvent[]): Promise<void> {
  const events = undelivered.splice(0, onePage(undelivered).length);
  const staticSummary = `Events of ${workflowInfo().workflowId} that the handler has not taken yet`;
  return startOrSignal(WORKFLOW.paymentEvents, { workflowId, args: [events], staticSummary }, SIGNAL.tell, events);
}
