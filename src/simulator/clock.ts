import { types } from 'node:util';
import { Heap, type HeapItem } from './heap';

/** Work that an alarm starts; what it returns is waited for by {@link SimulatorClock.settled}. */
export type Work = () => void | Promise<void>;

interface Alarm extends HeapItem {
  work: Work;
}

/** A reading that a restarted process can go on from. */
export interface ClockReading {
  /** The simulator's time, in ms since 1970. */
  now: number;
  /** The machine's time at that moment. */
  real: number;
  speed: number;
}

// setTimeout takes a 32-bit number of milliseconds; a longer wait is made of several.
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The simulator's time: it runs at `speed` times the real one (0 stands still) and can be moved forward at will.
 * Everything timed in the simulator is an alarm of this clock, so three days pass in a test in milliseconds.
 * Several simulators may share one clock.
 */
export class SimulatorClock {
  readonly #alarms = new Heap<Alarm>();
  readonly #busy = new Set<Promise<void>>();
  #advancing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #order = 0;
  #speed: number;
  // The last known time, and the monotonic reading at which it was true.
  #known: number;
  #knownAt: number;

  /**
   * @param start - the time at which the clock begins, default the machine's time
   * @param speed - simulated seconds per real second, default 1
   */
  constructor({
    start = Date.now(),
    speed = 1,
  }: { start?: number | Date | undefined; speed?: number | undefined } = {}) {
    this.#known = typeof start === 'number' ? start : start.getTime();
    if (!Number.isFinite(this.#known)) throw new RangeError('The clock must start at a real date');
    this.#knownAt = performance.now();
    this.#speed = checkedSpeed(speed);
  }

  /** The simulator's time in ms since 1970. */
  now(): number {
    return Math.floor(this.#exact());
  }

  /** Simulated seconds per real second: 60 makes a minute of every second, 0 stops the clock. */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    const checked = checkedSpeed(speed);
    this.#jumpTo(this.#exact());
    this.#speed = checked;
    this.#arm();
  }

  /**
   * Moves the clock forward and resolves when everything that came due on the way has been carried out, each thing at
   * its own time: a retry due after ten minutes sees the clock ten minutes later, however far it is moved at once.
   */
  advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) return Promise.reject(new RangeError('A clock only moves forward'));
    // One walk after the other, so that two callers do not overtake each other's alarms.
    const walk = this.#advancing.then(() => this.#walkTo(this.now() + ms));
    this.#advancing = walk.catch(() => undefined);
    return walk;
  }

  /** Resolves when nothing that is due by now is waiting or under way. */
  async settled(): Promise<void> {
    this.#ring();
    while (this.#busy.size > 0) {
      await Promise.all(this.#busy);
      this.#ring();
    }
  }

  /** Starts `work` when the clock reaches `due` (at once if that is past). The function returned cancels it. */
  at(due: number, work: Work): () => void {
    const alarm: Alarm = { due, work, order: this.#order++, position: -1 };
    this.#alarms.add(alarm);
    this.#arm();
    return () => {
      this.#alarms.remove(alarm);
      this.#arm();
    };
  }

  /** What {@link SimulatorClock.resume} needs to go on in another process. */
  reading(): ClockReading {
    return { now: this.now(), real: Date.now(), speed: this.#speed };
  }

  /** Goes on from a reading of an earlier process: time passed while it was down, and never runs backwards. */
  resume(reading: ClockReading): void {
    const down = Math.max(0, Date.now() - reading.real);
    this.#jumpTo(Math.max(this.#exact(), reading.now + down * reading.speed));
    this.#arm();
  }

  #exact(): number {
    return this.#known + (performance.now() - this.#knownAt) * this.#speed;
  }

  #jumpTo(time: number): void {
    this.#known = time;
    this.#knownAt = performance.now();
  }

  async #walkTo(target: number): Promise<void> {
    await this.settled();
    for (let next = this.#alarms.first(); next !== undefined && next.due <= target; next = this.#alarms.first()) {
      this.#jumpTo(Math.max(this.#exact(), next.due));
      await this.settled();
    }
    this.#jumpTo(Math.max(this.#exact(), target));
    this.#arm();
  }

  #ring(): void {
    for (
      let next = this.#alarms.first();
      next !== undefined && next.due <= this.#exact();
      next = this.#alarms.first()
    ) {
      this.#alarms.remove(next);
      this.#start(next.work);
    }
    this.#arm();
  }

  #start(work: Work): void {
    const run = (async () => work())()
      // Work handles its own failures; what still comes here must neither end the process nor be lost.
      .catch((error: unknown) =>
        process.emitWarning(types.isNativeError(error) ? (error.stack ?? error.message) : String(error)),
      )
      .finally(() => this.#busy.delete(run));
    this.#busy.add(run);
  }

  // One timer for the next alarm, so an idle simulator costs nothing.
  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#alarms.first();
    if (next === undefined) return;
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
