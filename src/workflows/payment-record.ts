/** What is known of one payment, and how news changes it. Pure: time comes in as ms since the epoch. */
import { sameAmount } from '../gateway/money';
import type { Trade } from '../gateway/query';
import { isKnownStatus, type TradeStatus } from '../gateway/statuses';
import type { LateMoneyResult } from './activities';
import type {
  Attention,
  NotificationSignal,
  PaymentData,
  PaymentInput,
  PaymentState,
  Resolution,
  Source,
  Transition,
} from './contract';
import { lateRefundNumber } from './refund-ledger';
import { orderOf } from './requests';
import { outcomeOf, step } from './transitions';

export class PaymentRecord {
  private readonly state: PaymentState;
  /** The status that was reported last, believed or not: a check that finds it again has no news. */
  seen: string | null = null;
  /** The last state whose place among the others is known: what follows an unknown one is held against this. */
  private place: TradeStatus | null = null;
  /** What to make of money that comes after the payment's end. */
  lateMoney: 'attention' | 'accept' | 'refund' = 'attention';

  constructor(private readonly input: PaymentInput) {
    const order = orderOf(input)?.request;
    this.state = {
      app_id: input.app_id,
      out_trade_no: (input.kind === 'adopt' ? input.out_trade_no : input.request.out_trade_no) ?? null,
      trade_no: (input.kind === 'adopt' ? input.trade_no : undefined) ?? null,
      trade_status: null,
      order_amount: order?.order_amount ?? null,
      order_currency: order?.order_currency ?? null,
      method: order?.method ?? null,
      outcome: null,
      confirmed_by: null,
      attention: null,
      expires_at: null,
      history: [],
      previous: previousOf(input),
      payment_data: null,
      refused_because: null,
    };
  }

  /** The public state as plain JSON of its own. */
  get public(): PaymentState {
    return { ...this.state, history: [...this.state.history] };
  }

  get isOver(): boolean {
    return this.state.outcome !== null;
  }

  /** Money came that is not what was ordered: only a person can say what that means. */
  get needsDecision(): boolean {
    return (
      this.state.attention === 'amount-mismatch' &&
      outcomeOf(this.state.trade_status ?? '') === 'SUCCESS' &&
      !this.isOver
    );
  }

  /** What the gateway knows the trade by; its own id where we have it. */
  get id(): { trade_no?: string; out_trade_no?: string } {
    const { trade_no, out_trade_no } = this.state;
    return { ...(trade_no === null ? {} : { trade_no }), ...(out_trade_no === null ? {} : { out_trade_no }) };
  }

  get outTradeNo(): string {
    return this.state.out_trade_no ?? this.state.trade_no ?? '(unknown)';
  }

  /** Takes the answer to the creation. It carries no amount: the order's own stands until a query says otherwise. */
  created(data: PaymentData, now: number): void {
    // Where a run before this one gave the buyer's data out, it stays what everybody gets.
    this.state.payment_data = (this.input.kind === 'adopt' ? this.input.previous?.payment_data : null) ?? data;
    this.learnIds(data);
    const status = data.trade_status;
    if (typeof status !== 'string' || status === '') return;
    this.move(status, 'creation', now);
    // Only a query or a notification makes a SUCCESS; every other end is the gateway's own answer, and no money.
    if (outcomeOf(status) !== 'SUCCESS') this.conclude(status, 'query');
  }

  /** The order exists and its payment was refused at once. */
  refused(error: { code?: string | undefined; sub_code?: string | undefined }, now: number): void {
    this.state.refused_because = { code: error.code ?? null, sub_code: error.sub_code ?? null };
    this.move('REFUSED', 'creation', now);
    this.conclude('REFUSED', 'query');
  }

  /** Takes what a query said. The query is the truth; only its impossible parts are not believed. */
  queried(trade: Trade, now: number): void {
    this.learnIds({ ...trade });
    this.state.method ??= trade.method ?? null;
    const mismatch = this.isMismatch(trade.order_amount, trade.order_currency);
    if (mismatch) this.raise('amount-mismatch');
    this.state.order_amount ??= trade.order_amount ?? null;
    this.state.order_currency ??= trade.order_currency ?? null;
    this.move(trade.trade_status, 'query', now);
    if (!mismatch || outcomeOf(trade.trade_status) !== 'SUCCESS') this.conclude(trade.trade_status, 'query');
  }

