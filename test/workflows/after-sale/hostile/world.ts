/**
 * The world after one sale, as hostile as the promises allow. The merchant's calls go through the real client, requests
 * through the real gateway client, notifications through the real delivery; only time, Temporal's server and the gateway are
 * simulated.
 */
import { AsyncResource } from 'node:async_hooks';
import { WithStartWorkflowOperation } from '@temporalio/client';
import {
  type AfterSaleResolution,
  type AfterSaleState,
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  type RefundAnswer,
  type RefundOutcome,
  WORKFLOW,
} from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { SimulatedTemporal } from '../../../../src/testing/simulated-temporal/simulated-temporal';
import type { WorkflowRun } from '../../../../src/testing/simulated-temporal/workflow-run';
import { endedPayment } from '../../../harness/ended-payment';
import { APP, BaseWorld, BEGIN, inSimulation, PLAIN_WORLD, type WorldTraits } from '../../hostile/base-world';
import { HostileGateway, type RefundEnd, type State, type Trade } from '../../hostile/gateway';

/** The trade that was sold. */
export const TRADE = { out_trade_no: 'order-1', trade_no: 'T1', amount: '150.00', currency: 'BRL' } as const;

/** It stands for so long that every replica shows it. */
const saleOf = (out_trade_no: string, trade_no: string): Trade => ({
  ...{ ...TRADE, out_trade_no, trade_no, made_over: TRADE.amount, method: 'CreditCard', made_by: 'us', kind: 'direct' },
  states: [{ status: 'SUCCESS', at: BEGIN - DAY }],
});

/** A refund that a merchant asks for. */
export interface Asked {
  /** Without one: all that is left. */
  readonly amount?: string | undefined;
  readonly number?: string | undefined;
  readonly bank?: string | undefined;
}

/** What somebody was told. */
export type Told = { readonly at: number; readonly asked: number } & (
  | { readonly is: 'answer'; readonly order: Asked; readonly answer: RefundAnswer }
  | { readonly is: 'failure'; readonly order: Asked; readonly type: string; readonly message: string }
  | { readonly is: 'resolved'; readonly lookedAt: number; readonly resolution: AfterSaleResolution }
  | { readonly is: 'not resolved'; readonly resolution: AfterSaleResolution; readonly message: string }
);

export interface Traits extends WorldTraits {
  watchWindow: '0s' | '3d';
  out_trade_no: string;
  /** The gateway tells of each state by itself, so many ms after it; undefined: only as the story says. */
  tells_ms: number | undefined;
  /** How often a merchant who is told of a failure asks again for the same, at once. */
  asksAgain: number;
  /** Another order is refunded at the same time. */
  hasNeighbour: boolean;
  /** What the settings do with money that comes after the end: see `comesLate`. */
  late: 'refund' | 'attention';
}

/** A gateway that hides nothing and loses nothing, but would give everything back twice; and the settings' defaults. */
const PLAIN: Traits = {
  ...PLAIN_WORLD,
  plan: { takes_ms: 20_000, ends: 'done' },
  ...{ tells_ms: undefined, asksAgain: 0, hasNeighbour: false, late: 'attention', watchWindow: '0s' },
  out_trade_no: TRADE.out_trade_no,
};

export const USER = {
  name: 'Mariana Souza Lima',
  email: 'mariana@example.com',
  identify: { number: '12345678909' },
};

function requestOf({ amount, number, bank }: Asked) {
  return {
    ...(amount === undefined ? {} : { amount }),
    user_info: USER,
    ...(number === undefined ? {} : { out_request_no: number }),
    ...(bank === undefined ? {} : { bank_info: { number: bank } }),
  };
}

/** What an operator has read in the gateway's dashboard. */
interface Reading {
  readonly at: number;
  readonly number: string;
  readonly outcome: Exclude<RefundOutcome, 'ACCEPTED'>;
}

/** Another order of the app whose number is ours with an end. */
const NEIGHBOUR = { end: ':x', trade_no: 'T9', number: 'a' } as const;
/** Our number that looks like the neighbour's where numbers are put together as they are. */
export const LIKE_THE_NEIGHBOURS = 'x:a';

