/** What an after-sale hears, and how it is recorded: notifications, the gateway's answers, and the news of its refunds. */
import { sleep } from '@temporalio/workflow';
import {
  type AfterSaleCarried,
  type EarlierAfterSale,
  FAILURE,
  isOfTrade,
  type NotificationClaim,
  type NotificationSignal,
  type RefundChange,
  type RefundState,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { awaitTrade } from '../shared/await-trade';
import { attentionAfter, type LookTimes, lookOnce, type NotFound } from '../shared/look';
import { PendingNotifications } from '../shared/pending-notifications';
import { latePaymentRefundNumber } from '../shared/refund-numbers';
import { queryUntilConsistent, queryUntilFound, type Read, settledTrade } from '../shared/stale-read';
import { claimOf, contradicts, isOfOurs, isOfTheBank, isUnanswered, isUnnamedRevoke, namesRefund } from './claims';
import type { AfterSaleRecord } from './record';
import { latestWord } from './refund/interpret';
import { RefundRuns } from './refund-runs';

export class AfterSaleNews {
  /** What was notified and is held until an answer of the gateway is recorded. */
  readonly pending = new PendingNotifications();
  readonly refunds: RefundRuns;
  /** News of refunds that came before the earlier run was known. */
  private early: RefundChange[] = [];
  /** What notifications said last of refunds, by number. A refund may have ended before it heard of it. */
  private readonly said = new Map<string, string>();
  private isRestored = false;
  private taken = 0;
  /** What came before a refund that an earlier run had started was followed: a look may have settled it by then. */
  private unread: NotificationSignal[] = [];

  constructor(
    private readonly app_id: string,
    private readonly record: AfterSaleRecord,
    private readonly show: () => void,
  ) {
    this.refunds = new RefundRuns(app_id, record, {
      onEnd: (refund) => this.onRefundChanged({ refund, trade: record.seen }),
      onFound: (refund) => this.onRefundFound(refund),
      onLost: (refund) => this.onRefundLost(refund),
    });
  }

  /** What the next run needs besides the public state. */
  get carried(): AfterSaleCarried {
    return { ...this.record.carried, taken: this.taken };
  }

  /** What is held, as the public state shows it. */
  get claims(): NotificationClaim[] {
    return this.pending.all.map(claimOf);
  }

  add(notification: NotificationSignal): void {
    this.taken += 1;
    this.pending.add(notification);
    this.hear(notification);
    const { next } = this.record.ledger;
    if (next && this.refunds.isFollowed(next)) this.tell(next, notification);
    else if (!this.isRestored || next) this.unread.push(notification);
    if (this.isRestored) this.compareRefund(notification);
    this.show();
  }

  private hear(notification: NotificationSignal): void {
    const { record } = this;
    if (isOfTrade(notification, record.id.trade_no)) record.bank.hear(notification.trade_status ?? '', Date.now());
  }

  /** Tells a refund what was notified of its trade. Another trade may have a refund under the same number. */
  private tell(refund: RefundState, notification: NotificationSignal): void {
    if (isOfTrade(notification, this.record.id.trade_no)) this.refunds.tell(refund, notification);
  }

  /** Starts a refund, or goes on with one of an earlier run, and tells it what came before it was followed. */
  async follow(entry: RefundState): Promise<void> {
    const isOfEarlierRun = entry.started_at !== null;
    await this.refunds.follow(entry);
    const notifications = isOfEarlierRun ? this.unread : this.pending.all;
    for (const notification of notifications) this.tell(entry, notification);
    this.unread = [];
  }

  /** The ledger of the earlier run is known, its open refunds now, and what was notified before and nobody has settled. */
  restored({ previous = null, claims = [], refunds_now = [] }: Partial<EarlierAfterSale> = {}): void {
    this.isRestored = true;
    for (const refund of refunds_now)
      if (refund.outcome === null) this.applyChange({ refund, trade: null });
      else this.onRefundFound(refund);
    // The after-sale that took the refund of a late payment has ended without sending it.
    const isLost = ({ out_request_no, outcome, started_at }: RefundState) =>
      outcome === null && started_at === null && out_request_no === latePaymentRefundNumber(this.record.snapshot());
    if (previous?.refunds.some(isLost)) this.record.raise('late-payment');
    for (const claim of claims) this.pending.add({ ...claim });
    this.unread = [...this.pending.all];
    for (const notification of this.unread) {
      this.hear(notification);
      this.compareRefund(notification);
    }
    for (const change of this.early.splice(0)) this.onRefundChanged(change);
  }

  /** The buyer may have paid since the last look. Returns whether a look that is needed has been made. */
  lookIfUnpaid(): () => boolean {
    return this.record.paid ? () => true : this.pending.request();
  }

  /** Searches for the trade. A person who says that there is none settles what was notified of it before the search. */
  async find(times: LookTimes, waitFor: (what: string) => void): Promise<void> {
    const { app_id, record, pending } = this;
    await pending.fulfil(async () => {
      const held = pending.beginLook();
      const found = await awaitTrade(app_id, record, times, waitFor);
      if (found) await this.read(found, times);
      else pending.settle(held);
    });
  }

  /** Asks the gateway what was notified, or what somebody wants to know. */
  async look(times: LookTimes): Promise<void> {
    await this.pending.fulfil(async () => {
      await this.read(await queryUntilFound(this.where(times)), times);
    });
  }

  /** How the trade is asked for: a person hears of what the gateway does not answer. */
  private where({ settling_ms, patience_ms }: LookTimes): Read {
    const { app_id, record } = this;
    const onUnanswered = (looked: NotFound) => {
      record.raise(attentionAfter(looked));
      this.show();
    };
    return { app_id, id: record.id, settling_ms, patience_ms, onUnanswered };
  }

  /** Whether an earlier refund came back is seen before the next one begins: then nothing tells the two apart. */
  async lookForReturns(times: LookTimes): Promise<void> {
    const { app_id, record } = this;
    if (!record.ledger.hasRefunded) return;
    const looked = await lookOnce(app_id, record.id, times);
    if (looked.is === 'found') await this.read(looked.trade, times);
  }

  /**
   * Records the gateway's answer once it agrees with what was notified, or keeps contradicting it. Where a refund has reported a
   * later one meanwhile, the gateway is asked again.
   */
  async read(queried: QueriedTrade, times: LookTimes): Promise<void> {
    const { record, pending } = this;
    const held = pending.beginLook();
    const ofTrade = held.filter((one) => isOfTrade(one, record.id.trade_no));
    const isOpen = (one: NotificationSignal) => !isOfOurs(one, record.ledger.find(one.out_request_no ?? ''));
    this.show();
    const where = this.where(times);
    const { trade, contradicted } = await queryUntilConsistent(queried, ofTrade.filter(isOpen), where, isUnanswered);
    record.reasons.settleUnanswered();
    const { tradeStatus: from } = record;
    const isOlder = record.isOlder(trade);
    // The clocks of two workers differ: asked at once, the one that is behind would answer as old for as long as they do.
    if (isOlder && record.seen) await sleep(Math.min(record.seen.asked_at - trade.asked_at, times.settling_ms));
    if (isOlder) pending.request();
    else record.applyQuery(trade, Date.now());
    if (ofTrade.length < held.length) record.raise('second-trade');
    if (!isOlder) record.noteWords(ofTrade, from);
    if (contradicted && !isOlder) record.reasons.onContradicted(ofTrade.map(claimOf));
    // One came back, nobody says which, and what is recorded does not show it.
    if (record.tradeStatus !== 'REFUND_REVOKE' && ofTrade.some(isUnnamedRevoke)) record.ledger.doubtRefunded();
    // What an older answer shows is not recorded. A dispute that it alone showed, and that is over by now, would be seen by nobody.
    const unsettled = isOlder ? held.filter((one) => contradicted || isOfTheBank(one)) : [];
    pending.putBack(unsettled);
    pending.settle(held.filter((one) => !unsettled.includes(one)));
    this.show();
  }

  /** Refunds of which the trade keeps showing nothing are put before a person. */
  async settleRevoke(times: LookTimes): Promise<void> {
    const { record } = this;
    record.applyQuery(await settledTrade('SUCCESS', this.where(times)), Date.now());
    record.reasons.settleUnanswered();
    if (record.mayBeRevoked) record.doubtRefunds();
    this.show();
  }

  onRefundChanged(change: RefundChange): void {
    if (!this.isRestored) {
      this.early.push(change);
      return;
    }
    this.refunds.noteNews(change);
    this.applyChange(change);
  }

  private applyChange({ refund, trade }: RefundChange): void {
    const { record } = this;
    const { out_request_no, outcome, failure } = refund;
    const sent_at = record.ledger.find(out_request_no)?.sent_at ?? null;
    // A refund that a person decided, or that an earlier run ended, does not change.
    if (!record.ledger.update(refund)) return;
    const said = this.said.get(out_request_no);
    const entry = record.ledger.find(out_request_no);
    if (entry && said !== undefined && contradicts(said, outcome)) record.ledger.doubt(entry);
    record.acceptStatusOf(trade?.trade_status ?? null, outcome);
    if (trade !== null) record.moveTo(trade, Date.now());
    const isUnderWay = outcome === null && refund.sent_at !== null;
    const wasSentAt = sent_at ?? refund.sent_at;
    if (!isUnderWay && wasSentAt !== null) record.compareEnds(refund, wasSentAt);
    if (failure?.type === FAILURE.duplicateRefund) record.addUnknownRefund();
    // No caller waits for the refund of a late payment, because the payment itself requested it.
    const isLate = out_request_no === latePaymentRefundNumber(record.snapshot());
    if (isLate && outcome !== null && outcome !== 'REFUNDED') record.raise('late-payment');
    this.show();
  }

  /** The trade has shown the refund's end for long, and more may have followed. */
  private onRefundFound(refund: RefundState): void {
    this.applyChange({ refund, trade: this.record.seen });
    this.record.acceptStatusOf(refund.refund_status, refund.outcome);
    // The next one may explain what the trade shows.
    if (this.record.ledger.next === undefined) this.pending.request();
  }

  /** The refund's workflow has gone and its outcome is unknown. Its amount stays reserved until a person decides. */
  private onRefundLost({ out_request_no, attempt }: RefundState): void {
    const entry = this.record.ledger.find(out_request_no);
    if (entry?.attempt === attempt) this.record.ledger.update({ ...entry, attention: 'unknown-refund' });
    this.show();
  }

  /** A refund that is not in our ledger is one from elsewhere. What contradicts our ledger is a person's to decide. */
  private compareRefund(notification: NotificationSignal): void {
    const { ledger, id } = this.record;
    if (!namesRefund(notification) || !isOfTrade(notification, id.trade_no)) return;
    const { out_request_no = '', trade_status = '' } = notification;
    const entry = ledger.find(out_request_no);
    if (entry) this.said.set(out_request_no, latestWord(this.said.get(out_request_no), trade_status));
    if (!entry) this.record.addUnknownRefund();
    else if (contradicts(trade_status, entry.outcome)) ledger.doubt(entry);
  }
}
