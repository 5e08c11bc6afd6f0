/** Who hears the events of a payment, or of its after-sale. */
import { workflowInfo } from '@temporalio/workflow';
import type { PaymentPolicy } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { loadPolicy } from './activities';

/** For so long it counts that nobody listens, in ms. */
const ASKED_AGAIN_AFTER_MS = MINUTE;

/**
 * A workflow outlives its worker's settings: where nobody has listened, the worker is asked anew before an event is told. Where somebody
 * listens, the delivery finds out who is still there.
 */
export class Listeners {
  /** In ms since the epoch. The policy is not older than the run. */
  private asked_at = workflowInfo().startTime.getTime();

  constructor(private latest: Pick<PaymentPolicy, 'listeners' | 'read_by'>) {}

  /** Null if nobody listens. */
  async now(): Promise<readonly string[] | null> {
    const { listeners, read_by } = this.latest;
    if (listeners.length === 0 && Date.now() - this.asked_at >= ASKED_AGAIN_AFTER_MS) {
      const asked = await loadPolicy({ method: null });
      // A reset has the state of its past: whoever began to listen since has perhaps heard what came after it.
      if (asked.read_by === read_by) this.latest = asked;
      this.asked_at = Date.now();
    }
    return this.latest.listeners.length > 0 ? this.latest.listeners : null;
  }
}
