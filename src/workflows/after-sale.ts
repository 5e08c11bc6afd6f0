/**
 * What follows a sale: refunds one after the other, each a child workflow, and the bank's disputes and chargebacks. It ends
 * when nothing is under way and its watch window is over; a later refund or notification opens it again.
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
  patched,
  setDefaultSignalHandler,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { amountProblem } from '../gateway/money';
import type { Trade } from '../gateway/query';
import { knownBefore, type PaymentPolicy, policyFor, queryTrade } from './activities';
import { AfterSaleRecord } from './after-sale-record';
import { type Asked, askAgainIfBehind } from './announced';
import {
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleState,
  FAILURE,
  type NotificationSignal,
  paymentWorkflowId,
  QUERY,
  type RefundAnswer,
  type RefundChange,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
  refundWorkflowId,
  SIGNAL,
  UPDATE,
} from './contract';
import { PaymentOutbox } from './events';
import { Inbox } from './inbox';
import { findKnownTrade } from './known-trade';
import { nextNews } from './polling';
import { refund, refundChangedSignal } from './refund';
import { movesByItself } from './refund-fate';
import { lateRefundNumber } from './refund-ledger';
import { afterSaleAttributes, afterSaleDetails, Visibility } from './visibility';
import { scheduleOf } from './watching';

export const refundUpdate = defineUpdate<RefundAnswer, [RefundOrder]>(UPDATE.refund);
const recheckUpdate = defineUpdate<AfterSaleState>(UPDATE.recheck);
export const resolveAfterSaleUpdate = defineUpdate<AfterSaleState, [AfterSaleResolution]>(UPDATE.resolve);
const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const afterSaleStateQuery = defineQuery<AfterSaleState>(QUERY.state);

/** How long `refund` waits for the gateway before it says that the refund is still under way. */
const REFUND_WAIT_MS = 30_000;

const OUTCOMES: readonly RefundOutcome[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];

/** Returns the last state: the refunds, and what was given back in all. */
export async function afterSale(input: AfterSaleInput): Promise<AfterSaleState> {
  const life = new AfterSaleLife(input);
  await life.run();
  return life.state;
}

class AfterSaleLife {
  private readonly record: AfterSaleRecord;
  private readonly visibility = new Visibility();
  private readonly inbox = new Inbox();
  private policy: PaymentPolicy | undefined;
  private outbox: PaymentOutbox | undefined;
  private waitingFor = 'the gateway to say what it knows of the trade';
  private isReady = false;
  private isClosing = false;

