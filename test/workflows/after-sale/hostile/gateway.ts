/**
 * A gateway that protects nobody, at the boundary of HTTP: it gives money back as often as it is asked, and beyond what came,
 * in whatever state the trade is. It keeps the ledger of what truly happened, which the oracle reads. Times are ms since the
 * epoch.
 */
import Big from 'big.js';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { ExchangeError, type HttpResponse } from '../../../../src/gateway/transport';

export type RefundEnd = 'done' | 'refused' | 'revoked';

/** What becomes of a refund that the gateway has taken. */
export interface RefundPlan {
  /** It is taken at once, and the trade shows nothing of it for so long. */
  readonly startsAfter_ms?: number;
  readonly takes_ms: number;
  readonly ends: RefundEnd;
}

/** A refund as it truly is. */
export interface TrueRefund {
  readonly number: string;
  readonly amount: string;
  readonly by: 'us' | 'the desk';
  readonly at: number;
  readonly endsAt: number;
  readonly ends: RefundEnd;
  /** It was done, and came back at `endsAt`. */
  readonly cameBack?: boolean;
}

/** A refund of ours that the gateway was asked for, whatever became of it. */
export interface Request {
  readonly at: number;
  readonly number: string | undefined;
  readonly amount: string;
  /** What the trade truly was, and all that a query could show, at that moment. */
  readonly status: string;
  readonly shown: readonly string[];
}

/** A state of the trade, as a notification tells it. */
export interface Step {
  readonly at: number;
  readonly status: string;
  /** The refund that brought it there. */
  readonly number: string | undefined;
}

export type RefundMishap =
  | 'none'
  | 'lost before it arrived'
  | 'answer lost'
  | 'carried out late'
  | 'its worker dies'
  | 'unreachable'
  | 'temporary'
  | 'refused for good'
  | 'refused in other words'
  | 'refused in other words, and made'
  | 'answers of another trade'
  | 'answers of another amount';

export interface GatewayTraits {
  /** What the gateway does with a number that it has: makes the refund once more, refuses it, or repeats its answer. */
  numbers: 'twice' | 'refused' | 'repeated';
  /** Numbers that other orders of the app have used; the gateway knows numbers by app. */
  usedInApp: boolean;
  lag_ms: number;
  /** Whether each query is answered by that copy which is behind, or by whichever of several. */
  copies: 'one' | 'several';
  partialStatus: 'PARTIAL_REFUND' | 'REFUNDED';
  /** Where a revoked refund leaves the trade: as it was before, or always SUCCESS. */
  returnsTo: 'as before' | 'SUCCESS';
  /** How long it shows that a refund was revoked, before it returns. */
  revokedFor_ms: number;
  mishaps: readonly RefundMishap[];
  plans: readonly RefundPlan[];
  /** The answer says how the refund stands. */
  answersStatus: boolean;
  /** What the bank does at an awkward moment: so many ms after the first request, or after the end of a refund. */
  race:
    | { readonly after: 'request' | 'end'; readonly ms: number; readonly status: 'DISPUTE' | 'CHARGEBACK' }
    | undefined;
}

export type Trouble = 'unreachable' | 'refunds unreachable' | 'resets' | '503';

export const TRADE = { out_trade_no: 'order-1', trade_no: 'T1', amount: '150.00', currency: 'BRL' } as const;
/** The clock of the world, and what of it the gateway's moves and a worker's death touch. */
export interface Surroundings {
  readonly now: () => number;
  readonly in: (ms: number, act: () => void) => void;
  /** A whole number from 0 to n - 1. */
  readonly pick: (n: number) => number;
  readonly onMove: () => void;
  readonly killWorker: () => void;
}
export const LATE_MS = 20_000;

const json = (status: number, body: Readonly<Record<string, unknown>>): HttpResponse => ({
  status,
  body: new TextEncoder().encode(JSON.stringify(body)),
});
const success = (body: Readonly<Record<string, unknown>>) => json(200, { code: '10000', msg: 'Success', ...body });
const refusal = (sub_code: string, code = '40002') =>
  json(200, { code, msg: 'Business Failed', sub_code, sub_msg: `because of ${sub_code}` });

