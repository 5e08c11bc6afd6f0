/**
 * The life of one payment: come to its trade, wait until its outcome is known, return that outcome. What happens is
 * decided elsewhere: `transitions.ts` (states and outcomes), `deadlines.ts` (times), `payment-record.ts` (what news
 * changes); `creation.ts` and `watching.ts` are its two parts, and here is what callers meet.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
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
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  setDefaultSignalHandler,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type PaymentPolicy, policyFor, refundLate } from './activities';
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  FAILURE,
  type NotificationSignal,
  type Outcome,
  type PaymentData,
  type PaymentInput,
  type PaymentState,
  QUERY,
  type Resolution,
  SIGNAL,
  UPDATE,
  WORKFLOW,
} from './contract';
import { adopt, create } from './creation';
import { creationAnswer } from './creation-answer';
import { runUnless } from './cut-short';
import { PaymentOutbox } from './events';
import { Inbox } from './inbox';
import type { Life, Problem } from './life';
import { PaymentRecord } from './payment-record';
import { differingFields, orderOf } from './requests';
import { comesAfterSale, tellsOfMoney } from './transitions';
import { Visibility } from './visibility';
import { Watching } from './watching';

export const createdUpdate = defineUpdate<PaymentData, [PaymentInput?]>(UPDATE.created);
export const recheckUpdate = defineUpdate<PaymentState>(UPDATE.recheck);
export const resolveUpdate = defineUpdate<PaymentState, [Resolution]>(UPDATE.resolve);
export const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);
export const stateQuery = defineQuery<PaymentState>(QUERY.state);

/** How long `created` waits for the gateway before it says that the payment is still under way. */
const CREATED_WAIT_MS = 30_000;

const OUTCOMES: readonly Outcome[] = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'];

/** Returns the payment's final state. Fails (type `InvalidRequest`, `NotCreated`, `DuplicateOrder`) only where this order was never created. */
export async function payment(input: PaymentInput): Promise<PaymentState> {
  const life = new PaymentLife(input);
  try {
    await life.run();
  } finally {
    await CancellationScope.nonCancellable(() => life.end());
  }
  return life.state;
}

class PaymentLife {
  private readonly record: PaymentRecord;
  private readonly visibility = new Visibility();
  private readonly inbox = new Inbox();
  private policy: PaymentPolicy | undefined;
  private outbox: PaymentOutbox | undefined;
  /** What ended the payment before there was an order: callers who wait are told. */
  private failure: unknown;
  private waitingFor = 'the gateway to take the order';
  private problem: Problem | undefined;

