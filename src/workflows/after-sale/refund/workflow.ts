/**
 * The workflow `refund`: wait until the trade can be refunded, request the refund and never blindly repeat that, track it to
 * its outcome: observe, interpret; if final, require that it lasts; else wait. Only an after-sale starts it, one refund of a
 * trade at a time. `interpret.ts` says what statuses mean, `sending.ts` when it is sent.
 */

import {
  ApplicationFailure,
  CancellationScope,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
} from '@temporalio/workflow';
import {
  knownIds,
  type NotificationSignal,
  type PaymentPolicy,
  pollSchedule,
  QUERY,
  type RefundChange,
  type RefundInput,
  type RefundState,
  SIGNAL,
} from '../../../contract';
import { DAY } from '../../../gateway/pure/durations';
import { because, notNow, type RefundFailure } from '../../order/refusals';
import { loadPolicy } from '../../shared/activities';
import { runUntilResolved } from '../../shared/cancellable';
import { attentionAfter, type NotFound } from '../../shared/look';
import { waitForTradeChange } from '../../shared/polling';
import { queryUntilFound, type Read, settledTrade } from '../../shared/stale-read';
import { Visibility } from '../../shared/visibility';
import { refundAttributes, refundDetails } from '../visibility';
import { RefundEvidence } from './evidence';
import { SETTLINGS_OF_A_COPY } from './interpret';
import { type PersonsDecision, RunningRefund } from './record';
import { type AfterTry, RefundSending } from './sending';

const refundStateQuery = defineQuery<RefundState>(QUERY.state);
export const refundChangedSignal = defineSignal<[RefundChange]>(SIGNAL.refundChanged);
const resolveRefundSignal = defineSignal<[PersonsDecision]>(SIGNAL.resolve);
const holdBackSignal = defineSignal<[RefundFailure]>(SIGNAL.holdBack);
const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);

/**
 * After this long without news, the trade is queried. If the refund's turn still waits for its next status, a person is
 * asked.
 */
const SILENT_MS = DAY;

/** Returns the refund's final state. */
export async function refund(input: RefundInput): Promise<RefundState> {
  const run = new RefundRun(input);
  await run.execute();
  return run.state;
}

class RefundRun {
  private readonly record: RunningRefund;
  private readonly evidence: RefundEvidence;
  private readonly visibility = new Visibility();
  private policy: PaymentPolicy | undefined;
  private sending: RefundSending | undefined;
  private resolution: PersonsDecision | undefined;
  private waitingFor = 'its turn';
  private lastSignal = '';

  constructor(private readonly input: RefundInput) {
    const record = new RunningRefund(input.state);
    this.record = record;
    this.evidence = new RefundEvidence(input);
    setHandler(refundStateQuery, () => this.state);
    setHandler(notificationSignal, (notification) => {
      this.evidence.add(notification);
      // It may come from a new after-sale, which knows nothing of this refund yet: report again.
      this.lastSignal = '';
      // An empty one asks for the state: without an answer, the after-sale takes this refund for lost.
      if (notification?.trade_status === undefined) void this.signalChange();
    });
    setHandler(holdBackSignal, (obstacle) => this.evidence.holdBack(obstacle));
    setHandler(resolveRefundSignal, (decision) => {
      if (record.isOutdated(decision, Date.now())) void this.signalChange({ declined: true });
      else this.resolution = decision;
    });
  }

  get state(): RefundState {
    return { ...this.record.refund };
  }

  async execute(): Promise<void> {
    this.show();
    const { record } = this;
    await runUntilResolved(
      () => this.resolution !== undefined && !record.isOver,
      () => this.proceed(),
    );
    if (this.resolution && !record.isOver) record.resolve(this.resolution);
    await this.report();
  }

  private async proceed(): Promise<void> {
    const { record, evidence } = this;
    this.policy = await loadPolicy({ method: this.input.trade.method });
    const sending = new RefundSending(this.input, record, evidence, this.read, (what) => this.waitFor(what));
    this.sending = sending;
    for (let next: AfterTry = 'await turn'; next !== 'track' && !record.isOver; )
      next = next === 'send' ? await sending.send() : await this.awaitTurn(sending);
    while (!record.isOver) await this.track();
  }

  /** Waits until the trade can be refunded, and its status is one that our ledger explains. */
  private async awaitTurn(sending: RefundSending): Promise<AfterTry> {
    const { evidence } = this;
    await this.query();
    for (;;) {
      const { turn, obstacle } = evidence;
      if (obstacle) return this.refuse(sending, obstacle);
      if (evidence.claimed !== null && turn !== 'no') {
        if (await this.lasts()) return this.refuse(sending, claimed(evidence.claimed, evidence.now));
      } else if (turn === 'later') {
        await this.waitFor(`the trade, which is ${evidence.now}, to be one that can be refunded`);
        if (!(await this.waitForNews())) this.record.raise('unknown-refund');
      } else if (turn === 'now' && evidence.hasSeenOthers) {
        evidence.hasSeenOthers = !(await this.lasts(SETTLINGS_OF_A_COPY));
      } else if (turn === 'now') {
        this.record.settle('unknown-refund');
        evidence.begin();
        return 'send';
      } else return this.refuse(sending, turn === 'no' ? notNow(evidence.now) : elsewhere(evidence.now));
    }
  }

  /** There is no refund, unless the run before a reset has sent it: then only facts, or a person, can tell. */
  private async refuse(sending: RefundSending, failure: RefundFailure): Promise<AfterTry> {
    if (!(await sending.wasReset())) this.record.refuse(failure);
    return 'track';
  }

