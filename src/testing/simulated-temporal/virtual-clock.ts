/**
 * Virtual time: a list of what is due, and when. Time passes only while somebody waits for it. Things that are due at the
 * same moment happen in random order.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { RandomInt } from './random';

interface Item {
  at: number;
  /** Among the items of one moment. */
  place: number;
  act: () => Promise<void> | void;
}

interface Waiter {
  isSo: () => boolean;
  end: number;
  done: (isSo: boolean) => void;
  failed: (error: unknown) => void;
}

/** How long one way over the network takes, in ms of virtual time. */
export type NetworkDelay = (random: RandomInt) => number;
const unsteadyNetwork: NetworkDelay = (random) => (random(10) === 0 ? random(8_000) : random(50));
/** Under 50 ms, for tests that look at exact seconds. */
export const steadyNetwork: NetworkDelay = (random) => random(50);

const acting = new AsyncLocalStorage<true>();

export class VirtualClock {
  private items: Item[] = [];
  private waiters: Waiter[] = [];
  private isRunning = false;
  private isClosed = false;

  /** `now` in ms since the epoch. */
  constructor(
    public now: number,
    readonly random: RandomInt,
    private readonly network: NetworkDelay = unsteadyNetwork,
  ) {}

  /** Calls `act` in `ms`; returns a function that cancels the call. `act` must not wait for time to pass. */
  in(ms: number, act: Item['act']): () => void {
    const item = { at: this.now + Math.max(0, ms), place: this.random(1_000), act };
    this.items.push(item);
    return () => {
      this.items = this.items.filter((other) => other !== item);
    };
  }

  /** How long the network takes this time, in ms. */
  delay(): number {
    return this.network(this.random);
  }

  async pass(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /**
   * Lets time pass until `isSo` returns true, at most `ms`. Returns whether it does. Several callers may wait at once. Throws after
   * `close`, and inside an item's `act`, where time cannot pass.
   */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true;
    if (this.isClosed) throw new Error('The simulation is over');
    if (acting.getStore())
      throw new Error('Do not wait for simulated time inside an activity or a handler: no time passes while one runs');
    return new Promise((done, failed) => {
      this.waiters.push({ isSo, end: this.now + ms, done, failed });
      if (!this.isRunning) void this.run();
    });
  }

  /** Ends the simulation: nothing happens any more, and every wait fails. */
  close(): void {
    this.isClosed = true;
    this.items = [];
    this.fail(new Error('The simulation is over'));
  }

  /** Lets time pass for as long as somebody waits. */
  private async run(): Promise<void> {
    this.isRunning = true;
    // A turn of the event loop between two steps: a caller whose wait has ended acts before time goes on.
    for (await turn(); this.waiters.length > 0; await turn()) {
      try {
        await this.step();
      } catch (error) {
        this.fail(error);
      }
    }
    this.isRunning = false;
  }

  private async step(): Promise<void> {
    const end = Math.min(...this.waiters.map((waiter) => waiter.end));
    const next = this.next();
    const isOver = next === undefined || next.at > end;
    if (isOver) {
      this.now = end;
    } else {
      this.items = this.items.filter((item) => item !== next);
      this.now = next.at;
      await acting.run(true, async () => next.act());
    }
    this.waiters = this.waiters.filter((waiter) => {
      const isSo = waiter.isSo();
      const waits = !isSo && !(isOver && waiter.end <= end);
      if (!waits) waiter.done(isSo);
      return waits;
    });
  }

  private fail(error: unknown): void {
    for (const { failed } of this.waiters.splice(0)) failed(error);
  }

  private next(): Item | undefined {
    return this.items.reduce<Item | undefined>(
      (first, item) =>
        first === undefined || item.at < first.at || (item.at === first.at && item.place < first.place) ? item : first,
      undefined,
    );
  }
}