  constructor(private readonly input: PaymentInput) {
    this.record = new PaymentRecord(input);
    setHandler(stateQuery, () => this.state);
    setHandler(notificationSignal, (signal) => this.inbox.put(signal));
    setHandler(createdUpdate, (again?: PaymentInput) => this.created(again), {
      validator: (again?: PaymentInput) => this.refuseAnother(again),
    });
    setHandler(recheckUpdate, () => this.recheck());
    setHandler(resolveUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
    // A signal under a name that nobody handles would be kept in silence, for ever.
    setDefaultSignalHandler(() => {
      this.record.raise('unexpected-signal');
      this.show();
    });
  }

  get state(): PaymentState {
    return this.record.public;
  }

  async run(): Promise<void> {
    this.show();
    const policy = await policyFor({ method: this.state.method });
    this.policy = policy;
    const { workflowId } = workflowInfo();
    if (policy.has_listener) this.outbox = new PaymentOutbox(workflowId, this.input.kind !== 'adopt', policy);
    if (policy.accept_late_payments) this.record.lateMoney = 'accept';
    if (policy.refund_late_payments) this.record.lateMoney = 'refund';
    try {
      await this.unlessResolved(() => this.comeToTrade(policy));
      await this.unlessResolved(() => this.watch(policy));
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.show();
    }
  }

  /** Nobody who waits for an answer, nothing that a merchant has to hear, and no money is left behind. */
  async end(): Promise<void> {
    await condition(allHandlersFinished);
    await this.outbox?.close();
    // Only now: what the after-sale tells is to be heard after what this has told.
    if (this.policy && this.failure === undefined) {
      await this.handOver(this.policy);
      await this.giveBack();
      await this.outbox?.close();
    }
    await this.takeOnMoney();
  }

  private comeToTrade(policy: PaymentPolicy): Promise<void> {
    const life = this.lifeUnder(policy);
    return this.input.kind === 'adopt' ? adopt(this.input, life, this.inbox) : create(this.input, life);
  }

  private watch(policy: PaymentPolicy): Promise<void> {
    const order = this.input.kind === 'adopt' ? {} : this.input.request;
    return new Watching(this.input.app_id, order, this.lifeUnder(policy), this.inbox).run();
  }

  /** After a sale somebody else goes on: where the settings ask for it, and where the trade has moved on already. */
  private async handOver({ watch_window_ms }: PaymentPolicy): Promise<void> {
    const { outcome, trade_status } = this.state;
    if (outcome !== 'SUCCESS') return;
    // Histories of earlier versions have no after-sale where no policy asks for one.
    if (watch_window_ms || (comesAfterSale(trade_status ?? '') && patched('moved-after-the-sale'))) {
      await this.startAfterSale();
    }
  }

  private async startAfterSale(): Promise<void> {
    const { app_id, out_trade_no, trade_no } = this.state;
    if (out_trade_no === null) return;
    try {
      await startChild<AfterSaleWorkflow>(WORKFLOW.afterSale, {
        workflowId: afterSaleWorkflowId(app_id, out_trade_no),
        args: [{ app_id, out_trade_no, ...(trade_no === null ? {} : { trade_no }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `After the sale of ${out_trade_no}`,
      });
    } catch (error) {
      // A refund or a notification has started it already.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  private async tellAfterSale(claim: NotificationSignal): Promise<void> {
    const { app_id, out_trade_no } = this.state;
    if (out_trade_no === null) return;
    const afterSale = getExternalWorkflowHandle(afterSaleWorkflowId(app_id, out_trade_no));
    for (;;) {
      try {
        return await afterSale.signal(SIGNAL.notification, claim);
      } catch {
        // It does not run, or has just ended.
        await this.startAfterSale();
      }
    }
  }

  /** Money that was told of while the payment ended gets the run, or the after-sale, that the webhook would have started a moment later. */
  private async takeOnMoney(): Promise<void> {
    const { app_id, out_trade_no, trade_no, outcome, trade_status, payment_data } = this.state;
    const news = this.inbox.peek().filter((claim) => tellsOfMoney(trade_status, claim.trade_status ?? ''));
    // Histories of earlier versions end without a look.
    if (news.length === 0 || !patched('money-at-the-end')) return;
    if (outcome === 'SUCCESS') {
      for (const claim of news) await this.tellAfterSale(claim);
      return;
    }
    this.visibility.withdraw();
    const { runId: run_id } = workflowInfo();
    const previous = { run_id, outcome, order: orderOf(this.input), payment_data };
    await continueAsNew<typeof payment>({
      ...{ kind: 'adopt', app_id, previous, announced: news.at(-1)?.trade_status },
      ...(out_trade_no === null ? {} : { out_trade_no }),
      ...(trade_no === null ? {} : { trade_no }),
    });
  }

  /** Sends late money back, where the settings ask for it. What becomes of the refund is the after-sale's. */
  private async giveBack(): Promise<void> {
    const { app_id, out_trade_no, order_amount, order_currency, method, late_refund } = this.state;
    if (!late_refund) return;
    if (out_trade_no === null || order_amount === null || order_currency === null) {
      return this.record.lateMoneyAsked({ is: 'refused', reason: 'the gateway does not say what was paid' });
    }
    const { out_request_no } = late_refund;
    const refund = { refund_amount: order_amount, refund_currency: order_currency, out_request_no };
    const { taskQueue: task_queue } = workflowInfo();
    this.waitingFor = 'the after-sale to take the refund of this money, which came too late';
    this.show();
    try {
      this.record.lateMoneyAsked(await refundLate({ app_id, out_trade_no, method, task_queue, refund }));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const reason = 'the after-sale did not answer in time; look there whether it has taken the refund';
      this.record.lateMoneyAsked({ is: 'refused', reason });
    }
    this.show();
  }

  private lifeUnder(policy: PaymentPolicy): Life {
    return {
      record: this.record,
      policy,
      met: (problem) => {
        this.problem = problem;
      },
      waitFor: (what) => {
        this.waitingFor = what;
        this.show();
      },
    };
  }

  // — The updates —

  private async created(again: PaymentInput | undefined): Promise<PaymentData> {
    const { out_trade_no } = this.state;
    await condition(() => this.failure !== undefined || creationAnswer(this.state) !== undefined, CREATED_WAIT_MS, {
      summary: 'created',
    });
    if (this.failure !== undefined) throw this.failure;
    const answer = creationAnswer(this.state);
    // A trade that was made elsewhere is known by what the gateway says of it, and that only now.
    if (answer && !orderOf(this.input)) this.refuseOther(again, this.state);
    if (answer) return answer;
    throw ApplicationFailure.create({
      type: FAILURE.pending,
      message: `The gateway has not settled order ${out_trade_no} yet. The payment goes on by itself; ask again for its data. ${this.problem?.message ?? ''}`,
      nonRetryable: true,
      details: [this.problem?.error ?? { outcome: 'unknown' }],
    });
  }

  private refuseAnother(again: PaymentInput | undefined): void {
    const order = orderOf(this.input);
    if (!order || !again || again.kind === 'adopt') return;
    this.refuse(differingFields({ kind: order.kind, ...order.request }, { kind: again.kind, ...again.request }));
  }

  /** Holds an order against a trade that was made elsewhere, by what both of them name. */
  private refuseOther(again: PaymentInput | undefined, { order_amount, order_currency, method }: PaymentState): void {
    if (!again || again.kind === 'adopt') return;
    const asked = again.request;
    const known = { order_amount, order_currency, ...(asked.method === undefined ? {} : { method }) };
    const names = Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [name]));
    const named = (from: object) => Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));
    this.refuse(differingFields(named(known), named(asked)));
  }

  private refuse(fields: string[]): void {
    if (fields.length === 0) return;
    throw ApplicationFailure.create({
      type: FAILURE.differentRequest,
      message: `Order ${this.record.outTradeNo} runs already with another request: ${fields.join(', ')} differ. Send the same request, or use a new out_trade_no.`,
      nonRetryable: true,
      details: [{ fields }],
    });
  }

  private async recheck(): Promise<PaymentState> {
    await this.inbox.recheck(() => this.record.isOver || this.failure !== undefined);
    return this.state;
  }

  private resolve(resolution: Resolution): PaymentState {
    this.record.resolved(resolution, Date.now());
    this.show();
    return this.state;
  }

  private checkResolution(resolution: Resolution): void {
    const problems = [
      ...(OUTCOMES.includes(resolution?.outcome) ? [] : [`outcome: one of ${OUTCOMES.join(', ')}`]),
      ...(resolution?.reason ? [] : ['reason: required']),
      ...(resolution?.by ? [] : ['by: required, who decides']),
      ...(this.record.isOver ? [`it has ended already: ${this.state.outcome}`] : []),
    ];
    if (problems.length === 0) return;
    throw ApplicationFailure.create({
      type: FAILURE.invalidRequest,
      message: `The payment was not resolved: ${problems.join('; ')}`,
      nonRetryable: true,
    });
  }

  /** Runs a part of the life, which a person's `resolve` may cut short at any point. */
  private async unlessResolved(part: () => Promise<void>): Promise<void> {
    const isResolved = () => this.state.confirmed_by === 'operator';
    if (isResolved()) return;
    await runUnless(isResolved, part);
  }

  private show(): void {
    this.visibility.update(this.state, this.waitingFor);
    this.outbox?.note(this.state);
  }
}
