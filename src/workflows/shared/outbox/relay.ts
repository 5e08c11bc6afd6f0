/** Where an outbox leaves the events that the merchant's handler does not take: the delivery tries on, and a person may decide. */
import { workflowInfo } from '@temporalio/workflow';
import {
  deliveryAttributes,
  EVENT_HANDLER,
  type EventDeliveryInput,
  eventDeliveryWorkflowId,
  type MerchantEvent,
  onePage,
  runStream,
  SIGNAL,
  WORKFLOW,
} from '../../../contract';
import { DAY } from '../../../gateway/pure/durations';
import { signalIfRunning, startOrSignal } from '../other-workflows';

/** The default of PAYMENTS_EVENTS_GIVE_UP, in ms. */
const GIVE_UP_MS = 3 * DAY;

export class EventRelay {
  private constructor(
    private readonly subject: string,
    private readonly workflowId: string,
    private mayRun: boolean,
  ) {}

  /** One for a payment and its after-sale, so that their events stay in order. `mayRun`: an earlier run, or the payment, may have started it. */
  static ofPayment(paymentId: string, mayRun: boolean): EventRelay {
    return new EventRelay(paymentId, eventDeliveryWorkflowId(EVENT_HANDLER, paymentId), mayRun);
  }

  /** One for this run alone: runs of an account need no order among each other. */
  static ofRun(): EventRelay {
    const run = workflowInfo();
    return new EventRelay(run.workflowId, eventDeliveryWorkflowId(EVENT_HANDLER, runStream(run)), false);
  }

  /** Adds the event to a delivery that still has earlier ones. False where none runs: then only this relay starts the next one. */
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
