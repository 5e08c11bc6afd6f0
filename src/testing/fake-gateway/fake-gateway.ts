/**
 * A payment gateway in memory. It replaces the worker's GatewayClient and uses the given clock, so it fits the simulated Temporal. It accepts
 * and refuses the same requests as the simulator, with the same answers; but it also accepts refunds beyond what is left, and several under
 * one number. It has no HTTP and no signatures: for those, use the simulator.
 */
import type { PaymentGateway } from '../../activities';
import { creationOf } from '../../contract';
import {
  type BeforeSending,
  parseCheckout,
  parseDirectPayment,
  type Refund,
  type RefundedTrade,
  type RuleSettings,
  type Trade,
  type TradeId,
} from '../../gateway';
import { checkRequest } from '../../gateway/check';
import { PATH } from '../../gateway/pure/paths';
import { REFUND } from '../../gateway/refund';
import { FakeAccounts } from './fake-accounts';
import { type RefundPlan, refundedAmount, statusAfterRefunds } from './fake-refunds';
import type { FakeTrade, StatusAt } from './fake-trade';
import { fail, type Mishap, refused, SUB_CODE, silence } from './mishaps';
import {
  type Body,
  type Kind,
  orderRefusal,
  refundRefusal,
  simulatedAnswer,
  termsOf,
  usualPlan,
} from './simulators-rules';

const APP_ID = 'test-app';
const NOT_REFUNDABLE = { code: '40002', sub_code: SUB_CODE.wrongStatus };
const REFUNDABLE: readonly string[] = ['SUCCESS', 'PARTIAL_REFUND', 'REFUNDED', 'REFUND_REFUSED'];

export class FakeGateway implements PaymentGateway {
  /** By out_trade_no. */
  readonly trades = new Map<string, FakeTrade>();
  readonly accounts = new FakeAccounts();
  /**
   * The status that the next order will have, by its age: `INITIAL`, `PROCESSING`, `SUCCESS` and so on. By default nobody pays it: it
   * ends at its deadline.
   */
  statusAt: StatusAt | undefined;
  /** What happens to the next creations of orders. */
  mishaps: Mishap[] = [];
  /** What happens to the next refunds. */
  refundMishaps: Mishap[] = [];
  /** What becomes of the next refunds; by default the money is back after 20 s, or waits for the buyer's account. */
  refundPlans: RefundPlan[] = [];
  /** What a trade is called after a part of it went back. */
  partialStatus: 'PARTIAL_REFUND' | 'REFUNDED' = 'PARTIAL_REFUND';
  /** A status that the bank puts every trade into, by the time in ms since the epoch. */
  bankStatus: ((now: number) => string | undefined) | undefined;
  /** True: no call reaches the gateway. */
  isDown = false;
  /** How many of the next queries answer that there is no such order. */
  blindQueries = 0;
  /** The age of the data in answers to queries, in ms: a gateway may read from a stale replica. */
  lag_ms = 0;

  /** Creations that made an order: the charges. */
  created = 0;
  queries = 0;
  /** When each query came, in ms since the epoch. */
  readonly queriedAt: number[] = [];
  /** Calls that came while `isDown`. */
  refused = 0;

  /**
   * `now` is the time in ms since the epoch: `() => env.currentTimeMs()` on the simulated Temporal. `rules`: how the worker's client
   * checks requests, where its settings differ from the defaults.
   */
  constructor(
    private readonly now: () => Promise<number>,
    private readonly rules: Partial<RuleSettings> = {},
  ) {}

  async pay(order: unknown, beforeSending?: BeforeSending) {
    return this.create('direct', { ...parseDirectPayment(order, { ...this.rules, sending: true }) }, beforeSending);
  }

  async createCheckout(order: unknown, beforeSending?: BeforeSending) {
    return this.create('checkout', { ...parseCheckout(order, { ...this.rules, sending: true }) }, beforeSending);
  }

