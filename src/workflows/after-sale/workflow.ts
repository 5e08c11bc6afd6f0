/**
 * The workflow `afterSale`: what follows an order's payment. Handlers append facts; the loop takes the next step, which appends facts; what is shown
 * is rendered from the state that they make. `fold.ts` says what facts mean, `next-step.ts` what is done next, `refund-table.ts` what the
 * trade's status says of a refund, `payment-end.ts` what follows from how the payment ended. It sends refunds one after the other, watches
 * for disputes, chargebacks and late money, and keeps what needs a person. It ends when nothing is left to ask; a refund or a notification
 * starts it again.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleCarried,
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleRunInput,
  type AfterSaleState,
  type Attention,
  claimOf,
  type EarlierAfterSale,
  FAILURE,
  type KnownOrder,
  type PaymentEnd,
  type PaymentPolicy,
  paymentWorkflowId,
  pollSchedule,
  type RefundAnswer,
  type RefundOrder,
  readSignal,
  refundMeaningOf,
  type SentRefund,
  SIGNAL,
  type Taking,
  timeText,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { DAY } from '../../gateway/pure/durations';
import { loadPolicy, loadPreviousRun, noticeReset } from '../shared/activities';
import { assertReadHere, isContinued, isReadHere, isResetFailure, isResetOf, wasReset } from '../shared/continued';
import {
  attentionAfter,
  type LookTimes,
  lookBriefly,
  lookOnce,
  lookUnless,
  type NotFound,
  searchOn,
} from '../shared/look';
import { NotificationEffect, recordMetric } from '../shared/metrics';
import { signalIfRunning } from '../shared/other-workflows';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { pollUntil, waitForTradeChange } from '../shared/polling';
import { RecheckRequests } from '../shared/recheck-requests';
import { type IsInTime, runUntilResolved, uncancelled, withinOneTime } from '../shared/scopes';
import { Visibility } from '../shared/visibility';
import { assertTaking } from '../shared/wait';
import { LearnedFacts } from '../shared/why';
import { afterSaleIssues, refuseAfterSale } from './broken-start';
import type { AfterSaleFact, NewAfterSaleFact, RefundAnswered } from './facts';
import { type FoldSettings, fold, isOlder, NOTHING_KNOWN, withoutBegin } from './fold';
import { findRefund, isComplete, outcomeOfRefund, refundsOf } from './ledger';
import {
  afterSaleFactsQuery,
  afterSaleNotificationSignal,
  afterSaleStateQuery,
  carriedQuery,
  paymentSignal,
  recheckAfterSaleUpdate,
  refundUpdate,
  resolveAfterSaleUpdate,
  takeAfterSaleUpdate,
} from './messages';
import { deadlineLeft, needsNoTrade, nextRefund, nextStep, type Step, turnOf, watchUntil } from './next-step';
import { findLateRefund, idsToAsk, isDenialAnswer, isOwnTrade, isUnpaid, readHandedOver } from './payment-end';
import {
  answerTo,
  askedTooOften,
  assertRefundOrder,
  closing,
  grantRefund,
  justReset,
  namingOrder,
  notEnded,
  notTaken,
  orderNotFound,
} from './refund-requests';
import {
  afterSaleAttributes,
  afterSaleDetails,
  afterSaleSubject,
  eventPaymentOf,
  stateOf,
  transitionsToTell,
  withoutRefusals,
} from './rendering';
import { assertAfterSaleResolution, decisionOf } from './resolve';
import { sendRefund } from './send-refund';
import { explainedAfterSale } from './why';

/** The update `refund` waits this long in all, then fails with `NotAnswered` or `RefundPending`. */
const REFUND_WAIT_MS = 30_000;

/** A server ends a run with 51,200 events. */
const MAX_EVENTS = 40_000;

/** The shortest time between two reads of the payment's end while none is known, in ms. */
const READ_AGAIN_MS = 10_000;

/** Until the settings are known, no time is long enough. */
const NO_TIME_IS_ENOUGH: FoldSettings = {
  settling_ms: Number.POSITIVE_INFINITY,
  late_payments: 'attention',
  poll_schedule_ms: [],
  poll_every_ms: Number.POSITIVE_INFINITY,
};

/** How long a person's decision waits for the answer to a request that is under way, in ms. */
const HELD_BACK_WITHIN_MS = 60_000;

/** Returns the last state: the refunds, and how much was refunded in all. Fails (`InvalidRequest`) under another id than its order's. */
export async function afterSale(input: AfterSaleRunInput): Promise<AfterSaleState> {
  const issues = afterSaleIssues(input);
  if (issues.length > 0) return refuseAfterSale(issues);
  const run = new AfterSaleRun(isHandedOn(input) ? input : startedAnew(input));
  // No cancellation ends what waits for a person, or for the gateway.
  await uncancelled(() => run.execute());
  return run.state;
}

type HandedOn = Pick<AfterSaleRunInput, 'sale' | 'read_by' | 'watch_until'>;

/**
 * Whether the ledger comes from the run before, which was no reset. In a start by hand, or one with an earlier run's input, the ledger is
 * old.
 */
