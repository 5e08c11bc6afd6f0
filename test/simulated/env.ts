/** What the SDK's `TestWorkflowEnvironment` is to tests, on the simulated Temporal: a life of years takes moments. */
import type { Client } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { steady } from './agenda';
import { picker } from './chance';
import { SimulatedTemporal } from './temporal';

const BEGIN = Date.parse('2026-01-05T12:00:00Z');
/** The same story each time: these tests are about rules, and look at exact times. Chance has its own tests in test/model. */
const SEED = 1;

export class SimulatedEnv {
  static async create(): Promise<SimulatedEnv> {
    const activities: Record<string, unknown> = {};
    const pick = picker(SEED);
    return new SimulatedEnv(
      await SimulatedTemporal.create({ now: BEGIN, pick, delay: steady, activities }),
      activities,
    );
  }

  private constructor(
    private readonly temporal: SimulatedTemporal,
    private readonly activities: Record<string, unknown>,
  ) {}

  /** Time passes while an answer of its is waited for. */
  get client(): Client {
    return this.temporal.client;
  }

  /** From now on there is a worker that has these activities. */
  work(activities: object): void {
    Object.assign(this.activities, activities);
  }

  /** Lets time pass. */
  async sleep(duration: Duration): Promise<void> {
    await this.temporal.agenda.pass(msToNumber(duration));
  }

  /** The server's time, in ms since the epoch. */
  async currentTimeMs(): Promise<number> {
    return this.temporal.agenda.now;
  }

  teardown(): Promise<void> {
    return this.temporal.close();
  }
}
