/**
 * The workflow `payment`: create or adopt the trade (`creation.ts`), wait for its outcome (`await-outcome.ts`), return
 * the outcome. The decisions stand elsewhere: statuses and outcomes in `contract/transitions.ts`, times in
 * `deadlines.ts`, and what an answer changes in `record.ts`. This file has the signals, updates and queries, and what
 * happens at the end.
 */

import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleWorkflow,
  type Attention,
  afterSaleWorkflowId,
  answerToKeep,
  creationAnswer,
  detailsOf,
  differingFields,
  FAILURE,
  fieldsUnlikeTrade,
  isAfterSaleStatus,
  isNotCreatedFailure,
  isOfAnother,
  knownIds,
  madeElsewhere,
  type NewPayment,
  type NotificationSignal,
  orderOf,
  type PaymentData,
  type PaymentFollowUpInput,
  type PaymentInput,
  type PaymentOutcome,
  type PaymentPolicy,
  type PaymentResolution,
  type PaymentState,
  type PreviousRun,
  paymentFollowUpWorkflowId,
  paymentWorkflowId,
  pollSchedule,
  QUERY,
  SIGNAL,
  saysWithoutOrder,
  typedFailure,
  UPDATE,
  WORKFLOW,
} from '../../contract';
import { loadOrderBefore, loadPolicy, requestLatePaymentRefund } from '../shared/activities';
import { runUntilResolved } from '../shared/cancellable';
import { Mailbox } from '../shared/mailbox';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { assertResolution, type RequestIssue } from '../shared/resolution';
import { signalIfRunning } from '../shared/signal-if-running';
import { startAbandoned } from '../shared/start-abandoned';
import { Visibility } from '../shared/visibility';
import { adoptTrade } from './adoption';
import { OutcomeWait } from './await-outcome';
import type { GatewayProblem, PaymentContext } from './context';
import { OrderCreation } from './creation';
import { orderDeadlines } from './deadlines';
import { type Ending, endingOf, isOfTheApp } from './ending';
import { lookAtOtherTrades } from './other-trades';
import { PaymentRecord } from './record';
import { paymentAttributes, paymentDetails } from './visibility';

export const createdUpdate = defineUpdate<PaymentData, [PaymentInput?]>(UPDATE.created);
export const recheckUpdate = defineUpdate<PaymentState>(UPDATE.recheck);
export const cancelUpdate = defineUpdate<PaymentState>(UPDATE.cancel);
export const resolveUpdate = defineUpdate<PaymentState, [PaymentResolution]>(UPDATE.resolve);
export const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const stateQuery = defineQuery<PaymentState>(QUERY.state);
const creationAskedQuery = defineQuery<boolean>(QUERY.creationAsked);

/** The update `created` waits this long for the gateway, then fails with `PaymentPending`. */
const CREATED_WAIT_MS = 30_000;

const OUTCOMES: readonly PaymentOutcome[] = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'];

/**
 * Returns the payment's final state. Fails (`InvalidRequest`, `NotCreated`, `DuplicateOrder`) only where the order was
 * never created.
 */
export async function payment(input: PaymentInput): Promise<PaymentState> {
  const issues = issuesOf(input);
  if (issues.length > 0) return refuse(issues, input?.app_id);
  const run = new PaymentRun(input);
  // A cancellation withdraws an order that was certainly not sent. Any other goes on: the gateway cannot take it back.
  const scope = CancellationScope.current();
  scope.cancelRequested.catch(() => run.withdraw());
  return CancellationScope.nonCancellable(async () => {
    try {
      await run.execute();
    } finally {
      await run.close();
    }
    return run.state;
  });
}

/** A handler begins outside of what `payment` protects from a cancellation. */
const uncancelled = <T>(act: () => Promise<T>): Promise<T> => CancellationScope.nonCancellable(act);

/** A start that no payment can be made of fails, instead of stopping its workflow task for ever. */
function issuesOf(input: PaymentInput | undefined): RequestIssue[] {
  const { app_id, kind } = input ?? {};
  return [
    ...(kind === 'direct' || kind === 'checkout' || kind === 'adopt'
      ? []
      : [{ field: 'kind', rule: 'direct, checkout or adopt' }]),
    ...(typeof app_id === 'string' && app_id !== '' ? [] : [{ field: 'app_id', rule: 'required' }]),
    ...(input && input.kind !== 'adopt' ? orderIssues(input) : []),
  ];
}