const isHandedOn = ({ read_by }: AfterSaleRunInput) =>
  isContinued() && read_by === workflowInfo().continuedFromExecutionRunId;

const startedAnew = ({ sale: _ledger, watch_until: _until, ...input }: AfterSaleRunInput) => input;

class AfterSaleRun {
  /** All that is known, and the facts that made it. */
  private learned: LearnedFacts<KnownOrder, AfterSaleFact, FoldSettings>;
  /**
   * `reading`: earlier runs are read, and what comes waits. `unknown`: nobody has the order. `closing`: nothing may change any more.
   */
  private phase: 'reading' | 'open' | 'unknown' | 'closing' = 'reading';
  /** An activity has reported that this run is a reset: the next run reads what this one has forgotten. */
  private isReset = false;
  private readonly early: NewAfterSaleFact[] = [];
  private policy: PaymentPolicy | undefined;
  /** The requests of this run. They hold personal data, so they are neither facts nor shown. */
  private readonly requests = new Map<string, RefundOrder>();
  private readonly rechecks = new RecheckRequests();
  private readonly visibility = new Visibility();
  private readonly effect: NotificationEffect;
  private outbox: PaymentOutbox | undefined;
  private waitingFor = 'the gateway’s answer about the trade';
  /** Until when the settings ask for a watch: counted from the sale. */
  private watch_until = 0;
  /** When the payment's end was last read; ms since the epoch. */
  private read_at = 0;
  private isReadingEnd = false;
  /** How many notifications have come to this run. */
  private notified = 0;
  /** How many signals `payment` have come to this run. */
  private payments = 0;
  /** The refund that a person is deciding on now: it is not sent meanwhile. */
  private deciding: string | undefined;
  /** Whether a look at the order's trade is under way. */
  private isLooking = false;

  constructor(private readonly input: AfterSaleRunInput) {
    // Set before the first query is answered: a caller who reads the ledger while runs change has to read the same.
    this.watch_until = input.watch_until ?? 0;
    this.effect = new NotificationEffect(input.app_id);
    this.learned = new LearnedFacts(input.sale ?? introducedBy(input), fold);
    setHandler(afterSaleStateQuery, () => this.answeredState);
    setHandler(carriedQuery, () => this.carried);
    setHandler(afterSaleFactsQuery, () => this.told);
    setHandler(afterSaleNotificationSignal, (signal) => this.onNotification(signal));
    setHandler(paymentSignal, (given) => this.onPayment(given));
    setHandler(refundUpdate, (order) => uncancelled(() => this.refund(order)), {
      validator: (order) => {
        try {
          this.assertOpen();
          if (this.rechecks.isFull) throw askedTooOften();
          assertRefundOrder(order);
        } catch (error) {
          throw namingOrder(error, this.input.out_trade_no, order);
        }
      },
    });
    setHandler(recheckAfterSaleUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => {
        this.assertOpen();
        this.rechecks.assertRoomToWait();
      },
    });
    setHandler(resolveAfterSaleUpdate, (resolution) => uncancelled(() => this.resolve(resolution)), {
      validator: (resolution) => {
        this.assertOpen();
        assertAfterSaleResolution(resolution);
      },
    });
    setHandler(takeAfterSaleUpdate, (taking) => uncancelled(() => this.takeOn(taking)), {
      validator: (taking) => {
        this.assertOpen();
        assertTaking(taking, this.phase === 'reading' ? null : this.state.attention);
      },
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => this.learn({ is: 'noticed', what: 'unexpected-signal' }));
  }

  private get order(): KnownOrder {
    return this.learned.known;
  }

  get state(): AfterSaleState {
    return stateOf(this.shown, this.input.app_id, this.watchedUntil, this.policy?.dispute_ms);
  }

  /** The state as a query answers it. What was refused may have been asked for again, and paid, in a run that is not read yet. */
  private get answeredState(): AfterSaleState {
    const isUnread = this.phase === 'reading' || this.isUnnoticedReset;
    return isUnread ? withoutRefusals(this.state) : this.state;
  }

  /** Notifications that come while earlier runs are read are shown as held. */
  private get shown(): KnownOrder {
    const { heard, held } = this.order;
    const claims = this.early.flatMap((fact) => (fact.is === 'notified' ? [{ claim: fact.claim, heard }] : []));
    return { ...this.order, held: [...held, ...claims] };
  }

  /** While this run reads earlier runs, it hands on what it was given: what came meanwhile is in its history alone. */
  private get carried(): AfterSaleCarried {
    if (this.phase === 'reading') return { ...NOTHING_READ, sale: this.input.sale ?? null };
    if (this.isUnnoticedReset) return { ...NOTHING_READ, sale: this.order };
    return { sale: this.order, has_read: true, taken: this.notified, taken_payments: this.payments };
  }

  /** Whether this run is a reset that does not know it yet: the next activity that asks the gateway reports it. */
  private get isUnnoticedReset(): boolean {
    return this.policy !== undefined && isResetOf(this.policy.read_by);
  }

