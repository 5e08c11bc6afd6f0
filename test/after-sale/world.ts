/**
 * A gateway that refunds whatever it is asked for, as often as it is asked: what keeps refunds within what was paid, and
 * each from being made twice, is then ours alone. It lives by the server's clock, in ms since the epoch.
 */
import Big from 'big.js';
import { GatewayError, type Refund, type Trade } from '../../src/gateway';

export type Mishap = 'lost before' | 'lost after' | 'unreachable' | 'refused' | 'refused oddly';
export type Fate = 'done' | 'refused' | 'revoked';

/** What becomes of the next refund that the gateway takes. */
export interface Plan {
  takes_ms: number;
  fate: Fate;
}

interface Made extends Plan {
  number: string | null;
  amount: string;
  at: number;
}

const STANDS_AGAIN_AFTER_MS = 60_000;
const REFUNDABLE = ['SUCCESS', 'PARTIAL_REFUND', 'REFUNDED', 'REFUND_REFUSED'];

export class RefundingGateway {
  readonly paid = '150.00';
  readonly made: Made[] = [];
  mishaps: Mishap[] = [];
  plans: Plan[] = [];
  isDown = false;
  queries = 0;
  /** How old the answers to queries are, in ms: a gateway may read from a copy that is behind. */
  lag_ms = 0;
  /** What a trade is called of which a part was given back. */
  partialStatus: 'PARTIAL_REFUND' | 'REFUNDED' = 'PARTIAL_REFUND';
  /** A state that the bank put the trade into. */
  bank: ((now: number) => string | undefined) | undefined;

  constructor(private readonly now: () => Promise<number>) {}

  /** Money that has gone back, or that is on its way. */
  async sum(): Promise<string> {
    const now = await this.now();
    const gone = this.made.filter(({ fate, at, takes_ms }) => fate === 'done' || now < at + takes_ms);
    return gone.reduce((sum, { amount }) => sum.plus(amount), new Big(0)).toFixed(2);
  }

  /** How often the money of this refund went back for good. */
  times(number: string | null): number {
    return this.made.filter((one) => one.number === number && one.fate === 'done').length;
  }

  async refund(request: unknown): Promise<Refund> {
    const { out_request_no, refund_amount, refund_currency } = asFields(request);
    const mishap = this.mishaps.shift();
    if (this.isDown || mishap === 'unreachable') throw error('not-sent');
    if (mishap === 'lost before') throw error('unknown');
    if (mishap === 'refused') throw error('not-created', ['40002', 'no-method-supported']);
    const now = await this.now();
    if (mishap === 'refused oddly' || !REFUNDABLE.includes(this.statusAt(now))) {
      throw error('unknown', ['40002', 'trade-status-error']);
    }
    const plan = this.plans.shift() ?? { takes_ms: 20_000, fate: 'done' };
    this.made.push({ ...plan, number: out_request_no ?? null, amount: refund_amount ?? '', at: now });
    if (mishap === 'lost after') throw error('unknown');
    return { trade_no: 'T1', refund_amount, refund_currency, refund_status: this.statusAt(now) };
  }

  async query(): Promise<Trade> {
    this.queries += 1;
    if (this.isDown) throw error('unknown');
    const trade_status = this.statusAt((await this.now()) - this.lag_ms);
    return { trade_no: 'T1', trade_status, order_amount: this.paid, order_currency: 'BRL', method: 'CreditCard' };
  }

  statusAt(now: number): string {
    const banks = this.bank?.(now);
    if (banks) return banks;
    let status = 'SUCCESS';
    let given = new Big(0);
    for (const { at, takes_ms, fate, amount } of this.made.filter((one) => one.at <= now)) {
      const ended = at + takes_ms;
      if (now < ended) return 'REFUND_PROCESSING';
      if (fate === 'done') {
        given = given.plus(amount);
        status = given.gte(this.paid) ? 'REFUNDED' : this.partialStatus;
      } else if (fate === 'refused') status = 'REFUND_REFUSED';
      else status = now < ended + STANDS_AGAIN_AFTER_MS ? 'REFUND_REVOKE' : 'SUCCESS';
    }
    return status;
  }
}

function asFields(request: unknown): Record<string, string | undefined> {
  if (typeof request !== 'object' || request === null) throw new Error('no request');
  return { ...request };
}

function error(
  outcome: 'not-sent' | 'unknown' | 'not-created',
  [code, sub_code]: readonly [code?: string, sub?: string] = [],
) {
  return new GatewayError(`${outcome} (${sub_code ?? 'no answer'})`, {
    outcome,
    retryable: code === undefined,
    operation: '/trade/refund',
    code,
    sub_code,
  });
}
