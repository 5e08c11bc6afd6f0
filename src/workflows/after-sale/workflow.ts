/**
 * The workflow `afterSale`: what follows a sale. It runs refunds one after the other, each as a child workflow, and
 * watches for disputes and chargebacks. It ends when no refund runs and the watch window is over. A later refund or
 * notification starts it again.
 */

import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleState,
  type EarlierAfterSale,
  type PaymentPolicy,
  paymentWorkflowId,
  pollSchedule,
  type RefundAnswer,
  type RefundOrder,
  type RefundState,
  refundInQuestion,
} from '../../contract';
import { loadPolicy, loadPreviousRun } from '../shared/activities';
import { uncancelled } from '../shared/cancellable';
import { isContinued } from '../shared/continued';
import { lookBriefly } from '../shared/look';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { waitForTradeChange } from '../shared/polling';
import { Visibility } from '../shared/visibility';
import { afterSaleIssues, refuseAfterSale } from './broken-start';
import { eventPaymentOf } from './event-payment';
import {
  afterSaleCarriedQuery,
  afterSaleNotificationSignal,
  afterSaleStateQuery,
  recheckAfterSaleUpdate,
  refundUpdate,
  resolveAfterSaleUpdate,
} from './messages';
import { AfterSaleNews } from './news';
import { AfterSaleRecord } from './record';
import { refundChangedSignal } from './refund/workflow';
import {
  answerTo,
  askedTooOften,
  assertAfterSaleResolution,
  assertRefundOrder,
  closing,
  decidedRefund,
  grantRefund,
  notTaken,
  orderNotFound,
} from './requests';
import { afterSaleAttributes, afterSaleDetails } from './visibility';

/** The update `refund` waits this long in all, then fails with `NotAnswered` or `RefundPending`. */
const REFUND_WAIT_MS = 30_000;

/** What the after-sale does next. */
type Next = Act | 'await a refund' | 'await handlers' | 'await a person' | 'end';
type Act = 'look' | 'settle a revoke' | 'begin a refund' | 'watch' | 'continue as new';

/** Returns the last state: the refunds, and how much was refunded in all. Fails (`InvalidRequest`) under another id than its order's. */
export async function afterSale(input: AfterSaleInput): Promise<AfterSaleState> {
  const issues = afterSaleIssues(input);
  if (issues.length > 0) return refuseAfterSale(issues);
  const run = new AfterSaleRun(isContinued() ? input : startedAnew(input));
  // No cancellation ends what waits for a person, or for the gateway.
  await uncancelled(() => run.execute());
  return run.state;
}

/** Only the run before hands on a ledger. In a start by hand, or one that repeats an earlier run's input, it is an old one. */
const startedAnew = ({ app_id, out_trade_no, trade_no }: AfterSaleInput) => ({ app_id, out_trade_no, trade_no });

/** Whether Temporal has anything of the order. A run that was asked for an order of nobody's knows nothing either. */
function isKnown({ has_payment, is_unread, previous }: EarlierAfterSale): boolean {
  return (
    has_payment || is_unread || (previous !== null && (previous.trade_status !== null || previous.refunds.length > 0))
  );
}

class AfterSaleRun {
  private readonly record: AfterSaleRecord;
  private readonly news: AfterSaleNews;
  private readonly visibility = new Visibility();
  private policy: PaymentPolicy | undefined;
  private outbox: PaymentOutbox | undefined;
  private waitingFor = 'the gateway’s answer about the trade';
  /**
   * `restoring`: the earlier run is read. `loading`: the trade is queried. `unknown`: nobody has the order. `closing`: nothing may
   * change any more.
   */
  private phase: 'restoring' | 'loading' | 'unknown' | 'open' | 'closing' = 'restoring';
  /** Whether Temporal has anything of the order. */
  private isKnownHere = true;

  constructor(private readonly input: AfterSaleInput) {
    this.record = new AfterSaleRecord(input);
    this.news = new AfterSaleNews(input.app_id, this.record, () => this.show());
    for (const notification of input.pending_notifications ?? []) this.news.pending.add(notification);
    // Before the first query is answered: a caller who reads the ledger while runs change reads the same.
    if (input.previous) this.record.restore(input.previous, input.carried ?? null);
    this.setHandlers();
  }

