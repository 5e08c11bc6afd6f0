/**
 * Delivers events to the merchant's handler at least once and in order, beside the workflow that publishes them: that
 * workflow never waits for a handler that fails.
 */
import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import { activityWords, type EventActivities, type MerchantEvent } from '../../../contract';
import { deliverWithRetries, type EventRelay } from './relay';

const { 'payments.onEvent': deliverOnce } = proxyActivities<EventActivities>({
  startToCloseTimeout: '30 seconds',
  summary: activityWords('payments.onEvent'),
  retry: { maximumAttempts: 1 },
});

/**
 * `delivering`: each event is repeated until the handler takes it.
 * `draining`: the workflow is about to end, so an event gets one try; the relay gets what is left.
 * `handed-over`: the relay has everything.
 */
type DeliveryState = 'delivering' | 'draining' | 'handed-over';

export class InlineDelivery {
  private readonly undelivered: MerchantEvent[] = [];
  private state: DeliveryState = 'delivering';
  private running: Promise<void> | undefined;
  private retrying: CancellationScope | undefined;

  constructor(private readonly relay: EventRelay) {}

  get isEmpty(): boolean {
    return this.undelivered.length === 0;
  }

  get waiting(): readonly MerchantEvent[] {
    return this.undelivered;
  }

  /** Adds events behind those that wait, and returns at once. */
  put(events: readonly MerchantEvent[]): void {
    this.undelivered.push(...events);
    if (this.state === 'handed-over' || this.isEmpty) return;
    // Cancelling a part of the workflow must not cancel the delivery.
    this.running ??= CancellationScope.nonCancellable(() => this.deliverAll());
  }

  /**
   * Waits for the try that is under way, then gives what is left to the relay. May be called again after another `put`.
   */
  async drain(): Promise<void> {
    this.enter('draining');
    await this.running;
    await this.relay.takeOver(this.undelivered);
  }

  /** Gives everything to the relay without waiting. The event that is just being tried may be delivered twice. */
  async handOver(): Promise<void> {
    this.enter('handed-over');
    await this.relay.takeOver(this.undelivered);
  }

  private enter(state: DeliveryState): void {
    this.state = state;
    this.retrying?.cancel();
  }

  private async deliverAll(): Promise<void> {
    for (let next = this.undelivered[0]; next && (await this.deliver(next)); next = this.undelivered[0]) {
      // The relay has emptied the queue meanwhile.
      if (this.state === 'handed-over') return;
      this.undelivered.shift();
    }
    this.running = undefined;
  }

  /** True once the handler, or a relay, has the event; false where the relay has to take it over. */
  private async deliver(event: MerchantEvent): Promise<boolean> {
    if (await this.relay.queue(event)) return true;
    try {
      await deliverOnce(event);
      return true;
    } catch {
      return this.state === 'delivering' && this.retry(event);
    }
  }

  /** Repeats an event until the handler takes it. False where the delivery ends before that. */
  private async retry(event: MerchantEvent): Promise<boolean> {
    this.retrying = new CancellationScope();
    try {
      await this.retrying.run(() => deliverWithRetries(event));
      return true;
    } catch (error) {
      if (isCancellation(error)) return false;
      throw error;
    } finally {
      this.retrying = undefined;
    }
  }
}
