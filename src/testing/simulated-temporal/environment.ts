/** The simulated Temporal with the methods of the SDK's `TestWorkflowEnvironment`. */
import type { Client } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { seededRandom } from './random';
import { msToNumber } from './sdk-internals';
import { SimulatedTemporal } from './simulated-temporal';
import { type NetworkDelay, steadyNetwork } from './virtual-clock';

const DEFAULT_START = '2026-01-05T12:00:00Z';
const DEFAULT_SEED = 1;
/** Scheduled, started, completed. */
const EVENTS_OF_A_TASK = 3;

export interface RunCost {
  events: number;
  tasks: number;
  /** Activities that were asked for, however many attempts they took; local ones included. */
  activities: number;
}

export interface SimulatedEnvironmentOptions {
  /** When the simulation begins; default 2026-01-05T12:00:00Z. */
  startTime?: Date;
  /** It decides every order of events; default 1, so a test always plays the same. */
  seed?: number;
  /** Events of a run after which the server suggests to continue as new; default 4,000. */
  suggestsContinueAsNewAfter?: number;
  /** False: after each task the worker forgets the workflow, and continues from its history; default true. */
  cachesWorkflows?: boolean;
  /** How long the network takes each way; default under 50 ms. */
  delay?: NetworkDelay;
}

/** A Temporal server and a worker with our workflows, on a network that is never slow. */
export class SimulatedEnvironment {
  static async create(options: SimulatedEnvironmentOptions = {}): Promise<SimulatedEnvironment> {
    const { startTime, seed = DEFAULT_SEED, ...more } = options;
    const activities: Record<string, unknown> = {};
    const now = (startTime ?? new Date(DEFAULT_START)).getTime();
    const random = seededRandom(seed);
    const temporal = await SimulatedTemporal.create({ now, random, delay: steadyNetwork, activities, ...more });
    return new SimulatedEnvironment(temporal, activities);
  }

  private constructor(
    readonly temporal: SimulatedTemporal,
    private readonly activities: Record<string, unknown>,
  ) {}

  /** A client of the simulated server. Time passes while one of its calls waits for an answer. */
  get client(): Client {
    return this.temporal.client;
  }

  /** Adds activities to the worker. */
  work(activities: object): void {
    Object.assign(this.activities, activities);
  }

  /** Lets time pass: ms, or a text such as `3 days`. */
  async sleep(duration: Duration): Promise<void> {
    await this.temporal.clock.pass(msToNumber(duration));
  }

  /** The server's time, in ms since the epoch. */
  async currentTimeMs(): Promise<number> {
    return this.temporal.clock.now;
  }

  /** Events in the history of the latest run under an id; those of workflow tasks are not counted. */
  async historyLength(workflowId: string): Promise<number> {
    const run = this.temporal.latest(workflowId);
    if (!run) throw new Error(`Nothing ran under ${workflowId}`);
    return run.events;
  }

  /** What the latest run under an id cost so far: all events of its history, its workflow tasks, and its activities. */
  async costOf(workflowId: string): Promise<RunCost> {
    const run = this.temporal.latest(workflowId);
    if (!run) throw new Error(`Nothing ran under ${workflowId}`);
    const { events, tasks, activities } = run;
    return { events: events + EVENTS_OF_A_TASK * tasks, tasks, activities };
  }

  /** Ends the simulation. */
  teardown(): Promise<void> {
    return this.temporal.close();
  }
}
