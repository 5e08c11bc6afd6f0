const MINUTE_MS = 60_000;
/** The most keys that are remembered. With more keys in a minute, all counts start again at zero. */
const MAX_KEYS = 20_000;

/** Counts by any number of keys, and starts again at zero each minute, by a clock that nobody sets. */
export class MinuteCounts {
  private readonly counts = new Map<string, number>();
  private until = 0;

  /** Counts one more. Returns how many there are of this key by now. */
  add(key = ''): number {
    const now = performance.now();
    if (now >= this.until || this.counts.size >= MAX_KEYS) {
      this.counts.clear();
      this.until = now + MINUTE_MS;
    }
    const count = this.of(key) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** Takes back one that was counted and did not come about. */
  takeBack(key: string): void {
    const count = this.of(key);
    if (count > 0) this.counts.set(key, count - 1);
  }

  /** How many there are of this key by now. */
  of(key: string): number {
    return performance.now() < this.until ? (this.counts.get(key) ?? 0) : 0;
  }

  /** The seconds until the counts start again at zero; at least 1. */
  get seconds(): number {
    return Math.max(1, Math.ceil((this.until - performance.now()) / 1_000));
  }
}