  private get told() {
    const { policy, watch_until, learned } = this;
    return explainedAfterSale({ policy, watch_until, learned });
  }

  async execute(): Promise<void> {
    try {
      await runUntilResolved(
        () => this.isReset,
        () => this.run(),
      );
    } catch (error) {
      if (!isResetFailure(error)) throw error;
      this.isReset = true;
    }
    if (this.isReset) await this.readInNewRun();
  }

  private async run(): Promise<void> {
    this.policy = await loadPolicy({ method: null });
    const isKnownHere = await this.recall(this.policy);
    if (!isKnownHere && (await this.isOfNobody())) return;
    for (;;) {
      this.beginWindow();
      const { step } = this;
      if (this.mayContinueAnew) await this.continueInNewRun();
      if (step.take === 'rest' && !(await this.rest())) break;
      if (step.take !== 'rest') await this.take(step);
    }
    this.phase = 'closing';
    this.waitFor('nothing: a refund or a notification starts it again');
    await this.outbox?.close();
    await assertReadHere(this.settings);
    // Notifications may have come meanwhile, and are told by this run.
    await this.outbox?.close();
    if (!this.isAtRest) await this.continueAsNew();
  }

  // — Facts —

  /** Every change goes through here: a fact, the state that it makes, and what is shown. */
  private learn(...facts: readonly NewAfterSaleFact[]): void {
    // Earlier runs are read first: their facts are older. That may take ten minutes, and a person is told of a dispute meanwhile.
    if (this.phase === 'reading') {
      this.early.push(...facts);
      if (this.state.attention !== null) this.show();
      return;
    }
    this.append(facts);
    this.show();
  }

  private append(facts: readonly NewAfterSaleFact[]): void {
    const settings = this.policy ?? NO_TIME_IS_ENOUGH;
    for (const one of facts) {
      const before = this.order;
      this.learned.add({ fact: { ...one, at: Date.now() }, settings });
      this.measure(before, one);
    }
  }

  /** Counts the outcomes of refunds, and how long notifications waited. */
  private measure(before: KnownOrder, fact: NewAfterSaleFact): void {
    const { app_id } = this.input;
    if (this.order.held.length > before.held.length) this.effect.begins();
    if (fact.is === 'queried' && fact.after >= this.order.heard) this.effect.ends();
    for (const refund of refundsOf(this.order)) {
      const outcome = outcomeOfRefund(refund);
      const known = findRefund(before, refund.number);
      if (outcome !== null && outcome !== (known && outcomeOfRefund(known)))
        recordMetric('refunds', 1, { app_id, outcome }, refund.number);
    }
  }

  /** Takes over what earlier runs knew, if Temporal still has it. Returns whether Temporal has anything of the order. */
  private async recall(policy: PaymentPolicy): Promise<boolean> {
    const { app_id, out_trade_no } = this.input;
    const facts: NewAfterSaleFact[] = [];
    const known = this.input.sale && !wasReset(policy) ? undefined : await this.readEarlierRuns();
    const given = this.factsIn(this.input.payment);
    if (known) {
      const { sale, claims, sent, is_unread, method, trade_no, end, handed } = known;
      const ledger = sale && { ...sale, denied: null };
      this.learned = new LearnedFacts(ledger ?? this.learned.begin, fold);
      const isHandedOver = endsIn([...this.early, ...given]).some(({ run_id }) => run_id === end?.run_id);
      facts.push(
        ...sent.flatMap(lostIn),
        ...handed.flatMap((one) => this.factsIn(one)),
        // The payment, or a refund that was sent, says which trade was sold. The order's number, or the starter, may name another trade.
        { is: 'introduced', method, trade_no },
        // A payment that hands itself over says more than is read of it.
        ...(end === null || isHandedOver ? [] : [{ is: 'ended', payment: end, contradicted: [] } as const]),
        ...(is_unread ? [{ is: 'noticed', what: 'unread' } as const] : []),
        ...cutOff(this.order),
        ...claims.map((claim) => ({ is: 'notified', claim }) as const),
      );
    }
    facts.push(...given);
    const payment_id = paymentWorkflowId(app_id, out_trade_no);
    // A reset has read what the run that it resets has told, and tells only what is new.
    const told = { isFirst: false, runId: policy.read_by };
    this.outbox = new PaymentOutbox(payment_id, told, policy);
    // Earlier runs have published what they knew.
    const sale = this.order;
    const shown = stateOf(sale, app_id, 0);
    const [end] = endsIn(given);
    const isNew = end !== undefined && sale.payment?.run_id !== end.run_id;
    const attention = shown.attention ?? (isNew ? end.state.attention : null);
    const { refunds } = shown;
    this.outbox.skip({ history: transitionsToTell(sale), attention, refunds }, shown.payment ?? end?.state);
    this.phase = 'open';
    // After a reset an unhandled signal comes again: the run before has told a person of it.
    const isKnownNotice = (fact: NewAfterSaleFact) => fact.is === 'noticed' && fact.what === 'unexpected-signal';
    this.learn(...facts, ...this.early.splice(0).filter((fact) => !(wasReset(policy) && isKnownNotice(fact))));
    const isKnownHere = known === undefined || isKnown(known);
    if (isKnownHere) await this.paymentFollowed();
    else this.read_at = Date.now();
    return isKnownHere;
  }

