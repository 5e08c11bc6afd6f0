const MINUTE_MS = 60_000;
/** Notifications that are remembered. With more of them in a minute, the counting begins anew. */
const MAX_KNOWN = 20_000;

/**
 * Bounds how often a minute one and the same notification is taken. The gateway sends it seven times in 14 hours. Without
 * this bound, whoever has an old one could use up the limit of all notifications with it, and keep Temporal busy. `PerMinute`
 * is for few keys; here there may be as many as there are notifications.
 */
export class Repeats {
  private readonly counts = new Map<string, number>();
  private until = 0;

  constructor(private readonly limit: number) {}

  /** Takes the notification with this digest. Returns 0, or the seconds until it is taken again. */
  take(digest: string): number {
    const now = Date.now();
    if (now >= this.until || this.counts.size >= MAX_KNOWN) {
      this.counts.clear();
      this.until = now + MINUTE_MS;
    }
    const count = (this.counts.get(digest) ?? 0) + 1;
    this.counts.set(digest, count);
    return count <= this.limit ? 0 : Math.ceil((this.until - now) / 1_000);
  }
}
