/**
 * What every hostile world has: its gateway, a Temporal of its own, the merchant's real client, calls that go on beside the
 * story, notifications by the real delivery, and what people were told. Only time, Temporal's server and the gateway are simulated.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import {
  accountActivities,
  accountPolicyOf,
  gatewayActivities,
  policyActivity,
  previousRunActivities,
} from '../../../src/activities';
import type { BuyerOf } from '../../../src/activities/make-refund';
import { PaymentsClient } from '../../../src/client';
import { ClientError } from '../../../src/client/client-error';
import { type MerchantEvent, telling } from '../../../src/contract';
import { GatewayClient, type Notification } from '../../../src/gateway';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { loadConfig } from '../../../src/process/settings';
import { SimulatedTemporal } from '../../../src/testing/simulated-temporal/simulated-temporal';
import type { UpdateExecution, WorkflowRun } from '../../../src/testing/simulated-temporal/workflow-run';
import { deliver } from '../../../src/webhook/deliver';
import { StartBudget } from '../../../src/webhook/start-budget';
import { TemporalCalls } from '../../../src/webhook/temporal-calls';
import { Apps } from './apps';
import { type GatewayTraits, HostileGateway, PLAIN_GATEWAY, statusOf, type Trade } from './gateway';
import { takeOver } from './outside';

export const APP = 'hostile';
export const BEGIN = Date.parse('2026-01-05T12:00:00Z');
export const SETTLING_MS = 30_000;
/** What may pass between an acknowledgement and the moment at which the workflow has it: network and a task. */
export const UNDER_WAY_MS = 30_000;

/** A promise that a story broke, by its number in the design. */
export interface Broken {
  readonly promise: number;
  readonly what: string;
}

/** A notification that the webhook has acknowledged, and so the gateway never sends it again. */
export interface Acknowledged {
  readonly at: number;
  readonly trade_no: string;
  readonly status: string;
  readonly amount: string;
  readonly out_trade_no?: string;
  readonly account_id?: string | undefined;
  /** The refund that it names, and since when the trade has been what it says. */
  readonly number?: string | undefined;
  readonly since?: number | undefined;
}

/** What a notification says otherwise than the trade is, and how often it comes at once. */
interface Notified extends Partial<Pick<Acknowledged, 'amount' | 'number' | 'since'>> {
  readonly times?: number;
}

/** What somebody was told: where it is a failure, of which type. */
interface TheTold {
  readonly at: number;
  readonly is: string;
  readonly type?: string;
  readonly message?: string;
}

/** The type of a failure that is none of our own errors. */
export const ANOTHER_ERROR = 'another error';

/** What people could find under `PaymentAttention is not null` at a look. */
interface Attention {
  readonly at: number;
  readonly workflowId: string;
  readonly runId: string;
  readonly attention: string;
  readonly trade_no: string | null;
}

/** What every story draws: of the gateway, and of the simulation. */
export interface WorldTraits extends GatewayTraits {
  /** A whole number from 0 to n - 1. */
  pick: (n: number) => number;
  /** How far the server is behind with the starts, and with the ends, of children, in ms. */
  childStarts_ms: number;
  childEnds_ms: number;
  cachesWorkflows: boolean;
  /** The events after which a run is to continue as another one. */
  continuesAfter: number;
}

export const PLAIN_WORLD: WorldTraits = {
  ...{ ...PLAIN_GATEWAY, pick: () => 0 },
  ...{ childStarts_ms: 0, childEnds_ms: 0, cachesWorkflows: true, continuesAfter: 4_000 },
};

/** A world in a simulation of its own. The activities need the world, which needs the simulation. */
export async function inSimulation<World extends BaseWorld, Traits extends WorldTraits>(
  traits: Traits,
  make: (temporal: SimulatedTemporal, traits: Traits) => World,
): Promise<World> {
  const activities: Record<string, unknown> = {};
  const {
    pick: random,
    continuesAfter: suggestsContinueAsNewAfter,
    childStarts_ms,
    childEnds_ms,
    cachesWorkflows,
  } = traits;
  const temporal = await SimulatedTemporal.create({
    ...{ random, suggestsContinueAsNewAfter, childStarts_ms, childEnds_ms, cachesWorkflows },
    ...{ now: BEGIN, activities },
  });
  const world = make(temporal, traits);
  Object.assign(activities, world.activities());
  return world;
}

const isDone = ({ outcome }: UpdateExecution): boolean => outcome !== undefined && 'completed' in outcome;

/** How often the gateway posts a notification that is not acknowledged, and after which time, in ms. */
const MOST_POSTS = 5;
const AGAIN_AFTER_MS = 30_000;

