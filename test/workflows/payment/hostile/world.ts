/**
 * The world of one order, as hostile as the promises allow: a gateway that protects nobody, merchants and operators who do
 * anything at any moment, and a worker that dies. The merchant's calls go through the real client, requests through the
 * real gateway client, notifications through the real delivery; only time, Temporal's server and the gateway are simulated.
 */
import type { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { gatewayActivities, policyActivity, previousRunActivities } from '../../../../src/activities';
import { CallDeferredError } from '../../../../src/activities/throttle';
import { PaymentError, PaymentsClient } from '../../../../src/client';
import {
  type MerchantEvent,
  type NewPayment,
  type PaymentOutcome as Outcome,
  type PaymentData,
  type PaymentState,
  paymentWorkflowId,
} from '../../../../src/contract';
import { type DirectPayment, GatewayClient, type Notification } from '../../../../src/gateway';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import type { Run } from '../../../../src/testing/simulated-temporal/run';
import { SimulatedTemporal } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import { deliver } from '../../../../src/webhook/deliver';
import { StartBudget } from '../../../../src/webhook/start-budget';
import { TemporalCalls } from '../../../../src/webhook/temporal-calls';
import { type GatewayTraits, HostileGateway, type LedgerTrade } from './gateway';

export const APP = 'hostile';
export const AMOUNT = '150.00';
export const BEGIN = Date.parse('2026-01-05T12:00:00Z');
/** The order's own expiry, in ms; the grace after it is the setting's default. */
export const EXPIRY_MS = 90 * MINUTE;
export const GRACE_MS = 850 * MINUTE;
export const SETTLING_MS = 30_000;

/** What somebody was told, by whatever way. */
export type Told = { readonly at: number } & (
  | { readonly is: 'payment data'; readonly order_amount: string; readonly data: PaymentData }
  | {
      readonly is: 'failure';
      readonly order_amount: string;
      readonly type: string;
      readonly outcome: unknown;
      readonly message: string;
    }
  | { readonly is: 'another error'; readonly message: string }
  | { readonly is: 'resolved'; readonly workflowId: string; readonly runId: string; readonly outcome: Outcome }
  | { readonly is: 'terminated' | 'cancel asked' | 'reset'; readonly workflowId: string }
);

export interface Traits extends GatewayTraits {
  /** A whole number from 0 to n - 1. */
  pick: (n: number) => number;
  /** Attempts to call the gateway that the limiter or the circuit holds back, before the first one is sent. */
  heldBack: number;
  /** Events that the merchant's handler refuses first. */
  deafFor: number;
}

export class World {
  readonly out_trade_no = 'order-1';
  readonly gateway: HostileGateway;
  readonly payments: PaymentsClient;
  /** Acknowledged by the webhook, and so the gateway never sends it again. */
  readonly acknowledged: { at: number; trade_no: string; status: string; amount: string }[] = [];
  readonly told: Told[] = [];
  /** Whether a merchant asked for another order under the number. */
  hasOtherOrder = false;
  /** When a worker was there again that had been away. */
  readonly returns: number[] = [];
  /** When merchants asked for the order. */
  readonly asked: number[] = [];
  readonly events: MerchantEvent[] = [];
  /** What people could find under `PaymentAttention is not null` at each look of the oracle. */
  readonly attentions: {
    at: number;
    workflowId: string;
    runId: string;
    attention: string;
    trade_no: string | null;
  }[] = [];
  /** Calls of merchants and operators that wait for an answer. */
  private readonly calls = new Set<Promise<void>>();
  private heldBack: number;
  private deafFor: number;
  private notifications = 0;
  private readonly startBudget = new StartBudget(1_000_000);

  static async create(traits: Traits): Promise<World> {
    const activities: Record<string, unknown> = {};
    const temporal = await SimulatedTemporal.create({ now: BEGIN, random: traits.pick, activities });
    const world = new World(temporal, traits);
    Object.assign(activities, world.activities());
    return world;
  }

  private constructor(
    readonly temporal: SimulatedTemporal,
    readonly traits: Traits,
  ) {
    const { clock: agenda } = temporal;
    this.gateway = new HostileGateway({ now: () => agenda.now, in: (ms, act) => agenda.in(ms, act) }, traits);
    this.payments = new PaymentsClient({ client: temporal.client, app_id: APP, taskQueue: 'simulated' });
    this.heldBack = traits.heldBack;
    this.deafFor = traits.deafFor;
  }

  private activities(): Record<string, unknown> {
    const app = { app_id: APP, secret_key: 'key', base_url: 'http://127.0.0.1:9' };
    const client = new GatewayClient(app, {}, this.gateway);
    return {
      ...gatewayActivities({
        gateways: new Map([[APP, this.throttled(client)]]),
        sealingKeys: () => [],
        notifyUrl: () => 'https://shop.example/ipn',
      }),
      ...policyActivity(loadConfig({}), true),
      ...previousRunActivities,
      'payments.onEvent': async (event: MerchantEvent) => this.hear(event),
    };
  }

  /** Holds back the first calls, as a full limiter or an open circuit does. */
  private throttled(client: GatewayClient): GatewayClient {
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
          if (held()) throw new CallDeferredError('the limiter is full', `/trade/${String(name)}`, 1_000);
          return method.apply(target, args);
        };
      },
    });
  }

  get workflowId(): string {
    return paymentWorkflowId(APP, this.out_trade_no);
  }

  get now(): number {
    return this.temporal.clock.now;
  }

  get run(): Run | undefined {
    return this.temporal.latest(this.workflowId);
  }

  /** Every run of every workflow that concerns the order. */
  get runs(): readonly Run[] {
    return this.temporal.allRuns().filter(({ start }) => start.workflowId.includes(this.out_trade_no));
  }

  order(order_amount = AMOUNT): DirectPayment {
    return {
      out_trade_no: this.out_trade_no,
      method: 'PIX',
      order_currency: 'BRL',
      order_amount,
      subject: 'Order',
      buyer_id: 'buyer',
      timeout_express: '90m',
      customer: { name: 'Mariana Souza Lima' },
    };
  }

  get input(): NewPayment {
    return { kind: 'direct', app_id: APP, request: { ...this.order() } };
  }

  /** Lets time pass, in ms, and looks at what people could see. */
  async pass(ms: number): Promise<void> {
    await this.temporal.clock.pass(ms);
    this.look();
  }

  look(): void {
    for (const run of this.runs) {
      const { PaymentAttention: attention, PaymentTradeNo } = this.temporal.attributesOf(run);
      const trade_no = typeof PaymentTradeNo === 'string' ? PaymentTradeNo : null;
      const { runId, start } = run;
      if (typeof attention === 'string')
        this.attentions.push({ at: this.now, workflowId: start.workflowId, runId, attention, trade_no });
    }
  }

  async state(run: Run): Promise<PaymentState> {
    return this.temporal.query<PaymentState>(run, 'state');
  }

  /** The trades beside the payment's that whoever opens this workflow reads of. */
  async otherTrades(run: Run): Promise<string[]> {
    const { other_trades } = await this.temporal.query<Pick<PaymentState, 'other_trades'>>(run, 'state');
    return other_trades.map(({ trade_no }) => trade_no);
  }

  /** Does something between two events of the simulation, as whatever comes from outside does. */
  async within<T>(act: () => Promise<T>): Promise<T> {
    let done: { value: T } | undefined;
    this.temporal.clock.in(0, async () => {
      done = { value: await act() };
    });
    await this.temporal.clock.until(() => done !== undefined, 1_000);
    if (!done) throw new Error('it was not done');
    return done.value;
  }

  // — Merchants —

  /** Calls `pay`, and takes note of the answer when it comes. */
  pay(order_amount = AMOUNT): void {
    this.hasOtherOrder ||= order_amount !== AMOUNT;
    this.asked.push(this.now);
    this.call(async () => {
      try {
        const data = await this.payments.pay(this.order(order_amount));
        this.told.push({ at: this.now, is: 'payment data', order_amount, data });
      } catch (error) {
        this.toldOf(error, order_amount);
      }
    });
  }

  private toldOf(error: unknown, order_amount: string): void {
    const at = this.now;
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof PaymentError))
      this.told.push({
        at,
        is: 'another error',
        message: `${error} ${error instanceof Error && error.cause instanceof Error ? error.cause.message : ''}`,
      });
    else this.told.push({ at, is: 'failure', order_amount, type: error.name, outcome: error.details.outcome, message });
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

  // — Operators —

  /** A person says what became of whatever of this order waits for one. */
  async resolve(outcome: Outcome): Promise<void> {
    for (const run of this.runs.filter(({ isRunning }) => isRunning)) await this.resolveRun(run, outcome);
  }

  async resolveRun({ start: { workflowId, type }, runId }: Run, outcome: Outcome): Promise<void> {
    if (type === 'paymentEvents') return;
    const asked = this.temporal.update(workflowId, 'resolve', {
      outcome,
      reason: 'looked at the dashboard',
      by: 'ana',
    });
    if (!asked) return;
    const answered = await this.temporal.answerTo(asked, 10 * MINUTE).then(
      () => true,
      () => false,
    );
    if (answered) this.told.push({ at: this.now, is: 'resolved', workflowId, runId, outcome });
  }

  recheck(): void {
    this.temporal.update(this.workflowId, 'recheck');
  }

  cancel(): void {
    if (!this.run?.isRunning) return;
    this.run.requestCancel('the button');
    this.told.push({ at: this.now, is: 'cancel asked', workflowId: this.workflowId });
  }

  terminate(): void {
    if (!this.run?.isRunning) return;
    this.run.terminate();
    this.told.push({ at: this.now, is: 'terminated', workflowId: this.workflowId });
  }

  /** Resets the latest run to its first task: everything after its start happens anew. */
  reset(): void {
    const { run } = this;
    if (!run) return;
    this.temporal.reset(run);
    this.told.push({ at: this.now, is: 'reset', workflowId: this.workflowId });
  }

  oddSignal(name: 'notification' | 'somethingElse', ...args: unknown[]): void {
    if (this.run?.isRunning)
      this.run.signal(
        name,
        args.map((arg) => defaultPayloadConverter.toPayload(arg)),
      );
  }

  /** The worker dies, and another one starts only after so many ms. */
  async leaveWithoutWorker(ms: number): Promise<void> {
    this.temporal.leaveWithoutWorker(ms);
    this.returns.push(this.now + ms);
    await this.killWorker();
  }

  /** `kill -9` of the worker. The answer to a creation that it could not report any more is lost. */
  async killWorker(): Promise<void> {
    const lost = await this.within(() => this.temporal.killWorker());
    if (lost.includes('gateway.create')) this.gateway.loseLastCreation();
  }

  // — The gateway's notifications —

  /** A notification of a trade reaches the webhook, `times` at once; `status` is the trade's own unless it lies. */
  notify(
    trade: LedgerTrade,
    status = trade.states.at(-1)?.status ?? '',
    { times = 1, amount = trade.amount } = {},
  ): void {
    this.notifications += 1;
    const digest = `digest-${this.notifications}`;
    const { out_trade_no, trade_no } = trade;
    const notification: Notification = {
      ...{ app_id: APP, out_trade_no, trade_no, trade_status: status, amount, currency: trade.currency },
      ...{ out_request_no: undefined, method: undefined, timestamp: undefined, transfer_account: undefined },
    };
    const temporal = new TemporalCalls(this.temporal.client, 'simulated');
    for (let i = 0; i < times; i += 1) {
      this.call(async () => {
        await deliver({ notification, digest, temporal, startBudget: this.startBudget });
        this.acknowledged.push({ at: this.now, trade_no, status, amount });
      });
    }
  }

  private hear(event: MerchantEvent): void {
    if (this.deafFor > 0) {
      this.deafFor -= 1;
      throw new Error('the handler is out of order');
    }
    this.events.push(event);
  }

  /** What goes on beside the story, as calls of other processes do. */
  private call(act: () => Promise<void>): void {
    const done = act().finally(() => this.calls.delete(done));
    this.calls.add(done);
  }

  /** Waits until every call has its answer. */
  async answered(): Promise<void> {
    await Promise.all(this.calls);
  }
}