  async query(id: TradeId): Promise<Trade> {
    this.refuseIfDown(PATH.query, id.out_trade_no);
    this.queries += 1;
    const now = await this.now();
    this.queriedAt.push(now);
    const trade = this.find(id);
    if (!trade || this.blindQueries > 0) {
      this.blindQueries -= 1;
      throw refused({ code: '40002', sub_code: SUB_CODE.unknownTrade }, PATH.query, 'order', id.out_trade_no);
    }
    const { out_trade_no, trade_no, order_amount, order_currency, method } = trade;
    const trade_status = this.statusOf(trade, now - this.lag_ms);
    return { out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
  }

  async refund(request: unknown, about: RefundedTrade = {}, beforeSending?: BeforeSending): Promise<Refund> {
    const { rules } = REFUND;
    const body = { ...checkRequest(rules, request, { ...this.rules, trade: about, sending: true }) };
    const { out_trade_no, trade_no, out_request_no, refund_amount, refund_currency } = body;
    await beforeSending?.();
    const mishap = this.refundMishaps.shift();
    this.refuseIfDown(PATH.refund, out_trade_no);
    fail(mishap, PATH.refund, 'refund', out_trade_no);
    const now = await this.now();
    const trade = this.find({ out_trade_no, trade_no });
    const refusal = trade
      ? refundRefusal(body, APP_ID, trade, now)
      : { code: '40002', sub_code: SUB_CODE.unknownTrade };
    const refuse = (why: { code: string; sub_code: string }) =>
      refused(why, PATH.refund, 'refund', out_trade_no, REFUND.about(body));
    if (!trade || refusal) throw refuse(refusal ?? NOT_REFUNDABLE);
    if (!REFUNDABLE.includes(this.statusOf(trade, now))) throw refuse(NOT_REFUNDABLE);
    const plan = this.refundPlans.shift() ?? usualPlan(body, trade);
    trade.refunds.push({ ...plan, out_request_no: out_request_no ?? null, amount: refund_amount, at: now });
    if (mishap === 'lost after') throw silence('unknown', PATH.refund, out_trade_no);
    const ids = { out_trade_no: trade.out_trade_no, trade_no: trade.trade_no };
    return { ...ids, refund_amount, refund_currency, refund_status: this.statusOf(trade, now) };
  }

  /** A trade of the gateway that a workflow did not create. It is paid unless `fields` say otherwise. */
  async addTrade(out_trade_no: string, fields: Partial<FakeTrade> = {}): Promise<FakeTrade> {
    this.created += 1;
    const trade: FakeTrade = {
      out_trade_no,
      trade_no: `T${this.created}`,
      created_at: await this.now(),
      order_amount: '150.00',
      order_currency: 'BRL',
      method: 'PIX',
      channel: null,
      statusAt: () => 'SUCCESS',
      refunds: [],
      ...fields,
    };
    this.trades.set(out_trade_no, trade);
    return trade;
  }

  /** The status of a trade at a time, in ms since the epoch: from the bank, else from its refunds, else from its age. */
  statusOf(trade: FakeTrade, now: number): string {
    const { refunds, order_amount: paid, created_at, statusAt } = trade;
    return (
      this.bankStatus?.(now) ??
      statusAfterRefunds(refunds, { now, paid, partial: this.partialStatus }) ??
      statusAt(now - created_at)
    );
  }

  /** Money of a trade that has gone back or is on its way: a decimal string. */
  async refundedAmount({ refunds }: FakeTrade): Promise<string> {
    return refundedAmount(refunds, await this.now());
  }

  private async create(kind: Kind, order: Body & { out_trade_no: string }, beforeSending?: BeforeSending) {
    await beforeSending?.();
    const { out_trade_no } = order;
    const operation = creationOf({ kind });
    this.refuseIfDown(operation, out_trade_no);
    const mishap = this.mishaps.shift();
    fail(mishap, operation, 'order', out_trade_no);
    const now = await this.now();
    const refusal = orderRefusal(kind, order, APP_ID, now);
    if (refusal) throw refused(refusal, operation, 'order', out_trade_no);
    if (this.trades.has(out_trade_no))
      throw refused({ code: '40002', sub_code: SUB_CODE.duplicateOrder }, operation, 'order', out_trade_no);
    const { unpaidAt, ...terms } = termsOf(kind, order, now);
    const trade = await this.addTrade(out_trade_no, { ...terms, statusAt: this.statusAt ?? unpaidAt });
    if (mishap === 'lost after') throw silence('unknown', operation, out_trade_no);
    const { trade_no } = trade;
    return { out_trade_no, trade_no, ...simulatedAnswer(kind, order, APP_ID, trade, this.created) };
  }

  private find({ out_trade_no, trade_no }: TradeId): FakeTrade | undefined {
    if (out_trade_no !== undefined) return this.trades.get(out_trade_no);
    return [...this.trades.values()].find((trade) => trade.trade_no === trade_no);
  }

  private refuseIfDown(operation: string, out_trade_no: string | undefined): void {
    if (!this.isDown) return;
    this.refused += 1;
    throw silence('not-sent', operation, out_trade_no);
  }
}
