import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const MINUTE_SECONDS = 60;

/** At most so many a minute for each key. Keys must be few: each is remembered for a minute. */
export class PerMinute {
  private readonly limiter: RateLimiterMemory;

  constructor(points: number) {
    this.limiter = new RateLimiterMemory({ points, duration: MINUTE_SECONDS });
  }

  /** Takes one; answers with the seconds until there is one again, 0 where one was left. */
  async take(key = ''): Promise<number> {
    try {
      await this.limiter.consume(key);
      return 0;
    } catch (left) {
      if (!(left instanceof RateLimiterRes)) throw left;
      return Math.max(1, Math.ceil(left.msBeforeNext / 1_000));
    }
  }

  /** Gives one back that was not used after all. */
  async giveBack(key = ''): Promise<void> {
    await this.limiter.reward(key);
  }
}