  constructor(private readonly input: AfterSaleInput) {
    this.record = new AfterSaleRecord(input);
    if (input.previous) this.record.takeOver(input.previous);
    setHandler(afterSaleStateQuery, () => this.state);
    setHandler(notificationSignal, (notification) => this.inbox.put(notification));
    setHandler(refundChangedSignal, (change) => this.changed(change));
    setHandler(refundUpdate, (order) => this.refund(order), { validator: (order) => this.checkOrder(order) });
    setHandler(recheckUpdate, () => this.recheck(), { validator: () => this.refuseWhileClosing() });
    setHandler(resolveAfterSaleUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
    // A signal under a name that nobody handles would be kept in silence, for ever.
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
    return this.record.public;
  }

  async run(): Promise<void> {
    const policy = await policyFor({ method: null });
    this.policy = policy;
    if (policy.has_listener) this.outbox = new PaymentOutbox(this.paymentId, false, policy);
    await this.remember(policy);
    await this.comeToTrade();
    this.isReady = true;
    while (!this.isOver) {
      const { next } = this.ledger;
      if (next) await this.see(next);
      else await this.wait(policy);
      if (this.isIdle && workflowInfo().continueAsNewSuggested) await this.continueAsNew();
    }
    this.isClosing = true;
    this.waitFor('nothing: a refund or a notification opens it again');
    await this.outbox?.close();
    // Histories of earlier versions have ended here with what was notified meanwhile unread.
    if (!this.inbox.isEmpty && patched('news-at-the-end-of-an-after-sale')) await this.continueAsNew();
  }

  private get ledger() {
    return this.record.ledger;
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('An after-sale begins with its policy.');
  }

  private get isIdle(): boolean {
    return this.ledger.next === undefined && this.inbox.isEmpty && allHandlersFinished();
  }

  /** Whether there is something to look for by polling. */
  private get isWatching(): boolean {
    const { watched_until, trade_status } = this.state;
    return movesByItself(trade_status ?? '') || (watched_until !== null && Date.now() < Date.parse(watched_until));
  }

  private get isOver(): boolean {
    return this.isIdle && !this.isWatching;
  }

  /** Goes on with what a former run knew, where Temporal still has it. */
  private async remember(policy: PaymentPolicy): Promise<void> {
    const { app_id, out_trade_no = null } = this.input;
    if (!this.input.previous) {
      const { previous, method } = await knownBefore({ app_id, out_trade_no });
      if (previous) this.record.takeOver(previous);
      this.record.learnMethod(method);
      // Late money whose refund was lost with the after-sale that had taken it is still here.
      const isLost = ({ out_request_no, outcome, started_at }: RefundState) =>
        outcome === null && started_at === null && out_request_no === lateRefundNumber(this.state);
      if (previous?.refunds.some(isLost)) this.record.raise('late-payment');
    }
    this.outbox?.skip(this.state);
    if (policy.watch_window_ms) this.record.watchUntil(Date.now() + policy.watch_window_ms);
    this.show();
  }

  private async comeToTrade(): Promise<void> {
    // What was notified until now is answered by this look.
    const claims = [...(this.input.announced ?? []), ...this.inbox.take()];
    const found = await findKnownTrade(this.input.app_id, this.record, (what) => this.waitFor(what));
    if (!found) return;
    this.took(await this.heldAgainst(found, claims));
    this.show();
  }

  private heldAgainst(trade: Trade, claims: readonly NotificationSignal[]): Promise<Asked> {
    const { settling_ms } = this.settings;
    return askAgainIfBehind(trade, claims, { app_id: this.input.app_id, id: this.record.id, settling_ms });
  }

  private took({ trade, denied }: Asked): void {
    this.record.queried(trade, Date.now());
    if (denied) this.record.raise('unconfirmed-notification');
  }

  /** Sees a refund to its end. Its own workflow does the work and tells what changes. */
  private async see(entry: RefundState): Promise<void> {
    const name = entry.out_request_no ?? 'full';
    const { out_trade_no, trade_no } = this.state;
    const workflowId = refundWorkflowId(this.input.app_id, out_trade_no ?? trade_no ?? '', entry.out_request_no);
    const request = this.ledger.requestOf(entry);
    this.ledger.begin(entry, Date.now());
    this.waitFor(`refund ${name}`);
    if (request) await this.start(workflowId, entry, request);
    else this.nudge(workflowId, {}, () => this.lost(entry));
    while (entry.outcome === null) {
      await condition(() => entry.outcome !== null || !this.inbox.isEmpty);
      // The refund asks the gateway itself; what it learns comes back as a change.
      for (const notification of this.inbox.take()) this.nudge(workflowId, notification);
    }
    this.show();
  }

  private async start(workflowId: string, entry: RefundState, request: RefundOrder): Promise<void> {
    const { app_id, trade_no, out_trade_no, order_amount, method } = this.state;
    const input = {
      app_id,
      after_sale_id: workflowInfo().workflowId,
      ...(trade_no === null ? {} : { trade_no }),
      ...(out_trade_no === null ? {} : { out_trade_no }),
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
        (state) => this.changed({ refund: state, trade_status: this.state.trade_status }),
        (error: unknown) => {
          if (error instanceof ChildWorkflowFailure) this.lost(entry);
        },
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // It was begun by an after-sale that was ended, of which nothing is known any more.
      this.nudge(workflowId, {}, () => this.lost(entry));
    }
  }

  /** Makes a refund ask the gateway, and tell what it knows. Not waited for: servers may never say that there is none. */
  private nudge(workflowId: string, notification: NotificationSignal, ifGone: () => void = () => undefined): void {
    getExternalWorkflowHandle(workflowId).signal(SIGNAL.notification, notification).catch(ifGone);
  }

  /** Its workflow is gone without a word of what became of the refund. Its amount stays set aside until a person decides. */
  private lost({ out_request_no }: RefundState): void {
    const entry = this.ledger.find(out_request_no);
    if (entry && entry.outcome === null) this.ledger.update({ ...entry, attention: 'unknown-refund' });
    this.show();
  }

  /** Waits while no refund is under way. */
  private async wait(policy: PaymentPolicy): Promise<void> {
    if (!this.inbox.isEmpty) return this.check();
    // Questions alone make a history long. Those of earlier versions wait for news to end it.
    const mayEnd = (policy.behaviour ?? 0) >= 1;
    const isLong = () => mayEnd && this.isIdle && workflowInfo().continueAsNewSuggested;
    const isMail = () => !this.inbox.isEmpty || this.ledger.next !== undefined || isLong();
    if (!this.isWatching) return condition(() => isMail() || allHandlersFinished());
    const { watched_until, trade_status } = this.state;
    const isBounded = !movesByItself(trade_status ?? '');
    const left = Date.parse(watched_until ?? '') - Date.now();
    this.waitFor(
      isBounded
        ? `a refund, or a dispute or chargeback until ${watched_until}`
        : `the gateway, which moves a trade on that is ${trade_status}`,
    );
    const watch = { app_id: this.input.app_id, id: this.record.id, seen: trade_status, schedule: scheduleOf(policy) };
    const news = await nextNews(watch, isMail, isBounded ? left : undefined, 'watch window');
    if (news !== 'mail' && news !== 'time') this.record.queried(news, Date.now());
    this.show();
  }

  private async check(): Promise<void> {
    const claims = this.inbox.take();
    await this.inbox.looking(async () => {
      const trade = await queryTrade({ app_id: this.input.app_id, id: this.record.id });
      const asked = await this.heldAgainst(trade, claims);
      if (this.ledger.next === undefined) this.took(asked);
    });
    this.show();
  }

  private changed({ refund, trade_status }: RefundChange): void {
    const known = this.ledger.find(refund.out_request_no);
    // What a person decided, and a refund of a run before, are not touched.
    if (known?.outcome !== null) return;
    if (trade_status !== null) this.record.moved(trade_status, Date.now());
    this.ledger.update(refund);
    if (refund.failure?.type === FAILURE.duplicateRefund) this.record.madeElsewhere();
    // Nobody waits for this one: the payment itself asked for it.
    const isLate = refund.out_request_no === lateRefundNumber(this.state);
    if (isLate && refund.outcome !== null && refund.outcome !== 'REFUNDED') this.record.raise('late-payment');
    this.show();
  }

  /** Goes on in a new run, which knows what this one knew. Who asks for something meanwhile is told to ask again. */
  private async continueAsNew(): Promise<void> {
    this.isClosing = true;
    await this.outbox?.close();
    await continueAsNew<typeof afterSale>({ ...this.input, previous: this.state, announced: this.inbox.peek() });
  }

  // — The updates —

  private async refund(order: RefundOrder): Promise<RefundAnswer> {
    await condition(() => this.isReady, REFUND_WAIT_MS, { summary: 'refund' });
    const { paid } = this.record;
    if (!this.isReady || !paid) throw pending('the gateway has not said yet what was paid');
    const entry = this.ask(order, paid);
    this.show();
    const hasAnswer = () => entry.answer !== null || entry.outcome !== null;
    await condition(hasAnswer, REFUND_WAIT_MS, { summary: 'refund' });
    if (entry.answer) return entry.answer;
    if (entry.failure) throw failure(entry.failure.type, entry.failure.message, entry.failure.details);
    if (entry.outcome === 'NOT_CREATED') throw decidedThatThereIsNone(entry);
    if (entry.outcome !== null) return answerOf(entry, this.state);
    throw pending(entry.started_at ? 'the gateway has not settled it' : 'another refund of this trade is made first');
  }

  private ask(order: RefundOrder, paid: { order_amount: string; order_currency: string }): RefundState {
    const { trade_status, ledger_complete } = this.state;
    const currency = order.refund_currency.toUpperCase();
    if (currency !== paid.order_currency.toUpperCase()) {
      throw invalid([{ field: 'refund_currency', rule: `must be the order’s, ${paid.order_currency}` }]);
    }
    if (trade_status === 'REFUNDED' && !ledger_complete) {
      throw failure(
        FAILURE.notRefunded,
        'The gateway says that this trade is refunded, by refunds that are not known here. Nothing was sent.',
        { trade_status },
      );
    }
    const asked = this.ledger.ask(order, paid, Date.now());
    switch (asked.is) {
      case 'granted':
      case 'known':
        return asked.refund;
      case 'too much':
        throw failure(
          FAILURE.overRefund,
          `${order.refund_amount} is more than the ${asked.left} that is left of ${paid.order_amount} ${paid.order_currency}. Nothing was sent.`,
          { left: asked.left },
        );
      case 'different':
        throw failure(
          FAILURE.differentRequest,
          `A refund was asked for before under this number, or without one, with another request: ${asked.fields.join(', ')} differ. Give this one an out_request_no of its own.`,
          { fields: asked.fields },
        );
    }
  }

  /** What would be changed from now on would be lost. */
  private refuseWhileClosing(): void {
    if (this.isClosing) {
      throw failure(FAILURE.closing, 'Nothing was done: the after-sale is just closing. Ask again.', {});
    }
  }

  private checkOrder(order: RefundOrder): void {
    this.refuseWhileClosing();
    const { refund_amount, refund_currency, out_request_no } = order ?? {};
    const amount = typeof refund_amount === 'string' ? amountProblem(refund_amount) : 'required, as text';
    const issues = [
      ...(amount === undefined ? [] : [{ field: 'refund_amount', rule: amount }]),
      ...(typeof refund_currency === 'string' ? [] : [{ field: 'refund_currency', rule: 'required' }]),
      ...(isNumber(out_request_no) ? [] : [{ field: 'out_request_no', rule: 'text of at most 16 characters' }]),
    ];
    if (issues.length > 0) throw invalid(issues);
  }

  private async recheck(): Promise<AfterSaleState> {
    await condition(() => this.isReady);
    const trade = await queryTrade({ app_id: this.input.app_id, id: this.record.id });
    if (this.ledger.next) this.inbox.put({});
    else this.record.queried(trade, Date.now());
    this.show();
    return this.state;
  }

  private resolve(resolution: AfterSaleResolution): AfterSaleState {
    const { outcome, by, reason } = resolution;
    const { next } = this.ledger;
    this.record.resolved({ by, reason }, outcome, Date.now());
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
    this.refuseWhileClosing();
    const { outcome, reason, by } = resolution ?? {};
    const issues = [
      ...(reason ? [] : [{ field: 'reason', rule: 'required' }]),
      ...(by ? [] : [{ field: 'by', rule: 'required, who decides' }]),
      ...(outcome === undefined || OUTCOMES.includes(outcome)
        ? []
        : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
      ...(outcome === undefined || this.ledger.next?.started_at
        ? []
        : [{ field: 'outcome', rule: 'no refund is under way whose outcome could be decided' }]),
    ];
    if (issues.length > 0) throw invalid(issues);
  }

  private waitFor(what: string): void {
    this.waitingFor = what;
    this.show();
  }

  private show(): void {
    const { state } = this;
    this.visibility.show(afterSaleAttributes(state), afterSaleDetails(state, this.waitingFor));
    this.outbox?.noteAfterSale(state, this.record.payment);
  }
}

const isNumber = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '' && [...value].length <= 16);

/** What a refund answers that a person, or a query, ended without the gateway's own words. */
function answerOf(entry: RefundState, { trade_no, out_trade_no }: AfterSaleState): RefundAnswer {
  const { out_request_no, refund_amount, refund_currency, outcome } = entry;
  const ids = { trade_no, out_trade_no, ...(out_request_no === null ? {} : { out_request_no }) };
  return { ...ids, refund_amount, refund_currency, refund_status: outcome, recovered: true };
}

function decidedThatThereIsNone({ resolved }: RefundState): ApplicationFailure {
  const message = `There is no refund, as ${resolved?.by ?? 'somebody'} found: ${resolved?.reason ?? 'no reason given'}`;
  return failure(FAILURE.notRefunded, message, { resolved });
}

function failure(type: string, message: string, details: Readonly<Record<string, unknown>>): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}

function invalid(issues: { field: string; rule: string }[]): ApplicationFailure {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  return failure(FAILURE.invalidRequest, `Nothing was done, because of ${list}`, { issues });
}

function pending(why: string): ApplicationFailure {
  return failure(
    FAILURE.refundPending,
    `The refund goes on by itself, but ${why}. Ask again with the same request.`,
    {},
  );
}
