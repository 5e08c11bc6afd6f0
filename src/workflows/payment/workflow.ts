/**
 * The workflow `payment`: create or adopt the trade (`creation.ts`), wait for its outcome (`await-outcome.ts`), return
 * the outcome. The decisions stand elsewhere: statuses and outcomes in `contract/transitions.ts`, times in `deadlines.ts`, and
 * what an answer changes in `record.ts`. `broken-start.ts` refuses a broken start, and `after-end.ts` hands on what is left.
 */

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Attention,
  creationAnswer,
  FAILURE,
  failureAnew,
  isNotCreatedFailure,
  knownIds,
  type NotificationSignal,
  type PaymentData,
  type PaymentInput,
  type PaymentPolicy,
  type PaymentResolution,
  type PaymentState,
  type PaymentWorkflow,
  saysWithoutOrder,
  type Trade,
  tradesNamedBy,
  typedFailure,
} from '../../contract';
import { loadPolicy } from '../shared/activities';
import { runUntilResolved, uncancelled } from '../shared/cancellable';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { PendingNotifications } from '../shared/pending-notifications';
import { type Upsert, Visibility } from '../shared/visibility';
import { adoptTrade } from './adoption';
import { OutcomeWait } from './await-outcome';
import { issuesOf, refuse } from './broken-start';
import type { GatewayProblem, PaymentContext } from './context';
import { createdAnswer, waitForAnswer } from './created-answer';
import { OrderCreation } from './creation';
import { notCanceledFailure, notWithdrawnYetFailure } from './creation-failures';
import { orderTimes } from './deadlines';
import { mayFollowAnother, nextAfterRunBefore, wasReset, whatItKnew } from './earlier-runs';
import { FirstRun } from './first-run';
import { asPrevious, handOverPayment } from './hand-over';
import {
  cancelUpdate,
  createdUpdate,
  creationAskedQuery,
  notificationSignal,
  paymentCarriedQuery,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
} from './messages';
import { mayPeek, peekAtPaid } from './peek';
import { PaymentRecord } from './record';
import { assertResolvable } from './resolvable';
import { assertSameOrder } from './same-request';
import { paymentAttributes, paymentDetails } from './visibility';

/** Returns the payment's final state. Fails (`InvalidRequest`, `NotCreated`, `DuplicateOrder`) only where there is no order. */
export async function payment(input: PaymentInput): Promise<PaymentState> {
  const { cancelRequested } = CancellationScope.current();
  return uncancelled(async () => {
    const issues = issuesOf(input);
    if (issues.length > 0) return refuse(issues, input?.app_id);
    const run = new PaymentRun(input);
    // A cancellation withdraws an order that was certainly not sent. Any other goes on: the gateway cannot take it back.
    cancelRequested.catch(() => run.withdraw());
    await run.joinEarlierRun();
    try {
      await run.execute();
    } finally {
      await run.close();
      await condition(allHandlersFinished);
    }
    return run.state;
  });
}

class PaymentRun {
  private readonly record: PaymentRecord;
  private readonly visibility = new Visibility();
  private readonly pending = new PendingNotifications();
  private readonly first: FirstRun;
  private context: PaymentContext | undefined;
  private outbox: PaymentOutbox | undefined;
  private creation: OrderCreation | undefined;
  private isCreated = false;
  private isWithdrawn = false;
  private isResolved = false;
  /** How many notifications have come. */
  private taken = 0;
  /** Whether this run may give way to one that knows the order. */
  private isJoining: boolean;
  /** What ended the payment before there was an order: callers who wait are told. */
  private failure: unknown;
  private waitingFor = 'the gateway to take the order';
  private problem: GatewayProblem | undefined;

