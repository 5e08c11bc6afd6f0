/** Who hears the events of a payment, or of its after-sale. */
import { MINUTE } from '../../gateway/pure/durations';
import { loadPolicy } from './activities';

/** For so long it counts that nobody listens, in ms. */
const ASKED_AGAIN_AFTER_MS = MINUTE;

/**
 * A workflow outlives its worker's settings: where nobody has listened, the worker is asked anew before an event is told. Where somebody
 * listens, the delivery finds out who is still there.
 */
export class Listeners {
  private asked_at = Date.now();

  /** `latest`: as the policy has just said. */
  constructor(private latest: readonly string[]) {}

  /** Null if nobody listens. */
  async now(): Promise<readonly string[] | null> {
    if (this.latest.length === 0 && Date.now() - this.asked_at >= ASKED_AGAIN_AFTER_MS) {
      this.latest = (await loadPolicy({ method: null })).listeners;
      this.asked_at = Date.now();
    }
    return this.latest.length > 0 ? this.latest : null;
  }
}
