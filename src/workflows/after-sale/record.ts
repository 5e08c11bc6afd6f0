/** What is known of a trade after its sale, and how each answer changes it. Pure: `now` is ms since the epoch. */

import type { AfterSaleInput, AfterSaleState, Attention, PaymentState, Transition } from '../../contract';
import { knownIds } from '../../contract';
import type { Trade, TradeId } from '../../contract/gateway';
import { isKnownStatus, type TradeStatus } from '../../gateway/pure/statuses';
import { type PaidTrade, RefundLedger } from './refund-ledger';

/** Statuses that need a person. */
const ATTENTION: Partial<Record<TradeStatus, Attention>> = {
  DISPUTE: 'dispute',
  CHARGEBACK: 'chargeback',
  CHARGEBACK_REVERSED: 'chargeback-reversed',
};

/** Statuses that only a refund causes. */
const REFUND_STATUSES: readonly string[] = [
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

  /** A copy of the public state, as plain JSON. Where a refund needs a person, so does the after-sale. */
  get snapshot(): AfterSaleState {
    const { ledger, state } = this;
    const attention = state.attention ?? ledger.refunds.find((refund) => refund.attention !== null)?.attention ?? null;
    return { ...state, ...ledger.sums, attention, refunds: ledger.refunds, history: [...state.history] };
  }

  /** The payment as events show it: it was paid. */
  get eventPayment(): Omit<PaymentState, 'history' | 'payment_data'> {
    const { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method, attention } =
      this.snapshot;
    const trade = { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
    return {
      ...trade,
      outcome: 'SUCCESS',
      confirmed_by: 'query',
      attention,
      expires_at: null,
      previous: null,
      refused_because: null,
      other_trades: [],
    };
  }

  get id(): TradeId {
    return knownIds(this.state);
  }

  /** What was paid; undefined until the gateway has said it. */
  get paid(): PaidTrade | undefined {
    const { order_amount, order_currency } = this.state;
    return order_amount === null || order_currency === null ? undefined : { order_amount, order_currency };
  }

  /** Takes over the state of an earlier run. */
  restore({ refunds, refunded_amount: _sum, refunding_amount: _on, ...former }: AfterSaleState): void {
    const { app_id, out_trade_no, trade_no } = this.state;
    Object.assign(this.state, { ...former, app_id });
    this.state.out_trade_no ??= out_trade_no;
    this.state.trade_no ??= trade_no;
    this.ledger.restore(refunds);
  }

  learnMethod(method: string | null | undefined): void {
    this.state.method ??= method ?? null;
  }

  /** The order's number alone may show another trade than the one that was sold. */
  learnTradeNo(trade_no: string | null): void {
    this.state.trade_no ??= trade_no;
  }

  watchUntil(at: number): void {
    this.state.watched_until ??= new Date(at).toISOString();
  }

  /** Applies a query's answer. Only queries count: after a sale, a status may come back. */
  applyQuery(trade: Trade, now: number): void {
    this.state.trade_no ??= trade.trade_no ?? null;
    this.state.out_trade_no ??= trade.out_trade_no ?? null;
    this.state.order_amount ??= trade.order_amount ?? null;
    this.state.order_currency ??= trade.order_currency ?? null;
    this.learnMethod(trade.method);
    this.moveTo(trade.trade_status, now);
  }

  /** Applies a status that the gateway showed. */
  moveTo(to: string, now: number): void {
    const from = this.state.trade_status;
    if (from === to) return;
    this.state.trade_status = to;
    this.addTransition({ from, to, source: 'query' }, now);
    if (!isKnownStatus(to)) this.raise('unknown-status');
    const attention = isKnownStatus(to) ? ATTENTION[to] : undefined;
    // A dispute or chargeback replaces every other reason, and its latest step replaces the one before.
    if (attention) this.state.attention = attention;
    if (REFUND_STATUSES.includes(to) && this.ledger.next === undefined) this.addUnknownRefund();
  }

  /** A refund exists that is not in the ledger: from now on `refunded_amount` is too small. */
  addUnknownRefund(): void {
    this.state.ledger_complete = false;
    this.raise('refund-elsewhere');
  }

  raise(attention: Attention): void {
    this.state.attention ??= attention;
  }

  settle(attention: Attention): void {
    if (this.state.attention === attention) this.state.attention = null;
  }

  /** Applies a person's decision. */
  applyResolution({ by, reason }: { by: string; reason: string }, to: string | undefined, now: number): void {
    this.state.attention = null;
    const from = this.state.trade_status;
    this.addTransition({ from, to: to ?? from ?? 'resolved', source: 'operator', by, reason }, now);
  }

  private addTransition(transition: Omit<Transition, 'time'>, now: number): void {
    this.state.history.push({ time: new Date(now).toISOString(), ...transition });
  }
}
