/**
 * A gateway for tests whose time is skipped: it lives by the server's clock, not by this machine's. It stands in for the
 * activities' clients; HTTP, signatures and field rules are tested elsewhere, against the simulator.
 */
import { GatewayError, type Trade } from '../../src/gateway';

export type StatusAt = (elapsed_ms: number) => string;

export interface FakeTrade {
  trade_no: string;
  created_at: number;
  order_amount: string;
  order_currency: string;
  method: string;
  statusAt: StatusAt;
}

/** What the fake answers to the next calls instead of doing its work. */
export type Mishap = 'lost before' | 'lost after' | 'unreachable' | { refuse: { code: string; sub_code: string } };

export class FakeGateway {
  readonly trades = new Map<string, FakeTrade>();
  /** Creations that made an order: the charges. */
  created = 0;
  queries = 0;
  readonly queriedAt: number[] = [];
  mishaps: Mishap[] = [];
  /** Nobody answers, and calls are only counted. */
  isDown = false;
  refused = 0;
  /** Queries that do not find what has just been created. */
  blindQueries = 0;
  /** The life of the next trade: its status so many ms after its creation. */
  statusAt: StatusAt = () => 'PROCESSING';

  /** `now` is the server's time, in ms since the epoch. */
  constructor(private readonly now: () => Promise<number>) {}

  async create(order: Record<string, unknown>) {
    const out_trade_no = String(order.out_trade_no);
    this.demandUp(out_trade_no);
    const mishap = this.mishaps.shift();
    if (mishap === 'unreachable') throw this.error('not-sent', out_trade_no);
    if (mishap === 'lost before') throw this.error('unknown', out_trade_no);
    if (typeof mishap === 'object') throw this.error('not-created', out_trade_no, mishap.refuse);
    if (this.trades.has(out_trade_no)) {
      throw this.error('unknown', out_trade_no, { code: '40002', sub_code: 'duplicate-out_trade_no' });
    }
    this.created += 1;
    const trade = {
      trade_no: `T${this.created}`,
      created_at: await this.now(),
      order_amount: String(order.order_amount),
      order_currency: String(order.order_currency),
      method: String(order.method),
      statusAt: this.statusAt,
    };
    this.trades.set(out_trade_no, trade);
    if (mishap === 'lost after') throw this.error('unknown', out_trade_no);
    return { out_trade_no, trade_no: trade.trade_no, trade_status: trade.statusAt(0), qr_code: '000201' };
  }

  async query({ out_trade_no = '' }: { out_trade_no?: string | undefined }): Promise<Trade> {
    this.demandUp(out_trade_no);
    this.queries += 1;
    const now = await this.now();
    this.queriedAt.push(now);
    const trade = this.trades.get(out_trade_no);
    if (!trade || this.blindQueries > 0) {
      this.blindQueries -= 1;
      throw this.error('unknown', out_trade_no, { code: '40002', sub_code: 'trade-not-exist' });
    }
    const { trade_no, created_at, order_amount, order_currency, method } = trade;
    const trade_status = trade.statusAt(now - created_at);
    return { out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
  }

  private demandUp(out_trade_no: string): void {
    if (!this.isDown) return;
    this.refused += 1;
    throw this.error('not-sent', out_trade_no);
  }

  private error(
    outcome: 'not-sent' | 'unknown' | 'not-created',
    out_trade_no: string,
    refusal?: { code: string; sub_code: string },
  ) {
    return new GatewayError(`${outcome} (${refusal?.sub_code ?? 'no answer'})`, {
      outcome,
      retryable: refusal === undefined,
      operation: '/trade/pay',
      out_trade_no,
      ...refusal,
    });
  }
}
