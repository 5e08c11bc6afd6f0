/** Virtual time: what is going to happen, and when. Nothing happens by itself; things due at once happen in random order. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';

interface Item {
  at: number;
  place: number;
  act: () => Promise<void> | void;
}

/** Somebody for whom time passes. */
interface Waiter {
  isSo: () => boolean;
  end: number;
  done: (isSo: boolean) => void;
  failed: (error: unknown) => void;
}

/** A whole number from 0 to n - 1. */
export type Pick = (n: number) => number;

/** How long each way over the network takes, in ms of virtual time. */
export type Delay = (pick: Pick) => number;
/** A few ms, and now and then seconds, as networks do. */
export const unsteady: Delay = (pick) => (pick(10) === 0 ? pick(8_000) : pick(50));
/** For tests that look at exact seconds. */
export const steady: Delay = (pick) => pick(50);

/** Set in what happens by the agenda. */
const happening = new AsyncLocalStorage<true>();

export class Agenda {
  private items: Item[] = [];
  private waiters: Waiter[] = [];
  private isPassing = false;
  private isClosed = false;

  /** `now` in ms since the epoch. */
  constructor(
    public now: number,
    readonly pick: Pick,
    private readonly network: Delay = unsteady,
  ) {}

  /** Puts something on the agenda, and gives what takes it off again. What it does must not wait for time to pass. */
  in(ms: number, act: Item['act']): () => void {
    const item = { at: this.now + Math.max(0, ms), place: this.pick(1_000), act };
    this.items.push(item);
    return () => {
      this.items = this.items.filter((other) => other !== item);
    };
  }

  /** How long something takes from here to there, in ms. */
  delay(): number {
    return this.network(this.pick);
  }

  /** Lets time pass, in ms. */
  async pass(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /** Lets time pass until something is so, and at the most `ms`. Answers whether it is. Several may wait at once. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true;
    if (this.isClosed) throw new Error('The simulation is over');
    if (happening.getStore()) throw new Error('Time stands still while something happens: it cannot be waited for');
    return new Promise((done, failed) => {
      this.waiters.push({ isSo, end: this.now + ms, done, failed });
      if (!this.isPassing) void this.letPass();
    });
  }

  /** Nothing happens any more, and who waits is told so. */
  close(): void {
    this.isClosed = true;
    this.items = [];
    this.fail(new Error('The simulation is over'));
  }

  /** Time goes on for as long as somebody waits. */
  private async letPass(): Promise<void> {
    this.isPassing = true;
    // What a caller does next who waits no more, it does before time goes on.
    for (await turn(); this.waiters.length > 0; await turn()) {
      try {
        await this.step();
      } catch (error) {
        this.fail(error);
      }
    }
    this.isPassing = false;
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
      await happening.run(true, async () => next.act());
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
