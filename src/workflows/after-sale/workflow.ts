/**
 * The workflow `afterSale`: what follows a sale. It runs refunds one after the other, each as a child workflow, and
 * watches for disputes and chargebacks. It ends when no refund runs and the watch window is over. A later refund or
 * notification starts it again.
 */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  allHandlersFinished,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setDefaultSignalHandler,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleState,
  FAILURE,
  knownIds,
  type NotificationSignal,
  type PaymentPolicy,
  paymentWorkflowId,
  pollSchedule,
  QUERY,
  type RefundAnswer,
  type RefundChange,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
  refundWorkflowId,
  SIGNAL,
  typedFailure,
  UPDATE,
} from '../../contract';
import type { Trade } from '../../contract/gateway';
import { amountProblem } from '../../gateway/pure/money';
import { gateway, loadPolicy, loadPreviousRun } from '../shared/activities';
import { awaitTrade } from '../shared/await-trade';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { PendingNotifications } from '../shared/pending-notifications';
import { waitForTradeChange } from '../shared/polling';
import { latePaymentRefundNumber } from '../shared/refund-numbers';
import { assertResolution, invalidRequest } from '../shared/resolution';
import { type ConsistentRead, queryUntilConsistent } from '../shared/stale-read';
import { Visibility } from '../shared/visibility';
import { AfterSaleRecord } from './record';
import { isTransientStatus } from './refund/progress';
import { refund, refundChangedSignal } from './refund/workflow';
import { afterSaleAttributes, afterSaleDetails } from './visibility';

export const refundUpdate = defineUpdate<RefundAnswer, [RefundOrder]>(UPDATE.refund);
const recheckUpdate = defineUpdate<AfterSaleState>(UPDATE.recheck);
export const resolveAfterSaleUpdate = defineUpdate<AfterSaleState, [AfterSaleResolution]>(UPDATE.resolve);
const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const afterSaleStateQuery = defineQuery<AfterSaleState>(QUERY.state);

/** The update `refund` waits this long for the gateway, then fails with `RefundPending`. */
const REFUND_WAIT_MS = 30_000;

const OUTCOMES: readonly RefundOutcome[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];

/** Returns the last state: the refunds, and how much was refunded in all. */
export async function afterSale(input: AfterSaleInput): Promise<AfterSaleState> {
  const run = new AfterSaleRun(input);
  await run.execute();
  return run.state;
}

class AfterSaleRun {
  private readonly record: AfterSaleRecord;
  private readonly visibility = new Visibility();
  private readonly pending = new PendingNotifications();
  private policy: PaymentPolicy | undefined;
  private outbox: PaymentOutbox | undefined;
  private waitingFor = 'the gateway’s answer about the trade';
  /** `loading`: the trade is not known yet. `closing`: the run is about to end, so nothing may change any more. */
  private phase: 'loading' | 'open' | 'closing' = 'loading';

  constructor(private readonly input: AfterSaleInput) {
    this.record = new AfterSaleRecord(input);
    if (input.previous) this.record.restore(input.previous);
    setHandler(afterSaleStateQuery, () => this.state);
    setHandler(notificationSignal, (notification) => this.pending.add(notification));
    setHandler(refundChangedSignal, (change) => this.onRefundChanged(change));
    setHandler(refundUpdate, (order) => this.refund(order), { validator: (order) => this.assertRefundOrder(order) });
    setHandler(recheckUpdate, () => this.recheck(), { validator: () => this.assertOpen() });
    setHandler(resolveAfterSaleUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => {
      this.record.raise('unexpected-signal');
      this.show();
    });
  }

  private get paymentId(): string {
    const { app_id, out_trade_no, trade_no } = this.input;
    return paymentWorkflowId(app_id, out_trade_no ?? trade_no ?? '');
  }

  get state(): AfterSaleState {
    return this.record.snapshot;
  }

  async execute(): Promise<void> {
    const policy = await loadPolicy({ method: null });
    this.policy = policy;
    if (policy.has_listener) this.outbox = new PaymentOutbox(this.paymentId, false);
    await this.restorePreviousRun(policy);
    await this.loadTrade();
    this.phase = 'open';
    while (!this.isOver) {
      const { next } = this.ledger;
      if (next) await this.runRefund(next);
      else await this.waitForNews(policy);
      if (this.isIdle && workflowInfo().continueAsNewSuggested) await this.continueAsNew();
    }
    this.phase = 'closing';
    this.waitFor('nothing: a refund or a notification starts it again');
    await this.outbox?.close();
    // The next run reads the notifications that came meanwhile.
    if (!this.pending.isEmpty) await this.continueAsNew();
  }

