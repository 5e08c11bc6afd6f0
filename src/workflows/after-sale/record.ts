/** What is known of a trade after its sale, and how each answer changes it. Pure: `now` is ms since the epoch. */

import {
  type AfterSaleCarried,
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleState,
  type Attention,
  type EarlierAfterSale,
  isBankStatus,
  isRefundStatus,
  isTransientStatus,
  knownIds,
  type NotificationClaim,
  outcomeOf,
  type RefundOutcome,
  type RefundState,
  type Transition,
} from '../../contract';
import type { QueriedTrade, Trade, TradeId, TradeSeen } from '../../contract/gateway';
import { isMore } from '../../gateway/pure/money';
import { isKnownStatus } from '../../gateway/pure/statuses';
import { BankWord } from './bank-word';
import { isOfTheBank } from './claims';
import { ExplainedStatuses } from './explained';
import { AfterSaleReasons, ownAttention } from './reasons';
import { hasGivenBack } from './refund/interpret';
import { type NumberedTrade, type PaidTrade, RefundLedger } from './refund-ledger';
import { isFirstReversal, lastOfRefunds, refundStatusesIn, wasRevokedSince } from './shown';

export class AfterSaleRecord {
  readonly ledger = new RefundLedger();
  private readonly state: Omit<
    AfterSaleState,
    keyof RefundLedger['sums'] | 'refunds' | 'claims' | 'attention' | 'bank_said'
  >;
  reasons = new AfterSaleReasons();
  bank = new BankWord();
  private explained = new ExplainedStatuses();
  /** When the gateway was asked for the trade's status, in ms since the epoch. */
  private askedAt = 0;

  constructor({ app_id, trade_no, out_trade_no }: AfterSaleInput) {
    this.state = {
      app_id,
      out_trade_no,
      trade_no: trade_no ?? null,
      trade_status: null,
      order_amount: null,
      order_currency: null,
      method: null,
      watched_until: null,
      history: [],
    };
  }

  /**
   * A copy of the public state, as plain JSON. Where a refund needs a person, so does the after-sale; and where a notification
   * that is still held says that the bank takes the money back.
   */
  snapshot(claims: readonly NotificationClaim[] = []): AfterSaleState {
    const { ledger, state, reasons } = this;
    const { refunds, sums } = ledger;
    const attention = reasons.shownOf(state.trade_status, claims, refunds);
    const known = { ...state, ...sums, attention, refunds, bank_said: this.bank.said };
    return { ...known, claims: [...claims], history: [...state.history] };
  }

  get id(): TradeId {
    return knownIds(this.state);
  }

  /** What was paid; undefined until the gateway has shown the trade as sold. */
  get paid(): (PaidTrade & NumberedTrade) | undefined {
    const { order_amount, order_currency, out_trade_no, trade_no } = this.state;
    if (order_amount === null || order_currency === null) return undefined;
    return { order_amount, order_currency, out_trade_no, trade_no };
  }

  get tradeStatus(): string | null {
    return this.state.trade_status;
  }

  /** The status that is known, and when the gateway was asked for it; null before any answer. */
  get seen(): TradeSeen | null {
    const { trade_status } = this.state;
    return trade_status === null ? null : { trade_status, asked_at: this.askedAt };
  }

  /** The statuses that a refund may find where our ledger is all there is. */
  get explainedStatuses(): readonly string[] {
    return this.explained.all;
  }

  /** The statuses that refunds have brought until now, and those that a refund whose money no query has seen may still bring. */
  get earlierStatuses(): string[] {
    const statuses = [...refundStatusesIn(this.state.history), ...this.ledger.lastStatuses];
    const isUnseen = this.ledger.mayHavePaid && !statuses.some(hasGivenBack);
    return [...new Set([...statuses, ...(isUnseen ? ['PARTIAL_REFUND', 'REFUNDED'] : [])])];
  }

  /** Takes over the state of an earlier run, and what it knew besides; null where it had ended by itself. */
  restore(previous: AfterSaleState, carried: AfterSaleCarried | null): void {
    const { state } = this;
    const { out_trade_no, trade_no } = state;
    const { trade_status, order_amount, order_currency, method, watched_until, history } = previous;
    const own = ownAttention(previous);
    this.reasons = new AfterSaleReasons(carried?.reasons ?? (own ? [own] : []), carried?.contradicted);
    Object.assign(state, { trade_status, order_amount, order_currency, method, watched_until });
    state.history = [...history];
    state.out_trade_no = previous.out_trade_no ?? out_trade_no;
    state.trade_no = previous.trade_no ?? trade_no;
    this.bank = new BankWord(previous.bank_said);
    this.ledger.restore(previous);
    if (carried) {
      this.explained = new ExplainedStatuses(carried.explained);
      this.askedAt = carried.asked_at;
    }
    // What the trade shows while a refund of ours is under way is explained once that has ended.
    else if (!this.ledger.hasSent) this.explained.arriveAt(lastOfRefunds(history));
  }