  /** Believes a notification without a query, which is what the setting `PAYMENTS_CONFIRM_BY_QUERY=false` asks for. */
  notified(signal: NotificationSignal, now: number): void {
    if (signal.trade_status === undefined) return;
    if (this.isMismatch(signal.amount, signal.currency)) {
      this.raise('amount-mismatch');
      return;
    }
    this.learnIds(signal);
    this.state.order_amount ??= signal.amount ?? null;
    this.state.order_currency ??= signal.currency ?? null;
    this.move(signal.trade_status, 'notification', now);
    this.conclude(signal.trade_status, 'notification');
  }

  /** Ends the payment by a person's word. */
  resolved(resolution: Resolution, now: number): void {
    this.state.outcome = resolution.outcome;
    this.state.confirmed_by = 'operator';
    this.state.attention = null;
    const from = this.state.trade_status;
    this.note({ from, to: resolution.outcome, source: 'operator', by: resolution.by, reason: resolution.reason }, now);
  }

  /** The gateway never brought the trade to an end, and no time is left in which it could. */
  gaveUp(now: number): void {
    this.state.outcome = 'EXPIRED';
    this.raise('never-ended');
    this.note({ from: this.state.trade_status, to: 'EXPIRED', source: 'deadline' }, now);
  }

  /**
   * Puts the payment before a person. The first reason stands: what follows is mostly its consequence. Only wrong money
   * comes before every other: it is what the payment then waits for.
   */
  raise(attention: Attention): void {
    if (attention === 'amount-mismatch') this.state.attention = attention;
    this.state.attention ??= attention;
  }

  /** Takes back a reason that has gone away by itself. */
  settle(attention: Attention): void {
    if (this.state.attention === attention) this.state.attention = null;
  }

  learnMethod(method: string | undefined): void {
    this.state.method ??= method ?? null;
  }

  expiresAt(at: number): void {
    this.state.expires_at = new Date(at).toISOString();
  }

  private learnIds(said: { readonly [field: string]: unknown }): void {
    if (typeof said.trade_no === 'string' && said.trade_no !== '') this.state.trade_no ??= said.trade_no;
    if (typeof said.out_trade_no === 'string' && said.out_trade_no !== '')
      this.state.out_trade_no ??= said.out_trade_no;
  }

  private isMismatch(amount: string | undefined, currency: string | undefined): boolean {
    const ordered = orderOf(this.input)?.request;
    if (ordered === undefined) return false;
    return (
      (amount !== undefined && !sameAmount(amount, ordered.order_amount)) ||
      (currency !== undefined && currency.toUpperCase() !== ordered.order_currency.toUpperCase())
    );
  }

  private move(to: string, source: 'creation' | Source, now: number): void {
    const from = this.state.trade_status;
    this.seen = to;
    // After the end, such as a person's word while the gateway was being asked, nothing moves any more.
    if (from === to || this.isOver) return;
    const taken = step(this.place, to);
    if (taken === 'stale') return;
    if (taken === 'unlisted') {
      this.raise('unlisted-transition');
      return;
    }
    if (isKnownStatus(to)) this.place = to;
    else this.raise('unknown-status');
    this.state.trade_status = to;
    this.note({ from, to, source }, now);
  }

  /** Ends the payment where the state that was told is the one that stands, and is an end. The first end stays. */
  private conclude(told: string, source: Source): void {
    const outcome = outcomeOf(told);
    if (outcome === null || this.isOver || this.state.trade_status !== told) return;
    this.state.outcome = outcome;
    this.state.confirmed_by = source;
    this.settle('unconfirmed-notification');
    const before = this.state.previous?.outcome ?? 'SUCCESS';
    if (outcome !== 'SUCCESS' || before === 'SUCCESS') return;
    if (this.lateMoney === 'attention') this.raise('late-payment');
    if (this.lateMoney === 'refund') {
      this.state.late_refund = { out_request_no: lateRefundNumber(this.state), refund_status: null, reason: null };
    }
  }

  /** Takes note of what became of the wish to send late money back. */
  lateMoneyAsked(result: LateMoneyResult): void {
    const { late_refund } = this.state;
    if (!late_refund) return;
    if (result.is === 'asked') this.state.late_refund = { ...late_refund, refund_status: result.refund_status };
    else {
      this.state.late_refund = { ...late_refund, reason: result.reason };
      this.raise('late-payment');
    }
  }

  private note(transition: Omit<Transition, 'time'>, now: number): void {
    this.state.history.push({ time: new Date(now).toISOString(), ...transition });
  }
}

function previousOf(input: PaymentInput): PaymentState['previous'] {
  if (input.kind !== 'adopt' || !input.previous) return null;
  const { run_id, outcome } = input.previous;
  return { run_id, outcome };
}
