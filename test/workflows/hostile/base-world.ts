/**
 * What every hostile world has: simulated time, calls that go on beside the story, and notifications by the real delivery.
 */
import type { Notification } from '../../../src/gateway';
import { SimulatedTemporal } from '../../../src/testing/simulated-temporal/simulated-temporal';
import { deliver } from '../../../src/webhook/deliver';
import { StartBudget } from '../../../src/webhook/start-budget';
import { TemporalCalls } from '../../../src/webhook/temporal-calls';
import { takeOver } from './outside';

export const APP = 'hostile';
export const BEGIN = Date.parse('2026-01-05T12:00:00Z');
export const SETTLING_MS = 30_000;

/** A promise that a story broke, by its number in the design. */
export interface Broken {
  readonly promise: number;
  readonly what: string;
}

type Simulation = Omit<Parameters<typeof SimulatedTemporal.create>[0], 'now' | 'activities'>;

/** A world in a simulation of its own. The activities need the world, which needs the simulation. */
export async function inSimulation<World extends BaseWorld>(
  simulation: Simulation,
  make: (temporal: SimulatedTemporal) => World,
): Promise<World> {
  const activities: Record<string, unknown> = {};
  const temporal = await SimulatedTemporal.create({ ...simulation, now: BEGIN, activities });
  const world = make(temporal);
  Object.assign(activities, world.activities());
  return world;
}

/** What a story draws of the simulation. */
interface SimulationTraits {
  readonly pick: Simulation['random'];
  readonly childEnds_ms: number;
  readonly cachesWorkflows: boolean;
  readonly continuesAfter: number;
}

export const simulationOf = ({
  pick: random,
  childEnds_ms,
  cachesWorkflows,
  continuesAfter: suggestsContinueAsNewAfter,
}: SimulationTraits): Simulation => ({ random, childEnds_ms, cachesWorkflows, suggestsContinueAsNewAfter });

export abstract class BaseWorld {
  /** Calls of merchants and operators that wait for an answer. */
  private readonly calls = new Set<Promise<void>>();
  private notifications = 0;
  private readonly startBudget = new StartBudget(1_000_000);
  private readonly giveBack: () => void;

  protected constructor(readonly temporal: SimulatedTemporal) {
    this.giveBack = takeOver(temporal);
  }

  async close(): Promise<void> {
    await this.temporal.close();
    this.giveBack();
  }

  /** What the workflows of this world call. */
  abstract activities(): Record<string, unknown>;

  /** Lets time pass, in ms, and looks at what people could see. */
  abstract pass(ms: number): Promise<void>;

  get now(): number {
    return this.temporal.clock.now;
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

  /** Posts a notification to the webhook, `times` at once. */
  protected post(notification: Notification, onAcknowledged: () => void, times = 1): void {
    this.notifications += 1;
    const digest = `digest-${this.notifications}`;
    const temporal = new TemporalCalls(this.temporal.client, 'simulated');
    for (let i = 0; i < times; i += 1) {
      this.call(async () => {
        await deliver({ notification, digest, temporal, startBudget: this.startBudget });
        onAcknowledged();
      });
    }
  }
}