export class World extends BaseWorld<Traits, Told> {
  readonly sold: Trade;
  /** Another order, which a gateway of its own refunds plainly. */
  readonly neighbour: HostileGateway;
  readonly neighbours: Trade;
  /** When an attempt at a refund died with its worker: perhaps before it reached the gateway, or with word that nothing was sent. */
  readonly cutOff: { readonly at: number }[] = [];
  /** When people removed the attention, or the server forgot what had been. */
  readonly settled: number[] = [];
  wasTerminated = false;
  readonly terminations: number[] = [];
  private isPastRetention = false;
  /** Whether Temporal has forgotten any run. */
  hasForgottenRuns = false;
  /** The refunds that people could read of until Temporal forgot them, by number. */
  readonly readable = new Set<string>();
  private reading: Reading | undefined;
  private delivered = 1;
  private desks = 0;

  static create(changed: Partial<Traits> = {}): Promise<World> {
    return inSimulation({ ...PLAIN, ...changed }, (temporal, traits) => new World(temporal, traits));
  }

  private constructor(temporal: SimulatedTemporal, traits: Traits) {
    super(temporal, traits, traits.pick);
    const { clock } = temporal;
    const nothing = () => undefined;
    this.neighbour = new HostileGateway(
      { now: () => clock.now, in: clock.in.bind(clock), pick: traits.pick, onMove: nothing, killWorker: nothing },
      { ...PLAIN, plan: { takes_ms: 2 * HOUR, ends: 'done' } },
    );
    this.sold = saleOf(traits.out_trade_no, TRADE.trade_no);
    this.neighbours = saleOf(`${traits.out_trade_no}${NEIGHBOUR.end}`, NEIGHBOUR.trade_no);
    this.gateway.trades.push(this.sold);
    this.neighbour.trades.push(this.neighbours);
  }

  // What begins here waits for time to pass, which nothing does that happens at one moment.
  private readonly outside = AsyncResource.bind((act: () => void) => act());

  protected override onMove(): void {
    const { tells_ms } = this.traits;
    if (tells_ms !== undefined) this.temporal.clock.in(tells_ms, () => this.outside(() => this.tellNews('all')));
  }

  protected override readonly buyerOf = async () => ({ email: USER.email });

  protected override get settings(): Record<string, string> {
    return { PAYMENTS_WATCH_WINDOW: this.traits.watchWindow, PAYMENTS_LATE: this.traits.late };
  }

  protected override gatewayOf(request: string): HostileGateway {
    const { neighbour, neighbours, gateway } = this;
    const { out_trade_no, trade_no }: Readonly<Record<string, unknown>> = JSON.parse(request);
    return out_trade_no === neighbours.out_trade_no || trade_no === neighbours.trade_no ? neighbour : gateway;
  }

  get workflowId(): string {
    return afterSaleWorkflowId(APP, this.traits.out_trade_no);
  }

  get run(): WorkflowRun | undefined {
    return this.temporal.latest(this.workflowId);
  }

  /** Whether somebody has ended the after-sale, and nothing has started it since. */
  get isTerminated(): boolean {
    return this.run?.status === 'TERMINATED';
  }

  /** People look at the latest run. */
  protected override get watched(): readonly WorkflowRun[] {
    return this.run ? [this.run] : [];
  }

  /** Time passes until people see this status. Throws where they do not within hours. */
  async untilShown(status: string): Promise<void> {
    for (let ms = 0; (await this.state())?.trade_status !== status; ms += 1_000) {
      if (ms > 5 * HOUR) throw new Error(`nobody sees ${status}`);
      await this.pass(1_000);
    }
  }

  /** The state of the latest run that knows anything; of another order, where it is named. */
  async state(workflowId = this.workflowId): Promise<AfterSaleState | undefined> {
    const run = this.temporal.runs(workflowId).findLast(({ hasBegun }) => hasBegun);
    return run && this.within(() => this.temporal.query<AfterSaleState>(run, 'state'));
  }

  // — The payment —

  /** The payment has ended as CANCEL, as its query said, and the trade's money comes after that. */
  async comesLate(): Promise<void> {
    const { out_trade_no } = this.traits;
    const { trade_no } = TRADE;
    const end = endedPayment(
      { app_id: APP, out_trade_no, trade_no },
      { trade_status: 'CANCEL', outcome: 'CANCEL', payment_data: { trade_no, recovered: false } },
      { ended_at: this.now, watch_until: this.now + 30 * DAY },
    );
    const args = [{ app_id: APP, out_trade_no, trade_no, payment: { end, claims: [], contradicted: [] } }];
    const { workflowId } = this;
    await this.temporal.client.workflow.start(WORKFLOW.afterSale, { workflowId, taskQueue: 'simulated', args });
  }

  // — Merchants —