  constructor(private readonly input: PaymentInput) {
    this.record = new PaymentRecord(input);
    this.first = new FirstRun(input);
    // Before the handlers: an update may have come with the start.
    this.isJoining = input.kind === 'adopt';
    setHandler(stateQuery, () => this.state);
    // An adopted trade was made by others, or by the run before.
    setHandler(creationAskedQuery, () => input.kind === 'adopt' || (this.creation?.sends ?? 0) > 0);
    setHandler(paymentCarriedQuery, () => ({ taken: this.taken, claims: this.pending.unsettled }));
    setHandler(notificationSignal, (signal?: NotificationSignal) => this.onNotification(signal));
    if (input.kind === 'adopt') for (const one of input.pending_notifications ?? []) this.pending.add(one);
    setHandler(cancelUpdate, () => uncancelled(() => this.cancel()), { validator: () => this.assertWithdrawable() });
    setHandler(createdUpdate, (again?: PaymentInput) => uncancelled(() => this.created(again)), {
      validator: (again?: PaymentInput) => {
        assertSameOrder(input, this.state, again, this.failure);
        this.pending.assertRoom();
      },
    });
    setHandler(recheckUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => this.pending.assertRoomToWait(),
    });
    setHandler(resolveUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => assertResolvable(resolution, this.state, this.whyUnresolvable),
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => {
      this.record.raise('unexpected-signal');
      this.show();
    });
  }

  get state(): PaymentState {
    return this.record.snapshot;
  }

  /** Continues as the run that made the order, if this one was started without it; or takes over what the run before knew. */
  async joinEarlierRun(): Promise<void> {
    const { input, record, thisRun, first } = this;
    if (input.kind !== 'adopt' || (first.isProven && !input.previous)) return;
    if (!first.isProven && !input.previous?.outcome) await this.goOnWithRunBefore();
    record.recall(await whatItKnew(input.previous, thisRun));
  }

  async execute(): Promise<void> {
    this.show(mayPeek(this.input) ? 'later' : 'now');
    const [policy, paid] = await Promise.all([loadPolicy({ method: this.state.method }), peekAtPaid(this.input)]);
    // Its starter knew of no reset.
    if (this.isJoining && this.first.isProven && wasReset(policy)) await this.goOnWithRunBefore();
    this.isJoining = false;
    const context = this.contextFor(policy, paid);
    this.context = context;
    if (policy.has_listener) this.outbox = new PaymentOutbox(workflowInfo().workflowId, this.input.kind !== 'adopt');
    this.record.acceptsLatePayments = policy.late_payments === 'accept';
    try {
      await this.untilResolved(() => this.createOrAdopt(context));
      await this.untilResolved(() => this.awaitOutcome(context));
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.show();
    }
  }

  /** Waits for handlers and events, then hands over what goes on after the payment. Meanwhile updates may come. */
  async close(): Promise<void> {
    await condition(allHandlersFinished);
    await this.outbox?.close();
    const { context, input, pending, visibility, creation, failure } = this;
    if (!context) return visibility.withdraw();
    const isFailed = saysWithoutOrder(failure) && input.kind !== 'adopt' && !this.first.isProven;
    if (isFailed) await this.goOnWithRunBefore({ isOfOrder: true });
    // Without an order of ours, what was notified is taken on by a run of its own.
    if (!this.record.isOver && pending.all.length > 0) await this.takeOnNotified();
    const isFirst = this.first.isProven || (input.kind === 'adopt' && input.previous === undefined);
    await handOverPayment({ input, context, pending, creation, failure, isFirst });
    visibility.withdraw();
  }

  /** Continues as the run that the webhook would start for the trade that was notified last. */
  private async takeOnNotified(): Promise<void> {
    const { state, input, failure, pending, record } = this;
    const { app_id, out_trade_no } = state;
    const named = tradesNamedBy(pending.all);
    const trade_no = named.at(-1) ?? state.trade_no;
    this.visibility.withdraw();
    await continueAsNew<PaymentWorkflow>({
      ...{ kind: 'adopt', app_id, previous: asPrevious(state, input, failure), reasons: record.reasons.lasting },
      ...{ ...knownIds({ out_trade_no, trade_no }), pending_notifications: pending.all },
    });
  }

  /** Callers reach the latest run only. So a run that made no order continues as the earlier one that did, or that has a trade. */
  private async goOnWithRunBefore({ isOfOrder = false } = {}): Promise<void> {
    const next = await nextAfterRunBefore(this.input, this.thisRun, isOfOrder);
    if (!next) return;
    this.failure ??= typedFailure(FAILURE.pending, `Order ${this.record.outTradeNo} goes on as before: ask again.`);
    await condition(allHandlersFinished);
    this.visibility.withdraw();
    await continueAsNew<PaymentWorkflow>({ ...next, pending_notifications: this.pending.all });
  }

  private async createOrAdopt(context: PaymentContext): Promise<void> {
    if (this.input.kind === 'adopt') return adoptTrade(this.input, context, this.pending);
    this.creation = new OrderCreation(this.input, context, this.pending, () => this.isWithdrawn, this.first.isProven);
    await this.creation.run();
    this.isCreated = true;
  }

  private awaitOutcome(context: PaymentContext): Promise<void> {
    const sentAgain = this.creation?.hasSentAgain === true;
    return new OutcomeWait(this.input.app_id, orderTimes(this.input), context, this.pending, sentAgain).run();
  }

  /** The run that goes on from what earlier runs of the payment left. */
  private get thisRun() {
    const raise = (attention: Attention) => {
      this.record.raise(attention);
      this.show();
    };
    return { record: this.record, pending: this.pending, raise };
  }

  private contextFor(policy: PaymentPolicy, paid: Trade | null): PaymentContext {
    return {
      ...this.thisRun,
      policy,
      paid,
      onGatewayError: (problem) => {
        this.problem = problem;
      },
      waitFor: (what, upsert) => {
        this.waitingFor = what;
        this.show(upsert);
      },
    };
  }

  /** A signal without a proper argument may come from anybody. It proves nothing, and only requests a look. */
  private onNotification(signal: Partial<NotificationSignal> | undefined): void {
    this.taken += 1;
    if (signal?.trade_no || signal?.trade_status) this.pending.add(signal);
    else this.pending.request();
    this.show('later');
  }

  private async created(again: PaymentInput | undefined): Promise<PaymentData> {
    this.pending.noteUpdate();
    if (!this.creation) this.first.note(again);
    const isAnswered = () => this.failure !== undefined || creationAnswer(this.state) !== undefined;
    await waitForAnswer(isAnswered, () => this.isSlow, 'created');
    if (this.failure !== undefined) throw failureAnew(this.failure);
    return createdAnswer(this.input, this.state, again, this.problem);
  }

  /** Whether the answer takes longer than a first, short try to send the order. */
  private get isSlow(): boolean {
    return this.input.kind === 'adopt' || !this.first.isProven || this.creation?.attempts.isPastFirst === true;
  }

  private get whyUnresolvable(): string | null {
    const hasRead = this.isCreated || this.creation?.earlier.hasRead || this.record.reasons.has('no-answer');
    if (this.isJoining || (mayFollowAnother(this.input, this.first.isProven) && !hasRead))
      return 'earlier runs of the payment are read first: ask again';
    return this.failure === undefined ? null : 'the payment has failed already';
  }

  private async recheck(): Promise<PaymentState> {
    const isUnsent = () => this.creation?.isCertainlyUnsent === true && !this.isCreated;
    await this.pending.recheck(() => this.record.isOver || this.failure !== undefined || isUnsent());
    // It gives way to a run that knows the order, and has not looked.
    if (this.isJoining && this.failure !== undefined) throw failureAnew(this.failure);
    return this.state;
  }

  /** A cancellation of the workflow, or the update `cancel`: the order is not sent any more. */
  withdraw(): void {
    this.isWithdrawn = true;
  }

  /**
   * Withdraws an order that was certainly not sent, and says plainly where that cannot be done. Where it may have been sent, it is
   * not sent again.
   */
  private async cancel(): Promise<PaymentState> {
    this.pending.noteUpdate();
    this.withdraw();
    await waitForAnswer(
      () => this.failure !== undefined || this.isTooLate,
      () => this.isSlow,
      'cancel',
    );
    if (isNotCreatedFailure(this.failure)) return this.state;
    if (this.failure !== undefined) throw failureAnew(this.failure);
    const { outTradeNo } = this.record;
    throw this.isTooLate ? notCanceledFailure(outTradeNo, this.state) : notWithdrawnYetFailure(outTradeNo);
  }

  /** The gateway has the order, or may have it. */
  private get isTooLate(): boolean {
    const isSent = this.input.kind === 'adopt' || this.isCreated || this.creation?.cannotBeWithdrawn === true;
    return isSent || this.record.isOver;
  }

  /** Refuses what `cancel` would refuse, where that changes nothing: a refused update takes no room, however often it comes. */
  private assertWithdrawable(): void {
    const isForNothing = this.isWithdrawn || this.isCreated || this.input.kind === 'adopt' || this.record.isOver;
    if (isForNothing && this.isTooLate && this.failure === undefined)
      throw notCanceledFailure(this.record.outTradeNo, this.state);
    this.pending.assertRoom();
  }

  private resolve(resolution: PaymentResolution): PaymentState {
    const { outcome, by, reason } = resolution;
    if (outcome === undefined) {
      this.record.settleShown({ by, reason }, Date.now());
      this.show();
      return this.state;
    }
    // A person settles what they were shown: what came since is compared at the end.
    if (outcome !== 'SUCCESS' && this.record.reasons.areAboutMoney) this.pending.forgetContradicted();
    this.record.applyResolution({ outcome, by, reason }, Date.now());
    this.isResolved = true;
    this.show();
    return this.state;
  }

  /** Runs a part of the payment, which the update `resolve` may end at any point. */
  private async untilResolved(part: () => Promise<void>): Promise<void> {
    const isResolved = () => this.isResolved;
    if (!isResolved()) await runUntilResolved(isResolved, part);
  }

  private show(upsert: Upsert = 'now'): void {
    const details = paymentDetails(this.record, this.pending, this.waitingFor);
    this.visibility.show(paymentAttributes(this.state), details, upsert);
    this.outbox?.publish(this.state);
  }
}
