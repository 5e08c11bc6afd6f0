/**
 * An outage of the gateway, played in virtual time: so many open payments in their polls, new orders all the while. Temporal
 * and the network take no time, so what is measured is the worker's own doing.
 */
import type { PollSchedule } from '../../src/contract';
import { DAY, MINUTE } from '../../src/gateway/pure/durations';
import { seededRandom } from '../../src/testing/simulated-temporal/random';
import type { Activity, End, Kind, Limits, Outcome, Worker } from './activity';
import { Calendar, type Entry } from './calendar';
import { formerWorker } from './former-worker';
import { noAnswer, todaysWorker } from './worker';

export interface Scenario {
  worker: 'former' | 'today';
  /** Payments that nobody has paid yet, long enough for the slowest polls. */
  open: number;
  orders_per_second: number;
  limits: Limits;
  schedule: PollSchedule;
  /** An order is sent within this time, in ms. */
  create_within_ms: number;
  before_ms: number;
  outage_ms: number;
  after_ms: number;
  seed: number;
}

export interface Result {
  /** Attempts of activities in each second of the outage. */
  attempts: Int32Array;
  /** Calls that the gateway got in each second of the whole. */
  calls: Int32Array;
  /** From the order to its creation, in ms: of orders that came after the outage. One that still waits counts with what it has waited. */
  new_orders: number[];
  /** From the end of the outage to the creation, in ms: of orders that came in the outage. */
  caught_orders: number[];
  /** Orders that were not sent within their time. */
  given_up: number;
  /** From a notification to the answer that confirms it, in ms, after the outage. */
  confirmations: number[];
  /** Looks at the payments that were open from the start, after the outage. */
  polls: number;
}

/** Of the buyers, so many pay, after so long on average; the others leave. */
const PAYING = 0.8;
const PAYS_AFTER_MS = 3 * MINUTE;
/** An open payment has this many deadlines in its life; at each one it is looked at. */
const DEADLINES = 3;
const LIFE_MS = 3 * DAY;
/** A person is told of an order that was not sent for so long; then it is tried on, by another activity. */
const UNREACHED_MS = 10 * MINUTE;
const START = Date.UTC(2026, 0, 1);

export async function simulate(scenario: Scenario): Promise<Result> {
  const real = { now: Date.now, random: Math.random, stack: Error.stackTraceLimit };
  const random = seededRandom(scenario.seed);
  const clock = { now: 0 };
  Date.now = () => START + clock.now;
  Math.random = () => random(2 ** 30) / 2 ** 30;
  Error.stackTraceLimit = 0;
  try {
    return await new Simulation(scenario, clock).run();
  } finally {
    Date.now = real.now;
    Math.random = real.random;
    Error.stackTraceLimit = real.stack;
  }
}

/** An activity of a workflow. `ended` is the workflow. */
class Running implements Activity, Entry {
  next: Entry | undefined;
  attempt = 0;
  heartbeatDetails: unknown;
  isCancelled = false;

  constructor(
    readonly kind: Kind,
    readonly since: number,
    private readonly simulation: Simulation,
    private readonly ended: (end: End, now: number) => void = () => undefined,
    readonly send_before = 0,
  ) {}

  happen(now: number): void | Promise<void> {
    if (this.isCancelled) return;
    const outcome = this.simulation.attempt(this, now);
    if (typeof outcome !== 'object') return this.goOn(outcome, now);
    return outcome.then((known) => this.goOn(known, now));
  }

  private goOn(outcome: Outcome, now: number): void {
    if (typeof outcome === 'number') this.simulation.calendar.add(this, now + outcome);
    else this.ended(outcome, now);
  }
}

class Simulation {
  readonly calendar: Calendar;
  private readonly outage: { from: number; to: number };
  private readonly end: number;
  private readonly worker: Worker;
  private readonly result: Result;
  /** When each order came that the gateway does not have yet. */
  private readonly waiting = new Set<{ came: number }>();
  /** Whether the attempt polls a payment that was open from the start. */
  private isOldPoll = false;

