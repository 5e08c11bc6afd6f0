/** Waits for news of a trade, polling slowly beside. The poll's attempts are spaced by the server: waiting adds no events. */
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Trade } from '../gateway/query';
import { type WatchInput, watchTrade } from './activities';

/** What came first: another status, what `isMail` tells of, or the end of the time. */
export type News = Trade | 'mail' | 'time';

/** Returns with whatever comes first; without `left_ms` there is no end of the time. */
export async function nextNews(
  watch: WatchInput,
  isMail: () => boolean,
  left_ms?: number,
  summary?: string,
): Promise<News> {
  const poll: { found?: Trade; failure?: unknown } = {};
  const scope = new CancellationScope();
  const polling = scope
    .run(() => watchTrade(watch))
    .then(
      (found) => Object.assign(poll, { found }),
      (failure) => Object.assign(poll, { failure }),
    );
  const ended = () => poll.found !== undefined || poll.failure !== undefined;
  const isNews = () => ended() || isMail();
  const inTime =
    left_ms === undefined
      ? await condition(isNews).then(() => true)
      : await condition(isNews, Math.max(left_ms, 1), summary === undefined ? {} : { summary });
  if (!ended()) {
    scope.cancel();
    await polling;
  }
  if (poll.found) return poll.found;
  if (!isCancellation(poll.failure)) throw poll.failure;
  return inTime ? 'mail' : 'time';
}