/** Whoever asks this run is told why. A notification that came to it is genuine, and its trade is taken on. */
async function refuse(issues: RequestIssue[], app_id: unknown): Promise<never> {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  const refusal = () => {
    throw typedFailure(FAILURE.invalidRequest, `No payment was started. ${list}`, { issues });
  };
  for (const update of [createdUpdate, recheckUpdate, cancelUpdate, resolveUpdate]) setHandler(update, refusal);
  const nothing = new PaymentRecord({ kind: 'adopt', app_id: typeof app_id === 'string' ? app_id : '' });
  setHandler(stateQuery, () => nothing.snapshot);
  setHandler(creationAskedQuery, () => false);
  const pending_notifications: (NotificationSignal & { app_id: string })[] = [];
  setHandler(notificationSignal, (signal?: NotificationSignal) => {
    const of = signal?.app_id;
    if (typeof of === 'string' && signal?.trade_no) pending_notifications.push({ ...signal, app_id: of });
  });
  const before = await loadOrderBefore();
  await condition(allHandlersFinished);
  const [first] = pending_notifications;
  if (before) return continueAsNew<typeof payment>({ ...before, pending_notifications });
  if (first === undefined) return refusal();
  const { out_trade_no, trade_no } = first;
  const adopted = { kind: 'adopt', app_id: first.app_id, out_trade_no, trade_no, pending_notifications } as const;
  return continueAsNew<typeof payment>(adopted);
}

function orderIssues({ app_id, request }: Partial<NewPayment>): RequestIssue[] {
  const text = (field: 'out_trade_no' | 'order_amount' | 'order_currency') =>
    typeof request?.[field] === 'string' && request[field] !== ''
      ? []
      : [{ field: `request.${field}`, rule: 'required, as text' }];
  const missing = [...text('out_trade_no'), ...text('order_amount'), ...text('order_currency')];
  if (missing.length > 0) return missing;
  const workflowId = paymentWorkflowId(app_id ?? '', request?.out_trade_no ?? '');
  if (workflowInfo().workflowId === workflowId) return [];
  return [{ field: 'workflow id', rule: `must be ${workflowId}: it is what keeps an order from being created twice` }];
}

class PaymentRun {
  private readonly record: PaymentRecord;
  private readonly visibility = new Visibility();
  private readonly mailbox = new Mailbox();
  private policy: PaymentPolicy | undefined;
  private outbox: PaymentOutbox | undefined;
  private creation: OrderCreation | undefined;
  private isCreated = false;
  private isWithdrawn = false;
  /** Each has an id of its own. */
  private followUps = 0;
  /** What a follow-up was started for. */
  private followedUp: Attention | 'watched' | undefined;
  /** What ended the payment before there was an order: callers who wait are told. */
  private failure: unknown;
  private waitingFor = 'the gateway to take the order';
  private problem: GatewayProblem | undefined;