  private get ledger() {
    return this.record.ledger;
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The after-sale has not loaded its policy yet.');
  }

  private get isLoaded(): boolean {
    return this.phase !== 'loading';
  }

  private get isIdle(): boolean {
    return this.ledger.next === undefined && this.pending.isEmpty && allHandlersFinished();
  }

  /** Whether the trade has to be polled. */
  private get isWatching(): boolean {
    const { watched_until, trade_status } = this.state;
    return isTransientStatus(trade_status ?? '') || (watched_until !== null && Date.now() < Date.parse(watched_until));
  }

  private get isOver(): boolean {
    return this.isIdle && !this.isWatching;
  }

  /** Takes over the state of an earlier run, where Temporal still has it. */
  private async restorePreviousRun(policy: PaymentPolicy): Promise<void> {
    const { app_id, out_trade_no = null } = this.input;
    if (!this.input.previous) {
      const { previous, method, trade_no } = await loadPreviousRun({ app_id, out_trade_no });
      if (previous) this.record.restore(previous);
      this.record.learnMethod(method);
      this.record.learnTradeNo(trade_no);
      // The after-sale that took the refund of a late payment has ended without sending it.
      const isLost = ({ out_request_no, outcome, started_at }: RefundState) =>
        outcome === null && started_at === null && out_request_no === latePaymentRefundNumber(this.state);
      if (previous?.refunds.some(isLost)) this.record.raise('late-payment');
    }
    this.outbox?.skip(this.state);
    if (policy.watch_window_ms) this.record.watchUntil(Date.now() + policy.watch_window_ms);
    this.show();
  }

  private async loadTrade(): Promise<void> {
    // This query answers all notifications that came until now.
    const claims = [...(this.input.pending_notifications ?? []), ...this.pending.takeAll()];
    const found = await awaitTrade(this.input.app_id, this.record, (what) => this.waitFor(what));
    if (!found) return;
    this.applyQuery(await this.reconcile(found, claims));
    this.show();
  }

  private reconcile(trade: Trade, claims: readonly NotificationSignal[]): Promise<ConsistentRead> {
    const { settling_ms } = this.settings;
    return queryUntilConsistent(trade, claims, { app_id: this.input.app_id, id: this.record.id, settling_ms });
  }

  private applyQuery({ trade, contradicted }: ConsistentRead): void {
    this.record.applyQuery(trade, Date.now());
    if (contradicted) this.record.raise('unconfirmed-notification');
  }

  /** Runs a refund until it has an outcome. Its own workflow does the work and signals each change. */
  private async runRefund(entry: RefundState): Promise<void> {
    const name = entry.out_request_no ?? 'full';
    const { out_trade_no, trade_no } = this.state;
    const workflowId = refundWorkflowId(this.input.app_id, out_trade_no ?? trade_no ?? '', entry.out_request_no);
    const request = this.ledger.requestOf(entry);
    this.ledger.markStarted(entry, Date.now());
    this.waitFor(`refund ${name}`);
    if (request) await this.startRefund(workflowId, entry, request);
    else this.signalRefund(workflowId, {}, () => this.onRefundLost(entry));
    while (entry.outcome === null) {
      await condition(() => entry.outcome !== null || !this.pending.isEmpty);
      // The refund queries the gateway itself, and signals what it learns.
      for (const notification of this.pending.takeAll()) this.signalRefund(workflowId, notification);
    }
    this.show();
  }

