/** What is known of a trade after its sale, and how news changes it. Pure: time comes in as ms since the epoch. */
import type { Trade } from '../gateway/query';
import { isKnownStatus, type TradeStatus } from '../gateway/statuses';
import type { AfterSaleInput, AfterSaleState, Attention, PaymentState, Transition } from './contract';
import { type PaidTrade, RefundLedger } from './refund-ledger';

/** States that a person, or the merchant, has to know of. */
const ATTENTION: Partial<Record<TradeStatus, Attention>> = {
  DISPUTE: 'dispute',
  CHARGEBACK: 'chargeback',
  CHARGEBACK_REVERSED: 'chargeback-reversed',
};

/** States that only a refund brings about. */
const OF_REFUNDS: readonly string[] = [
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUND_REVOKE',
  'REFUND_REFUSED',
  'REFUNDED',
  'PARTIAL_REFUND',
] satisfies TradeStatus[];

export class AfterSaleRecord {
  readonly ledger = new RefundLedger();
  private readonly state: Omit<AfterSaleState, 'refunds' | 'refunded_amount' | 'refunding_amount'>;

  constructor({ app_id, trade_no, out_trade_no }: AfterSaleInput) {
    this.state = {
      app_id,
      out_trade_no: out_trade_no ?? null,
      trade_no: trade_no ?? null,
      trade_status: null,
      order_amount: null,
      order_currency: null,
      method: null,
      attention: null,
      ledger_complete: true,
      watched_until: null,
      history: [],
    };
  }

  /** The public state as plain JSON of its own. A refund that needs a person needs one for the whole. */
  get public(): AfterSaleState {
    const { ledger, state } = this;
    const attention = state.attention ?? ledger.refunds.find((refund) => refund.attention !== null)?.attention ?? null;
    return { ...state, ...ledger.sums, attention, refunds: ledger.refunds, history: [...state.history] };
  }

  /** What a merchant's handler of events hears as the payment: it was paid. */
  get payment(): Omit<PaymentState, 'history' | 'payment_data'> {
    const { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method, attention } =
      this.public;
    const trade = { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
    return {
      ...trade,
      outcome: 'SUCCESS',
      confirmed_by: 'query',
      attention,
      expires_at: null,
      previous: null,
      refused_because: null,
    };
  }

  get id(): { trade_no?: string; out_trade_no?: string } {
    const { trade_no, out_trade_no } = this.state;
    return { ...(trade_no === null ? {} : { trade_no }), ...(out_trade_no === null ? {} : { out_trade_no }) };
  }

  /** What was paid; undefined until the gateway has said it. */
  get paid(): PaidTrade | undefined {
    const { order_amount, order_currency } = this.state;
    return order_amount === null || order_currency === null ? undefined : { order_amount, order_currency };
  }

  /** Takes over what a former run knew; its attention was told, and is not told again. */
  takeOver({ refunds, refunded_amount: _sum, refunding_amount: _on, ...former }: AfterSaleState): void {
    const { app_id, out_trade_no, trade_no } = this.state;
    Object.assign(this.state, { ...former, app_id });
    this.state.out_trade_no ??= out_trade_no;
    this.state.trade_no ??= trade_no;
    this.ledger.takeOver(refunds);
  }

  learnMethod(method: string | null | undefined): void {
    this.state.method ??= method ?? null;
  }

  watchUntil(at: number): void {
    this.state.watched_until ??= new Date(at).toISOString();
  }

  /** Takes what a query said. Nothing else is believed: after a sale, states come round again. */
  queried(trade: Trade, now: number): void {
    this.state.trade_no ??= trade.trade_no ?? null;
    this.state.out_trade_no ??= trade.out_trade_no ?? null;
    this.state.order_amount ??= trade.order_amount ?? null;
    this.state.order_currency ??= trade.order_currency ?? null;
    this.learnMethod(trade.method);
    this.moved(trade.trade_status, now);
  }

  /** Takes a state that the gateway showed. */
  moved(to: string, now: number): void {
    const from = this.state.trade_status;
    if (from === to) return;
    this.state.trade_status = to;
    this.note({ from, to, source: 'query' }, now);
    if (!isKnownStatus(to)) this.raise('unknown-status');
    const attention = isKnownStatus(to) ? ATTENTION[to] : undefined;
    // What the bank does with the money comes before every other reason, and its latest step before the one it follows.
    if (attention) this.state.attention = attention;
    if (OF_REFUNDS.includes(to) && this.ledger.next === undefined) this.madeElsewhere();
  }

  /** A refund exists that is not in the ledger: `refunded_amount` is too small from now on. */
  madeElsewhere(): void {
    this.state.ledger_complete = false;
    this.raise('refund-elsewhere');
  }

  raise(attention: Attention): void {
    this.state.attention ??= attention;
  }

  settle(attention: Attention): void {
    if (this.state.attention === attention) this.state.attention = null;
  }

  /** A person has seen to it. */
  resolved({ by, reason }: { by: string; reason: string }, to: string | undefined, now: number): void {
    this.state.attention = null;
    const from = this.state.trade_status;
    this.note({ from, to: to ?? from ?? 'resolved', source: 'operator', by, reason }, now);
  }

  private note(transition: Omit<Transition, 'time'>, now: number): void {
    this.state.history.push({ time: new Date(now).toISOString(), ...transition });
  }
}