  /** What the next run needs besides the public state. */
  get carried(): Omit<AfterSaleCarried, 'taken'> {
    const { explained, reasons, askedAt: asked_at } = this;
    return { explained: explained.all, reasons: reasons.all, contradicted: reasons.contradicted, asked_at };
  }

  /** Takes over what Temporal knows of the trade. */
  learn({ previous, carried, is_unread, method, trade_no }: EarlierAfterSale): void {
    // Nobody can say what was refunded before, so nothing is granted until a person does.
    if (is_unread) this.addUnknownRefund();
    if (previous) this.restore(previous, carried);
    this.learnMethod(method);
    // The payment says which trade was sold. Its number alone, or who started this run, may name another one.
    this.state.trade_no = trade_no ?? this.state.trade_no;
  }

  learnMethod(method: string | null | undefined): void {
    this.state.method ??= method ?? null;
  }

  watchUntil(at: number): void {
    this.state.watched_until ??= new Date(at).toISOString();
  }

  /** How long the trade has to be polled from now on, in ms; undefined for no limit. */
  watchesFor(now: number): number | undefined {
    const { watched_until, trade_status } = this.state;
    if (isTransientStatus(trade_status ?? '') || this.isUnconfirmed) return undefined;
    return watched_until === null ? 0 : Date.parse(watched_until) - now;
  }

  /** Applies a query's answer. Only queries count: after a sale, a status may come back. */
  applyQuery(trade: QueriedTrade, now: number): void {
    this.state.trade_no ??= trade.trade_no ?? null;
    this.state.out_trade_no ??= trade.out_trade_no ?? null;
    this.learnMethod(trade.method);
    this.learnPaid(trade);
    this.moveTo(trade, now);
  }

  /** Before it is sold, a trade shows what was ordered, and buyers may pay another amount. */
  private learnPaid({ trade_status, order_amount, order_currency }: Trade): void {
    if (outcomeOf(trade_status) !== 'SUCCESS') return;
    this.state.order_amount ??= order_amount ?? null;
    this.state.order_currency ??= order_currency ?? null;
  }

  /** Whether the gateway was asked for it before it was asked for what is known: the trade may have moved since. */
  isOlder({ trade_status, asked_at }: TradeSeen): boolean {
    return asked_at < this.askedAt && trade_status !== this.state.trade_status;
  }

  /** Applies a status that the gateway showed. */
  moveTo(seen: TradeSeen, now: number): void {
    const from = this.state.trade_status;
    const to = seen.trade_status;
    this.bank.hear(to, now);
    if (this.isOlder(seen)) return;
    this.askedAt = Math.max(this.askedAt, seen.asked_at);
    if (from !== to) {
      this.state.trade_status = to;
      if (isFirstReversal(this.state.history, from, to)) this.bank.end();
      this.addTransition({ from, to, source: 'query' }, now);
      if (!isKnownStatus(to)) this.raise('unknown-status');
      this.reasons.onBank(to);
    }
    this.explain(from);
  }

  /**
   * Asks a person about each status of the bank, even where the trade is back at the status `from`: a decision on that one cannot
   * cover one that came later.
   */
  noteWords(claims: readonly NotificationClaim[], from: string | null): void {
    if (from !== this.state.trade_status || !isBankStatus(from ?? '')) return;
    for (const { trade_status = '' } of claims.filter(isOfTheBank)) this.reasons.onBank(trade_status);
  }

  /** Takes over a refund that was made before. A person who named what went back elsewhere may have meant it, too. */
  adopt(entry: RefundState, made: RefundState): void {
    if (this.ledger.adopt(entry, made) === 'named elsewhere') this.addUnknownRefund();
  }

  /** A refund of ours has ended: it explains what the trade shows where that comes from such an end. */
  acceptStatusOf(status: string | null, outcome: RefundOutcome | null): void {
    const isMoreThanOurs = status === 'REFUNDED' && this.isMoreThanOurs;
    if (status !== null && !isMoreThanOurs) this.explained.addEnd(status, outcome);
  }