const textOf = (body: Readonly<Record<string, unknown>>, field: string): string => {
  const value = body[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export class HostileRefunds {
  readonly refunds: TrueRefund[] = [];
  readonly requests: Request[] = [];
  /** Every state of the trade, in the order of time. */
  readonly steps: Step[] = [];
  trouble: Trouble | undefined;
  queries = 0;
  private readonly mishaps: RefundMishap[];
  private readonly plans: RefundPlan[];
  private hasRaced = false;

  constructor(
    private readonly clock: Surroundings,
    private readonly traits: GatewayTraits,
    readonly out_trade_no: string,
    readonly trade_no: string = TRADE.trade_no,
  ) {
    this.mishaps = [...traits.mishaps];
    this.plans = [...traits.plans];
    this.steps.push({ at: clock.now() - 10 * MINUTE, status: 'SUCCESS', number: undefined });
  }

  // — What truly is —

  statusAt(at: number): string {
    return this.steps.findLast((step) => step.at <= at)?.status ?? 'SUCCESS';
  }

  get status(): string {
    return this.statusAt(this.clock.now());
  }

  /** What a query shows now: all that it could, and the one that it does. */
  private get shown(): readonly string[] {
    const now = this.clock.now();
    const behind = now - this.traits.lag_ms;
    if (this.traits.copies === 'one') return [this.statusAt(behind)];
    return [
      this.statusAt(behind),
      ...this.steps.filter(({ at }) => at > behind && at <= now).map(({ status }) => status),
    ];
  }

  private get answered(): string {
    const { shown } = this;
    return shown[this.clock.pick(2) === 0 ? 0 : shown.length - 1] ?? this.status;
  }

  /** Money that has gone back or is on its way. */
  gone(of: readonly TrueRefund[] = this.refunds): Big {
    const now = this.clock.now();
    const counted = of.filter(({ ends, endsAt }) => ends === 'done' || now < endsAt);
    return counted.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  }

  /** How a refund stands, as the dashboard shows it. */
  standing(number: string): 'none' | 'pending' | RefundEnd {
    const found = this.refunds.findLast((one) => one.number === number);
    if (!found) return 'none';
    return this.clock.now() < found.endsAt ? 'pending' : found.ends;
  }

  // — What happens by itself —

  move(status: string, number?: string): void {
    this.steps.push({ at: this.clock.now(), status, number });
    this.clock.onMove();
  }

  /** Money goes back. */
  make(number: string, amount: string, by: TrueRefund['by'], plan: RefundPlan): void {
    const at = this.clock.now();
    const { startsAfter_ms = 0, takes_ms, ends } = plan;
    this.refunds.push({ number, amount, by, at, endsAt: at + startsAfter_ms + takes_ms, ends });
    if (startsAfter_ms > 0) this.clock.in(startsAfter_ms, () => this.carryOut(number, plan));
    else this.carryOut(number, plan);
  }

  private carryOut(number: string, { takes_ms, ends }: RefundPlan): void {
    const before = this.status;
    if (takes_ms > 0) this.move('REFUND_PROCESSING', number);
    const end = () => this.end(number, ends, before);
    if (takes_ms > 0) this.clock.in(takes_ms, end);
    else end();
  }

  private end(number: string, ends: RefundEnd, before: string): void {
    const ended = { done: this.afterRefunds, refused: 'REFUND_REFUSED', revoked: 'REFUND_REVOKE' };
    this.move(ended[ends], number);
    this.begin('end');
    if (ends !== 'revoked') return;
    const isPassing = before === 'REFUND_PROCESSING' || before === 'REFUND_REVOKE';
    const after = this.traits.returnsTo === 'SUCCESS' || isPassing ? 'SUCCESS' : before;
    this.clock.in(this.traits.revokedFor_ms, () => this.move(after));
  }

  /** What the bank does. Only what it has begun goes back to SUCCESS. */
  onBank(status: string): void {
    if (status !== 'SUCCESS' || OF_THE_BANK.includes(this.status)) this.move(status);
  }

  /** The latest refund that was done comes back: the buyer's account is closed. Its notification may lack the number. */
  giveUp(by: TrueRefund['by'], isNamed: boolean): void {
    const now = this.clock.now();
    const isDone = ({ ends, endsAt }: TrueRefund) => ends === 'done' && endsAt <= now;
    const one = this.refunds.findLast((its) => its.by === by && isDone(its));
    if (!one || OF_THE_BANK.includes(this.status)) return;
    this.takeBack(one, 'REFUND_REVOKE', isNamed ? one.number : undefined);
    this.clock.in(this.traits.revokedFor_ms, () => {
      if (this.status !== 'REFUND_REVOKE') return;
      const isUnderWay = this.refunds.some(({ endsAt }) => endsAt > this.clock.now());
      const stands = this.traits.returnsTo === 'SUCCESS' || !this.refunds.some(isDone);
      this.move(isUnderWay ? 'REFUND_PROCESSING' : stands ? 'SUCCESS' : this.traits.partialStatus);
    });
  }

  /** A refund that was done comes back, and the trade shows it; no notification names it. */
  comesBack(number: string, status = 'REFUND_REVOKE'): void {
    const one = this.refunds.find((its) => its.number === number);
    if (!one) throw new Error(`no ${number}`);
    this.takeBack(one, status, undefined);
  }

  private takeBack(one: TrueRefund, status: string, named: string | undefined): void {
    const endsAt = this.clock.now();
    this.refunds.splice(this.refunds.indexOf(one), 1, { ...one, ends: 'revoked', endsAt, cameBack: true });
    this.move(status, named);
  }

  /** The bank takes part once, at the moment that was drawn. */
  private begin(at: 'request' | 'end'): void {
    const { race } = this.traits;
    if (race?.after !== at || this.hasRaced) return;
    this.hasRaced = true;
    this.clock.in(race.ms, () => this.move(race.status));
  }

  private get afterRefunds(): string {
    const now = this.clock.now();
    const done = this.refunds.filter(({ ends, endsAt }) => ends === 'done' && now >= endsAt);
    return this.gone(done).gte(TRADE.amount) ? 'REFUNDED' : this.traits.partialStatus;
  }

  // — What others ask of it: the client's transport —

  async post(path: string, _headers: Record<string, string>, text: string): Promise<HttpResponse> {
    const body: Record<string, unknown> = JSON.parse(text);
    if (path === '/trade/query') return this.query();
    if (path === '/trade/refund') return this.refund(body);
    throw new Error(`Not simulated: ${path}`);
  }

  async close(): Promise<void> {}

  private query(): HttpResponse {
    this.queries += 1;
    if (this.trouble === 'unreachable') throw new ExchangeError(false, 'ECONNREFUSED');
    if (this.trouble === 'resets') throw new ExchangeError(true, 'ECONNRESET');
    if (this.trouble === '503') return json(503, { code: '50300', msg: 'Service Unavailable' });
    return success({
      ...this.ids,
      trade_status: this.answered,
      order_amount: TRADE.amount,
      order_currency: TRADE.currency,
    });
  }

  private get ids() {
    return { out_trade_no: this.out_trade_no, trade_no: this.trade_no };
  }

  private refund(body: Record<string, unknown>): HttpResponse {
    const [number, amount] = [textOf(body, 'out_request_no'), textOf(body, 'refund_amount')];
    const mishap = this.trouble === undefined ? (this.mishaps.shift() ?? 'none') : TROUBLED[this.trouble];
    if (mishap === 'unreachable') throw new ExchangeError(false, 'ECONNREFUSED');
    const { status, shown } = this;
    this.requests.push({ at: this.clock.now(), number: number === '' ? undefined : number, amount, status, shown });
    this.begin('request');
    switch (mishap) {
      case 'lost before it arrived':
        throw new ExchangeError(true, 'UND_ERR_SOCKET');
      case 'temporary':
        return refusal('', '20000');
      case 'refused for good':
        return refusal('no-method-supported');
      case 'refused in other words':
        return refusal('refund-is-not-possible');
      case 'carried out late':
        this.clock.in(LATE_MS, () => this.take(number, amount));
        throw new ExchangeError(true, 'UND_ERR_HEADERS_TIMEOUT');
    }
    const answer = this.take(number, amount);
    if (mishap === 'its worker dies') this.clock.killWorker();
    if (mishap === 'answer lost') throw new ExchangeError(true, 'UND_ERR_SOCKET');
    if (mishap === 'refused in other words, and made') return refusal('refund-in-process', '40004');
    if (mishap === 'answers of another trade') return success({ ...answer, trade_no: 'T2', out_trade_no: 'order-2' });
    if (mishap === 'answers of another amount') return success({ ...answer, refund_amount: '1.00' });
    return answer === undefined ? refusal('duplicate-out_request_no') : success(answer);
  }

  /** Takes a refund. Undefined where its number is refused. */
  private take(number: string, amount: string): Readonly<Record<string, unknown>> | undefined {
    const { numbers, usedInApp, answersStatus } = this.traits;
    const isOfAnother = usedInApp && number === USED_IN_APP;
    const isKnown = isOfAnother || this.refunds.some((one) => one.number === number);
    if (isKnown && numbers === 'refused') return undefined;
    if (isOfAnother && numbers === 'repeated')
      return { ...{ out_trade_no: 'order-2', trade_no: 'T2' }, refund_amount: amount, refund_status: 'REFUNDED' };
    if (!isKnown || numbers === 'twice')
      this.make(number, amount, 'us', this.plans.shift() ?? { takes_ms: 20_000, ends: 'done' });
    const refund_status = answersStatus ? this.status : undefined;
    return { ...this.ids, refund_amount: amount, refund_currency: TRADE.currency, refund_status };
  }
}

/** A refund does not come back while the bank takes the money. */
const OF_THE_BANK = ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'];

/** A merchant's number that another order of the app has used. */
export const USED_IN_APP = 'd';

const TROUBLED: Readonly<Record<Trouble, RefundMishap>> = {
  unreachable: 'unreachable',
  'refunds unreachable': 'unreachable',
  resets: 'lost before it arrived',
  '503': 'lost before it arrived',
};