export abstract class BaseWorld<Traits extends WorldTraits = WorldTraits, Told extends TheTold = TheTold> {
  readonly gateway: HostileGateway;
  readonly payments: PaymentsClient;
  readonly apps = new Apps<GatewayClient>();
  readonly told: Told[] = [];
  readonly events: MerchantEvent[] = [];
  readonly acknowledged: Acknowledged[] = [];
  readonly attentions: Attention[] = [];
  /** When nobody worked: from, until. */
  readonly absences: { readonly from: number; readonly until: number }[] = [];
  /** Calls of merchants and operators that wait for an answer. */
  private readonly calls = new Set<Promise<void>>();
  /** What persons have decided, and no worker has taken yet. */
  private readonly decisions = new Map<UpdateExecution, () => void>();
  private notifications = 0;
  private readonly startBudget = new StartBudget(1_000_000);
  private readonly giveBack: () => void;

  /** `pick` draws the replica that answers a query. */
  protected constructor(
    readonly temporal: SimulatedTemporal,
    readonly traits: Traits,
    pick: (n: number) => number = () => 0,
  ) {
    this.giveBack = takeOver(temporal);
    this.gateway = this.gatewayWith(pick);
    this.payments = new PaymentsClient({ client: temporal.client, app_id: APP, taskQueue: 'simulated' });
  }

  private gatewayWith(pick: (n: number) => number): HostileGateway {
    const { clock } = this.temporal;
    return new HostileGateway(
      {
        now: () => clock.now,
        in: (ms, act) => clock.in(ms, act),
        pick,
        onMove: (trade, status) => this.onMove(trade, status),
        killWorker: () => clock.in(0, async () => void (await this.temporal.killWorker())),
      },
      this.traits,
    );
  }

  async close(): Promise<void> {
    await this.temporal.close();
    this.giveBack();
  }

  /** What the workflows of this world call. */
  activities(): Record<string, unknown> {
    const app = { app_id: APP, secret_key: 'key', base_url: 'http://127.0.0.1:9' };
    const post: HostileGateway['post'] = (path, headers, text) => this.gatewayOf(text).post(path, headers, text);
    const gateways = this.apps.set(
      APP,
      this.throttled(new GatewayClient(app, {}, { post, close: async () => undefined })),
    );
    const notifyUrl = () => 'https://shop.example/ipn';
    const config = loadConfig(this.settings);
    return {
      ...gatewayActivities({ gateways, sealingKeys: () => [], notifyUrl, buyerOf: this.buyerOf }),
      ...accountActivities({ gateways, notifyUrl, policy: accountPolicyOf(config, ['handler']) }),
      ...policyActivity(config, ['handler']),
      ...previousRunActivities,
      'payments.onEvent': telling((event: MerchantEvent, listeners: readonly string[]) => {
        this.hear(event);
        return listeners;
      }),
    };
  }

  // — What a world of its own may do otherwise —

  /** The settings of the workers. */
  protected get settings(): Record<string, string> {
    return {};
  }

  protected readonly buyerOf: BuyerOf = async () => ({});

  protected throttled(client: GatewayClient): GatewayClient {
    return client;
  }

  /** The gateway that a request goes to. */
  protected gatewayOf(_request: string): HostileGateway {
    return this.gateway;
  }

  protected onMove(_trade: Trade, _status: string): void {}

  /** The merchant's handler. */
  protected hear(event: MerchantEvent): void {
    this.events.push(event);
  }

  /** What a notification says of the account to which money came. */
  protected transferTo(_trade: Trade): Notification['transfer_account'] {
    return undefined;
  }

  /** The runs at whose attention people look. */
  protected get watched(): readonly WorkflowRun[] {
    return this.temporal.allRuns();
  }

  // — Time —

  get now(): number {
    return this.temporal.clock.now;
  }

