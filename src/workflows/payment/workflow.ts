/**
 * The workflow `payment`: create or adopt the trade, wait for its outcome, return it. Handlers and steps append facts (`facts.ts`); `fold.ts`
 * says what they mean. The next step comes from a table while the order is created (`creation-table.ts`), and from a list of rules while it
 * waits for its outcome (`next-step.ts`); `creation.ts` and `await-outcome.ts` take the steps. At the end `hand-over.ts` hands on what is left.
 */

import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AdoptedPayment,
  type Attention,
  creationAnswer,
  failureAnew,
  isNotCreatedFailure,
  knownIds,
  type NotificationSignal,
  type PaymentCarried,
  type PaymentData,
  type PaymentInput,
  type PaymentPolicy,
  type PaymentResolution,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  type QueriedTrade,
  saysWithoutOrder,
  shownFailure,
  type Taking,
  tradesNamedBy,
} from '../../contract';
import { loadPolicy } from '../shared/activities';
import { assertReadBySame, assertReadHere, isReadHere, isResetOf, restartIfReset, wasReset } from '../shared/continued';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { RecheckRequests } from '../shared/recheck-requests';
import { runUntilResolved, uncancelled } from '../shared/scopes';
import { type Upsert, Visibility } from '../shared/visibility';
import { assertTaking } from '../shared/wait';
import { LearnedFacts } from '../shared/why';
import { adoptTrade, mayPeek, peekAtPaid } from './adoption';
import { assertSameOrder, createdAnswer, notCanceledFailure, notWithdrawnYetFailure, waitForAnswer } from './answers';
import { OutcomeWait } from './await-outcome';
import { issuesOf, refuse } from './broken-start';
import type { PaymentContext } from './context';
import { OrderCreation } from './creation';
import { orderTimes } from './deadlines';
import { FirstRun, mayFollowAnother, readEarlierRuns } from './earlier-runs';
import type { NewPaymentFact, PaymentFact } from './facts';
import { foldPayment, type PaymentFoldSettings } from './fold';
import { handOverPayment } from './hand-over';
import { knownOfTrade } from './known-before';
import {
  cannotBeWithdrawn,
  carriedOf,
  isCertainlyUnsent,
  isOver,
  isResolved,
  isSlowToCreate,
  isTakenOn,
  type KnownPayment,
  lastingReasons,
  mayExist,
  nameOf,
  paymentState,
  signalsIn,
  startedWith,
} from './known-payment';
import { MeasuredPayment } from './measured';
import {
  cancelUpdate,
  createdUpdate,
  followedSignal,
  notificationSignal,
  paymentCarriedQuery,
  paymentFactsQuery,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
  takeUpdate,
} from './messages';
import { assertResolvable } from './resolve';
import { paymentAttributes, paymentDetails, paymentSubject } from './visibility';
import { explainedPayment } from './why';

/** Returns the payment's final state. Fails (`InvalidRequest`, `NotCreated`, `DuplicateOrder`) only if there is no order. */
export async function payment(input: PaymentInput): Promise<PaymentState> {
  const { cancelRequested } = CancellationScope.current();
  return uncancelled(async () => {
    const issues = issuesOf(input);
    if (issues.length > 0) return refuse(issues, input?.app_id);
    const run = new PaymentRun(input);
    // A cancellation withdraws an order that was certainly not sent. Any other order goes on: the gateway cannot take it back.
    cancelRequested.catch(() => run.withdraw());
    await run.join();
    try {
      await run.execute();
    } finally {
      await run.close();
      await condition(allHandlersFinished);
    }
    return run.state;
  });
}

class PaymentRun implements PaymentContext {
  /** All that is known, and the facts that made it: only `learn` changes it. */
  private learned: LearnedFacts<KnownPayment, PaymentFact, PaymentFoldSettings>;
  readonly app_id: string;
  readonly requests = new RecheckRequests();
  private settings: PaymentPolicy | undefined;
  private readonly visibility = new Visibility();
  private readonly first: FirstRun;
  private readonly measured: MeasuredPayment;
  private outbox: PaymentOutbox | undefined;
  /**
   * `joining`: what earlier runs knew is not read yet. `waiting`: the trade is known. `giving-way`: this run made no order, and
   * continues as the earlier payment, which takes over what is open.
   */
  private phase: 'joining' | 'creating' | 'waiting' | 'giving-way';
  /** What ended the payment before there was an order: callers who wait are told. */
  private failure: unknown;
  private waitingFor = 'the gateway to take the order';

