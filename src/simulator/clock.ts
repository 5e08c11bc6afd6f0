import { types } from 'node:util';
import { z } from 'zod';

/** Work that an alarm starts. {@link SimulatorClock.settled} waits for its promise. */
type ScheduledWork = () => void | Promise<void>;

interface Alarm {
  due: number;
  work: ScheduledWork;
}

/** What another process needs to continue the clock: its time and the machine's at one moment, in ms since 1970. */
export const clockReadingSchema = z.object({ now: z.number(), real: z.number(), speed: z.number() });
export type ClockReading = z.output<typeof clockReadingSchema>;

// setTimeout takes a 32-bit number of milliseconds; a longer wait is made of several.
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The simulator's time. It runs at `speed` times real time (0 stops it) and can be moved forward. Everything timed in the
 * simulator is an alarm of this clock, so a test passes three days in milliseconds. Simulators may share one clock.
 * `@sinonjs/fake-timers` would not do: its timers know nothing of a speed, of a clock that goes on in another process, or of
 * work that still runs.
 */
export class SimulatorClock {
  /** Ordered by time, then by the order in which they were set. */
  readonly #alarms: Alarm[] = [];
  readonly #running = new Set<Promise<void>>();
  #advancing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #speed: number;
  // The simulator's time at the monotonic reading `#setAt`.
  #time: number;
  #setAt = performance.now();

  /**
   * @param start - the first time of the clock, default the machine's time
   * @param speed - simulated seconds per real second, default 1
   * @throws RangeError if the start is no date, or the speed is negative
   */
  constructor({
    start = Date.now(),
    speed = 1,
  }: { start?: number | Date | undefined; speed?: number | undefined } = {}) {
    this.#time = Number(start);
    if (!Number.isFinite(this.#time)) throw new RangeError('The clock must start at a real date');
    this.#speed = checkedSpeed(speed);
  }

  /** The simulator's time in ms since 1970. */
  now(): number {
    return Math.floor(this.#exact());
  }

  /** Simulated seconds per real second: at 60 a real second is a simulated minute, 0 stops the clock. */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    const checked = checkedSpeed(speed);
    this.#moveTo(this.#exact());
    this.#speed = checked;
    this.#arm();
  }

  /**
   * Moves the clock forward by `ms`. Resolves when all work that became due is done. Each alarm sees its own time: a
   * retry that is due in ten minutes sees the clock ten minutes later, even if the clock moves three days at once.
   *
   * @throws RangeError if `ms` is negative
   */
  advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) return Promise.reject(new RangeError('A clock only moves forward'));
    // One walk after the other: two callers must not overtake each other's alarms.
    const walk = this.#advancing.then(() => this.#walkTo(this.now() + ms));
    this.#advancing = walk.catch(() => undefined);
    return walk;
  }

  /** Resolves when nothing that is due now waits or runs. */
  async settled(): Promise<void> {
    this.#ring();
    while (this.#running.size > 0) {
      await Promise.all(this.#running);
      this.#ring();
    }
  }

  /** Starts `work` when the clock reaches `due` (ms since 1970), or at once if that is past. Returns how to cancel it. */
  at(due: number, work: ScheduledWork): () => void {
    const alarm = { due, work };
    this.#alarms.splice(this.#alarms.findLastIndex((earlier) => earlier.due <= due) + 1, 0, alarm);
    this.#arm();
    return () => {
      const place = this.#alarms.indexOf(alarm);
      if (place < 0) return;
      this.#alarms.splice(place, 1);
      this.#arm();
    };
  }

  /** What {@link SimulatorClock.resume} needs to continue in another process. */
  reading(): ClockReading {
    return { now: this.now(), real: Date.now(), speed: this.#speed };
  }

  /** Continues from a reading of an earlier process. Time passed while that process was down. */
  resume(reading: ClockReading): void {
    const down = Math.max(0, Date.now() - reading.real);
    this.#moveTo(reading.now + down * reading.speed);
    this.#arm();
  }

  #exact(): number {
    return this.#time + (performance.now() - this.#setAt) * this.#speed;
  }

  // The clock never goes back.
  #moveTo(time: number): void {
    this.#time = Math.max(this.#exact(), time);
    this.#setAt = performance.now();
  }

  async #walkTo(target: number): Promise<void> {
    await this.settled();
    for (let next = this.#alarms[0]; next && next.due <= target; next = this.#alarms[0]) {
      this.#moveTo(next.due);
      await this.settled();
    }
    this.#moveTo(target);
    this.#arm();
  }

  #ring(): void {
    for (let next = this.#alarms[0]; next && next.due <= this.#exact(); next = this.#alarms[0]) {
      this.#alarms.shift();
      this.#start(next.work);
    }
    this.#arm();
  }

  #start(work: ScheduledWork): void {
    const run = (async () => work())()
      // Work handles its own failures. A failure that comes here must not end the process and must not be lost.
      .catch((error: unknown) =>
        process.emitWarning(types.isNativeError(error) ? (error.stack ?? error.message) : String(error)),
      )
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  // One timer for the next alarm: an idle simulator uses no CPU.
  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [next] = this.#alarms;
    if (!next) return;
    const wait = next.due - this.#exact();
    if (wait > 0 && this.#speed === 0) return;
    const real = wait <= 0 ? 0 : Math.ceil(wait / this.#speed);
    this.#timer = setTimeout(() => this.#ring(), Math.min(real, LONGEST_TIMEOUT));
  }
}

function checkedSpeed(speed: number): number {
  if (!Number.isFinite(speed) || speed < 0) throw new RangeError('The speed of a clock is 0 or more');
  return speed;
}

/** At most one alarm of the clock for each record, by its id. There are none when the gateway closes. */
export class Deadlines {
  readonly #cancels = new Map<string, () => void>();

  constructor(
    private readonly clock: SimulatorClock,
    private readonly closing: AbortSignal,
  ) {
    closing.addEventListener('abort', () => {
      for (const cancel of this.#cancels.values()) cancel();
      this.#cancels.clear();
    });
  }

  /** Starts `work` at a time in ms since 1970, instead of what was set for this id before. `null` only cancels. */
  set(id: string, at: number | null, work: ScheduledWork): void {
    this.cancel(id);
    if (at === null || this.closing.aborted) return;
    const cancel = this.clock.at(at, () => {
      this.#cancels.delete(id);
      return work();
    });
    this.#cancels.set(id, cancel);
  }

  has(id: string): boolean {
    return this.#cancels.has(id);
  }

  cancel(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }
}