  private setHandlers(): void {
    setHandler(afterSaleStateQuery, () => this.state);
    setHandler(afterSaleCarriedQuery, () => this.news.carried);
    setHandler(afterSaleNotificationSignal, (notification) => this.news.add(notification));
    setHandler(refundChangedSignal, (change) => this.news.onRefundChanged(change));
    setHandler(refundUpdate, (order) => uncancelled(() => this.refund(order)), {
      validator: (order) => {
        this.assertOpen();
        if (this.news.pending.isFull) throw askedTooOften();
        assertRefundOrder(order);
      },
    });
    setHandler(recheckAfterSaleUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => {
        this.assertOpen();
        this.news.pending.assertRoomToWait();
      },
    });
    setHandler(resolveAfterSaleUpdate, (resolution) => uncancelled(() => this.resolve(resolution)), {
      validator: (resolution) => {
        this.assertOpen();
        assertAfterSaleResolution(resolution);
      },
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => {
      this.record.raise('unexpected-signal');
      this.show();
    });
  }

  get state(): AfterSaleState {
    return this.record.snapshot(this.news.claims);
  }

  async execute(): Promise<void> {
    const policy = await loadPolicy({ method: null });
    this.policy = policy;
    await this.restorePreviousRun(policy);
    if (await this.isOfNobody()) return;
    await this.find();
    this.phase = 'open';
    for (let next = this.next; next !== 'end'; next = this.next) await this.go(next);
    this.phase = 'closing';
    this.waitFor('nothing: a refund or a notification starts it again');
    await this.outbox?.close();
    // The next run reads the notifications that came meanwhile.
    if (this.news.claims.length > 0) await this.continueAsNew();
  }

  private get next(): Next {
    const { next: refund } = this.record.ledger;
    const { pending, refunds } = this.news;
    if (pending.hasNews) return 'look';
    if (this.record.mayBeRevoked) return 'settle a revoke';
    if (refund) return refunds.isFollowed(refund) ? 'await a refund' : 'begin a refund';
    if (!allHandlersFinished() && !this.isWatching) return 'await handlers';
    if (this.isTooLong) return 'continue as new';
    if (this.isWatching) return 'watch';
    // A closed workflow is in no list of what needs a person, and cannot be resolved.
    return this.state.attention === null ? 'end' : 'await a person';
  }

  private async go(next: Exclude<Next, 'end'>): Promise<void> {
    const { ledger } = this.record;
    switch (next) {
      case 'look':
        return this.record.seen ? this.news.look(this.settings) : this.find();
      case 'settle a revoke':
        return this.news.settleRevoke(this.settings);
      case 'begin a refund':
        return this.beginRefund(ledger.next);
      case 'watch':
        return this.watch();
      case 'continue as new':
        this.phase = 'closing';
        await this.outbox?.close();
        return this.continueAsNew();
      default:
        if (next === 'await a person') this.waitFor('a person’s word');
        return condition(() => this.next !== next);
    }
  }

  /** Rechecks grow the history too, and use up its room for updates: so an idle run continues as new. */
  private get isTooLong(): boolean {
    return (workflowInfo().continueAsNewSuggested || this.news.pending.isFull) && allHandlersFinished();
  }

  /** Whether the trade has to be polled. */
  private get isWatching(): boolean {
    const watches_ms = this.record.watchesFor(Date.now());
    return watches_ms === undefined || watches_ms > 0;
  }

  /** Takes over the state of an earlier run, where Temporal still has it. */
  private async restorePreviousRun(policy: PaymentPolicy): Promise<void> {
    const { app_id, out_trade_no, previous } = this.input;
    const { record, news } = this;
    // A run that continued as new has handed on its notifications.
    const known = previous ? undefined : await loadPreviousRun({ app_id, out_trade_no });
    if (known) record.learn(known);
    if (known) this.isKnownHere = isKnown(known);
    // Only what comes from here on is news: the earlier run has published the rest.
    if (policy.has_listener) this.outbox = new PaymentOutbox(paymentWorkflowId(app_id, out_trade_no), false);
    this.outbox?.skip(record.snapshot());
    news.restored(known);
    this.phase = 'loading';
    if (policy.watch_window_ms) record.watchUntil(Date.now() + policy.watch_window_ms);
    this.show();
  }

  /** Whether nobody has the order, as where a number was mistyped: who waits is told at once, and nothing is left behind. */
  private async isOfNobody(): Promise<boolean> {
    const isNotified = () => this.news.claims.length > 0;
    if (this.isKnownHere || isNotified()) return false;
    const looked = await lookBriefly(this.input.app_id, this.record.id);
    if (looked.is !== 'no-such-order' || isNotified()) return false;
    this.phase = 'unknown';
    await condition(allHandlersFinished);
    // A notification proves that there is an order after all.
    this.phase = isNotified() ? 'loading' : 'closing';
    if (this.phase === 'closing') await this.outbox?.close();
    return this.phase === 'closing';
  }

