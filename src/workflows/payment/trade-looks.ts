/** Looks for a trade that may exist, by every id that is known of it. */
import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { LookResult, Trade, TradeId } from '../../contract';
import { lookOnce, searchUntilFound } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
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

  /** Asks on, ever more slowly, until the trade is found; null once `isInterrupted` holds. */
  async untilFound(isInterrupted: () => boolean): Promise<Trade | null> {
    const { app_id } = this;
    const [id = this.context.record.id, ...others] = this.ids();
    try {
      return await searchUntilFound({ app_id, id, others }, isInterrupted);
    } catch (error) {
      // The next look says what stands in the way.
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return null;
    }
  }

  private async by(id: TradeId): Promise<LookResult> {
    const { settling_ms } = this.context.policy;
    let looked: LookResult = NO_ANSWER;
    await this.pending.fulfil(async () => {
      looked = await lookOnce(this.app_id, id, settling_ms);
    });
    return looked;
  }
}

const NO_ANSWER: LookResult = { is: 'no-answer', message: '', credentials: false };
