/** The world of a model test: one gateway with one trade, and a log of all requests and answers. */
import {
  gatewayActivities,
  type PaymentGateway,
  policyActivity,
  previousRunActivities,
} from '../../../../src/activities';
import type { MerchantEvent, NewPayment, PaymentOutcome, PaymentResolution } from '../../../../src/contract';
import { type PaymentState, paymentWorkflowId } from '../../../../src/contract';
import { GatewayError, type Notification, type Trade } from '../../../../src/gateway';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import { SimulatedTemporal, UpdateFailed } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import type { WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import { deliver } from '../../../../src/webhook/deliver';
import { StartBudget } from '../../../../src/webhook/start-budget';
import { TemporalCalls } from '../../../../src/webhook/temporal-calls';

/** How the gateway treats the next creation, in the order of the tries. */
export type Mishap = 'lost-before' | 'lost-after' | 'unreachable' | 'unavailable' | 'final-refusal' | 'created-refused';

export const AMOUNT = '150.00';
const APP = 'model';
const BEGIN = Date.parse('2026-01-05T12:00:00Z');

type Call =
  | { is: 'create'; answered: 'order' | 'nothing' | 'refusal'; at: number }
  | { is: 'query'; answered: 'order' | 'no such order' | 'nothing'; at: number };

/** The start of a story. */
export interface Circumstances {
  /** The random source: a whole number from 0 to n - 1. */
  random: (n: number) => number;
  mishaps: readonly Mishap[];
  /** How many queries do not find the order yet. */
  blindQueries: number;
  /** What the merchant's handler does with the first events; it takes all later ones. */
  deafFor: number;
  /** How old the answers to queries are, in ms. */
  lag_ms?: number;
}

/** One payment and its gateway. Times are virtual, in ms since the epoch. */
export class World {
  readonly out_trade_no = 'order-1';
  /** Every status that the trade really had. */
  readonly truth: { status: string; at: number; amount: string }[] = [];
  readonly calls: Call[] = [];
  /** What a person has decided, by run. */
  readonly resolved = new Map<string, PaymentOutcome>();
  /** The notifications that reached the webhook. */
  readonly notified: { status: string; at: number }[] = [];
  /** The events that the merchant's handler took. */
  readonly heard: MerchantEvent[] = [];
  charges = 0;
  isDown = false;
  private mishaps: Mishap[];
  private blindQueries: number;
  private deafFor: number;
  private readonly lag_ms: number;
  private readonly startBudget = new StartBudget(1_000_000);

  static async create(circumstances: Circumstances): Promise<World> {
    const { random } = circumstances;
    const activities: Record<string, unknown> = {};
    const temporal = await SimulatedTemporal.create({ now: BEGIN, random, activities });
    const world = new World(temporal, circumstances);
    Object.assign(activities, world.activities());
    return world;
  }

  private constructor(
    readonly temporal: SimulatedTemporal,
    { mishaps, blindQueries, deafFor, lag_ms = 0 }: Circumstances,
  ) {
    this.mishaps = [...mishaps];
    this.blindQueries = blindQueries;
    this.deafFor = deafFor;
    this.lag_ms = lag_ms;
  }

  private activities(): Record<string, unknown> {
    const gateway: PaymentGateway = {
      pay: () => this.create(),
      createCheckout: () => this.create(),
      query: () => this.query(),
      refund: () => Promise.reject(new Error('no refunds here')),
    };
    return {
      ...gatewayActivities({
        gateways: new Map([[APP, gateway]]),
        sealingKeys: () => [],
        notifyUrl: () => 'https://shop.example/ipn',
      }),
      ...policyActivity(loadConfig({}), true),
      ...previousRunActivities,
      'payments.onEvent': (event: MerchantEvent) => this.hear(event),
    };
  }

  get workflowId(): string {
    return paymentWorkflowId(APP, this.out_trade_no);
  }

  get run(): WorkflowRun | undefined {
    return this.temporal.latest(this.workflowId);
  }

  /** Whether the latest run adopted its trade, so that it knows the order only from the gateway. */
  get isAdopted(): boolean {
    return this.temporal.runs(this.workflowId).length > 1;
  }

  get now(): number {
    return this.temporal.clock.now;
  }

  get status(): string | undefined {
    return this.truth.at(-1)?.status;
  }

  get input(): NewPayment {
    return {
      kind: 'direct',
      app_id: APP,
      request: {
        out_trade_no: this.out_trade_no,
        method: 'PIX',
        order_currency: 'BRL',
        order_amount: AMOUNT,
        subject: 'Order',
        buyer_id: 'buyer',
        timeout_express: '90m',
        customer: { name: 'Mariana Souza Lima' },
      },
    };
  }

  /** Lets time pass, in ms. */
  pass(ms: number): Promise<void> {
    return this.temporal.clock.pass(ms);
  }

  start(): void {
    this.temporal.start('payment', this.workflowId, this.input);
  }

  /** The payment’s public state. */
  async state(run: WorkflowRun): Promise<PaymentState> {
    return this.temporal.query<PaymentState>(run, 'state');
  }

  /** The answer to an update; undefined where the payment has ended, or fails the update. */
  async update<T>(name: string, patience_ms: number, ...args: unknown[]): Promise<T | undefined> {
    const asked = this.temporal.update(this.workflowId, name, ...args);
    if (!asked) return undefined;
    return this.temporal.answerTo<T>(asked, patience_ms).catch((error: unknown) => {
      if (error instanceof UpdateFailed) return undefined;
      throw error;
    });
  }

  /** Ends all faults of the gateway. */
  isUpAgain(): void {
    this.isDown = false;
    this.blindQueries = 0;
  }

  /** A person decides the payment's outcome. */
  async resolve(outcome: PaymentOutcome): Promise<void> {
    const { run } = this;
    const resolution: PaymentResolution = { outcome, reason: 'a test', by: 'model' };
    const state = await this.update<PaymentState>('resolve', MINUTE, resolution);
    if (state && run) this.resolved.set(run.runId, outcome);
  }

  // — What happens at the gateway and at the merchant —

  move(status: string, amount = AMOUNT): void {
    this.truth.push({ status, amount, at: this.now });
  }

  /** A notification reaches the webhook, `times` at once. */
  async notify(status: string, times = 1): Promise<void> {
    const { out_trade_no } = this;
    const notification: Notification = {
      ...{ app_id: APP, out_trade_no, trade_no: 'T1', trade_status: status },
      ...{ amount: AMOUNT, currency: 'BRL', out_request_no: undefined, method: undefined },
      ...{ timestamp: undefined, transfer_account: undefined },
    };
    const temporal = new TemporalCalls(this.temporal.client, 'simulated');
    const { startBudget } = this;
    this.notified.push({ status, at: this.now });
    for (let i = 0; i < times; i += 1)
      await deliver({ notification, digest: `${status}-${this.now}`, temporal, startBudget });
  }

  private async hear(event: MerchantEvent): Promise<void> {
    if (this.deafFor > 0) {
      this.deafFor -= 1;
      throw new Error('the handler is out of order');
    }
    this.heard.push(event);
  }

  // — The gateway's operations —

  private async create(): Promise<Record<string, unknown>> {
    const at = this.now;
    const said = (answered: 'order' | 'nothing' | 'refusal') => this.calls.push({ is: 'create', answered, at });
    const mishap = this.isDown ? 'unreachable' : this.mishaps.shift();
    if (mishap === 'unreachable') throw error('not-sent');
    if (mishap === 'lost-before') {
      said('nothing');
      throw error('unknown');
    }
    if (mishap === 'unavailable' || mishap === 'final-refusal') {
      said('refusal');
      throw error('not-created', mishap === 'unavailable' ? ['20000', undefined] : ['40002', 'no-method-supported']);
    }
    if (this.truth.length > 0) {
      said('refusal');
      throw error('unknown', ['40002', 'duplicate-out_trade_no']);
    }
    this.charges += 1;
    this.move(mishap === 'created-refused' ? 'REFUSED' : 'PROCESSING');
    said(mishap === 'lost-after' ? 'nothing' : 'order');
    if (mishap === 'lost-after') throw error('unknown');
    if (mishap === 'created-refused') throw error('created-refused', ['70001', '10001']);
    return { out_trade_no: this.out_trade_no, trade_no: 'T1', trade_status: 'PROCESSING', qr_code: '000201' };
  }

  private async query(): Promise<Trade> {
    const at = this.now;
    const said = (answered: 'order' | 'no such order' | 'nothing') => this.calls.push({ is: 'query', answered, at });
    if (this.isDown) {
      said('nothing');
      throw error('unknown');
    }
    // A stale replica of the gateway answers.
    const truth = this.truth.findLast((one) => one.at <= at - this.lag_ms);
    if (!truth || this.blindQueries > 0) {
      this.blindQueries = Math.max(0, this.blindQueries - 1);
      said('no such order');
      throw error('unknown', ['40002', 'trade-not-exist']);
    }
    said('order');
    const { out_trade_no } = this;
    const { status: trade_status, amount: order_amount } = truth;
    return { out_trade_no, trade_no: 'T1', trade_status, order_amount, order_currency: 'BRL', method: 'PIX' };
  }
}

function error(
  outcome: 'not-sent' | 'unknown' | 'not-created' | 'created-refused',
  [code, sub_code]: readonly [code?: string, sub_code?: string | undefined] = [],
): GatewayError {
  const retryable = code === undefined || code === '20000';
  return new GatewayError(`${outcome} (${sub_code ?? code ?? 'no answer'})`, {
    outcome,
    retryable,
    operation: '/trade/pay',
    code,
    sub_code,
  });
}
