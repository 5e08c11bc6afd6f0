/**
 * What goes on after a payment has ended, so that nobody waits for it: a trade that may still be paid is watched, and
 * whatever needs a person stays open until a person, or the facts, have settled it.
 */
import { CancellationScope, condition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Attention, LookResult, Trade, TradeId } from '../../contract';
import {
  knownIds,
  outcomeOf,
  type PaymentFollowUpInput,
  type PaymentFollowUpState,
  type PaymentWorkflow,
  paymentWorkflowId,
  SIGNAL,
  SILENCES,
  WORKFLOW,
} from '../../contract';
import { gateway, loadLatestRun } from '../shared/activities';
import { AttentionReasons } from '../shared/attention-reasons';
import { uncancelled } from '../shared/cancellable';
import { attentionAfter } from '../shared/look';
import { pollUntil, waitForTradeChange } from '../shared/polling';
import { RecheckRequests } from '../shared/recheck-requests';
import { assertResolution } from '../shared/resolution';
import { signalIfRunning } from '../shared/signal-if-running';
import { startAbandoned } from '../shared/start-abandoned';
import { tradeAttributes, Visibility } from '../shared/visibility';
import { handOnWhatWasLeft } from './left-behind';
import { type FollowUpDecision, followUpStateQuery, recheckFollowUpUpdate, resolveFollowUpUpdate } from './messages';
import { contradictsSale, LASTING_MS, lookBeyondCopies } from './sale';

/** What the end of the trade settles. */
const SETTLED_BY_END: readonly Attention[] = ['never-ended', 'unknown-outcome'];

/** Returns its state once nothing of the payment needs anybody. */
export async function paymentFollowUp(input: PaymentFollowUpInput): Promise<PaymentFollowUpState> {
  const run = new FollowUp(input);
  // A cancellation would silently stop the watch over money that may still come.
  await CancellationScope.nonCancellable(() => run.run());
  return run.state;
}

class FollowUp {
  readonly state: PaymentFollowUpState;
  private readonly visibility = new Visibility();
  private readonly rechecks = new RecheckRequests();
  private readonly reasons: AttentionReasons;
  /** By what a trade of ours may be found. */
  private candidates: TradeId[];
  /** Those for which the last look had no answer. */
  private unanswered: readonly TradeId[];
  /** The numbers of trades that have ended, whichever number showed them. */
  private readonly ended: string[] = [];
  /** Whether a trade may still be paid. Where none may, only an answer of the gateway may be missing. */
  private readonly mayBePaid: boolean;
  /** Whether what earlier runs left to the payment is read, once Temporal's list of workflows is back. */
  private isReading: boolean;