  ask(order: Asked, timesAgain = this.traits.asksAgain): void {
    const refund = requestOf(order);
    const asked = this.now;
    this.call(async () => {
      try {
        const answer = await this.payments.refund(this.traits.out_trade_no, refund);
        this.told.push({ at: this.now, asked, is: 'answer', order, answer });
      } catch (error) {
        this.told.push({ ...this.failure(error), asked, order });
        if (timesAgain > 0) this.ask(order, timesAgain - 1);
      }
    });
  }

  /** The merchant's other order is refunded, too. */
  askForTheNeighbour(): void {
    const refund = requestOf({ amount: '50.00', number: NEIGHBOUR.number });
    this.call(async () => {
      await this.payments.refund(this.neighbours.out_trade_no, refund).catch(() => undefined);
    });
  }

  stateOfTheNeighbour(): Promise<AfterSaleState | undefined> {
    return this.state(afterSaleWorkflowId(APP, this.neighbours.out_trade_no));
  }

  // — The gateway's desk, and its notifications —

  /** Somebody refunds from the gateway's dashboard, which gives back no more than is left. */
  desk(amount: string, takes_ms: number, ends: RefundEnd = 'done'): void {
    this.desks += 1;
    if (this.gateway.gone().plus(amount).gt(TRADE.amount)) return;
    this.gateway.giveBack(this.sold, `desk-${this.desks}`, amount, 'the desk', { takes_ms, ends });
  }

  /** Delivers what the gateway has not told yet: all, or the latest and what no query may have shown. Late, it is old news. */
  tellNews(which: 'all' | 'the latest'): void {
    const { states } = this.sold;
    const untold = states.slice(this.delivered);
    this.delivered = states.length;
    const isTold = (one: State) => which === 'all' || one === untold.at(-1) || one.status === 'REFUND_REVOKE';
    for (const one of untold.filter(isTold)) this.deliver(one);
  }

  deliver({ status, number, at }: State): void {
    // A trade that stands again is the payment's news.
    if (status !== 'SUCCESS') this.notify(this.sold, status, { number, since: at });
  }

  /** A notification of another trade that carries the order's number, once it is known which one was sold. */
  async tellOfAnotherTrade(status: string, number: string): Promise<void> {
    if ((await this.state())?.trade_status && !this.isTerminated)
      this.post(this.notificationOf({ ...this.sold, trade_no: 'T2' }, status, number));
  }

