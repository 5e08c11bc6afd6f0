/** How a payment looks for its trade, by every id that is known of it. */
import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import type { LookResult, TradeId } from '../../contract';
import { BRIEFLY, type Look, type LookTimes, look, lookOn, type NotFound } from '../shared/look';
import { hasEnded, startPoll } from '../shared/polling';
import type { PaymentContext } from './context';
import { ofForeign } from './look-results';

export class TradeLooks {
  constructor(
    private readonly context: PaymentContext,
    /** By what it may be found, the surest first. */
    private readonly ids: () => readonly TradeId[],
    private readonly times: LookTimes = context.policy,
  ) {}

  /** Looks until the answer lasts. */
  async once(): Promise<LookResult> {
    return this.read(await look(this.asked));
  }

  /** The same. Who asks to look now hears the gateway's next word beside it, and does not wait for that. */
  async heard(): Promise<LookResult> {
    const { requests } = this.context;
    const lasting = startPoll(() => look(this.asked));
    for (;;) {
      await condition(() => hasEnded(lasting) || requests.isRequested);
      if (lasting.failure !== undefined) throw lasting.failure;
      if (lasting.found !== undefined) return this.read(lasting.found);
      const answer = requests.begin();
      const now = await look({ ...this.asked, times: { ...this.times, settling_ms: 0 } });
      if (now.is === 'found') {
        // Who asked reads the state next: what was found is learned before anything else is waited for.
        lasting.scope.cancel();
        await lasting.ended;
      }
      answer();
      if (now.is === 'found') return this.read(now);
    }
  }

  /** Asks once by the surest id. Callers of `created` wait for the answer. */
  async briefly(): Promise<LookResult> {
    return this.read(await look({ ...this.asked, ids: this.ids().slice(0, 1), times: BRIEFLY }));
  }

  /** Asks on after a look, as {@link lookOn} does. */
  async untilFound(after: NotFound['is'], isInterrupted: () => boolean): Promise<LookResult | null> {
    try {
      const looked = await lookOn(after, this.asked, isInterrupted);
      return looked && this.read(looked);
    } catch (error) {
      // The next look says what stands in the way.
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return null;
    }
  }

  private get asked(): Look {
    const { app_id, known } = this.context;
    const { trade_no, out_trade_no } = known.shown;
    // A trade that is known to be ours stays ours, whatever number the gateway has it under.
    const own = trade_no === null && out_trade_no !== null ? { out_trade_no } : {};
    return { app_id, ids: this.ids(), ...own, times: this.times };
  }

  /** Somebody named the trade of another order: that is settled. */
  private read(looked: LookResult): LookResult {
    const { known, learn } = this.context;
    for (const trade_no of looked.foreign ?? [])
      learn(...ofForeign(known.claims.filter(({ signal }) => signal.trade_no === trade_no)));
    return looked;
  }
}