  private find(): Promise<void> {
    return this.news.find(this.settings, (what) => this.waitFor(what));
  }

  private async watch(): Promise<void> {
    const { watched_until, trade_status } = this.state;
    const timeout_ms = this.record.watchesFor(Date.now());
    this.waitFor(
      timeout_ms === undefined
        ? `the next status of the trade, which is ${trade_status}`
        : `a refund, or a dispute or chargeback until ${watched_until}`,
    );
    const { app_id } = this.input;
    const watch = { app_id, id: this.record.id, seen: trade_status, schedule: pollSchedule(this.settings) };
    const hasWork = () => this.news.pending.hasNews || this.record.ledger.next !== undefined || this.isTooLong;
    // A person's word may end a watch without a limit.
    const isLimited = () => this.record.watchesFor(Date.now()) !== undefined;
    const isInterrupted = () => hasWork() || !this.isWatching || (timeout_ms === undefined && isLimited());
    const news = await waitForTradeChange(watch, { isInterrupted, timeout_ms, summary: 'watch window' });
    if (news !== 'interrupted' && news !== 'timeout') this.record.applyQuery(news, Date.now());
    this.show();
  }

  private async beginRefund(entry: RefundState | undefined): Promise<void> {
    if (!entry) return;
    if (entry.started_at === null) await this.news.lookForReturns(this.settings);
    if (this.record.mayBeRevoked) return;
    this.waitFor(`refund ${entry.out_request_no}`);
    await this.news.follow(entry);
    this.show();
  }

  /** Continues as a new run with the same state. Updates that come meanwhile are refused with `Closing`. */
  private async continueAsNew(): Promise<void> {
    const { carried, pending } = this.news;
    const pending_notifications = pending.all;
    await continueAsNew<typeof afterSale>({ ...this.input, previous: this.state, pending_notifications, carried });
  }

  // — The updates —

  private async refund(order: RefundOrder): Promise<RefundAnswer> {
    const latest = Date.now() + REFUND_WAIT_MS;
    const isInTime = (fn: () => boolean) => condition(fn, Math.max(latest - Date.now(), 1), { summary: 'refund' });
    this.news.pending.noteUpdate();
    if (!(await isInTime(() => this.phase !== 'restoring' && this.phase !== 'loading'))) throw notTaken();
    if (this.phase === 'unknown') throw this.notFound;
    const isLookedAt = this.news.lookIfUnpaid();
    if (!isLookedAt() && !(await isInTime(isLookedAt))) throw notTaken();
    const entry = grantRefund(this.record, this.state, order);
    this.show();
    await isInTime(() => entry.answer !== null || entry.outcome !== null);
    return answerTo(entry, this.state);
  }

  private get notFound(): ApplicationFailure {
    return orderNotFound(this.record.id.out_trade_no ?? null);
  }

  /** A change during the end of a run would be lost. */
  private assertOpen(): void {
    if (this.phase === 'closing') throw closing();
  }

  private async recheck(): Promise<AfterSaleState> {
    const { refunds, pending } = this.news;
    await pending.recheck(() => this.phase === 'unknown');
    if (this.phase === 'unknown') throw this.notFound;
    const { next } = this.record.ledger;
    if (next && refunds.isFollowed(next)) refunds.tell(next, {});
    return this.state;
  }

  private async resolve(resolution: AfterSaleResolution): Promise<AfterSaleState> {
    await condition(() => this.phase !== 'restoring');
    const { record, news } = this;
    const { attention: shown } = this.state;
    const entry = decidedRefund(record, resolution, shown);
    if (entry) await news.refunds.decide(entry, resolution);
    record.applyResolution(resolution, shown, Date.now());
    this.show();
    return this.state;
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The after-sale has not loaded its policy yet.');
  }

  private waitFor(what: string): void {
    this.waitingFor = what;
    this.show();
  }

  /** What has changed is shown, and told to the refund that runs, whatever else is under way. */
  private show(): void {
    const { state } = this;
    const { next } = this.record.ledger;
    if (next) this.news.refunds.holdBack(next);
    const details = afterSaleDetails(state, this.waitingFor);
    this.visibility.show(afterSaleAttributes(state), details, 'now', refundInQuestion(state));
    this.outbox?.publishAfterSale(state, eventPaymentOf(this.record.snapshot()));
  }
}
