/**
 * The world of one order, as hostile as the promises allow: a gateway that protects nobody, merchants and operators who do
 * anything at any moment, and a worker that dies. The merchant's calls go through the real client, requests through the
 * real gateway client, notifications through the real delivery; only time, Temporal's server and the gateway are simulated.
 */
import type { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { buyerOfPayment } from '../../../../src/activities';
import { CallDeferredError } from '../../../../src/activities/failures';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  type MerchantEvent,
  type NewPayment,
  type PaymentOutcome as Outcome,
  PAYMENT_OUTCOMES,
  type PaymentData,
  type PaymentState,
  paymentWorkflowId,
} from '../../../../src/contract';
import type { Checkout, DirectPayment, GatewayClient } from '../../../../src/gateway';
import { DAY, MINUTE } from '../../../../src/gateway/pure/durations';
import type { SimulatedTemporal } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import type { UpdateExecution, WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import { APP, BaseWorld, inSimulation, PLAIN_WORLD, type WorldTraits } from '../../hostile/base-world';
import type { OrderKind, Trade } from '../../hostile/gateway';

export const AMOUNT = '150.00';
/** The order's own expiry, in ms; the grace after it is the setting's default. */
export const EXPIRY_MS = 90 * MINUTE;
export const GRACE_MS = 850 * MINUTE;
/** The number of the refund that a merchant asks for; every other one is the worker's own. */
export const MERCHANTS_REFUND = 'merchants';

/** What somebody was told, by whatever way. */
export type Told = {
  readonly at: number;
} /** The answer to a call for the order, which was asked for at `asked`. */ & (
  | { readonly is: 'payment data'; readonly asked: number; readonly order: AskedOrder; readonly data: PaymentData }
  | {
      readonly is: 'failure';
      readonly asked: number;
      readonly order: AskedOrder;
      readonly type: string;
      readonly message: string;
      readonly outcome?: unknown;
    }
  /** The answer to `cancel`: the order is not sent. */
  | { readonly is: 'withdrawn' }
  /** The answer to `outcome`. */
  | { readonly is: 'outcome'; readonly state: PaymentState }
  /** The answer to a `recheck` that was asked for at `asked`, and of which workflow. */
  | { readonly is: 'rechecked'; readonly asked: number; readonly workflowId: string; readonly state: RecheckedState }
  | { readonly is: 'recheck failed'; readonly asked: number; readonly workflowId: string; readonly message: string }
  | { readonly is: 'resolved'; readonly workflowId: string; readonly runId: string; readonly outcome: Outcome }
  | { readonly is: 'terminated' | 'cancel asked' | 'reset'; readonly workflowId: string }
);

/** What a merchant asked for under the number. */
export interface AskedOrder {
  readonly kind: OrderKind;
  readonly amount: string;
}

/** What the answers to a `recheck` have in common: a payment's state, and that of what goes on after it. */
export type RecheckedState = Pick<PaymentState, 'trade_no' | 'trade_status' | 'outcome' | 'attention'>;

/** Somebody waits for an answer that may take as long as the payment. */
export interface Waiting {
  readonly is: 'outcome' | 'recheck';
  readonly asked: number;
  readonly workflowId: string;
  answered: boolean;
}

/** The worker's settings that a story draws. */
export interface WorkerSettings {
  readonly late: 'attention' | 'accept' | 'refund';
  readonly confirmByQuery: boolean;
}

export interface Traits extends WorldTraits, WorkerSettings {
  /** Attempts to call the gateway that the limiter or the circuit holds back, before the first one is sent. */
  heldBack: number;
  /** Events that the merchant's handler refuses first. */
  deafFor: number;
  /** What the merchant asks for. */
  kind: OrderKind;
  /** The gateway notifies each state of what we made this late; null: only where the story says so. */
  notifies_ms: number | null;
  /** What another system has made under the number before anybody asked for ours. */
  before: 'nothing' | TradeBefore;
}

/** A trade of another system that was there before ours was asked for. */
export interface TradeBefore {
  readonly amount: string;
  readonly isPaid: boolean;
  /** The gateway notifies it, and so it is adopted, ten minutes before the merchant asks. */
  readonly isNotified: boolean;
}

/** A gateway that hides nothing and loses nothing, but would make everything twice; and the settings' defaults. */
const PLAIN: Traits = {
  ...{ ...PLAIN_WORLD, late_ms: 5_000, heldBack: 0, deafFor: 0, notifies_ms: null, before: 'nothing' },
  ...{ late: 'attention', confirmByQuery: true, kind: 'direct' },
};

export class World extends BaseWorld<Traits, Told> {
  readonly out_trade_no = 'order-1';
  /** Whether a merchant asked for another order under the number. */
  hasOtherOrder = false;
  /** When Temporal forgot the payment first: what its order said is known to nobody any more, but for its amount. */
  forgottenAt = Number.POSITIVE_INFINITY;
  private readonly forgotten: WorkflowRun[] = [];
  /** Whether an operator adopted the number. */
  hasAdopted = false;
  /** When the merchant asked for its money back. */
  readonly refundsAsked: number[] = [];
  /** Whether a run or a worker was cut off: nobody can tell then whether what was under way has reached the gateway. */
  wasCutOff = false;
  /** When a worker died that had begun a creation: whether that one was sent, only the gateway knows. */
  readonly creationsCutOff: number[] = [];
  /** How often anything came from outside. */
  disturbances = 0;
  /** When merchants asked for the order. */
  readonly asked: number[] = [];
  /** Who waits for the end, or for a recheck. */
  readonly waiting: Waiting[] = [];
  private heldBack: number;
  /** How long a call that was held back may not be made: a full limiter, or an open circuit. */
  heldBack_ms = 1_000;
  private deafFor: number;

  static create(changed: Partial<Traits> = {}): Promise<World> {
    return inSimulation({ ...PLAIN, ...changed }, (temporal, traits) => new World(temporal, traits));
  }

  private constructor(temporal: SimulatedTemporal, traits: Traits) {
    super(temporal, traits);
    this.heldBack = traits.heldBack;
    this.deafFor = traits.deafFor;
  }

  protected override readonly buyerOf = buyerOfPayment;

  protected override get settings(): Record<string, string> {
    const { late, confirmByQuery } = this.traits;
    return { PAYMENTS_LATE: late, PAYMENTS_CONFIRM_BY_QUERY: String(confirmByQuery) };
  }

  /** Holds back the first calls, as a full limiter or an open circuit does. */
  protected override throttled(client: GatewayClient): GatewayClient {
    const held = () => {
      if (this.heldBack <= 0) return false;
      this.heldBack -= 1;
      return true;
    };
    return new Proxy(client, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          if (held()) throw new CallDeferredError('the limiter is full', `/trade/${String(name)}`, this.heldBack_ms);
          return method.apply(target, args);
        };
      },
    });
  }

  get workflowId(): string {
    return paymentWorkflowId(APP, this.out_trade_no);
  }

  get run(): WorkflowRun | undefined {
    return this.temporal.latest(this.workflowId);
  }

  /**
   * Whether the answers to creations came to no run: the one that waited was ended before. Then no history has what they said, and the gateway
   * might as well have given none.
   */
  get areCreationsUnheard(): boolean {
    const ofCreations = [...this.forgotten, ...this.runs].flatMap(({ scheduled, results, status }) =>
      scheduled.flatMap(({ seq, activityType }) =>
        activityType === 'gateway.create' ? [{ status, isAnswered: results.has(seq ?? 0) }] : [],
      ),
    );
    return (
      ofCreations.every(({ isAnswered }) => !isAnswered) && ofCreations.some(({ status }) => status === 'TERMINATED')
    );
  }

  /** Every run of every workflow that concerns the order. */
  get runs(): readonly WorkflowRun[] {
    return this.temporal.allRuns().filter(({ start }) => start.workflowId.includes(this.out_trade_no));
  }

  /** The story's own order: every other one under the number is another order. */
  get own(): AskedOrder {
    return { kind: this.traits.kind, amount: AMOUNT };
  }

  isOwn({ kind, amount }: AskedOrder): boolean {
    return kind === this.own.kind && amount === this.own.amount;
  }

  private common(order_amount: string) {
    const order = { order_currency: 'BRL', order_amount, subject: 'Order', buyer_id: 'buyer', timeout_express: '90m' };
    return { out_trade_no: this.out_trade_no, ...order };
  }

  order(order_amount = AMOUNT): DirectPayment {
    const identify = { number: '12345678909', type: 'CPF' };
    const customer = { name: 'Mariana Souza Lima', email: 'mariana@example.com', phone: '5511999990000', identify };
    return { ...this.common(order_amount), method: this.traits.method, customer };
  }

  checkout(order_amount = AMOUNT): Checkout {
    return { ...this.common(order_amount), trade_type: 'WEB' };
  }

  get input(): NewPayment {
    const request = this.own.kind === 'direct' ? this.order() : this.checkout();
    return { kind: this.own.kind, app_id: APP, request: { ...request } };
  }

  protected override get watched(): readonly WorkflowRun[] {
    return this.runs;
  }

  async state(run: WorkflowRun): Promise<PaymentState> {
    return this.temporal.query<PaymentState>(run, 'state');
  }

  async afterSale(run: WorkflowRun): Promise<AfterSaleState> {
    return this.temporal.query<AfterSaleState>(run, 'state');
  }

  // — Merchants —

  /** Asks for an order, and takes note of the answer when it comes. */
  pay(order: AskedOrder = this.own): void {
    this.hasOtherOrder ||= !this.isOwn(order);
    const asked = this.now;
    this.asked.push(asked);
    const { kind, amount } = order;
    this.call(async () => {
      try {
        const data = await (kind === 'direct'
          ? this.payments.pay(this.order(amount))
          : this.payments.createCheckout(this.checkout(amount)));
        this.told.push({ at: this.now, is: 'payment data', asked, order, data });
      } catch (error) {
        this.told.push({ ...this.failure(error), asked, order });
      }
    });
  }

  /** Withdraws the order, as far as that is possible. */
  withdraw(): void {
    const asked = this.now;
    this.call(async () => {
      try {
        await this.payments.cancel(this.out_trade_no);
        this.told.push({ at: this.now, is: 'withdrawn' });
      } catch (error) {
        this.told.push({ ...this.failure(error), asked, order: this.own });
      }
    });
  }

  /** Waits for the outcome, which may take as long as the payment. */
  awaitOutcome(): void {
    const asked = this.now;
    this.wait('outcome', this.workflowId, async () => {
      try {
        const state = await this.payments.outcome(this.out_trade_no);
        this.told.push({ at: this.now, is: 'outcome', state });
      } catch (error) {
        this.told.push({ ...this.failure(error), asked, order: this.own });
      }
    });
  }

  /** Sends this much money back, or all that is left, under one number however often it is asked. */
  refund(amount?: string): void {
    this.refundsAsked.push(this.now);
    const refund = { out_request_no: MERCHANTS_REFUND, ...(amount === undefined ? {} : { amount }) };
    this.call(async () => {
      // What became of it is the gateway's ledger to say, and the after-sale's model.
      await this.payments.refund(this.out_trade_no, refund).catch((error: unknown) => error);
    });
  }

  /** Starts the workflow by its plain contract, under a reuse policy of the starter's choice. */
  start(
    policy: 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY' | 'REJECT_DUPLICATE',
    workflowId = this.workflowId,
    args: unknown[] = [this.input],
  ): void {
    this.asked.push(this.now);
    this.call(async () => {
      const options = { workflowId, taskQueue: 'simulated', args, workflowIdReusePolicy: policy };
      await this.temporal.client.workflow
        .start('payment', options)
        .catch((error: WorkflowExecutionAlreadyStartedError) => error);
    });
  }

  /** The retention of Temporal is over for the payment, and its after-sale goes on. Returns which runs are forgotten. */
  async outlive(): Promise<string[]> {
    const isFollowed = this.temporal.latest(afterSaleWorkflowId(APP, this.out_trade_no))?.isRunning === true;
    if (!isFollowed || this.run?.isRunning !== false) return [];
    const forgotten = this.temporal.runs(this.workflowId);
    this.forgotten.push(...forgotten);
    await this.temporal.forget(this.workflowId);
    this.forgottenAt = Math.min(this.forgottenAt, this.now);
    return forgotten.map(({ runId }) => runId);
  }

  /** Somebody takes on whatever trade has the number, without a word of what was before. */
  adopt(): void {
    const { out_trade_no } = this;
    this.hasAdopted = true;
    this.start('ALLOW_DUPLICATE', this.workflowId, [{ kind: 'adopt', app_id: APP, out_trade_no }]);
  }

  // — Operators —

  /** A person says what became of whatever of this order waits for one. */
  async resolve(outcome: Outcome): Promise<void> {
    for (const run of this.runs.filter(({ isRunning }) => isRunning)) await this.resolveRun(run, outcome);
  }

  async resolveRun({ start: { workflowId, type }, runId }: WorkflowRun, outcome: Outcome): Promise<void> {
    if (type === 'eventDelivery') return;
    const said = { reason: 'looked at the dashboard', by: 'ana' };
    if (type === 'afterSale' && !(await this.isAskedForOutcome(runId))) return this.resolveRefund(workflowId, said);
    await this.isTaken(workflowId, { ...said, outcome }, () =>
      this.told.push({ at: this.now, is: 'resolved', workflowId, runId, outcome }),
    );
  }

  /** A person says after the end that it was otherwise, whatever another person has said before. */
  async correct(outcome: Outcome): Promise<void> {
    for (const { isRunning, start, runId } of this.runs) {
      const { workflowId, type } = start;
      if (!isRunning || type !== 'afterSale') continue;
      const correction = { reason: 'the books say so', by: 'ana', outcome, although: PAYMENT_OUTCOMES.join(',') };
      await this.isTaken(workflowId, correction, () =>
        this.told.push({ at: this.now, is: 'resolved', workflowId, runId, outcome }),
      );
    }
  }

  /** Whether a person has to say how the order has ended: of all else after it, that it is taken care of. */
  private async isAskedForOutcome(runId: string): Promise<boolean> {
    const run = this.runs.find((one) => one.runId === runId);
    return run?.hasBegun === true && (await this.afterSale(run)).attention === 'amount-mismatch';
  }

  /** The person reads in the gateway's dashboard what became of a refund. Where none runs, there is nothing to say of it. */
  private async resolveRefund(workflowId: string, said: object): Promise<void> {
    const outcome = this.gateway.refunds.length > 0 ? 'REFUNDED' : 'NOT_CREATED';
    const afterSale = this.temporal.latest(workflowId);
    // Without a worker nobody can read it.
    const { refunds } = afterSale?.hasBegun
      ? await this.temporal.query<AfterSaleState>(afterSale, 'state')
      : { refunds: [] };
    const stuck = refunds.find(({ attention }) => attention === 'unknown-refund');
    if (stuck && (await this.isTaken(workflowId, { ...said, outcome, out_request_no: stuck.out_request_no }))) return;
    await this.isTaken(workflowId, said);
  }

  /** Asks every open workflow of the payment to look now. */
  recheck(): void {
    for (const { isRunning, start } of this.runs) {
      if (!isRunning || (start.type !== 'payment' && start.type !== 'afterSale')) continue;
      const { workflowId } = start;
      const update = this.temporal.update(workflowId, 'recheck');
      if (update) this.wait('recheck', workflowId, () => this.rechecked(workflowId, update));
    }
  }

  private async rechecked(workflowId: string, update: UpdateExecution): Promise<void> {
    const asked = this.now;
    try {
      const answer = await this.temporal.answerTo<PaymentState | AfterSaleState>(update, 366 * DAY);
      const { trade_no, trade_status, attention } = answer;
      const { outcome } = 'payment' in answer ? (answer.payment ?? { outcome: null }) : answer;
      const state = { trade_no, trade_status, attention, outcome };
      this.told.push({ at: this.now, is: 'rechecked', asked, workflowId, state });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.told.push({ at: this.now, is: 'recheck failed', asked, workflowId, message });
    }
  }

  cancel(): void {
    if (!this.run?.isRunning) return;
    this.run.requestCancel('the button');
    this.told.push({ at: this.now, is: 'cancel asked', workflowId: this.workflowId });
  }

  terminate(): void {
    this.wasCutOff = true;
    if (!this.run?.isRunning) return;
    this.run.terminate();
    this.told.push({ at: this.now, is: 'terminated', workflowId: this.workflowId });
  }

  /** Resets the latest run, or the one with this place, to a task, from 0, or from -1 for the last: what came after it happens anew. */
  reset(task = 0, which = -1): void {
    this.wasCutOff = true;
    const run = this.temporal.runs(this.workflowId).at(which);
    // A reset while a child is being started is not simulated.
    if (!run?.hasBegun || (task !== 0 && this.traits.childStarts_ms > 0)) return;
    this.temporal.reset(run, task);
    this.told.push({ at: this.now, is: 'reset', workflowId: this.workflowId });
  }

  oddSignal(name: 'notification' | 'somethingElse', ...args: unknown[]): void {
    this.signal(this.run, name, args);
  }

  /** The answer to a creation that a dying worker could not report any more is lost. */
  protected override onLost(attempts: Awaited<ReturnType<SimulatedTemporal['killWorker']>>): void {
    this.wasCutOff = true;
    const creation = attempts.find(({ activityType }) => activityType === 'gateway.create');
    if (creation) this.creationsCutOff.push(this.now);
    if (creation?.workedAt !== undefined) this.gateway.loseCreation(creation.workedAt);
  }

  /** A gateway notifies by itself whoever made a trade. */
  protected override onMove(trade: Trade, status: string): void {
    const { notifies_ms } = this.traits;
    if (notifies_ms === null || trade.made_by !== 'us') return;
    this.temporal.clock.in(notifies_ms, () => this.notify(trade, status));
  }

  /** From now on the merchant's handler takes every event. */
  mendHandler(): void {
    this.deafFor = 0;
  }

  protected override hear(event: MerchantEvent): void {
    if (this.deafFor > 0) {
      this.deafFor -= 1;
      throw new Error('the handler is out of order');
    }
    super.hear(event);
  }

  /** A call whose answer may take as long as the payment: nobody waits for it at the end of a story. */
  private wait(is: Waiting['is'], workflowId: string, act: () => Promise<void>): void {
    const waiting: Waiting = { is, asked: this.now, workflowId, answered: false };
    this.waiting.push(waiting);
    void act().finally(() => {
      waiting.answered = true;
    });
  }
}
