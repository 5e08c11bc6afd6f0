/** What the runs before this one, under the same workflow id, say of the order. */
import type { EarlierRun, NewPayment, PaymentData, Trade } from '../../contract';
import { loadEarlierRun } from '../shared/activities';

export class EarlierRuns {
  private known: EarlierRun | null = null;

  constructor(private readonly order: Pick<NewPayment, 'kind' | 'request'>) {}

  /** The latest that may have made the order. After a reset there is one more, so "none" is asked again. */
  async latest(): Promise<EarlierRun | null> {
    const { kind, request } = this.order;
    this.known ??= await loadEarlierRun({ order: { kind, request } });
    return this.known;
  }

  /** Whether the gateway's answer to one of them named this trade. */
  isProven(trade_no: string | undefined): boolean {
    return this.known?.is_proven === true && trade_no === this.trade_no;
  }

  /** What callers were answered: it stands, unless it named another trade than this one. */
  answerFor({ trade_no }: Pick<Trade, 'trade_no'>): PaymentData | null {
    const { payment_data = null } = this.known ?? {};
    return !payment_data?.trade_no || payment_data.trade_no === trade_no ? payment_data : null;
  }

  /** The number of the trade that one of them had. */
  get trade_no(): string | undefined {
    return this.known?.trade_no ?? undefined;
  }
}
