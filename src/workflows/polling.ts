/** Waits for news, polling slowly beside. The poll's attempts are spaced by the server: waiting adds no events. */
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Trade } from '../gateway/query';
import { type WatchInput, watchTrade } from './activities';

/** What came first: what the poll found, what `isMail` tells of, or the end of the time. */
export type First<Found> = Found | 'mail' | 'time';

/** Of a trade, what the poll finds is another status. */
export type News = First<Trade>;

/** Waits for news of a trade. */
export function nextNews(watch: WatchInput, isMail: () => boolean, left_ms?: number, summary?: string): Promise<News> {
  return pollUntil(() => watchTrade(watch), isMail, left_ms, summary);
}

/** Returns with whatever comes first, and ends the poll; without `left_ms` there is no end of the time. */
export async function pollUntil<Found extends object | number>(
  startPoll: () => Promise<Found>,
  isMail: () => boolean,
  left_ms?: number,
  summary?: string,
): Promise<First<Found>> {
  const poll: { found?: Found; failure?: unknown } = {};
  const scope = new CancellationScope();
  const polling = scope.run(startPoll).then(
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
  if (poll.found !== undefined) return poll.found;
  if (!isCancellation(poll.failure)) throw poll.failure;
  return inTime ? 'mail' : 'time';
}
