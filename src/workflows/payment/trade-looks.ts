/** Looks for a trade that may exist, by every id that is known of it. */
import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import { type LookResult, type NotificationSignal, type Trade, type TradeId, tradesNamedBy } from '../../contract';
import { lookBriefly, lookOnce, type NotFound, searchOn } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import { hasEnded, startPoll } from '../shared/polling';
import type { PaymentContext } from './context';

export class TradeLooks {
  constructor(
    private readonly app_id: string,
    private readonly context: PaymentContext,
    private readonly pending: PendingNotifications,
    /** By what it may be found, the surest first. */
    private readonly ids: () => readonly TradeId[],
  ) {}

  /** Looks by every id. "No such order" counts only where each look says so. */
  async byAll(): Promise<LookResult> {
    let worst: LookResult | undefined;
    for (const id of this.ids()) {
      const looked = await this.by(id);
      if (looked.is === 'found') return looked;
      if (worst?.is !== 'no-answer') worst = looked;
    }
    return worst ?? NO_ANSWER;
  }

  /**
   * Takes note of what was named and not found. Of several trades at most one is ours: a person hears of it without the
   * gateway.
   */
  noteNamed(notifications: readonly NotificationSignal[], isDenied: boolean): void {
    const { context, pending } = this;
    if (isDenied) pending.deny(notifications);
    const named = tradesNamedBy(notifications);
    if (isDenied || named.length > 1) for (const trade_no of named) context.record.others.note(trade_no);
    if (named.length > 1) context.raise('second-trade');
  }

  /** Asks on after a look, as `searchOn` does; null where a new look is due. */
  async untilFound(after: NotFound['is'], isInterrupted: () => boolean): Promise<Trade | null> {
    const { app_id } = this;
    const [id = this.context.record.id, ...others] = this.ids();
    const { settling_ms } = this.context.policy;
    try {
      return await searchOn({ app_id, id, others, after, settling_ms }, isInterrupted);
    } catch (error) {
      // The next look says what stands in the way.
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return null;
    }
  }

  /** Asks once by the surest id. Callers of `created` wait for the answer. */
  briefly(): Promise<LookResult> {
    const [id = this.context.record.id] = this.ids();
    return lookBriefly(this.app_id, id);
  }

  /** Looks until the answer lasts. Who asks to look now hears the gateway's next word beside it, and does not wait for that. */
  private async by(id: TradeId): Promise<LookResult> {
    const lasting = startPoll(() => lookOnce(this.app_id, id, this.context.policy));
    for (;;) {
      await condition(() => hasEnded(lasting) || this.pending.isRequested);
      if (lasting.failure !== undefined) throw lasting.failure;
      if (lasting.found !== undefined) return lasting.found;
      const now = await this.firstAnswer(id);
      if (now.is !== 'found') continue;
      lasting.scope.cancel();
      await lasting.ended;
      return now;
    }
  }

  private async firstAnswer(id: TradeId): Promise<LookResult> {
    let looked: LookResult = NO_ANSWER;
    await this.pending.fulfil(async () => {
      looked = await lookOnce(this.app_id, id, { ...this.context.policy, settling_ms: 0 });
    });
    return looked;
  }
}

const NO_ANSWER: LookResult = { is: 'no-answer', message: '', why: 'no-answer' };
