import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const MINUTE_SECONDS = 60;

/** Allows a fixed number of uses a minute for each key. Use few keys: each is kept in memory for a minute. */
export class PerMinute {
  private readonly limiter: RateLimiterMemory;

  constructor(points: number) {
    this.limiter = new RateLimiterMemory({ points, duration: MINUTE_SECONDS });
  }

  /** Takes one use. Returns 0 if one was left, else the seconds until there is one again. */
  async take(key = ''): Promise<number> {
    try {
      await this.limiter.consume(key);
      return 0;
    } catch (left) {
      if (!(left instanceof RateLimiterRes)) throw left;
      return Math.max(1, Math.ceil(left.msBeforeNext / 1_000));
    }
  }

  /** Gives back one use that was taken and not needed. */
  async giveBack(key = ''): Promise<void> {
    await this.limiter.reward(key);
  }
}