  private async startRefund(workflowId: string, entry: RefundState, request: RefundOrder): Promise<void> {
    const { app_id, trade_no, out_trade_no, order_amount, method } = this.state;
    const input = {
      app_id,
      after_sale_id: workflowInfo().workflowId,
      ...knownIds({ trade_no, out_trade_no }),
      trade: { order_amount: order_amount ?? request.refund_amount, method },
      request,
      state: { ...entry },
    };
    try {
      const child = await startChild(refund, {
        workflowId,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `${entry.refund_amount} ${entry.refund_currency}`,
      });
      child.result().then(
        (state) => this.onRefundChanged({ refund: state, trade_status: this.state.trade_status }),
        (error: unknown) => {
          if (error instanceof ChildWorkflowFailure) this.onRefundLost(entry);
        },
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // An earlier after-sale started it, of which nothing is known any more.
      this.signalRefund(workflowId, {}, () => this.onRefundLost(entry));
    }
  }

  /**
   * Makes a refund query the gateway and report. Does not wait: test servers never answer a signal to a missing
   * workflow.
   */
  private signalRefund(
    workflowId: string,
    notification: NotificationSignal,
    ifGone: () => void = () => undefined,
  ): void {
    getExternalWorkflowHandle(workflowId).signal(SIGNAL.notification, notification).catch(ifGone);
  }

  /** The refund's workflow has gone and its outcome is unknown. Its amount stays reserved until a person decides. */
  private onRefundLost({ out_request_no }: RefundState): void {
    const entry = this.ledger.find(out_request_no);
    if (entry && entry.outcome === null) this.ledger.update({ ...entry, attention: 'unknown-refund' });
    this.show();
  }

  /** Waits while no refund runs. */
  private async waitForNews(policy: PaymentPolicy): Promise<void> {
    if (!this.pending.isEmpty) return this.query();
    // Rechecks grow the history too, so an idle run continues as new.
    const isLong = () => this.isIdle && workflowInfo().continueAsNewSuggested;
    const isInterrupted = () => !this.pending.isEmpty || this.ledger.next !== undefined || isLong();
    if (!this.isWatching) return condition(() => isInterrupted() || allHandlersFinished());
    const { watched_until, trade_status } = this.state;
    const isBounded = !isTransientStatus(trade_status ?? '');
    const left = Date.parse(watched_until ?? '') - Date.now();
    this.waitFor(
      isBounded
        ? `a refund, or a dispute or chargeback until ${watched_until}`
        : `the next status of the trade, which is ${trade_status}`,
    );
    const watch = { app_id: this.input.app_id, id: this.record.id, seen: trade_status, schedule: pollSchedule(policy) };
    const news = await waitForTradeChange(watch, {
      isInterrupted,
      timeout_ms: isBounded ? left : undefined,
      summary: 'watch window',
    });
    if (news !== 'interrupted' && news !== 'timeout') this.record.applyQuery(news, Date.now());
    this.show();
  }

  private async query(): Promise<void> {
    const claims = this.pending.takeAll();
    await this.pending.fulfil(async () => {
      const trade = await gateway.queryTrade({ app_id: this.input.app_id, id: this.record.id });
      const asked = await this.reconcile(trade, claims);
      if (this.ledger.next === undefined) this.applyQuery(asked);
    });
    this.show();
  }

  private onRefundChanged({ refund, trade_status }: RefundChange): void {
    const known = this.ledger.find(refund.out_request_no);
    // A refund that a person decided, or that an earlier run ended, does not change.
    if (known?.outcome !== null) return;
    if (trade_status !== null) this.record.moveTo(trade_status, Date.now());
    this.ledger.update(refund);
    if (refund.failure?.type === FAILURE.duplicateRefund) this.record.addUnknownRefund();
    // No caller waits for the refund of a late payment, because the payment itself requested it.
    const isLate = refund.out_request_no === latePaymentRefundNumber(this.state);
    if (isLate && refund.outcome !== null && refund.outcome !== 'REFUNDED') this.record.raise('late-payment');
    this.show();
  }

  /** Goes on in a new run with the same knowledge. Updates that come meanwhile are refused with `Closing`. */
  private async continueAsNew(): Promise<void> {
    this.phase = 'closing';
    await this.outbox?.close();
    await continueAsNew<typeof afterSale>({
      ...this.input,
      previous: this.state,
      pending_notifications: this.pending.peek(),
    });
  }

  // — The updates —

  private async refund(order: RefundOrder): Promise<RefundAnswer> {
    await condition(() => this.isLoaded, REFUND_WAIT_MS, { summary: 'refund' });
    const { paid } = this.record;
    if (!this.isLoaded || !paid) throw pending('the gateway has not said yet what was paid');
    const entry = this.requestRefund(order, paid);
    this.show();
    const hasAnswer = () => entry.answer !== null || entry.outcome !== null;
    await condition(hasAnswer, REFUND_WAIT_MS, { summary: 'refund' });
    if (entry.answer) return entry.answer;
    if (entry.failure) throw typedFailure(entry.failure.type, entry.failure.message, entry.failure.details);
    if (entry.outcome === 'NOT_CREATED') throw resolvedAsNotCreated(entry);
    if (entry.outcome !== null) return answerOf(entry, this.state);
    throw pending(entry.started_at ? 'the gateway has not settled it' : 'another refund of this trade comes first');
  }

  private requestRefund(order: RefundOrder, paid: { order_amount: string; order_currency: string }): RefundState {
    const { trade_status, ledger_complete } = this.state;
    const currency = order.refund_currency.toUpperCase();
    if (currency !== paid.order_currency.toUpperCase()) {
      throw invalidRequest([{ field: 'refund_currency', rule: `must be the order’s, ${paid.order_currency}` }]);
    }
    if (trade_status === 'REFUNDED' && !ledger_complete) {
      throw typedFailure(
        FAILURE.notRefunded,
        'The gateway says that this trade is refunded, by refunds that we do not know. Nothing was sent.',
        { trade_status },
      );
    }
    const decision = this.ledger.request(order, paid, Date.now());
    switch (decision.is) {
      case 'granted':
      case 'known':
        return decision.refund;
      case 'over-refund':
        throw typedFailure(
          FAILURE.overRefund,
          `${order.refund_amount} is more than the ${decision.left} that is left of ${paid.order_amount} ${paid.order_currency}. Nothing was sent.`,
          { left: decision.left },
        );
      case 'different':
        throw typedFailure(
          FAILURE.differentRequest,
          `Another refund was requested under this number, or without a number: ${decision.fields.join(', ')} differ. Use a new out_request_no.`,
          { fields: decision.fields },
        );
    }
  }

  /** A change during the end of a run would be lost. */
  private assertOpen(): void {
    if (this.phase === 'closing') {
      throw typedFailure(FAILURE.closing, 'Nothing was done: the after-sale is just ending. Ask again.', {});
    }
  }

  private assertRefundOrder(order: RefundOrder): void {
    this.assertOpen();
    const { refund_amount, refund_currency, out_request_no } = order ?? {};
    const amount = typeof refund_amount === 'string' ? amountProblem(refund_amount) : 'required, as text';
    const issues = [
      ...(amount === undefined ? [] : [{ field: 'refund_amount', rule: amount }]),
      ...(typeof refund_currency === 'string' ? [] : [{ field: 'refund_currency', rule: 'required' }]),
      ...(isRefundNumber(out_request_no) ? [] : [{ field: 'out_request_no', rule: 'text of at most 16 characters' }]),
    ];
    if (issues.length > 0) throw invalidRequest(issues);
  }

  private async recheck(): Promise<AfterSaleState> {
    await condition(() => this.isLoaded);
    const trade = await gateway.queryTrade({ app_id: this.input.app_id, id: this.record.id });
    if (this.ledger.next) this.pending.add({});
    else this.record.applyQuery(trade, Date.now());
    this.show();
    return this.state;
  }

  private resolve(resolution: AfterSaleResolution): AfterSaleState {
    const { outcome, by, reason } = resolution;
    const { next } = this.ledger;
    this.record.applyResolution({ by, reason }, outcome, Date.now());
    if (outcome && next) {
      this.ledger.update({ ...next, outcome, confirmed_by: 'operator', attention: null, resolved: { by, reason } });
      const { out_trade_no, trade_no } = this.state;
      const id = refundWorkflowId(this.input.app_id, out_trade_no ?? trade_no ?? '', next.out_request_no);
      getExternalWorkflowHandle(id)
        .signal(SIGNAL.resolve, resolution)
        .catch(() => undefined);
    }
    this.show();
    return this.state;
  }

  private checkResolution(resolution: AfterSaleResolution): void {
    this.assertOpen();
    const { outcome } = resolution ?? {};
    const isRunning = this.ledger.next?.started_at;
    assertResolution(resolution, [
      ...(outcome === undefined || OUTCOMES.includes(outcome)
        ? []
        : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
      ...(outcome === undefined || isRunning
        ? []
        : [{ field: 'outcome', rule: 'no refund runs whose outcome could be decided' }]),
    ]);
  }

  private waitFor(what: string): void {
    this.waitingFor = what;
    this.show();
  }

  private show(): void {
    const { state } = this;
    this.visibility.show(afterSaleAttributes(state), afterSaleDetails(state, this.waitingFor));
    this.outbox?.publishAfterSale(state, this.record.eventPayment);
  }
}

const isRefundNumber = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '' && [...value].length <= 16);

/** The answer of a refund that ended without the gateway's own answer: by a person, or by a query. */
function answerOf(entry: RefundState, { trade_no, out_trade_no }: AfterSaleState): RefundAnswer {
  const { out_request_no, refund_amount, refund_currency, outcome } = entry;
  const ids = { trade_no, out_trade_no, ...(out_request_no === null ? {} : { out_request_no }) };
  return { ...ids, refund_amount, refund_currency, refund_status: outcome, recovered: true };
}

function resolvedAsNotCreated({ resolved }: RefundState): ApplicationFailure {
  const message = `There is no refund. ${resolved?.by ?? 'Somebody'} decided so: ${resolved?.reason ?? 'no reason given'}`;
  return typedFailure(FAILURE.notRefunded, message, { resolved });
}

function pending(why: string): ApplicationFailure {
  return typedFailure(
    FAILURE.refundPending,
    `The refund goes on by itself, but ${why}. Ask again with the same request.`,
    {},
  );
}