  constructor(private readonly input: PaymentInput) {
    this.record = new PaymentRecord(input);
    setHandler(stateQuery, () => this.state);
    // An adopted trade was made by others, or by the run before.
    setHandler(creationAskedQuery, () => input.kind === 'adopt' || this.creation?.wasAsked === true);
    setHandler(notificationSignal, (signal?: NotificationSignal) => this.onNotification(signal));
    if (input.kind === 'adopt') for (const one of input.pending_notifications ?? []) this.mailbox.add(one);
    setHandler(cancelUpdate, () => uncancelled(() => this.cancel()));
    setHandler(createdUpdate, (again?: PaymentInput) => uncancelled(() => this.created(again)), {
      validator: (again?: PaymentInput) => this.assertSameOrder(again),
    });
    setHandler(recheckUpdate, () => uncancelled(() => this.recheck()));
    setHandler(resolveUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
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

  async execute(): Promise<void> {
    this.show();
    const policy = await loadPolicy({ method: this.state.method });
    this.policy = policy;
    const { workflowId } = workflowInfo();
    if (policy.has_listener) this.outbox = new PaymentOutbox(workflowId, this.input.kind !== 'adopt');
    if (policy.accept_late_payments) this.record.latePaymentPolicy = 'accept';
    if (policy.refund_late_payments) this.record.latePaymentPolicy = 'refund';
    try {
      await this.untilResolved(() => this.createOrAdopt(policy));
      await this.untilResolved(() => this.awaitOutcome(policy));
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.show();
    }
  }

  /** Waits for handlers and events, then starts what goes on after the payment. */
  async close(): Promise<void> {
    await condition(allHandlersFinished);
    await this.outbox?.close();
    const { policy } = this;
    if (policy && this.failure === undefined) {
      await this.startAfterSaleIfNeeded(policy);
      await this.refundLatePayment();
      await this.outbox?.close();
    }
    // Whatever comes meanwhile is taken care of, until nothing is left at the moment of the end.
    while (policy && (await this.handOn(policy)));
    this.visibility.withdraw();
    if (saysWithoutOrder(this.failure)) await this.goOnWithOrderBefore();
  }

  /** A run that made no order does not stand before the one that did: everybody asks the latest run. */
  private async goOnWithOrderBefore(): Promise<void> {
    if (this.input.kind === 'adopt' || this.input.started_once) return;
    const before = await loadOrderBefore();
    const { unsettled } = this.mailbox;
    if (before) await continueAsNew<typeof payment>({ ...before, pending_notifications: unsettled });
  }

  /** Hands on one thing that is left. Returns false if nothing is. */
  private async handOn(policy: PaymentPolicy): Promise<boolean> {
    const { state, mailbox } = this;
    const { mayHaveSent, sentAgain } = this;
    const ending = endingOf({ state, unsettled: mailbox.unsettled, mayHaveSent, sentAgain });
    const { forAfterSale, otherTrades, reopenFor, mayStillBePaid } = ending;
    if (state.outcome !== null && state.trade_no === null) this.record.noteCandidate(ending.trade_no);
    if (otherTrades.length > 0)
      await lookAtOtherTrades(otherTrades, this.input.app_id, this.contextFor(policy), mailbox);
    else if (forAfterSale.length > 0) {
      for (const notification of forAfterSale) await this.forwardToAfterSale(notification);
      mailbox.settle(forAfterSale);
    } else if (this.isToFollowUp(ending)) {
      this.followedUp = state.attention ?? 'watched';
      await this.outbox?.close();
      await this.startFollowUp(policy, mayStillBePaid);
    } else if (reopenFor) await this.reopenFor(reopenFor);
    else return false;
    return true;
  }

  /** A new run watches its trade itself, and shows what needs a person. Whether that is the trade of this run is not known. */
  private isToFollowUp({ mayStillBePaid, reopenFor }: Ending): boolean {
    const { attention, trade_no } = this.state;
    if (reopenFor && !this.sentAgain && (trade_no !== null || !mayStillBePaid)) return false;
    return (mayStillBePaid || attention !== null) && this.followedUp !== (attention ?? 'watched');
  }

  private get mayHaveSent(): boolean {
    const hasNoOrder = this.failure !== undefined || this.state.refused_because !== null;
    return hasNoOrder && this.creation?.mayHaveSent === true;
  }

  private get sentAgain(): boolean {
    return this.creation?.hasSentAgain === true;
  }

  private async createOrAdopt(policy: PaymentPolicy): Promise<void> {
    const context = this.contextFor(policy);
    if (this.input.kind === 'adopt') return adoptTrade(this.input, context, this.mailbox);
    this.creation = new OrderCreation(this.input, context, this.mailbox, () => this.isWithdrawn);
    await this.creation.run();
    this.isCreated = true;
  }

  private awaitOutcome(policy: PaymentPolicy): Promise<void> {
    return new OutcomeWait(this.input.app_id, this.orderTimes, this.contextFor(policy), this.mailbox).run();
  }

  private get orderTimes(): Parameters<typeof orderDeadlines>[0] {
    return this.input.kind === 'adopt' ? {} : this.input.request;
  }

  /** A sold trade gets an after-sale at once where the settings ask for it, or where the trade has moved on already. */
  private async startAfterSaleIfNeeded({ watch_window_ms }: PaymentPolicy): Promise<void> {
    const { outcome, trade_status } = this.state;
    if (outcome !== 'SUCCESS') return;
    if (watch_window_ms > 0 || isAfterSaleStatus(trade_status ?? '')) await this.startAfterSale();
  }

  private async startAfterSale(): Promise<void> {
    const { app_id, out_trade_no, trade_no } = this.state;
    if (out_trade_no === null) return;
    // A refund or a notification may have started the after-sale already.
    await startAbandoned<AfterSaleWorkflow>(WORKFLOW.afterSale, {
      workflowId: afterSaleWorkflowId(app_id, out_trade_no),
      args: [{ app_id, ...knownIds({ out_trade_no, trade_no }) }],
      staticSummary: `After the sale of ${out_trade_no}`,
    });
  }

  private async forwardToAfterSale(claim: NotificationSignal): Promise<void> {
    const { app_id, out_trade_no } = this.state;
    if (out_trade_no === null) return;
    const workflowId = afterSaleWorkflowId(app_id, out_trade_no);
    // It may not run yet, or have just ended.
    while (!(await signalIfRunning(workflowId, SIGNAL.notification, claim))) await this.startAfterSale();
  }

  /** A trade that goes on gets the run that the webhook would have started. */
  private async reopenFor({ trade_no }: NonNullable<Ending['reopenFor']>): Promise<void> {
    const { app_id, out_trade_no } = this.state;
    this.visibility.withdraw();
    await continueAsNew<typeof payment>({
      ...{ kind: 'adopt', app_id, previous: this.asPrevious, pending_notifications: this.mailbox.unsettled },
      ...knownIds({ out_trade_no, trade_no }),
    });
  }

  private get asPrevious(): PreviousRun {
    const { outcome, confirmed_by, trade_no, trade_status, order_amount, other_trades } = this.state;
    const payment_data = answerToKeep(this.state);
    const { runId: run_id } = workflowInfo();
    const trade = { trade_no, trade_status, order_amount, other_trades };
    const order = saysWithoutOrder(this.failure) || isOfAnother(this.input) ? null : orderOf(this.input);
    return { run_id, outcome, confirmed_by, order, payment_data, ...trade };
  }

  /** Nobody who waits for the outcome waits for what goes on after it. */
  private async startFollowUp(policy: PaymentPolicy, mayStillBePaid: boolean): Promise<void> {
    const { payment_data: _data, ...last } = this.state;
    const { app_id, out_trade_no, attention } = last;
    if (out_trade_no === null) return;
    const { runId, runStartTime } = workflowInfo();
    const deadline = orderDeadlines(this.orderTimes, runStartTime.getTime(), policy).at(-1)?.at ?? 0;
    const input: PaymentFollowUpInput = {
      payment: last,
      // An order with a bare secret is kept in no second history.
      previous: attention === 'bare-secret' ? { ...this.asPrevious, order: undefined } : this.asPrevious,
      sent_again: this.sentAgain,
      watch_until: mayStillBePaid ? Math.max(deadline, Date.now() + policy.grace_ms) : 0,
      schedule: pollSchedule(policy),
    };
    this.followUps += 1;
    // One follow-up waits for all orders that failed by our credentials.
    const isShared = !mayStillBePaid && isOfTheApp(attention);
    await startAbandoned(WORKFLOW.paymentFollowUp, {
      workflowId: isShared
        ? paymentFollowUpWorkflowId(app_id, '', 'credentials')
        : paymentFollowUpWorkflowId(app_id, out_trade_no, this.followUps === 1 ? runId : `${runId}:${this.followUps}`),
      args: [input],
      staticSummary: `After payment ${out_trade_no}`,
    });
  }

  /** Sends late money back, where the settings ask for it. What becomes of the refund is the after-sale's. */
  private async refundLatePayment(): Promise<void> {
    const { app_id, out_trade_no, order_amount, order_currency, method, late_refund } = this.state;
    if (!late_refund) return;
    if (out_trade_no === null || order_amount === null || order_currency === null) {
      return this.record.applyLatePaymentRefund({ is: 'refused', reason: 'the gateway does not say what was paid' });
    }
    const { out_request_no } = late_refund;
    const refund = { refund_amount: order_amount, refund_currency: order_currency, out_request_no };
    const { taskQueue: task_queue } = workflowInfo();
    this.waitingFor = 'the after-sale to take the refund of this late payment';
    this.show();
    try {
      this.record.applyLatePaymentRefund(
        await requestLatePaymentRefund({ app_id, out_trade_no, method, task_queue, refund }),
      );
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const reason = 'the after-sale did not answer in time. Look there whether it has taken the refund';
      this.record.applyLatePaymentRefund({ is: 'refused', reason });
    }
    this.show();
  }

  private contextFor(policy: PaymentPolicy): PaymentContext {
    return {
      record: this.record,
      policy,
      raise: (attention) => {
        this.record.raise(attention);
        this.show();
      },
      onGatewayError: (problem) => {
        this.problem = problem;
      },
      waitFor: (what) => {
        this.waitingFor = what;
        this.show();
      },
    };
  }

  /** Anybody can send a signal without its argument, or with another one: it proves nothing, and asks for a look. */
  private onNotification(signal: Partial<NotificationSignal> | undefined): void {
    if (signal?.trade_no || signal?.trade_status) this.mailbox.add(signal);
    else this.mailbox.request();
  }

  // — The updates —

  private async created(again: PaymentInput | undefined): Promise<PaymentData> {
    const { out_trade_no } = this.state;
    await condition(() => this.failure !== undefined || creationAnswer(this.state) !== undefined, CREATED_WAIT_MS, {
      summary: 'created',
    });
    if (this.failure !== undefined) throw copyOf(this.failure);
    const answer = creationAnswer(this.state);
    if (isOfAnother(this.input)) {
      const { trade_no, trade_status, order_amount } = this.state;
      const details = { trade_no, trade_status, order_amount };
      throw typedFailure(FAILURE.duplicateOrder, madeElsewhere(this.record.outTradeNo), details);
    }
    // An adopted trade can be compared only after its first query.
    if (answer && !orderOf(this.input)) this.assertSameTrade(again, this.state);
    if (answer) return answer;
    throw typedFailure(
      FAILURE.pending,
      `The gateway has not settled order ${out_trade_no} yet. The payment goes on by itself; ask again for its data. ${this.problem?.message ?? ''}`,
      { ...(this.problem?.error ?? { outcome: 'unknown' }) },
    );
  }

  private assertSameOrder(again: PaymentInput | undefined): void {
    const order = orderOf(this.input);
    if (!order || !again || again.kind === 'adopt') return;
    this.assertNoDifference(
      differingFields({ kind: order.kind, ...order.request }, { kind: again.kind, ...again.request }),
    );
  }

  /** Refuses an order that differs from the adopted trade, by the fields that both have. */
  private assertSameTrade(again: PaymentInput | undefined, state: PaymentState): void {
    if (again && again.kind !== 'adopt') this.assertNoDifference(fieldsUnlikeTrade(state, again.request));
  }

  private assertNoDifference(fields: string[]): void {
    if (fields.length === 0) return;
    throw typedFailure(
      FAILURE.differentRequest,
      `Order ${this.record.outTradeNo} runs already with another request: ${fields.join(', ')} differ. Send the same request, or use a new out_trade_no.`,
      { fields },
    );
  }

  private async recheck(): Promise<PaymentState> {
    const isUnsent = () => this.creation?.cannotBeWithdrawn === false && !this.isCreated;
    await this.mailbox.recheck(() => this.record.isOver || this.failure !== undefined || isUnsent());
    return this.state;
  }

  /** A cancellation of the workflow, or the update `cancel`: the order is not sent any more. */
  withdraw(): void {
    this.isWithdrawn = true;
  }

  /** Withdraws an order that was certainly not sent, and says plainly where that cannot be done. */
  private async cancel(): Promise<PaymentState> {
    this.withdraw();
    const isSent = () => this.input.kind === 'adopt' || this.isCreated || this.creation?.cannotBeWithdrawn === true;
    await condition(() => this.failure !== undefined || isSent() || this.record.isOver);
    if (isNotCreatedFailure(this.failure)) return this.state;
    if (this.failure !== undefined) throw copyOf(this.failure);
    throw typedFailure(
      FAILURE.notCanceled,
      `Order ${this.record.outTradeNo} cannot be withdrawn: the gateway has it, or may have it. The payment goes on.`,
      { outcome: this.state.outcome, trade_status: this.state.trade_status },
    );
  }

  private resolve(resolution: PaymentResolution): PaymentState {
    this.record.applyResolution(resolution, Date.now());
    // What the gateway denies is settled by the person's word.
    this.mailbox.settle(this.mailbox.denied);
    this.show();
    return this.state;
  }

  private checkResolution(resolution: PaymentResolution): void {
    assertResolution(resolution, [
      ...(OUTCOMES.includes(resolution?.outcome) ? [] : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
      ...(this.failure === undefined ? [] : [{ field: 'outcome', rule: 'the payment has failed already' }]),
      ...(this.record.isOver
        ? [{ field: 'outcome', rule: `the payment has ended already: ${this.state.outcome}` }]
        : []),
    ]);
  }

  /** Runs a part of the payment, which the update `resolve` may end at any point. */
  private async untilResolved(part: () => Promise<void>): Promise<void> {
    const isResolved = () => this.state.confirmed_by === 'operator';
    if (isResolved()) return;
    await runUntilResolved(isResolved, part);
  }

  private show(): void {
    this.visibility.show(paymentAttributes(this.state), paymentDetails(this.state, this.waitingFor));
    this.outbox?.publish(this.state);
  }
}

/** A failure is encoded where it is thrown, so each place throws its own. */
function copyOf(failure: unknown): unknown {
  if (!(failure instanceof ApplicationFailure)) return failure;
  return typedFailure(failure.type ?? '', failure.message, detailsOf(failure));
}
