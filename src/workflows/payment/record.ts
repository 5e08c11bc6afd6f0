/** What is known of one payment, and how each answer or notification changes it. Pure: `now` is ms since the epoch. */

import type {
  Attention,
  NotificationSignal,
  PaymentData,
  PaymentInput,
  PaymentOutcome,
  PaymentResolution,
  PaymentState,
  PreviousRun,
  Source,
  Transition,
} from '../../contract';
import {
  classifyTransition,
  isNamedByItsCreation,
  isOfAnother,
  isUnlikeOrder,
  knownIds,
  orderOf,
  outcomeOf,
} from '../../contract';
import type { Trade, TradeId } from '../../contract/gateway';
import { isKnownStatus, type TradeStatus } from '../../gateway/pure/statuses';
import { AttentionReasons } from '../shared/attention-reasons';
import { NotedTrades } from './noted-trades';

export class PaymentRecord {
  private readonly state: Omit<PaymentState, 'attention' | 'other_trades'>;
  readonly others: NotedTrades;
  /** Why it needs a person. */
  readonly reasons = new AttentionReasons();
  /** The run before, as far as it is known. */
  before: PreviousRun | undefined;
  /** It has only taken over how an earlier run had ended. */
  isRestored = false;
  /** Earlier runs could not be read, and may have sold the order. */
  isUnread = false;
  /** The last status that was reported, accepted or not. A poll that finds the same has no news. */
  lastReported: string | null = null;
  /** The same for people, with its source and time. */
  heard: { status: string; source: Transition['source']; at: string } | undefined;
  /** The last status of the transition table. A status after an unknown one is compared with this. */
  private lastKnownStatus: TradeStatus | null = null;
  /** Whether money that comes after the end of the run before is accepted without a person. */
  acceptsLatePayments = false;