  constructor(private readonly input: PaymentInput) {
    this.learned = new LearnedFacts(startedWith(input), foldPayment);
    this.app_id = input.app_id;
    this.measured = new MeasuredPayment(input.app_id);
    this.first = new FirstRun(input);
    // Before the handlers: an update may have come with the start.
    this.phase = phaseAtStart(input);
    setHandler(stateQuery, () => this.state);
    setHandler(paymentCarriedQuery, () => this.carried);
    setHandler(paymentFactsQuery, () => this.told);
    setHandler(notificationSignal, (signal?: NotificationSignal) => this.onNotification(signal));
    setHandler(followedSignal, () => this.onFollowed());
    const given = (input.kind === 'adopt' && input.pending_notifications) || [];
    this.learn(...given.map((signal) => ({ is: 'carried', signal }) as const));
    setHandler(cancelUpdate, () => uncancelled(() => this.cancel()), { validator: () => this.assertWithdrawable() });
    setHandler(createdUpdate, (again?: PaymentInput) => uncancelled(() => this.created(again)), {
      validator: (again?: PaymentInput) => {
        assertSameOrder(this.known, this.state, again, this.failure);
        this.requests.assertRoom();
      },
    });
    setHandler(recheckUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => this.requests.assertRoomToWait(),
    });
    setHandler(resolveUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => assertResolvable(resolution, this.state, this.whyUnresolvable),
    });
    setHandler(takeUpdate, (taking) => this.take(taking), {
      validator: (taking) => assertTaking(taking, this.state.attention),
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => this.raise('unexpected-signal'));
  }

  get known(): KnownPayment {
    return this.learned.known;
  }

  get state(): PaymentState {
    return paymentState(this.known);
  }

  get policy(): PaymentPolicy {
    if (this.settings) return this.settings;
    throw ApplicationFailure.nonRetryable('The payment has not loaded its policy yet.');
  }

  private get carried(): PaymentCarried {
    const carried = carriedOf(this.known, workflowInfo().runId, this.failure);
    return { ...carried, has_read: carried.has_read && this.phase !== 'giving-way' };
  }

  private get told() {
    const { input, learned, settings: policy } = this;
    return explainedPayment({ input, learned, policy, began: workflowInfo().startTime.getTime() });
  }

  // — Facts —

  readonly learn = (...facts: readonly NewPaymentFact[]): void => {
    const settings: PaymentFoldSettings = { late_payments: this.settings?.late_payments ?? 'attention' };
    for (const one of facts) {
      const before = this.known;
      this.learned.add({ fact: { ...one, at: Date.now() }, settings });
      this.measured.learned(one, before, this.known);
      if (one.is === 'raised') this.show();
    }
  };

  readonly raise = (attention: Attention): void => this.learn({ is: 'raised', attention });

  readonly waitFor = (what: string, upsert?: Upsert): void => {
    this.waitingFor = what;
    this.show(upsert);
  };

  // — The payment’s life —

  /** Takes in what earlier runs knew of a trade that exists already. */
  async join(): Promise<void> {
    if (this.phase === 'joining' && !this.first.isProven) await this.recall();
  }

  private async recall(): Promise<void> {
    this.waitFor('what earlier runs of this order knew: they are read first', 'later');
    this.learn({ is: 'recalled', earlier: await readEarlierRuns(this) });
  }

  async execute(): Promise<void> {
    try {
      await restartIfReset(
        () => this.run(),
        () => this.forget(),
      );
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.measured.decided();
      this.show();
    }
  }

  private async run(): Promise<void> {
    this.show(mayPeek(this.known) ? 'later' : 'now');
    const [policy, paid] = await Promise.all([loadPolicy({ method: this.state.method }), peekAtPaid(this.known)]);
    this.settings = policy;
    assertReadBySame(this.known.earlier, policy);
    if (this.phase === 'joining' && this.known.earlier === null && !this.isFirst) await this.recall();
    this.phase = 'creating';
    this.measured.began(this.known);
    const { workflowId, originalExecutionRunId: runId } = workflowInfo();
    this.outbox = new PaymentOutbox(workflowId, { isFirst: this.isFirst, runId }, policy);
    try {
      await this.untilResolved(() => this.createOrAdopt(paid));
      await this.untilResolved(() => new OutcomeWait(this, orderTimes(this.input)).run());
    } catch (error) {
      // If this run is a reset, a later run than the failed one may have sold the order.
      if (saysWithoutOrder(error)) await assertReadHere(policy);
      throw error;
    }
  }

  /**
   * An activity has reported that this run is a reset. Nothing was asked or sent yet, so the run starts again, as after a reset to its first
   * task, and reads what earlier runs know. Facts from outside stay, and the order's time still counts from the run's start.
   */
  private async forget(): Promise<void> {
    await this.outbox?.close();
    const told = this.learned.latest.flatMap(({ fact }) => (isTold(fact) ? [fact] : []));
    this.outbox = undefined;
    this.settings = undefined;
    this.phase = phaseAtStart(this.input);
    this.learned = new LearnedFacts(startedWith(this.input), foldPayment);
    this.learn(...told);
  }

  /** Whether no run was before this one. Its starter's proof cannot know of a later reset, nor of a run that Temporal has forgotten. */
  private get isFirst(): boolean {
    const { settings } = this;
    return this.first.isProven && !(settings && (wasReset(settings) || settings.is_followed));
  }

  /** Waits for handlers and events, then hands over what goes on after the payment. Meanwhile updates may come. */
  async close(): Promise<void> {
    await condition(allHandlersFinished);
    await this.outbox?.close();
    const { settings, input, visibility, failure } = this;
    if (!settings) return visibility.withdraw();
    const isFailed = saysWithoutOrder(failure) && input.kind !== 'adopt' && !this.isFirst;
    if (isFailed) await this.giveWay();
    await this.tellFailure();
    // Under another workflow id than the order's, it may be a second trade of an order that already has a payment.
    const { app_id, out_trade_no } = this.state;
    const isOrders = out_trade_no === null || workflowInfo().workflowId === paymentWorkflowId(app_id, out_trade_no);
    const isFirst = this.isFirst || (this.known.isAdopted && this.known.before === undefined && isOrders);
    await handOverPayment({ input, context: this, failure, isFirst });
    if (isTakenOn(this.known)) await this.takeOnNotified();
    this.measured.ended(this.known);
    visibility.withdraw();
  }

  /** Whoever started the payment may have been told only that it goes on. */
  private async tellFailure(): Promise<void> {
    // Who adopts a trade asks for no order.
    const failure = this.input.kind === 'adopt' ? null : shownFailure(this.failure);
    if (failure === null || !this.outbox) return;
    this.outbox.publishFailure(this.state, failure);
    await this.outbox.close();
    // If this run was reset meanwhile, a later one may have sold the order.
    if (saysWithoutOrder(this.failure) && !(await isReadHere(this.policy))) await this.giveWay();
  }

  /** Continues as the run that the webhook would start for the trade that was notified last. */
  private async takeOnNotified(): Promise<void> {
    const { known } = this;
    const trade_no = tradesNamedBy(signalsIn(known.claims)).at(-1) ?? known.shown.trade_no;
    const may_be = mayExist(known) && known.order ? known.order : undefined;
    await this.continueWith(trade_no, { reasons: lastingReasons(known), may_be });
  }

  /** Callers reach the latest run only. So a run that made no order continues as the earlier one that did. */
  private async giveWay(): Promise<void> {
    const before = knownOfTrade(await readEarlierRuns(this));
    if (before?.made !== 'order') return;
    await condition(allHandlersFinished);
    this.phase = 'giving-way';
    await this.continueWith(null);
  }

  private continueWith(trade_no: string | null, more: Pick<AdoptedPayment, 'reasons' | 'may_be'> = {}): Promise<never> {
    this.visibility.withdraw();
    const { app_id, out_trade_no } = this.state;
    const ids = knownIds({ out_trade_no, trade_no });
    const pending_notifications = signalsIn(this.known.claims);
    return continueAsNew<PaymentWorkflow>({ kind: 'adopt', app_id, ...ids, pending_notifications, ...more });
  }

  /** `paid`: the adopted trade, if the first look found it paid. */
  private async createOrAdopt(paid: QueriedTrade | null): Promise<void> {
    if (this.input.kind === 'adopt') await adoptTrade(this.input, paid, this);
    else await new OrderCreation(this.input, this).run(this.isFirst);
    this.phase = 'waiting';
  }

  // — The signals and updates —

  /** A signal without a proper argument may come from anybody. It proves nothing, and only requests a look. */
  private onNotification(signal: NotificationSignal | undefined): void {
    this.learn({ is: 'notified', signal: signal ?? {} });
    if (!signal?.trade_no && !signal?.trade_status) this.requests.request();
    this.show('later');
  }

  /** The after-sale that waits for the end may know of money, so the gateway is asked now. */
  private onFollowed(): void {
    this.learn({ is: 'followed' });
    this.requests.request();
  }

  private async created(again: PaymentInput | undefined): Promise<PaymentData> {
    this.requests.noteUpdate();
    if (!this.settings) this.first.note(again);
    const isAnswered = () =>
      this.failure !== undefined || (this.phase !== 'joining' && creationAnswer(this.state) !== undefined);
    await waitForAnswer(isAnswered, () => this.isSlow, 'created');
    if (this.failure !== undefined) throw failureAnew(this.failure);
    // When the update came, earlier runs were perhaps not read yet.
    assertSameOrder(this.known, this.state, again, this.failure);
    return createdAnswer(this.known, this.state, again);
  }

  /** Whether the answer takes longer than a first, short try to send the order. */
  private get isSlow(): boolean {
    return this.input.kind === 'adopt' || !this.isFirst || isSlowToCreate(this.known);
  }

  private get whyUnresolvable(): string | null {
    const hasRead = this.phase === 'waiting' || this.known.earlier !== null || this.known.reasons.includes('no-answer');
    const isUnread = this.phase === 'joining' || (mayFollowAnother(this.input, this.isFirst) && !hasRead);
    if (isUnread || (this.settings && isResetOf(this.settings.read_by)))
      return 'earlier runs of the payment are read first: ask again. Where that fails, the pending activity says why, such as a key that the worker lacks';
    return this.failure === undefined ? null : 'the payment has failed already';
  }

  private async recheck(): Promise<PaymentState> {
    const isUnsent = () => isCertainlyUnsent(this.known) && this.phase !== 'waiting';
    await this.requests.recheck(() => isOver(this.known) || this.failure !== undefined || isUnsent());
    return this.state;
  }

  /** A cancellation of the workflow, or the update `cancel`: the order is not sent any more. */
  withdraw(): void {
    this.learn({ is: 'withdrawn' });
  }

  /**
   * Withdraws an order that was certainly not sent, and fails if that cannot be done. An order that may have been sent is not sent
   * again.
   */
  private async cancel(): Promise<PaymentState> {
    this.requests.noteUpdate();
    this.withdraw();
    await waitForAnswer(
      () => this.failure !== undefined || this.isTooLate,
      () => this.isSlow,
      'cancel',
    );
    if (isNotCreatedFailure(this.failure)) return this.state;
    if (this.failure !== undefined) throw failureAnew(this.failure);
    const name = nameOf(this.known);
    throw this.isTooLate ? notCanceledFailure(name, this.state) : notWithdrawnYetFailure(name);
  }

  /** The gateway has the order, or may have it. */
  private get isTooLate(): boolean {
    return this.isMade || cannotBeWithdrawn(this.known);
  }

  /** There is a trade, or the payment is over. */
  private get isMade(): boolean {
    return this.input.kind === 'adopt' || this.phase === 'waiting' || isOver(this.known);
  }

  /** Refuses a `cancel` that would fail and change nothing: an update refused here adds nothing to the history, however often it comes. */
  private assertWithdrawable(): void {
    const { known } = this;
    const isForNothing = this.isMade || (known.isWithdrawn && cannotBeWithdrawn(known));
    if (isForNothing && this.failure === undefined) throw notCanceledFailure(nameOf(known), this.state);
    this.requests.assertRoom();
  }

  private resolve({ outcome, by, reason }: PaymentResolution): PaymentState {
    this.learn(outcome === undefined ? { is: 'seen', by, reason } : { is: 'decided', outcome, by, reason });
    this.show();
    return this.state;
  }

  private take({ by, note }: Taking): PaymentState {
    this.learn({ is: 'taken', by, note });
    this.show();
    return this.state;
  }

  /** Runs a part of the payment, which the update `resolve` may end at any point. */
  private async untilResolved(part: () => Promise<void>): Promise<void> {
    const isDecided = () => isResolved(this.known);
    if (!isDecided()) await runUntilResolved(isDecided, part);
  }

  private show(upsert: Upsert = 'now'): void {
    const { known, state, waitingFor } = this;
    this.visibility.show(paymentAttributes(known), paymentDetails(known, waitingFor), upsert, paymentSubject(known));
    this.outbox?.publish(state);
  }
}

const phaseAtStart = ({ kind }: PaymentInput) => (kind === 'adopt' ? 'joining' : 'creating');

/** Whether the fact came to this run from outside, and not from a query or from earlier runs. */
const isTold = ({ is }: PaymentFact) => TOLD.includes(is);
const TOLD: readonly PaymentFact['is'][] = ['notified', 'carried', 'withdrawn', 'followed'];