  /** What this gateway calls REFUNDED: parts were PARTIAL_REFUND to it, and our ledger has money left. */
  private get isMoreThanOurs(): boolean {
    const { paid, ledger, state } = this;
    const callsPartsSo = refundStatusesIn(state.history).includes('PARTIAL_REFUND');
    return callsPartsSo && paid !== undefined && isMore(ledger.leftAtGateway(paid), '0');
  }

  /** Call it when a refund that may have reached the gateway since `sent_at` is no longer under way, however it ended. */
  compareEnds(refund: RefundState, sent_at: string): void {
    if (refund.unnamed_end_seen || wasRevokedSince(this.state.history, sent_at)) this.ledger.doubtOthers(refund);
  }

  /** A person has decided what became of a refund whose workflow has gone. */
  decide(entry: RefundState, outcome: RefundOutcome, resolved: RefundState['resolved']): void {
    const wasOpen = entry.outcome === null;
    this.ledger.decide(entry, outcome, resolved);
    if (wasOpen && entry.sent_at !== null) this.compareEnds(entry, entry.sent_at);
  }

  /** A refund that is not of ours has brought the trade into its status, unless one of ours is under way. */
  private explain(from: string | null = null): void {
    const { trade_status } = this.state;
    if (trade_status === null || this.ledger.hasSent) return;
    // What the bank does leaves the refunds as they were; a trade that stands again does not show them any more.
    if (isBankStatus(trade_status)) return;
    if (trade_status === 'SUCCESS' && isBankStatus(from ?? '')) this.explained.arriveAt(trade_status);
    if (isRefundStatus(trade_status) && !this.explained.has(trade_status)) this.addUnexplained(trade_status);
    if (!this.mayBeRevoked) this.explained.arriveAt(trade_status);
  }

  /** A refund that is not in the ledger, or one of ours that came back: nobody knows which. */
  private addUnexplained(trade_status: string): void {
    const isLess = trade_status === 'PARTIAL_REFUND' && this.explained.has('REFUNDED');
    if ((trade_status === 'REFUND_REVOKE' || isLess) && this.ledger.hasRefunded) this.ledger.doubtRefunded();
    else this.addUnknownRefund();
  }

  /** After our refunds the trade shows SUCCESS: one may have been revoked between two looks, or a copy of the gateway is behind. */
  get mayBeRevoked(): boolean {
    const { ledger, explained } = this;
    return this.state.trade_status === 'SUCCESS' && explained.isOfMoney && ledger.hasRefunded && !ledger.hasSent;
  }

  /** It has lasted. Nobody knows which one was revoked. */
  doubtRefunds(): void {
    this.ledger.doubtRefunded();
    this.explained.arriveAt(this.state.trade_status);
  }

  /** A refund exists that is not in the ledger: from now on `refunded_amount` is too small, and nothing is granted. */
  addUnknownRefund(): void {
    this.ledger.addUnknown();
    this.raise('refund-elsewhere');
  }

  raise(attention: Attention): void {
    this.reasons.raise(attention);
  }

  /** The gateway keeps contradicting a notification, and nobody has looked. */
  get isUnconfirmed(): boolean {
    return this.reasons.has('unconfirmed-notification');
  }

  /**
   * Records a person's decision. What it names settles the question that asks for it; one that names nothing settles what the
   * person read (`shown`).
   */
  applyResolution(decision: AfterSaleResolution, shown: Attention | null, now: number): void {
    const { by, reason, outcome: to, refunded_elsewhere } = decision;
    const { trade_status: from } = this.state;
    if (refunded_elsewhere !== undefined) this.nameElsewhere(refunded_elsewhere);
    else if (to === undefined) this.reasons.settle(shown);
    if (to !== undefined && refunded_elsewhere === undefined) this.acceptStatusOf(from, to);
    if (!this.ledger.sums.ledger_complete) this.raise('refund-elsewhere');
    const said = { by, reason, ...(refunded_elsewhere === undefined ? {} : { refunded_elsewhere }) };
    this.addTransition({ from, to: to ?? from ?? 'resolved', source: 'operator', ...said }, now);
    // Where ours was not made, what the trade shows is from elsewhere.
    this.explain();
  }

  /** A person has named all that went back elsewhere: that, and ours, explain what the trade shows. */
  private nameElsewhere(amount: string): void {
    this.ledger.complete(amount, this.paid);
    this.reasons.settle('refund-elsewhere');
    this.explained.arriveAt(this.state.trade_status);
  }

  private addTransition(transition: Omit<Transition, 'time'>, now: number): void {
    this.state.history.push({ time: new Date(now).toISOString(), ...transition });
  }
}