  private readEarlierRuns(): Promise<EarlierAfterSale> {
    const { app_id, out_trade_no } = this.input;
    return loadPreviousRun({ app_id, out_trade_no }, () => {
      this.append([{ is: 'noticed', what: 'no-answer' }]);
      this.waitFor('Temporal’s list of workflows: earlier runs have the ledger');
    });
  }

  /** The facts in what a payment hands over; none if no payment of this order can have sent it. */
  private factsIn(handed: unknown): NewAfterSaleFact[] {
    const given = readHandedOver(handed, this.input, Date.now());
    if (given === undefined) return [];
    const { end, claims, contradicted } = given;
    return [
      { is: 'ended', payment: end, contradicted },
      ...claims.map((claim) => ({ is: 'notified', claim }) as const),
    ];
  }

  /** Temporal has nothing of the order. Whether the gateway has nothing either, e.g. for a mistyped number: callers are told, and the run ends. */
  private async isOfNobody(): Promise<boolean> {
    if (this.isKnown) return false;
    const looked = await lookBriefly(this.input.app_id, idsToAsk(this.order)[0], this.settings.read_by);
    if (looked.is !== 'no-such-order' || this.isKnown) return false;
    this.phase = 'unknown';
    await condition(allHandlersFinished);
    this.phase = this.isKnown ? 'open' : 'closing';
    if (this.phase === 'open') return false;
    await this.outbox?.close();
    // News that came meanwhile proves that there is an order after all.
    if (this.isKnown) await this.continueAsNew();
    return true;
  }

  private get isKnown(): boolean {
    return this.order.heard > 0 || this.order.payment !== null;
  }

  private onNotification(signal: unknown): void {
    this.notified += 1;
    const read = readSignal(signal);
    this.learn(read ? { is: 'notified', claim: claimOf(read) } : { is: 'noticed', what: 'unexpected-signal' });
  }

  private onPayment(signal: unknown): void {
    this.payments += 1;
    const facts = this.factsIn(signal);
    this.learn(...(facts.length > 0 ? facts : [{ is: 'noticed', what: 'unexpected-signal' } as const]));
  }

  // — Steps —

  private get step(): Step {
    return this.stepFor(this.order);
  }

  private stepFor(order: KnownOrder): Step {
    const { deciding, watch_until } = this;
    const wishes = { isAsked: this.rechecks.isRequested, watch_until, deciding };
    return nextStep(order, Date.now(), wishes, this.settings);
  }

  private async take(step: Exclude<Step, { take: 'rest' }>): Promise<void> {
    switch (step.take) {
      case 'ask':
        return this.askFor(step.other);
      case 'find':
      case 'look':
        return this.look(step.take === 'look' ? step.lasting_ms : 0);
      case 'send':
        return this.send(step.number);
      case 'decline': {
        const { number, failure } = step;
        // The trade shows more than our ledger has: nobody knows what is left.
        if (failure.details.ledger_complete === false && isComplete(this.order))
          this.learn({ is: 'noticed', what: 'refund-elsewhere' });
        return this.learn({ is: 'answered', number, answered: { said: 'refused', failure } });
      }
      case 'pass':
        return this.learn({ is: 'passed', number: step.number, deadline: step.deadline });
      case 'watch':
        return this.watch(step);
    }
  }

  /** Whether nothing is left to ask, neither the gateway nor a person. */
  private get isAtRest(): boolean {
    return this.step.take === 'rest' && this.state.attention === null;
  }

  /** Nothing is left to ask. Returns whether the run goes on: for its callers, for a person, or as a new run. */
  private async rest(): Promise<boolean> {
    const isIdle = () => this.step.take === 'rest';
    if (!allHandlersFinished()) {
      await condition(() => allHandlersFinished() || !isIdle());
      return true;
    }
    // A closed workflow is in no list of what needs a person, and cannot be resolved.
    if (this.isAtRest) return false;
    this.waitFor('a person’s decision');
    // Without an activity, a reset would not notice that it is one, and would show an old state for as long as the person takes.
    const isInterrupted = () => !isIdle() || this.state.attention === null || this.mayContinueAnew;
    await pollUntil(() => noticeReset(this.settings), { isInterrupted });
    return true;
  }

