const MINUTE_MS = 60_000;
/** Keys that are remembered. With more of them in a minute, the counting begins anew. */
const MAX_KEYS = 20_000;

/** Counts by any number of keys, and begins anew each minute. {@link PerMinute} is for few keys. */
export class MinuteCounts {
  private readonly counts = new Map<string, number>();
  private until = 0;

  /** Counts one more. Returns how many there are of this key by now. */
  add(key: string): number {
    const now = Date.now();
    if (now >= this.until || this.counts.size >= MAX_KEYS) {
      this.counts.clear();
      this.until = now + MINUTE_MS;
    }
    const count = this.of(key) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** How many there are of this key by now. */
  of(key: string): number {
    return Date.now() < this.until ? (this.counts.get(key) ?? 0) : 0;
  }

  /** The seconds until the counting begins anew; at least 1. */
  get seconds(): number {
    return Math.max(1, Math.ceil((this.until - Date.now()) / 1_000));
  }
}