  constructor(
    private readonly scenario: Scenario,
    private readonly clock: { now: number },
  ) {
    const { before_ms, outage_ms, after_ms, limits, schedule, worker } = scenario;
    this.outage = { from: before_ms, to: before_ms + outage_ms };
    this.end = this.outage.to + after_ms;
    this.calendar = new Calendar(this.end);
    const gateway = () => this.request();
    this.worker =
      worker === 'former' ? formerWorker(gateway, limits, schedule) : todaysWorker(gateway, limits, schedule, START);
    this.result = {
      attempts: new Int32Array(outage_ms / 1_000),
      calls: new Int32Array(this.end / 1_000),
      new_orders: [],
      caught_orders: [],
      given_up: 0,
      confirmations: [],
      polls: 0,
    };
  }

  async run(): Promise<Result> {
    const { open, orders_per_second, schedule } = this.scenario;
    for (let i = 0; i < open; i += 1) {
      const watch = new Running('watch', 0, this);
      // Its schedule is over, so the hourly polls are left.
      watch.attempt = schedule.poll_schedule_ms.length + 1;
      this.calendar.add(watch, Math.random() * schedule.poll_every_ms);
    }
    this.atRandom(orders_per_second, (now) => this.order(now));
    this.atRandom((open * DEADLINES) / (LIFE_MS / 1_000), (now) => this.look(now));
    await this.calendar.run((now) => {
      this.clock.now = now;
    });
    for (const { came } of this.waiting) if (came >= this.outage.to) this.result.new_orders.push(this.end - came);
    return this.result;
  }

  /** Makes an attempt, and counts it. */
  attempt(activity: Activity, now: number): Outcome | Promise<Outcome> {
    if (this.isOutage(now)) this.count(this.result.attempts, now - this.outage.from);
    this.isOldPoll = activity.kind === 'watch' && activity.since === 0;
    return this.worker.attempt(activity, now);
  }

  private request(): void {
    const { now } = this.clock;
    this.count(this.result.calls, now);
    if (this.isOutage(now)) throw noAnswer();
    if (this.isOldPoll && now >= this.outage.to) this.result.polls += 1;
  }

  /** A Poisson process. */
  private atRandom(per_second: number, happen: (now: number) => void): void {
    let at = 0;
    const next = () => {
      at += (-Math.log(1 - Math.random()) / per_second) * 1_000;
      this.calendar.at(at, (now) => {
        happen(now);
        next();
      });
    };
    next();
  }

  /** A new order. A person is told after a while that it was not sent; then it is tried for the rest of its time. */
  private order(came: number): void {
    const order = { came };
    this.waiting.add(order);
    const until = came + this.scenario.create_within_ms;
    const send = (since: number, send_before: number) =>
      new Running(
        'create',
        since,
        this,
        (end, now) => {
          if (end === 'done') this.created(came, now);
          else if (now < until) return this.calendar.add(send(now, until), now);
          else this.result.given_up += 1;
          this.waiting.delete(order);
        },
        send_before,
      );
    this.calendar.add(send(came, Math.min(until, came + UNREACHED_MS)), came);
  }

  private created(came: number, now: number): void {
    if (came >= this.outage.to) this.result.new_orders.push(now - came);
    else if (came >= this.outage.from && now >= this.outage.to) this.result.caught_orders.push(now - this.outage.to);
    const watch = new Running('watch', now, this);
    this.calendar.add(watch, now);
    if (Math.random() >= PAYING) return;
    this.calendar.at(now - Math.log(1 - Math.random()) * PAYS_AFTER_MS, (paid) => {
      watch.isCancelled = true;
      this.look(paid, (waited) => {
        if (paid >= this.outage.to) this.result.confirmations.push(waited);
      });
    });
  }

  /** A notification or a deadline asks for a look. */
  private look(since: number, answered: (waited: number) => void = () => undefined): void {
    const look = new Running('look', since, this, (_end, now) => answered(now - since));
    this.calendar.add(look, since);
  }

  private isOutage(now: number): boolean {
    return now >= this.outage.from && now < this.outage.to;
  }

  private count(seconds: Int32Array, at: number): void {
    const second = Math.floor(at / 1_000);
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
}