  /** Lets time pass, in ms, and looks at what people could see. */
  async pass(ms: number): Promise<void> {
    await this.temporal.clock.pass(ms);
    this.hearDecisions();
    for (const run of this.watched) {
      const { PaymentAttention: attention, PaymentTradeNo } = this.temporal.attributesOf(run);
      const trade_no = typeof PaymentTradeNo === 'string' ? PaymentTradeNo : null;
      const { runId, start } = run;
      if (typeof attention === 'string')
        this.attentions.push({ at: this.now, workflowId: start.workflowId, runId, attention, trade_no });
    }
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

  /** What goes on beside the story, as calls of other processes do. */
  protected call(act: () => Promise<void>): void {
    const done = act().finally(() => this.calls.delete(done));
    this.calls.add(done);
  }

  /** Waits until every call has its answer. */
  async answered(): Promise<void> {
    await Promise.all(this.calls);
  }

  // — The gateway's notifications —

  /** A notification of a trade reaches the webhook, `times` at once; `status` is the trade's own unless it lies. */
  notify(
    trade: Trade,
    status = statusOf(trade),
    { times = 1, amount = trade.amount, number, since }: Notified = {},
  ): void {
    const { out_trade_no, trade_no, account_id } = trade;
    const taken = { trade_no, out_trade_no, account_id, status, amount, number, since };
    const onAcknowledged = () => this.acknowledged.push({ at: this.now, ...taken });
    this.post({ ...this.notificationOf(trade, status, number), amount }, onAcknowledged, times);
  }

  protected notificationOf(trade: Trade, trade_status: string, out_request_no?: string): Notification {
    const { out_trade_no, trade_no, amount, currency, method } = trade;
    return {
      ...{ app_id: APP, out_trade_no, trade_no, trade_status, amount, currency, method, out_request_no },
      ...{ timestamp: undefined, transfer_account: this.transferTo(trade) },
    };
  }

  /** Posts a notification to the webhook, `times` at once. What it does not acknowledge, the gateway posts again. */
  protected post(notification: Notification, onAcknowledged: () => void = () => undefined, times = 1): void {
    this.notifications += 1;
    const digest = `digest-${this.notifications}`;
    const temporal = new TemporalCalls(this.temporal.client, 'simulated');
    for (let i = 0; i < times; i += 1) {
      this.call(async () => {
        const delivery = { notification, digest, temporal, startBudget: this.startBudget };
        for (let posts = 1; ; posts += 1) {
          const failure: unknown = await deliver(delivery).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (failure === undefined) break;
          if (posts === MOST_POSTS) throw failure;
          await new Promise<void>((resolve) => this.temporal.clock.in(AGAIN_AFTER_MS, async () => resolve()));
        }
        onAcknowledged();
      });
    }
  }

  // — People —

  /** What an error tells who called. */
  protected failure(error: unknown) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    return error instanceof ClientError
      ? ({
          at: this.now,
          is: 'failure',
          type: error.name,
          message: error.message,
          outcome: error.details.outcome,
        } as const)
      : ({ at: this.now, is: 'failure', type: ANOTHER_ERROR, message: `${error} ${cause}` } as const);
  }

  /** Whether a person's decision is taken, in ten minutes. Where no worker was there, one may take it later: `onTaken` is called then, too. */
  protected async isTaken(
    workflowId: string,
    resolution: object,
    onTaken: () => void = () => undefined,
  ): Promise<boolean> {
    const asked = this.temporal.update(workflowId, 'resolve', resolution);
    if (!asked) return false;
    this.decisions.set(asked, onTaken);
    await this.temporal.answerTo(asked, 10 * MINUTE).catch(() => undefined);
    this.hearDecisions();
    return isDone(asked);
  }

  private hearDecisions(): void {
    for (const [asked, onTaken] of this.decisions) {
      if (asked.outcome === undefined) continue;
      this.decisions.delete(asked);
      if (isDone(asked)) onTaken();
    }
  }

  /** Somebody sends a signal by hand. */
  protected signal(run: WorkflowRun | undefined, name: string, args: readonly unknown[]): void {
    if (!run?.isRunning) return;
    run.signal(
      name,
      args.map((arg) => defaultPayloadConverter.toPayload(arg)),
    );
  }

  // — Workers —

  /** `kill -9` of the worker. */
  async killWorker(): Promise<void> {
    this.onLost(await this.within(() => this.temporal.killWorker()));
  }

  /** A person ends what one of the open workflows waits for. The events that a handler gets are not ended so. */
  async endByHand(given: { readonly result: unknown } | undefined): Promise<void> {
    const open = this.temporal.allRuns().filter(({ isRunning, start }) => isRunning && start.type !== 'eventDelivery');
    const run = open[this.traits.pick(open.length)];
    if (run) this.onLost(run.commands.endActivitiesByHand(given));
  }

  /** What the worker that died was at, and could not report any more. */
  protected onLost(_attempts: Awaited<ReturnType<SimulatedTemporal['killWorker']>>): void {}

  /** The worker dies, and another one starts only after so many ms. */
  async leaveWithoutWorker(ms: number): Promise<void> {
    this.absences.push({ from: this.now, until: this.now + ms });
    this.temporal.leaveWithoutWorker(ms);
    await this.killWorker();
  }

  /** Workers were started without the app, for so many ms. */
  async lackApp(by: 'half' | 'all', ms: number): Promise<void> {
    this.apps.lackedBy = by;
    // Nobody asks the gateway: that is as if it were silent.
    if (by === 'all') this.gateway.silences.push({ from: this.now, until: this.now + ms });
    await this.pass(ms);
    this.apps.lackedBy = 'nobody';
  }
}