  /** A chargeback is reversed and the trade stands again; each is told and seen, and a person has read of it. */
  async chargeBackAndReverse(): Promise<void> {
    for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']) {
      this.gateway.move(this.sold, status);
      this.deliver({ at: this.now, status });
      await this.untilShown(status);
      await this.pass(MINUTE);
    }
    this.settle();
    await this.pass(HOUR);
  }

  // — Operators —

  /** A person reads in the dashboard what became of the refund that waits for one, or of whichever. */
  async readDashboard(which: 'stuck' | 'any' = 'stuck'): Promise<void> {
    // Who looks again says nothing of what was there before.
    this.reading = undefined;
    const refunds = (await this.state())?.refunds ?? [];
    const stuck = refunds.find(
      ({ outcome, started_at, attention }) => attention !== null || (outcome === null && started_at !== null),
    );
    const looked = which === 'any' ? refunds[this.traits.pick(refunds.length)] : stuck;
    const number = looked?.out_request_no ?? '';
    const standing = this.gateway.standing(number);
    if (!looked || standing === 'pending' || this.now - this.lastRequest(number) < MINUTE) return;
    const OUTCOMES = {
      none: 'NOT_CREATED',
      done: 'REFUNDED',
      refused: 'REFUND_REFUSED',
      revoked: 'REFUND_REVOKE',
    } as const;
    this.reading = { at: this.now, number, outcome: OUTCOMES[standing] };
  }

  private lastRequest(number: string): number {
    return this.gateway.requests.findLast((one) => (one.number ?? number) === number)?.at ?? 0;
  }

  /** A person says what was read, however long ago that was; but not where that refund was sent since. */
  resolveRefund(): void {
    const { reading } = this;
    if (reading && this.lastRequest(reading.number) <= reading.at)
      this.resolve({ outcome: reading.outcome, out_request_no: reading.number }, reading.at);
  }

  /** A person looks at a refund, and says what was read some time later. */
  async readAndDecide(which: 'stuck' | 'any', after_ms: number): Promise<void> {
    await this.readDashboard(which);
    this.call(async () => {
      await this.temporal.clock.pass(after_ms);
      this.resolveRefund();
    });
  }

  /** A person names what went back by others. */
  nameElsewhere(): void {
    const desk = this.gateway.refunds.filter(({ by }) => by === 'the desk');
    const own = this.gateway.refunds.filter(({ by }) => by === 'us');
    const asked = this.now;
    this.call(async () => {
      const listed = this.wasForgotten ? ((await this.state())?.refunds ?? []) : [];
      // What is ours and the ledger does not know any more went back elsewhere, too.
      const isForgotten = ({ number }: { number: string | null }) =>
        this.wasForgotten && !listed.some(({ out_request_no }) => out_request_no === number);
      const elsewhere = [...desk, ...own.filter(isForgotten)];
      this.resolve({ refunded_elsewhere: this.gateway.gone(elsewhere).toFixed(2) }, asked);
    });
  }

  /** A person has read what is shown of the trade, and says so. */
  settle(): void {
    this.resolve({});
  }

  resolve(decision: Omit<AfterSaleResolution, 'by' | 'reason'>, lookedAt = this.now): void {
    const resolution: AfterSaleResolution = { by: 'ana', reason: 'the dashboard', ...decision };
    const asked = this.now;
    this.call(async () => {
      const startWorkflowOperation = new WithStartWorkflowOperation<AfterSaleWorkflow>('afterSale', {
        ...{ workflowId: this.workflowId, taskQueue: 'simulated', workflowIdConflictPolicy: 'USE_EXISTING' },
        args: [{ app_id: APP, out_trade_no: this.traits.out_trade_no }],
      });
      try {
        await this.temporal.client.workflow.executeUpdateWithStart('resolve', {
          args: [resolution],
          startWorkflowOperation,
        });
        this.told.push({ at: this.now, asked, is: 'resolved', lookedAt, resolution });
        const { outcome, refunded_elsewhere } = resolution;
        if (outcome === undefined && refunded_elsewhere === undefined) this.settled.push(this.now);
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        // Who is contradicted looks again, and says it knowing that.
        const [, although] = /add “although” .* with ([\w,]+)$/.exec(String(cause)) ?? [];
        if (although !== undefined && decision.although === undefined)
          return this.resolve({ ...decision, although }, lookedAt);
        this.told.push({ at: this.now, asked, is: 'not resolved', resolution, message: String(cause) });
      }
    });
  }

  terminate(): void {
    if (!this.run?.isRunning) return;
    this.wasTerminated = true;
    this.terminations.push(this.now);
    this.run.terminate();
  }

  /**
   * Resets a run of the after-sale, the latest or an earlier one (from 0, or from -1 for the latest), to one of its tasks: everything after that
   * happens anew.
   */
  async reset(task: 'first' | 'last' = 'first', which = -1): Promise<void> {
    const run = this.temporal.runs(this.workflowId).at(which);
    if (!run?.hasBegun) return;
    this.wasTerminated = true;
    this.temporal.reset(run, task === 'first' ? 0 : -1);
    // A server answers no query before the task that is done again.
    await this.pass(1_000);
  }

  /** The end of the retention of everything that has closed. */
  async forget(): Promise<void> {
    // Retention is days, and not the moments in which a request is under way, or a run has just ended.
    const times = [
      this.gateway.requests.at(-1)?.at ?? 0,
      ...this.temporal.allRuns().map((run) => run.closedAt ?? this.now),
    ];
    if (this.now - Math.max(...times) < HOUR) return;
    this.isPastRetention ||= this.gateway.refunds.length > 0;
    this.hasForgottenRuns ||= this.temporal.allRuns().length > 0;
    for (const { out_request_no } of (await this.state())?.refunds ?? []) this.readable.add(out_request_no);
    for (const { start } of this.temporal.allRuns()) await this.temporal.forget(start.workflowId);
    this.settled.push(this.now);
  }

  renameQueue(): void {
    this.temporal.renameTaskQueue();
  }

  /** What the server does not keep any more, or a closed run on a queue without a worker knew. */
  get wasForgotten(): boolean {
    const cannotAnswer = (run: WorkflowRun) => run.status !== 'RUNNING' && this.temporal.isWithoutWorker(run);
    return this.isPastRetention || this.temporal.allRuns().some(cannotAnswer);
  }

  protected override onLost(attempts: Awaited<ReturnType<SimulatedTemporal['killWorker']>>): void {
    for (const { activityType } of attempts) if (activityType === 'gateway.refund') this.cutOff.push({ at: this.now });
  }
}