  /** The request of a waiting refund is in this run alone: the run continues as new only if the server would soon end it. */
  private get mayContinueAnew(): boolean {
    // Rechecks lengthen the history, and use up its room for updates: so an idle run continues as new, too.
    const isTooLong = (this.rechecks.isFull || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
    return isTooLong && (nextRefund(this.order) === undefined || workflowInfo().historyLength > MAX_EVENTS);
  }

  /**
   * Asks the gateway, by every number that the trade may be found by. A status that is known counts as lasting once the gateway has
   * kept answering it for `lasting_ms`; what comes meanwhile ends the wait.
   */
  private async look(lasting_ms: number): Promise<void> {
    this.isLooking = true;
    const missing = await this.lookNow(lasting_ms).finally(() => {
      this.isLooking = false;
    });
    if (missing) await this.search(missing);
  }

  /** Returns why the trade has to be searched for; undefined if it need not. */
  private async lookNow(lasting_ms: number): Promise<NotFound['is'] | undefined> {
    const { app_id } = this.input;
    const { heard: after, seen } = this.order;
    const lasting = lasting_ms > 0 && seen !== null ? seen.status : undefined;
    const times = lasting === undefined ? this.lookTimes : { ...this.lookTimes, settling_ms: lasting_ms };
    this.waitFor(lasting === undefined ? 'the gateway’s answer about the trade' : `the status to stay ${lasting}`);
    const answer = this.rechecks.begin();
    await this.paymentFollowed();
    const { trade_no } = this.order;
    const isInterrupted = () => lasting_ms > 0 && (this.rechecks.isRequested || this.order.heard > after);
    // "No such order" counts only if each look says so, and a silence only if no look shows the trade. Another trade under the
    // order's number says nothing about the order's own.
    let missing: NotFound | undefined;
    let isFound = false;
    for (const id of idsToAsk(this.order)) {
      const looked = await lookUnless(isInterrupted, app_id, id, times, lasting);
      if (looked === null) return undefined;
      if (looked.is !== 'found') missing = missing?.is === 'no-answer' ? missing : looked;
      else await this.onTrade(looked.trade, after);
      isFound ||= looked.is === 'found' && isOwnTrade(this.order, looked.trade);
    }
    if (missing && !isFound) this.learnNothingOf(trade_no, attentionAfter(missing), after);
    answer();
    if (missing === undefined || isFound || trade_no !== this.order.trade_no) return undefined;
    return missing.is === 'no-answer' || !isDenialAnswer(this.order) ? missing.is : undefined;
  }

  /** The gateway does not show this trade. If the order has got another trade meanwhile, the answer says nothing about that one. */
  private learnNothingOf(trade_no: string | null, why: Attention, after: number): void {
    if (trade_no === this.order.trade_no) this.learn({ is: 'unanswered', why, after });
  }

  /**
   * Finds out how the payment has ended, and so which trade is the order’s: a payment that runs is asked to report its end, any other is read.
   * Returns whether it is read by now: Temporal's list may be down for long.
   */
  private followPayment(): () => boolean {
    if (!this.isFollowed && !this.isReadingEnd && Date.now() - this.read_at >= READ_AGAIN_MS) {
      this.read_at = Date.now();
      this.isReadingEnd = true;
      void uncancelled(() => this.readEnd()).finally(() => {
        this.isReadingEnd = false;
      });
    }
    // Callers also wait for a read that another caller has begun.
    return () => this.isFollowed || !this.isReadingEnd;
  }

  private get isFollowed(): boolean {
    const { payment, following, paid } = this.order;
    return payment !== null || (following !== null && paid === null);
  }

  /** Waits until the payment's end is read, but only for a while: then the gateway is asked without it. */
  private async paymentFollowed(): Promise<void> {
    const isRead = this.followPayment();
    if (isRead()) return;
    await condition(isRead, this.settings.patience_ms, { summary: 'until it is read how the payment has ended' });
  }

  private async readEnd(): Promise<void> {
    const { app_id, out_trade_no } = this.input;
    // A payment gets one signal that we wait, and one about money that it may not have seen: a signal for each question would fill its history.
    if (!this.order.following?.hasMoney) {
      // Signal first, then read: a payment that ends in between is read.
      const isRunning = await signalIfRunning(paymentWorkflowId(app_id, out_trade_no), SIGNAL.followed);
      if (isRunning) return this.learn({ is: 'following', isRunning });
    }
    const { end, is_running } = await loadPreviousRun({ app_id, out_trade_no, of: 'payment' }, () => undefined);
    if (end) this.learn({ is: 'ended', payment: end, contradicted: [] });
    else if (is_running !== (this.order.following !== null)) this.learn({ is: 'following', isRunning: is_running });
  }

  /** The gateway is silent, or denies the trade: it is asked again, ever less often, until somebody asks for a look now, or decides. */
  private async search(after: NotFound['is']): Promise<void> {
    const { app_id } = this.input;
    const { heard, reasons, trade_no } = this.order;
    const isInterrupted = () =>
      this.rechecks.isRequested ||
      this.order.trade_no !== trade_no ||
      this.order.heard > heard ||
      this.order.reasons.length < reasons.length ||
      (after === 'no-such-order' && isDenialAnswer(this.order)) ||
      needsNoTrade(this.step) ||
      this.mayContinueAnew;
    this.waitFor('the gateway to say what it has of the trade');
    const [id, ...others] = idsToAsk(this.order);
    const { settling_ms, read_by } = this.lookTimes;
    // Until the order's own trade is known, each trade may be it.
    const known = this.order.trade_no === null ? [] : this.known;
    const search = { app_id, id, others, known, after, settling_ms, read_by };
    const timeout_ms = deadlineLeft(this.order, Date.now());
    const wait = { isInterrupted, timeout_ms, summary: 'until a refund has waited too long' };
    const searched = await searchOn(search, wait);
    if (searched.is === 'found') return this.onTrade(searched.trade, heard);
    if (searched.is !== 'denied') return;
    this.learnNothingOf(trade_no, 'unknown-trade', heard);
    if (trade_no === this.order.trade_no && !isDenialAnswer(this.order)) await this.search('no-such-order');
  }

  /** The other trades under the number that the gateway has answered for: each is news once its status changes. */
  private get known() {
    return this.order.others.filter(({ asked }) => asked === 'answered');
  }

  /** A trade that nobody has seen may have been made elsewhere a moment ago: a denial has to last longer. */
  private get lookTimes(): LookTimes {
    const { settling_ms, patience_ms, read_by } = this.settings;
    return { settling_ms: this.order.seen === null ? patience_ms : settling_ms, patience_ms, read_by };
  }

  /** Another trade under the number is asked for once: a person is told of it in any case. */
  private async askFor(other: string): Promise<void> {
    this.waitFor(`what the gateway has of trade ${other}, which has the same number`);
    const looked = await lookOnce(this.input.app_id, { trade_no: other }, this.settings);
    const answer = looked.is === 'no-answer' ? 'unanswered' : 'answered';
    this.learn({ is: 'asked', other, trade: looked.is === 'found' ? looked.trade : null, answer });
  }

  private async onTrade(trade: QueriedTrade, after: number): Promise<void> {
    const { order } = this;
    this.learn({ is: 'queried', trade, after });
    // The clocks of two workers differ: asked again at once, the worker whose clock is behind would give an answer that counts as old again.
    if (!isOlder(order, trade) || order.seen === null) return;
    const ahead_ms = order.seen.asked_at - trade.asked_at;
    await sleep(Math.min(ahead_ms, this.settings.settling_ms), { summary: 'until the gateway is asked again' });
  }

  private async send(number: string): Promise<void> {
    const { app_id } = this.input;
    const { order } = this;
    const asked = this.requests.get(number);
    const refund = findRefund(order, number);
    // An earlier run took the request, and never sent it. The refund of late money has no request.
    if (refund === undefined || (asked === undefined && !refund.isLate)) return this.learn(notSentByEarlierRun(number));
    const { amount: refund_amount, currency: refund_currency } = refund;
    const request = { ...asked, out_request_no: number, refund_amount, refund_currency };
    this.learn({ is: 'begun', number });
    this.waitFor('the gateway to take the refund');
    const sent = await sendRefund(app_id, order, request, {
      ...this.settings,
      // Attempts may go on for days: they end if another step comes first meanwhile.
      isForbidden: () => {
        const step = this.stepFor(withoutBegin(this.order, number, this.settings));
        return step.take !== 'send' || step.number !== number;
      },
      onSilence: () => this.learn({ is: 'noticed', what: 'no-answer' }),
    });
    this.learn({ is: 'answered', number, answered: sent.answered });
    if (sent.credentials) this.learn({ is: 'unanswered', why: 'credentials', after: order.heard });
    if (sent.trade === null) this.learnNothingOf(order.trade_no, 'unknown-trade', order.heard);
    if (sent.trade) await this.onTrade(sent.trade, order.heard);
    else if (sent.answered.said !== 'refused' && !this.isWatchEnough(sent.answered.said)) await this.look(0);
  }

  /** A watch asks at once, and sees what the refund changes, unless the trade shows an earlier refund and may go on showing it. */
  private isWatchEnough(said: RefundAnswered['said']): boolean {
    return said === 'taken' && refundMeaningOf(this.order.seen?.status ?? null) === 'stands';
  }

  private async watch(step: Extract<Step, { take: 'watch' }>): Promise<void> {
    const { app_id } = this.input;
    const seen = this.order.seen?.status ?? null;
    const heard = this.order.heard;
    const asked = JSON.stringify(step);
    this.waitFor(waitOf(step, this.order));
    const [id, ...others] = idsToAsk(this.order);
    const { known } = this;
    const at_once = hasTakenSinceSeen(this.order);
    const { read_by } = this.settings;
    const watch = { app_id, id, others, seen, known, at_once, schedule: pollSchedule(this.settings), read_by };
    // A refund needs the gateway's answer, so a look follows daily. An unpaid order only waits for money that may come.
    const dailyLook = isUnpaid(this.order) ? undefined : DAY;
    const news = await waitForTradeChange(watch, {
      isInterrupted: () => JSON.stringify(this.step) !== asked || this.mayContinueAnew,
      timeout_ms: step.until === null ? dailyLook : step.until - Date.now(),
      summary: 'watch',
    });
    if (typeof news !== 'string') await this.onTrade(news, heard);
    // A poll does not tell of a silent gateway: a look does, once a day.
    else if (news === 'timeout' && step.until === null) await this.look(0);
  }

  private async continueInNewRun(): Promise<void> {
    this.phase = 'closing';
    const waiting = this.order.refunds.filter(({ phase, isLate }) => phase === 'waiting' && !isLate);
    this.learn(...waiting.map(({ number }) => notSentByEarlierRun(number)));
    await this.outbox?.close();
    await this.continueAsNew();
  }

  /**
   * This run is a reset. It has sent nothing, and the next run reads what this one and all before it know, as after a termination: callers
   * who wait here have to ask the next run.
   */
  private async readInNewRun(): Promise<void> {
    this.waitFor('the next run, which reads what was known before the reset');
    await condition(allHandlersFinished);
    await this.outbox?.close();
    await this.continueAsNew({});
  }

  /** Continues as a new run with the same state. Updates that come meanwhile are refused with `Closing`. */
  private async continueAsNew(handedOn: HandedOn = this.handedOn): Promise<void> {
    const { app_id, out_trade_no, trade_no } = this.input;
    await continueAsNew<typeof afterSale>({ app_id, out_trade_no, trade_no, ...handedOn });
  }

  private get handedOn(): HandedOn {
    return { sale: this.order, read_by: this.settings.read_by, watch_until: this.watch_until };
  }

  // — The updates —

  private async refund(order: RefundOrder): Promise<RefundAnswer> {
    return withinOneTime(REFUND_WAIT_MS, 'refund', (isInTime) =>
      this.refundInTime(order, async (isMet) => {
        const isInTimeNow = await isInTime(() => this.isReset || isMet());
        this.assertNotReset();
        return isInTimeNow;
      }),
    ).catch((error: unknown) => {
      throw namingOrder(error, this.input.out_trade_no, order);
    });
  }

  private async refundInTime(order: RefundOrder, isInTime: IsInTime): Promise<RefundAnswer> {
    this.rechecks.noteUpdate();
    const isEarly = this.phase === 'reading';
    if (!(await isInTime(() => this.phase !== 'reading'))) throw notTaken();
    // A look that is under way shows the trade as well as one more would.
    if (this.order.seen === null && !this.isLooking) this.rechecks.request();
    const isRead = () => this.phase === 'unknown' || this.order.seen !== null;
    if (!(await isInTime(isRead))) throw notTaken();
    if (this.phase === 'unknown') throw orderNotFound(this.input.out_trade_no);
    // The buyer may have paid since the last look.
    if (this.order.paid === null && !(await isInTime(this.rechecks.request()))) throw notTaken();
    // A payment that has not ended may sell another trade than the one that was found.
    if (!(await isInTime(this.followPayment()))) throw notTaken();
    const mayBeOfOthers = () =>
      this.order.paid !== null && this.order.payment === null && this.order.following !== null;
    if (!(await isInTime(() => !mayBeOfOthers()))) throw notEnded();
    const number = await this.requested(order, isEarly);
    const entry = () => this.state.refunds.find((one) => one.out_request_no === number);
    await isInTime(() => entry()?.answer !== null || entry()?.outcome !== null);
    return answerTo(entry(), this.state);
  }

  /** A reset may have forgotten what became of a refusal, such as that a person calls the refund paid: it refuses only once it has read. */
  private async requested(order: RefundOrder, isEarly: boolean): Promise<string> {
    try {
      return this.request(order, isEarly);
    } catch (refusal) {
      await this.readHereFirst();
      throw refusal;
    }
  }

  /** Returns the number of the refund that the request asks for. No other request comes between a grant and its fact. */
  private request(order: RefundOrder, isEarly: boolean): string {
    const { is, ...granted } = grantRefund(this.order, this.requests, order, Date.now());
    const { number } = granted;
    if (is === 'new' && this.isRepetition(isEarly)) throw justReset();
    // A refund that waits for its turn may have been taken by an earlier run: the same request lets it go on.
    const isLacking = findRefund(this.order, number)?.phase === 'waiting' && !this.requests.has(number);
    if (is === 'new' || isLacking) this.requests.set(number, order);
    if (is === 'new') {
      this.learn({ is: 'requested', ...granted });
      recordMetric('refundsRequested', 1, { app_id: this.input.app_id }, number);
      const refund = findRefund(this.order, number);
      // If it cannot be sent now, the reason may be gone since the last look.
      if (refund && turnOf(this.order, refund, Date.now()) !== 'now') this.rechecks.request();
    }
    return number;
  }

  /**
   * A server gives a reset run again every update that the run before had accepted. The callers have their answers: anyone who still wants
   * something asks again, about what is known now.
   */
  private isRepetition(isEarly: boolean): boolean {
    return isEarly && wasReset(this.settings);
  }

  /** A change during the end of a run would be lost. */
  private assertOpen(): void {
    if (this.phase === 'closing') throw closing();
    this.assertNotReset();
  }

  /** The next run reads what this one has forgotten: callers have to ask the next run. */
  private assertNotReset(): void {
    if (this.isReset) throw justReset();
  }

  private async recheck(): Promise<AfterSaleState> {
    await this.rechecks.recheck(() => this.phase === 'unknown' || this.isReset);
    this.assertNotReset();
    if (this.phase === 'unknown') throw orderNotFound(this.input.out_trade_no);
    return this.state;
  }

  private async resolve(resolution: AfterSaleResolution): Promise<AfterSaleState> {
    // The person has not seen what is read later.
    const isEarly = this.phase === 'reading';
    const { attention } = this.state;
    await condition(() => this.phase !== 'reading');
    if (this.isRepetition(isEarly)) throw justReset();
    await this.readHereFirst();
    const { out_request_no } = resolution;
    // A person's decision about the order is also one about the refund of its late money.
    const number = out_request_no ?? findLateRefund(this.order)?.number;
    if (resolution.outcome !== undefined && number) await this.holdBack(number);
    try {
      this.assertNotReset();
      this.learn({
        is: 'decided',
        ...decisionOf(this.order, resolution, isEarly ? attention : this.state.attention, Date.now()),
      });
    } finally {
      this.deciding = undefined;
    }
    return this.state;
  }

  private async takeOn({ by, note }: Taking): Promise<AfterSaleState> {
    if (this.phase !== 'reading') await this.readHereFirst();
    this.learn({ is: 'taken', by, note });
    return this.state;
  }

  /** A person decides on what is known, and not on the old state of a reset: the next run reads first. */
  private async readHereFirst(): Promise<void> {
    if (!(await isReadHere(this.settings))) this.isReset = true;
    this.assertNotReset();
  }

  /** Keeps a request from leaving us while a person decides on it, e.g. if the gateway was down until now. */
  private async holdBack(number: string): Promise<void> {
    this.deciding = number;
    const isOver = () => this.isReset || findRefund(this.order, number)?.phase !== 'sending';
    await condition(isOver, HELD_BACK_WITHIN_MS, {
      summary: 'until the request of the refund is called off',
    });
  }

  // — What is shown —

  private waitFor(what: string): void {
    this.waitingFor = what;
    this.show();
  }

  private show(): void {
    const { state } = this;
    this.visibility.show(
      afterSaleAttributes(state),
      afterSaleDetails(state, this.order.reasons, this.waitingFor),
      'now',
      afterSaleSubject(state),
    );
    this.outbox?.publishAfterSale(state, transitionsToTell(this.order), eventPaymentOf(state, this.order));
  }

  private beginWindow(): void {
    const { watch_window_ms } = this.settings;
    if (this.watch_until > 0 || watch_window_ms === 0 || isUnpaid(this.order)) return;
    this.watch_until = Date.now() + watch_window_ms;
  }

  private get watchedUntil(): number {
    const { watch_until } = this;
    return this.policy ? (watchUntil(this.order, { watch_until }, this.settings) ?? watch_until) : watch_until;
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The after-sale has not loaded its policy yet.');
  }
}

const NOTHING_READ = { has_read: false, taken: 0, taken_payments: 0 };

/** Whether Temporal has anything of the order. A run that was asked about an order that nobody has does not count. */
const isKnown = ({ has_payment, is_unread, sale }: EarlierAfterSale) =>
  has_payment || is_unread || (sale !== null && (sale.seen !== null || refundsOf(sale).length > 0));

const endsIn = (facts: readonly NewAfterSaleFact[]): PaymentEnd[] =>
  facts.flatMap((fact) => (fact.is === 'ended' ? [fact.payment] : []));

const introducedBy = ({ out_trade_no, trade_no }: AfterSaleInput): KnownOrder => ({
  ...NOTHING_KNOWN,
  out_trade_no,
  trade_no: trade_no ?? null,
});

/** A refund that an unreadable run may have sent, of the trade that was the order's then. */
const lostIn = ({ number, amount, currency, trade_no }: SentRefund): NewAfterSaleFact[] => [
  { is: 'introduced', trade_no },
  { is: 'requested', number, amount, currency },
  { is: 'begun', number },
  { is: 'answered', number, answered: { said: 'unknown' } },
];

/** Refunds that an earlier run had begun and that have no answer: they may have reached the gateway. */
function cutOff(sale: KnownOrder): NewAfterSaleFact[] {
  return refundsOf(sale)
    .filter(({ phase }) => phase === 'sending')
    .map(({ number }) => ({ is: 'answered', number, answered: { said: 'unknown' } }));
}

/** Whether a refund was taken after the gateway was last asked: the trade may have moved on already. */
const hasTakenSinceSeen = ({ seen, refunds }: KnownOrder): boolean =>
  refunds.some(({ phase, answered_at }) => phase === 'taken' && (answered_at ?? 0) >= (seen?.asked_at ?? 0));

/** What a watch waits for, in words for people. */
function waitOf({ until }: Extract<Step, { take: 'watch' }>, order: KnownOrder): string {
  if (until === null) return `the next status of the trade, which is ${order.seen?.status}`;
  return isUnpaid(order)
    ? `money that may still come, until ${timeText(until)}`
    : 'a refund, a dispute or a chargeback';
}

const notSentByEarlierRun = (number: string): NewAfterSaleFact => ({
  is: 'answered',
  number,
  answered: {
    said: 'refused',
    failure: {
      type: FAILURE.notRefunded,
      message: 'The after-sale ended before it sent this refund. Request it again.',
      details: {},
    },
  },
});
