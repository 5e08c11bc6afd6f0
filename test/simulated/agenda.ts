/** Virtual time: what is going to happen, and when. Nothing happens by itself; things due at once happen in random order. */

interface Item {
  at: number;
  place: number;
  act: () => Promise<void> | void;
}

export class Agenda {
  private items: Item[] = [];

  /** `now` in ms since the epoch; `pick(n)` gives a whole number from 0 to n - 1. */
  constructor(
    public now: number,
    readonly pick: (n: number) => number,
  ) {}

  /** Puts something on the agenda, and gives what takes it off again. */
  in(ms: number, act: Item['act']): () => void {
    const item = { at: this.now + Math.max(0, ms), place: this.pick(1_000), act };
    this.items.push(item);
    return () => {
      this.items = this.items.filter((other) => other !== item);
    };
  }

  /** Lets time pass, in ms. */
  async pass(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /** Lets time pass until something is so, and at the most `ms`. Answers whether it is. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    const end = this.now + ms;
    while (!isSo()) {
      const next = this.next();
      if (next === undefined || next.at > end) {
        this.now = end;
        return false;
      }
      this.items = this.items.filter((item) => item !== next);
      this.now = next.at;
      await next.act();
    }
    return true;
  }

  private next(): Item | undefined {
    return this.items.reduce<Item | undefined>(
      (first, item) =>
        first === undefined || item.at < first.at || (item.at === first.at && item.place < first.place) ? item : first,
      undefined,
    );
  }
}