  constructor(private readonly input: PaymentFollowUpInput) {
    const { app_id, out_trade_no, trade_no, trade_status, outcome, other_trades } = input.payment;
    this.mayBePaid = input.watch_until > Date.now();
    this.isReading = input.unread_run !== undefined;
    const trade = { app_id, out_trade_no, trade_no, trade_status, other_trades };
    this.reasons = new AttentionReasons(input.reasons);
    // What refused a creation is no answer about a trade, and only a person settles it.
    const watching = this.mayBePaid || (outcome !== null && !this.isReading && this.isAnswerMissing);
    this.state = { ...trade, outcome, attention: this.reasons.shown, watching, resolved: null };
    this.candidates = candidatesOf(input);
    this.unanswered = this.candidates;
    setHandler(followUpStateQuery, () => this.state);
    setHandler(resolveFollowUpUpdate, (decision) => this.resolve(decision), {
      validator: (decision) => assertResolution(decision),
    });
    setHandler(recheckFollowUpUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => this.rechecks.assertRoomToWait(),
    });
    setDefaultSignalHandler(() => undefined);
  }

  async run(): Promise<void> {
    this.show();
    if (this.isReading) await this.readWhatWasLeft();
    if (this.state.watching && !this.mayBePaid) await this.awaitAnswer();
    while (this.state.watching) await this.watch();
    await condition(() => this.state.attention === null);
    this.show();
  }

  /** A decision of a person does not end this: nobody has seen what is read. */
  private async readWhatWasLeft(): Promise<void> {
    await handOnWhatWasLeft(this.input);
    this.isReading = false;
    this.settle(SILENCES);
  }

  /** Waits for the trade's end, a decision, a recheck, or the end of the time in which it may be paid. */
  private async watch(): Promise<void> {
    const { app_id, trade_status: seen, attention } = this.state;
    const [id = {}, ...others] = this.candidates;
    const isRequested = this.rechecks.isRequested;
    // Any answer settles the attention that says that there is none.
    const until = isRequested || this.isAnswerMissing ? ('answered' as const) : ('ended' as const);
    const watch = { app_id, id, others, except: this.ended, seen, schedule: this.input.schedule, until };
    const left = attention === null ? this.input.watch_until - Date.now() : undefined;
    const news = await waitForTradeChange(watch, {
      isInterrupted: () => this.state.attention !== attention || (!isRequested && this.rechecks.isRequested),
      timeout_ms: left,
      summary: 'until it cannot be paid any more',
    });
    if (news === 'timeout') return this.endWatch();
    if (news === 'interrupted') return;
    await this.rechecks.fulfil(() => this.onTrade(news));
    this.show();
  }

  /** The payment ended while the gateway was silent. Nobody is sent to one that answers, so it is asked until it does. */
  private async awaitAnswer(): Promise<void> {
    await this.untilAnswered();
    // A person has settled it.
    if (this.state.attention === null) this.state.watching = false;
    else await this.endWatch();
  }

  /** Asks ever less often, at constant history, until the gateway answers what it has not, or a person decides or asks. */
  private async untilAnswered(): Promise<void> {
    const { app_id } = this.state;
    const [id = {}, ...others] = this.unanswered;
    const search = { app_id, id, others, settling_ms: LASTING_MS };
    await pollUntil(async () => ({ trade: await gateway.searchTrade(search) }), {
      isInterrupted: () => this.state.attention === null || this.rechecks.isRequested,
    });
  }

  private get isAnswerMissing(): boolean {
    return this.reasons.isUnanswered;
  }

  /** A watch ends on an answer of the gateway, and never on its silence, unless a person says so. */
  private async endWatch(): Promise<void> {
    for (;;) {
      const looked = await this.lookAtTheEnd();
      // What a person has settled before the end says nothing of what came later.
      const isSettled = this.resolved_at >= this.input.watch_until;
      if (looked !== undefined && !isSettled) this.raise(attentionAfter(looked));
      if (looked?.is !== 'no-answer' || isSettled) break;
      this.show();
      await this.untilAnswered();
    }
    this.state.watching = false;
    this.show();
  }

  /** What the gateway says instead of showing a trade of ours: one that it does not show any more may have been paid. */
  private async lookAtTheEnd(): Promise<Exclude<LookResult, { is: 'found' }> | undefined> {
    const { app_id, trade_status } = this.state;
    const { previous, patience_ms } = this.input;
    const looks: { id: TradeId; looked: LookResult }[] = [];
    await this.rechecks.fulfil(async () => {
      for (const id of [...this.candidates])
        looks.push({ id, looked: await lookBeyondCopies({ app_id, id, previous, patience_ms }) });
    });
    const found = looks.flatMap(({ looked }) => (looked.is === 'found' ? [looked.trade] : []));
    // One trade that is shown says nothing of another. The order's number counts only where nothing is shown.
    const counted = looks.filter(({ id }) => id.trade_no !== undefined || found.length === 0);
    this.unanswered = counted.filter(({ looked }) => looked.is === 'no-answer').map(({ id }) => id);
    if (this.unanswered.length === 0) this.settle(SILENCES);
    const isRevoked = looks.some(
      ({ id, looked }) => looked.is === 'found' && contradictsSale(previous, id, looked.trade),
    );
    if (isRevoked) this.raise('unlisted-transition');
    for (const trade of found) if (outcomeOf(trade.trade_status) !== null) await this.onTrade(trade);
    const missing = counted.flatMap(({ looked }) => (looked.is === 'found' ? [] : [looked]));
    // What was not answered is asked on, and then the other is looked at again.
    const lost = missing.find(({ is }) => is === 'no-answer') ?? missing[0];
    return trade_status !== null || lost?.is === 'no-answer' ? lost : undefined;
  }

  private get resolved_at(): number {
    return this.state.resolved === null ? Number.NEGATIVE_INFINITY : Date.parse(this.state.resolved.time);
  }

  private async onTrade(trade: Trade): Promise<void> {
    const { trade_no, trade_status } = trade;
    const outcome = outcomeOf(trade_status);
    // One that was adopted by its own number alone.
    if (typeof trade.out_trade_no === 'string') this.state.out_trade_no ??= trade.out_trade_no;
    this.settle(SILENCES);
    if (this.candidates.length === 1) this.state.trade_no ??= trade_no ?? null;
    this.state.trade_status = trade_status;
    if (outcome === null) return this.watchToo(trade_no);
    // Money came: the payment learns of it as by a notification, where it runs, and by a new run, where it has ended.
    if (outcome === 'SUCCESS') while (!(await this.tryToHandOn(trade)));
    this.leave(trade_no);
    this.state.watching = this.candidates.length > 0;
    // The gateway has ended every trade that is known, or its money has a run of its own.
    if (this.candidates.every((one) => one.trade_no === undefined)) this.settle(SETTLED_BY_END);
  }

  private raise(reason: Attention): void {
    this.reasons.raise(reason);
    this.state.attention = this.reasons.shown;
  }

  private settle(reasons: readonly Attention[]): void {
    for (const reason of reasons) this.reasons.settle(reason);
    this.state.attention = this.reasons.shown;
  }

  /** What the order's number shows now, it may not show again. */
  private watchToo(trade_no: string | undefined): void {
    if (trade_no === undefined || this.candidates.some((one) => one.trade_no === trade_no)) return;
    this.candidates.push({ trade_no });
  }

  /**
   * A trade that has ended is not asked for again. The order's number may still show another, where the ended one has its
   * own.
   */
  private leave(trade_no: string | undefined): void {
    if (trade_no !== undefined) this.ended.push(trade_no);
    this.candidates = this.candidates.filter((candidate) =>
      candidate.trade_no === undefined ? trade_no !== undefined : candidate.trade_no !== trade_no,
    );
  }

  /** False where the payment started or ended at this moment. */
  private async tryToHandOn(trade: Trade): Promise<boolean> {
    const { app_id, out_trade_no } = this.state;
    const { trade_status } = trade;
    const trade_no = trade.trade_no ?? null;
    if (out_trade_no === null) {
      this.raise('late-payment');
      return true;
    }
    const workflowId = paymentWorkflowId(app_id, out_trade_no);
    const ids = knownIds({ out_trade_no, trade_no });
    const latest = await loadLatestRun({ app_id, out_trade_no });
    if (latest?.is === 'running') {
      const { order_amount: amount, order_currency: currency } = trade;
      return signalIfRunning(workflowId, SIGNAL.notification, { app_id, ...ids, trade_status, amount, currency });
    }
    // Where Temporal has forgotten the payment, what it said at its end counts.
    const { previous } = latest ?? this.input;
    if (previous.outcome === 'SUCCESS' && previous.trade_no === trade_no) return true;
    return startAbandoned<PaymentWorkflow>(WORKFLOW.payment, {
      workflowId,
      args: [{ kind: 'adopt', app_id, ...ids, previous }],
      staticSummary: `Late payment of ${out_trade_no}`,
    });
  }

  private resolve({ by, reason }: FollowUpDecision): PaymentFollowUpState {
    this.reasons.clear();
    this.state.attention = null;
    this.state.resolved = { by, reason, time: new Date().toISOString() };
    this.show();
    return this.state;
  }

  private async recheck(): Promise<PaymentFollowUpState> {
    await this.rechecks.recheck(() => !this.state.watching);
    return this.state;
  }

  private get watchLine(): string {
    if (this.isReading) return 'What earlier runs left to it is read as soon as the list of workflows is back.';
    if (!this.state.watching) return 'It is not watched any more.';
    if (!this.mayBePaid) return 'The gateway is asked, ever less often, until it answers.';
    return `It may still be paid: the gateway is asked now and then, until ${new Date(this.input.watch_until).toISOString()}.`;
  }

  private show(): void {
    const { outcome, out_trade_no, trade_status, resolved } = this.state;
    const lines = [
      `After payment ${out_trade_no}, which ${outcome ? `ended ${outcome}` : 'had no outcome'} · the gateway says ${trade_status ?? 'nothing of it'}`,
      this.watchLine,
      ...(resolved ? [`Resolved at ${resolved.time}.`] : []),
    ];
    const shown = { ...this.input.payment, ...this.state };
    this.visibility.show(tradeAttributes(shown, trade_status ?? outcome ?? 'UNKNOWN'), lines);
  }
}

/**
 * The numbers by which a trade of ours may be found: its own. Where that is not known, or the order was sent more than once,
 * the order's number too, and those that were named under it.
 */
function candidatesOf({ payment, sent_again }: PaymentFollowUpInput): TradeId[] {
  const { out_trade_no, trade_no, other_trades } = payment;
  if (trade_no !== null && !sent_again) return [{ trade_no }];
  const named = [...(trade_no === null ? other_trades : [{ trade_no }])];
  return [knownIds({ out_trade_no, trade_no: null }), ...named.map((other) => ({ trade_no: other.trade_no }))];
}