  constructor(private readonly input: PaymentInput) {
    const order = orderOf(input)?.request;
    this.before = input.kind === 'adopt' ? input.previous : undefined;
    if (input.kind === 'adopt') for (const reason of input.reasons ?? []) this.raise(reason);
    this.others = new NotedTrades(this.before?.other_trades);
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
      expires_at: null,
      history: [],
      previous: this.before ? runOf(this.before) : null,
      payment_data: null,
      refused_because: null,
    };
  }

  /** Takes over what the run before knew. What it sold is sold from the start. */
  recall(before: PreviousRun | undefined): void {
    this.before = before;
    if (before?.outcome === 'SUCCESS') this.restore(before);
    // Somebody ended the run that watched our trade: another one that was named does not take its place.
    else if (before?.outcome === null && before.order) this.state.trade_no = before.trade_no ?? this.state.trade_no;
  }

  /**
   * The status that polls need not report. After the creation's answer alone, a query reports once more what proves a SUCCESS,
   * and the trade's number where the answer had none: another trade could be taken for it later.
   */
  get seen(): string | null {
    const isProven = outcomeOf(this.heard?.status ?? '') !== 'SUCCESS' && this.state.trade_no !== null;
    return this.heard?.source === 'creation' && !isProven ? null : this.lastReported;
  }

  /** A copy of the public state, as plain JSON. */
  get snapshot(): PaymentState {
    const other_trades = this.others.beside(this.state.trade_no);
    return { ...this.state, attention: this.reasons.shown, history: [...this.state.history], other_trades };
  }

  get isOver(): boolean {
    return this.state.outcome !== null;
  }

  /** Another amount was paid than ordered: a person has to decide. */
  get needsDecision(): boolean {
    return (
      this.reasons.has('amount-mismatch') && outcomeOf(this.state.trade_status ?? '') === 'SUCCESS' && !this.isOver
    );
  }

  /** The ids of the trade that we know. */
  get id(): TradeId {
    return knownIds(this.state);
  }

  get outTradeNo(): string {
    return this.state.out_trade_no ?? this.state.trade_no ?? '(unknown)';
  }

  /** Applies the creation's answer. It has no amount, so the order's own stands until a query says otherwise. */
  applyCreation(data: PaymentData, now: number, answer: PaymentData | null = data): void {
    // A person ended it meanwhile, and callers were told. Whoever watches on knows the trade by its number.
    if (this.isOver) {
      this.learnIds(data);
      return;
    }
    // An earlier run may have given payment data to callers. Then everybody keeps getting the same.
    this.state.payment_data = this.before?.payment_data ?? answer;
    this.learnIds(data);
    this.reasons.onAnswer();
    const status = data.trade_status;
    if (typeof status !== 'string' || status === '') return;
    this.moveTo(status, 'creation', now);
    // A SUCCESS needs a query or a notification. Every other end means no money, so the answer itself is enough.
    if (outcomeOf(status) !== 'SUCCESS') this.conclude(status, 'query');
  }

  /** Applies a creation that the gateway answered with a refused order. */
  applyRefusal(error: { code?: string | undefined; sub_code?: string | undefined }, now: number): void {
    this.state.refused_because = { code: error.code ?? null, sub_code: error.sub_code ?? null };
    this.moveTo('REFUSED', 'creation', now);
    this.conclude('REFUSED', 'query');
  }

  /** Applies a query's answer. It is the truth, except for transitions that are impossible. */
  applyQuery(trade: Trade, now: number): void {
    this.learnIds({ ...trade });
    this.state.method ??= trade.method ?? null;
    const mismatch = this.hasOtherAmount([{ amount: trade.order_amount, currency: trade.order_currency }]);
    this.state.order_amount ??= trade.order_amount ?? null;
    this.state.order_currency ??= trade.order_currency ?? null;
    this.reasons.onAnswer();
    this.moveTo(trade.trade_status, 'query', now);
    if (!mismatch || outcomeOf(trade.trade_status) !== 'SUCCESS') this.conclude(trade.trade_status, 'query');
  }

  /** Applies a notification without a query, as `PAYMENTS_CONFIRM_BY_QUERY=false` asks. */
  applyNotification(signal: NotificationSignal, now: number): void {
    if (signal.trade_status === undefined) return;
    if (this.hasOtherAmount([signal])) return;
    this.learnIds(signal);
    this.state.order_amount ??= signal.amount ?? null;
    this.state.order_currency ??= signal.currency ?? null;
    this.moveTo(signal.trade_status, 'notification', now);
    this.conclude(signal.trade_status, 'notification');
  }

  /** Ends the payment as a person decided. */
  applyResolution(resolution: PaymentResolution & { outcome: PaymentOutcome }, now: number): void {
    this.state.outcome = resolution.outcome;
    this.state.confirmed_by = 'operator';
    this.reasons.clear();
    // What callers were answered by an earlier run stays the answer.
    this.state.payment_data ??= this.before?.payment_data ?? null;
    const from = this.state.trade_status;
    this.addTransition(
      { from, to: resolution.outcome, source: 'operator', by: resolution.by, reason: resolution.reason },
      now,
    );
  }

  /** A person has taken care of the reason that is shown, and the payment goes on. */
  settleShown(decision: Pick<PaymentResolution, 'by' | 'reason'>, now: number): void {
    this.reasons.settle(this.reasons.shown);
    const { trade_status: from } = this.state;
    this.addTransition({ from, to: from ?? 'resolved', source: 'operator', ...decision }, now);
  }

  /** Ends the payment after its last deadline: the gateway never ended the trade. */
  expire(now: number): void {
    this.state.outcome = 'EXPIRED';
    this.raise('never-ended');
    this.addTransition({ from: this.state.trade_status, to: 'EXPIRED', source: 'deadline' }, now);
  }

  /** Asks for a person. */
  raise(attention: Attention): void {
    this.reasons.raise(attention);
  }

  learnMethod(method: string | undefined): void {
    this.state.method ??= method ?? null;
  }

  setExpiry(at: number): void {
    this.state.expires_at = new Date(at).toISOString();
  }

  /** Whether one of these names another amount than was ordered: a person has to compare. */
  hasOtherAmount(said: readonly Pick<NotificationSignal, 'amount' | 'currency'>[]): boolean {
    const other = said.findLast(({ amount, currency }) => this.isMismatch(amount, currency));
    if (!other) return false;
    this.state.mismatch = { amount: other.amount ?? null, currency: other.currency ?? null };
    this.raise('amount-mismatch');
    return true;
  }

  /** The end of the run before stands: news of another trade under its number does not change it. */
  restore(ended: Partial<PreviousRun> & Partial<Pick<PaymentState, 'refused_because'>>): void {
    this.isRestored = true;
    this.state.trade_no = ended.trade_no ?? this.state.trade_no;
    this.state.order_amount ??= ended.order_amount ?? null;
    this.state.order_currency ??= ended.order_currency ?? null;
    // What a person called sold may never have shown itself.
    this.state.trade_status = ended.trade_status ?? null;
    this.state.payment_data = ended.payment_data ?? null;
    this.others.noteAll(ended.other_trades ?? []);
    this.state.refused_because = ended.refused_because ?? null;
    if (ended.mismatch) this.state.mismatch = ended.mismatch;
    this.state.outcome = ended.outcome ?? null;
    this.state.confirmed_by =
      ended.outcome === 'SUCCESS' ? (ended.confirmed_by ?? 'query') : (ended.confirmed_by ?? null);
  }

  private learnIds(said: { readonly [field: string]: unknown }): void {
    if (typeof said.trade_no === 'string' && said.trade_no !== '') this.state.trade_no ??= said.trade_no;
    if (typeof said.out_trade_no === 'string' && said.out_trade_no !== '')
      this.state.out_trade_no ??= said.out_trade_no;
  }

  /** A trade of another amount may be somebody else's, so callers are not told to pay it: a person compares. */
  isOfOrder({ order_amount, order_currency }: Trade): boolean {
    return !this.isMismatch(order_amount, order_currency);
  }

  private isMismatch(amount: string | undefined, currency: string | undefined): boolean {
    return isUnlikeOrder(this.state, { amount, currency });
  }

  private moveTo(to: string, source: 'creation' | Source, now: number): void {
    const from = this.state.trade_status;
    this.lastReported = to;
    this.heard = { status: to, source, at: new Date(now).toISOString() };
    // A person may have ended the payment during the query: then nothing changes any more.
    if (from === to || this.isOver) return;
    const kind = classifyTransition(this.lastKnownStatus, to);
    if (kind === 'stale') return;
    if (kind === 'unlisted') {
      this.raise('unlisted-transition');
      return;
    }
    if (isKnownStatus(to)) this.lastKnownStatus = to;
    else this.raise('unknown-status');
    this.state.trade_status = to;
    this.addTransition({ from, to, source }, now);
  }

  /** Sets the outcome where this status was accepted and is final. The first outcome stays. */
  private conclude(status: string, source: Source): void {
    const outcome = outcomeOf(status);
    if (outcome === null || this.isOver || this.state.trade_status !== status) return;
    this.state.outcome = outcome;
    this.state.confirmed_by = source;
    if (outcome !== 'SUCCESS') return;
    this.reasons.settle('unconfirmed-notification');
    // A run that failed, was cancelled or terminated sold nothing either.
    const { previous } = this.state;
    const before = previous ? previous.outcome : 'SUCCESS';
    if (before === 'SUCCESS' && !this.isUnread) return;
    // Money of another trade than ours is a person's. Nor does the merchant know of one that somebody ended.
    if (!this.acceptsLatePayments || !this.isOurTrade || this.isUnread) this.raise('late-payment');
  }

  /** Whether the run before is known to have made this trade. */
  private get isOurTrade(): boolean {
    return !isOfAnother(this.input) && isNamedByItsCreation(this.before ?? {}, this.state.trade_no);
  }

  private addTransition(transition: Omit<Transition, 'time'>, now: number): void {
    this.state.history.push({ time: new Date(now).toISOString(), ...transition });
  }
}

const runOf = ({ run_id, outcome }: PreviousRun) => ({ run_id, outcome });
