/** The world that a model test plays in: one gateway with one trade, and everything that was ever asked of it or said. */
import { type Gateway, gatewayActivities, memoryActivities, policyActivity } from '../../src/activities';
import { loadConfig } from '../../src/config';
import { GatewayError, type Notification, type Trade } from '../../src/gateway';
import { MINUTE } from '../../src/gateway/durations';
import { deliver } from '../../src/webhook/deliver';
import { PerMinute } from '../../src/webhook/per-minute';
import { type PaymentState, paymentWorkflowId } from '../../src/workflows';
import type { NewPayment, Outcome, Resolution } from '../../src/workflows/contract';
import type { MerchantEvent } from '../../src/workflows/events';
import type { Run } from '../simulated/run';
import { SimulatedTemporal, UpdateFailed } from '../simulated/temporal';

/** How the gateway treats the next creation, in the order of the tries. */
export type Mishap = 'lost-before' | 'lost-after' | 'unreachable' | 'unavailable' | 'final-refusal' | 'created-refused';

export const AMOUNT = '150.00';
const APP = 'model';
const BEGIN = Date.parse('2026-01-05T12:00:00Z');

type Call =
  | { is: 'create'; answered: 'order' | 'nothing' | 'refusal'; at: number }
  | { is: 'query'; answered: 'order' | 'no such order' | 'nothing'; at: number };

/** What a story begins with. */
export interface Circumstances {
  /** The random source: a whole number from 0 to n - 1. */
  pick: (n: number) => number;
  mishaps: readonly Mishap[];
  /** Queries that come too early to find the order. */
  blindQueries: number;
  /** What the merchant's handler does with the events that come: it takes them once this is used up. */
  deafFor: number;
  /** How old the answers to queries are, in ms. */
  lag_ms?: number;
}

/** One payment and its gateway. Times are virtual, in ms since the epoch. */
export class World {
  readonly out_trade_no = 'order-1';
  /** Every state that the trade truly had. */
  readonly truth: { status: string; at: number; amount: string }[] = [];
  readonly calls: Call[] = [];
  /** What a person has decided, by run. */
  readonly resolved = new Map<string, Outcome>();
  /** What the webhook was told. */
  readonly notified: { status: string; at: number }[] = [];
  /** What the merchant's handler was told. */
  readonly heard: MerchantEvent[] = [];
  charges = 0;
  isDown = false;
  private mishaps: Mishap[];
  private blindQueries: number;
  private deafFor: number;
  private readonly lag_ms: number;
  private readonly adoptions = new PerMinute(1_000_000);

  static async create(circumstances: Circumstances): Promise<World> {
    const { pick } = circumstances;
    const activities: Record<string, unknown> = {};
    const temporal = await SimulatedTemporal.create({ now: BEGIN, pick, activities });
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
    const gateway: Gateway = {
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
      ...memoryActivities,
      'payments.onEvent': (event: MerchantEvent) => this.hear(event),
    };
  }

  get workflowId(): string {
    return paymentWorkflowId(APP, this.out_trade_no);
  }

  get run(): Run | undefined {
    return this.temporal.latest(this.workflowId);
  }

  /** Whether the latest run took on a trade, so that it knows the order by what the gateway says of it. */
  get isAdopted(): boolean {
    return this.temporal.runs(this.workflowId).length > 1;
  }

  get now(): number {
    return this.temporal.agenda.now;
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
    return this.temporal.agenda.pass(ms);
  }

  start(): void {
    this.temporal.start('payment', this.workflowId, this.input);
  }

  /** The payment's state as everybody can read it. */
  async state(run: Run): Promise<PaymentState> {
    return this.temporal.query<PaymentState>(run, 'state');
  }

  /** The answer to an update; nothing where the payment is over, or fails it. */
  async update<T>(name: string, patience_ms: number, ...args: unknown[]): Promise<T | undefined> {
    const asked = this.temporal.update(this.workflowId, name, ...args);
    if (!asked) return undefined;
    return this.temporal.answerTo<T>(asked, patience_ms).catch((error: unknown) => {
      if (error instanceof UpdateFailed) return undefined;
      throw error;
    });
  }

  /** Whatever troubled the gateway is over. */
  isUpAgain(): void {
    this.isDown = false;
    this.blindQueries = 0;
  }

  /** A person decides what became of the payment. */
  async resolve(outcome: Outcome): Promise<void> {
    const { run } = this;
    const resolution: Resolution = { outcome, reason: 'a test', by: 'model' };
    const state = await this.update<PaymentState>('resolve', MINUTE, resolution);
    if (state && run) this.resolved.set(run.runId, outcome);
  }

  // — What happens at the gateway, and at the merchant's —

  move(status: string, amount = AMOUNT): void {
    this.truth.push({ status, amount, at: this.now });
  }

  /** A notification that says so reaches the webhook, `times` at once. */
  async notify(status: string, times = 1): Promise<void> {
    const { out_trade_no } = this;
    const notification: Notification = {
      ...{ app_id: APP, out_trade_no, trade_no: 'T1', trade_status: status },
      ...{ amount: AMOUNT, currency: 'BRL', out_request_no: undefined, method: undefined },
      ...{ timestamp: undefined, transfer_account: undefined },
    };
    const options = {
      client: this.temporal.client,
      taskQueue: 'simulated',
      timeout_ms: 1_000,
      adoptions: this.adoptions,
    };
    this.notified.push({ status, at: this.now });
    for (let i = 0; i < times; i += 1) await deliver(options, notification, `${status}-${this.now}`);
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
    // A copy of the gateway's that is behind.
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