  /** Acts on what is known of the refund, and waits for more. */
  private async track(): Promise<void> {
    const { record, evidence } = this;
    const { reading } = evidence;
    // Whoever made what the trade shows may be named meanwhile.
    if (reading.is !== 'pending' && reading.settlings > 0 && !(await this.lasts(reading.settlings))) return;
    if (evidence.isShown && record.refund.answer === null) await this.answerFromTheTrade();
    if (reading.is === 'pending') {
      record.settle('unknown-refund');
      await this.waitFor(WAITS_FOR[evidence.now] ?? 'the gateway');
      await this.waitForNews();
      return;
    }
    if (reading.is === 'ended') return record.end(reading.outcome, evidence.now, evidence.named);
    evidence.noteLasting();
    record.raise('unknown-refund');
    await this.waitFor('news of the refund, about which the trade’s status says nothing, or a person’s decision');
    await this.waitForNews();
  }

  /** Whether the status stays the same for so many settling times, and nothing else is learned meanwhile. */
  private async lasts(settlings = 1): Promise<boolean> {
    const { evidence } = this;
    const before = JSON.stringify(evidence.observation);
    const { now: seen } = evidence;
    await this.waitFor(`the status to stay ${seen}`);
    const settling_ms = settlings * this.settings.settling_ms;
    evidence.observe(await settledTrade(seen, { ...this.read, settling_ms }));
    this.record.settleUnanswered();
    return JSON.stringify(evidence.observation) === before;
  }

  /**
   * Waits for another status than the present one, or for a notification, which causes a query. After a day without either, a
   * query says whether the gateway answers at all. Returns whether something has come.
   */
  private async waitForNews(): Promise<boolean> {
    const { evidence } = this;
    const watch = { ...this.trade, seen: evidence.now, schedule: pollSchedule(this.settings) };
    const options = {
      isInterrupted: () => evidence.hasNews,
      timeout_ms: SILENT_MS,
      summary: 'until the gateway is asked how the refund stands',
    };
    const news = await waitForTradeChange(watch, options);
    if (typeof news === 'string') await this.query();
    else evidence.observe(news);
    return news !== 'timeout';
  }

  /** Queries the trade. After a long silence a person is told, and the query is repeated ever more slowly. */
  private async query(): Promise<void> {
    this.evidence.hasNews = false;
    this.evidence.observe(await queryUntilFound(this.read));
    this.record.settleUnanswered();
  }

  /** A look of a refund: what the gateway does not answer is before a person until it does. */
  private get read(): Read {
    const { settling_ms, patience_ms } = this.settings;
    return { ...this.trade, settling_ms, patience_ms, onUnanswered: (looked) => this.onUnanswered(looked) };
  }

  private async onUnanswered(looked: NotFound): Promise<void> {
    const { record } = this;
    // Who decides now has to know whether the run before a reset may have sent it.
    if (record.refund.sent_at === null) await this.sending?.wasReset();
    record.raise(attentionAfter(looked));
    await this.waitFor('the gateway to say what it has of the trade');
  }

  /** The gateway's answer was lost, and the trade shows that the refund exists: callers get that as their answer. */
  private async answerFromTheTrade(): Promise<void> {
    const { trade_no, out_trade_no } = this.input;
    this.record.answerRecovered({ out_trade_no, trade_no }, this.evidence.now);
    await this.report();
  }

  private get trade() {
    const { app_id, trade_no = null, out_trade_no = null } = this.input;
    return { app_id, id: knownIds({ trade_no, out_trade_no }) };
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The refund has not loaded its policy yet.');
  }

  private async waitFor(what: string): Promise<void> {
    this.waitingFor = what;
    await this.report();
  }

  /** Shows what has changed, and signals it to the after-sale. */
  private async report(): Promise<void> {
    const { record, evidence } = this;
    if (evidence.isKnownToExist && evidence.isAttributed && !record.isOver) record.refund.refund_status = evidence.now;
    record.refund.unnamed_end_seen = evidence.hasUnnamedEnd;
    this.show();
    const text = JSON.stringify([this.state, evidence.now]);
    if (text === this.lastSignal) return;
    this.lastSignal = text;
    await this.signalChange();
  }

  private async signalChange(more: Pick<RefundChange, 'declined'> = {}): Promise<void> {
    const change: RefundChange = { refund: this.state, trade: this.evidence.seen, ...more };
    await CancellationScope.nonCancellable(async () => {
      // An after-sale that has ended gets no signal. The next one asks for the state.
      await getExternalWorkflowHandle(this.input.after_sale_id)
        .signal(refundChangedSignal, change)
        .catch(() => undefined);
    });
  }

  private show(): void {
    const { refund } = this.record;
    this.visibility.show(refundAttributes(refund), refundDetails(refund, this.waitingFor));
  }
}

/** What a pending refund waits for, by the trade's status. */
const WAITS_FOR: Record<string, string | undefined> = {
  REFUND_VERIFYING: 'the buyer, who has to name an account for the money',
  REFUND_PROCESSING: 'the gateway, which is refunding the money',
};

const elsewhere = (status: string) =>
  because(`The trade is ${status} by a refund that we did not make, so we do not know what is left.`, status);

const claimed = (claim: string, status: string) =>
  because(`The gateway said that the trade is ${claim}, and its query says now that it is ${status}.`, status);
