/** What the runs before this one, under the same workflow id, say of the order. */
import type { EarlierRun, NewPayment, PaymentData, PreviousRun, Sale, Trade, TradeId } from '../../contract';
import { loadEarlierRun } from '../shared/activities';

/** The run before. A terminated one has no result: what it knew is read from its history, and from those of the runs before it. */
export async function whatItKnew(previous: PreviousRun | undefined): Promise<PreviousRun | undefined> {
  if (!previous || previous.outcome !== null || previous.order === null) return previous;
  const earlier = await loadEarlierRun({ order: previous.order });
  if (!earlier?.is_same_order) return previous;
  const { sale, trade_no, payment_data } = earlier;
  if (sale) return { ...previous, ...sale, outcome: 'SUCCESS' };
  const known = { trade_no: trade_no ?? previous.trade_no, payment_data: payment_data ?? previous.payment_data };
  return { ...previous, ...known };
}

export class EarlierRuns {
  private known: EarlierRun | null = null;
  private isRead: boolean;

  constructor(private readonly order: NewPayment) {
    this.isRead = order.started_once === true;
  }

  /** Whether earlier runs were read and none may have made the order. */
  get isNone(): boolean {
    return this.isRead && this.known === null;
  }

  /** After a reset there is one more earlier run, so they are read again. */
  onReset(): void {
    this.isRead = false;
  }

  /** The latest that may have made the order. "None" is asked again each time. */
  async latest(): Promise<EarlierRun | null> {
    const { kind, request } = this.order;
    this.known ??= await loadEarlierRun({ order: { kind, request } });
    this.isRead = true;
    return this.known;
  }

  /** What one of them has sold. */
  get sale(): Sale | null {
    return this.known?.sale ?? null;
  }

  /** What the gateway answered when one of them created the same order: the order exists, whatever a query shows. */
  get creationAnswer(): PaymentData | null {
    const { is_same_order = false, payment_data = null } = this.known ?? {};
    return is_same_order && payment_data?.recovered === false ? payment_data : null;
  }

  /** Whether the gateway's answer to one of them named this trade. */
  isProven(trade_no: string | undefined): boolean {
    return this.known?.is_proven === true && trade_no === this.trade_no;
  }

  /** What an earlier run answered to callers. It stands, unless it named another trade. */
  answerFor({ trade_no }: Pick<Trade, 'trade_no'>): PaymentData | null {
    const { payment_data = null } = this.known ?? {};
    return !payment_data?.trade_no || payment_data.trade_no === trade_no ? payment_data : null;
  }

  /** The ids to find the order's trade by, the surest first. */
  get ids(): TradeId[] {
    const { trade_no } = this;
    const { out_trade_no } = this.order.request;
    return [...(trade_no === undefined ? [] : [{ trade_no }]), { out_trade_no }];
  }

  /** The number of the trade that one of them had. */
  get trade_no(): string | undefined {
    return this.known?.trade_no ?? undefined;
  }
}
