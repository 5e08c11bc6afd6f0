/**
 * Queries of a trade. Searching and watching are activities that fail until there is something to return: Temporal keeps
 * the schedule, so no worker waits.
 */
import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import {
  delayBeforePoll,
  type FindInput,
  type GlanceInput,
  isToldByPolls,
  type LookInput,
  type LookResult,
  laterStatus,
  outcomeOf,
  POLL_STOPPED,
  type QueriedTrade,
  RETRY_PAUSES,
  type RefundAttempt,
  typedFailure,
  type WatchInput,
} from '../contract';
import { GatewayError, OtherAnswerError, otherThanAsked, type Trade, type TradeId } from '../gateway';
import { PATH } from '../gateway/pure/paths';
import { nameOfTrade } from '../gateway/query';
import { CallDeferredError, isNoSuchOrder, notYet, retryableFailure, retryablePoll, silenceOf } from './failures';
import type { PaymentGateway } from './gateways';
import { currentTime } from './time';
import { activityAge, looksSoFar, noteDenied, noteShown } from './urgency';

/** The gaps between two searches for an order that may exist, in ms: the first, and the longest. */
const FIRST_GAP_MS = 5_000;
const LONGEST_GAP_MS = 30 * 60_000;

/** A task waits at most this long, in ms, for a worker that keeps up: the clock of a worker is trusted no further. */
const TASKS_WAIT_MS = 60_000;

/** The end that our trade shows waits at most this long, in ms, for the gateway's answer about the order's number. */
const SECOND_WITHIN_MS = 5_000;

/** What an attempt has found reaches Temporal within this time, in ms, before the attempt would be given up. */
const ANSWERS_WITHIN_MS = 500;

/** Where trades are asked for: the gateway of an app, and its words for "no such order". */
export interface TradeSource {
  readonly gateway: PaymentGateway;
  readonly noSuchOrderWords: ReadonlySet<string>;
}

interface FoundTrade {
  readonly trade: QueriedTrade;
  readonly by: TradeId;
}

/**
 * The trade as the gateway reports it now; null if the gateway denies the trade and this activity is so old that no replica can be stale.
 * Throws a retryable failure for every other error of the gateway.
 */
export async function tradeUnlessDenied(
  source: TradeSource,
  { id, settling_ms }: Pick<RefundAttempt, 'id' | 'settling_ms'>,
): Promise<FoundTrade | null> {
  try {
    return await find(source, id);
  } catch (error) {
    if (isNoSuchOrder(error, source.noSuchOrderWords) && activityAge() >= settling_ms) return null;
    throw unanswered(error);
  }
}

/** The trade as the gateway reports it now; null if it gave no answer: callers then look again in a slower way. */
export async function tradeAtAGlance(
  source: TradeSource,
  glance: Pick<GlanceInput, 'id' | 'number_too'>,
): Promise<QueriedTrade | null> {
  const began = currentTime();
  const trade = await query(source, glance.id).catch(() => null);
  const left_ms = activityInfo().startToCloseTimeoutMs - (currentTime() - began);
  return trade && withSecond(source, trade, glance, left_ms - ANSWERS_WITHIN_MS);
}

/**
 * Looks at a trade: the trade, or "no such order" once the gateway has kept saying so for `settling_ms`, or "no answer" after a silence of
 * `patience_ms`. An answer that says nothing about the order counts as no answer. The status `seen` has to last for `settling_ms`, too.
 */
export async function lookAtTrade(
  source: TradeSource,
  { id, number_too, settling_ms, patience_ms, seen }: LookInput,
): Promise<LookResult> {
  try {
    const trade = await query(source, id);
    const waited_ms = waitedSoFar();
    if (trade.trade_status !== seen || waited_ms >= settling_ms)
      return { is: 'found', trade: await withSecond(source, trade, { id, number_too }) };
    throw waitOn(`still ${seen}`, waited_ms, Math.min(FIRST_GAP_MS, settling_ms));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { message } = error;
    const waited_ms = waitedSoFar();
    const isDenied = isNoSuchOrder(error, source.noSuchOrderWords);
    if (isDenied && waited_ms >= settling_ms) {
      const second = number_too && (await shownByNumber(source, id, SECOND_WITHIN_MS));
      if (!second) return { is: 'no-such-order', message };
      return second.trade_no === id.trade_no
        ? { is: 'found', trade: second }
        : { is: 'no-such-order', message, second };
    }
    // A denial is an answer, so `patience_ms` does not limit it.
    if (isDenied)
      throw waitOn(message, waited_ms, Math.min(gapBeforeNextSearch(waited_ms), settling_ms || FIRST_GAP_MS));
    if (silentFor() >= patience_ms) return { is: 'no-answer', message, why: silenceOf(error) };
    throw retryableFailure(error);
  }
}

/**
 * A trade that may exist; null once the gateway has answered "no such order" for `settling_ms`. Without `settling_ms` it is searched
 * for until it is found: the workflow knows the denial already.
 */
export async function findTrade(
  source: TradeSource,
  { id, number_too, others = [], known, settling_ms }: Omit<FindInput, 'app_id'>,
): Promise<QueriedTrade | null> {
  try {
    const trade = await queryInTurn(source, inTurn(id, others), others);
    if (isNews(trade, { id, known, seen: null })) return await withSecond(source, trade, { id, number_too });
  } catch (error) {
    // Any other refusal says nothing about the order: only denials count towards `settling_ms`.
    if (!isNoSuchOrder(error, source.noSuchOrderWords)) throw unanswered(error);
    const waited_ms = waitedSoFar();
    if (settling_ms !== undefined && waited_ms >= settling_ms) return foundByNone(source, { id, others, known });
    throw waitOn(error.message, waited_ms, gapBeforeNextSearch(waited_ms));
  }
  throw notYet('another trade', gapBeforeNextSearch(activityAge()));
}

/** The trade by another of its ids, or null if the gateway denies them all, or one shows nothing new. Throws if an id has no answer: the gateway may know the trade by it. */
async function foundByNone(
  source: TradeSource,
  { id, others, known }: Required<Pick<FindInput, 'id' | 'others'>> & Pick<FindInput, 'known'>,
): Promise<QueriedTrade | null> {
  if (others.length === 0) return null;
  for (const one of [id, ...others]) {
    try {
      const trade = await query(source, one);
      if (isNews(trade, { id, known, seen: null })) return trade;
    } catch (error) {
      if (!isNoSuchOrder(error, source.noSuchOrderWords)) throw unanswered(error);
    }
  }
  return null;
}

/**
 * The trade once its status differs from `seen`, or as `until` says; null once `due_at` has come. Until then Temporal calls again as
 * `schedule` says.
 */
export async function watchTrade(source: TradeSource, watch: Omit<WatchInput, 'app_id'>): Promise<QueriedTrade | null> {
  const { id, others = [], seen, schedule, until, at_once = false, tell, due_at } = watch;
  const left_ms = timeLeft(due_at);
  if (left_ms <= 0) return null;
  const looks = looksSoFar();
  const gap_ms = delayBeforePoll(looks, schedule);
  const delay = Math.min(gap_ms, left_ms);
  // Where the workflow has just queried, the first attempt only starts the schedule.
  if (looks === 0 && !at_once) throw notYet('watching', delay);
  const asked = inTurn(id, others);
  try {
    const trade = await queryInTurn(source, asked, others);
    // An answer to another id is not about this trade.
    const isOwn = asked === id || trade.trade_no === id.trade_no;
    if ((until === 'answered' && isOwn) || isNews(trade, watch)) return await withSecond(source, trade, watch);
    if (isOwn) noteShown();
  } catch (error) {
    if (tell && error instanceof GatewayError) {
      // The denial of another id is not about this trade.
      const denied_since = asked === id && isNoSuchOrder(error, source.noSuchOrderWords) ? noteDenied() : undefined;
      const why = isLasting(denied_since, tell) ? 'unknown-trade' : silenceOf(error);
      if (isToldByPolls(why) && timeLeft(tell.from[why]) <= 0)
        throw typedFailure(POLL_STOPPED[why], error.message, { denied_since });
    }
    throw retryablePoll(error, { gap_ms, waited_ms: looks === 0 ? 0 : delayBeforePoll(looks - 1, schedule), left_ms });
  }
  throw notYet(`still ${seen}`, delay);
}

/** A replica may be stale, and one worker of many may ask a wrong gateway: only a denial that lasts is told. */
const isLasting = (denied_since: number | undefined, { lasting_ms }: NonNullable<WatchInput['tell']>): boolean =>
  denied_since !== undefined && timeLeft(denied_since + lasting_ms) <= 0;

/** Ms until a time, by the server's clock: a worker's own may be hours off. */
function timeLeft(due_at = Number.POSITIVE_INFINITY): number {
  return due_at - activityInfo().currentAttemptScheduledTimestampMs;
}

/** Whether a trade under the order's number has moved on: the order's own, or another. */
function isNews(
  { trade_no, trade_status }: Trade,
  { id, known, seen }: Pick<WatchInput, 'id' | 'known' | 'seen'>,
): boolean {
  const other = known?.find((one) => one.trade_no === trade_no);
  // A status that changes nothing known is not news: the workflow would ask again at once, without end.
  if (other) return laterStatus(other.trade_status, trade_status) !== other.trade_status;
  const isUnknown = known !== undefined && trade_no !== undefined && trade_no !== id.trade_no;
  return isUnknown || trade_status !== seen;
}

/**
 * The trade, and another one that the gateway shows under the order's number, if that is to be asked for. Its silence holds nothing up. One
 * replica may be stale: ours that is paid by one of its numbers is paid.
 */
async function withSecond(
  source: TradeSource,
  trade: QueriedTrade,
  { id, number_too }: Pick<LookInput, 'id' | 'number_too'>,
  left_ms = SECOND_WITHIN_MS,
): Promise<QueriedTrade> {
  const outcome = outcomeOf(trade.trade_status);
  const isAsked = outcome === null ? number_too === 'unless sold' : number_too !== undefined && outcome !== 'SUCCESS';
  if (!isAsked || trade.trade_no !== id.trade_no) return trade;
  const second = await shownByNumber(source, id, Math.min(left_ms, SECOND_WITHIN_MS));
  if (!second) return trade;
  if (second.trade_no !== trade.trade_no) return { ...trade, second };
  return outcomeOf(second.trade_status) === 'SUCCESS' ? second : trade;
}

/** What the order's number shows, if that names a trade; null without an answer in time, or without a trade number of ours, which was asked for then. */
async function shownByNumber(
  source: TradeSource,
  { trade_no, out_trade_no }: TradeId,
  within_ms: number,
): Promise<QueriedTrade | null> {
  if (out_trade_no === undefined || trade_no === undefined || within_ms <= 0) return null;
  const until = currentTime() + within_ms;
  const byNumber = inItsTurn(() => queryBy(source, { out_trade_no }, { out_trade_no }), until).catch(() => null);
  const trade = (await Promise.race([byNumber, pause(within_ms)]))?.trade;
  return trade?.trade_no === undefined ? null : trade;
}

/** Makes a call that the limit of calls defers as soon as its turn has come, if that is before `until`, in ms. */
async function inItsTurn<T>(call: () => Promise<T>, until: number): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CallDeferredError) || currentTime() + error.retry_after_ms >= until) throw error;
    await pause(error.retry_after_ms);
    return inItsTurn(call, until);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** One id an attempt: each attempt is one call of the gateway. */
function inTurn(id: TradeId, others: readonly TradeId[]): TradeId {
  const ids = [id, ...others];
  return ids[(activityInfo().attempt - 1) % ids.length] ?? id;
}

/** The surest number of a trade. Only one is sent: the interface does not say which of two counts. */
function surestId({ trade_no, out_trade_no }: TradeId): TradeId {
  return trade_no === undefined ? { out_trade_no } : { trade_no };
}

/**
 * When the gateway is asked: by this worker's clock, because a task may have waited for a worker, but at most TASKS_WAIT_MS after the
 * server's clock, because an answer with a wrong clock would make every other answer look older.
 */
function askedAt(): number {
  const { currentAttemptScheduledTimestampMs: scheduled } = activityInfo();
  return Math.min(Math.max(currentTime(), scheduled), scheduled + TASKS_WAIT_MS);
}

const query = async (source: TradeSource, id: TradeId): Promise<QueriedTrade> => (await find(source, id)).trade;

/**
 * The trade by the id whose turn it is. If the order's number has its own turn, our trade is asked for by its trade number only: after a
 * denial, {@link find} would hide another trade under the order's number. The answer must still match both numbers.
 */
async function queryInTurn(source: TradeSource, asked: TradeId, others: readonly TradeId[]): Promise<QueriedTrade> {
  const hasTurn = others.some(({ trade_no }) => trade_no === undefined);
  return hasTurn ? (await queryBy(source, asked, surestId(asked))).trade : query(source, asked);
}

/**
 * The trade by its surest number. A gateway may know it by the other number only, so a denial counts only if the second query is answered,
 * too: a refusal of that number, or another trade under it, says nothing about ours.
 */
async function find(source: TradeSource, id: TradeId): Promise<FoundTrade> {
  try {
    return await queryBy(source, id, surestId(id));
  } catch (error) {
    const { trade_no, out_trade_no } = id;
    if (!isNoSuchOrder(error, source.noSuchOrderWords) || trade_no === undefined || out_trade_no === undefined)
      throw error;
    return queryBy(source, id, { out_trade_no }).catch((second: unknown) => {
      const isAnswer = second instanceof GatewayError && (!second.retryable || second instanceof OtherAnswerError);
      throw isAnswer ? error : second;
    });
  }
}

/** Leaves the whole answer out: no decision needs it, and it may hold the buyer's data, which a history would keep. */
async function queryBy(source: TradeSource, id: TradeId, by: TradeId): Promise<FoundTrade> {
  const asked_at = askedAt();
  const { answer: _whole, ...found } = await source.gateway.query(by);
  // Only one number was sent, and the answer has to fit both.
  const differing = otherThanAsked(id, found);
  if (differing.length > 0) throw new OtherAnswerError(nameOfTrade(id), differing, { operation: PATH.query });
  const trade_no = found.trade_no ?? id.trade_no;
  const trade = { ...found, ...(trade_no === undefined ? {} : { trade_no }), asked_at };
  // The order's number may mean another trade: only an answer that names our trade number shows that it means ours.
  return { trade, by: found.trade_no === undefined ? surestId(id) : by };
}

/** What an attempt that the gateway answered tells the next ones: how long answers have lasted, in ms, and when it asked. */
const answeredNote = z.object({ waited_ms: z.number(), answered_at: z.number() });
type AnsweredNote = z.infer<typeof answeredNote>;

function answersSoFar(): AnsweredNote {
  const { heartbeatDetails, scheduledTimestampMs } = activityInfo();
  const { data } = answeredNote.safeParse(heartbeatDetails);
  return data ?? { waited_ms: 0, answered_at: scheduledTimestampMs };
}

/** In ms. Only attempts that the gateway answered count. */
const waitedSoFar = (): number => answersSoFar().waited_ms;

/** In ms since the gateway's last answer or, without any, since the workflow asked. By the server's clock. */
const silentFor = (): number => activityInfo().currentAttemptScheduledTimestampMs - answersSoFar().answered_at;

function waitOn(reason: string, waited_ms: number, gap_ms: number): ApplicationFailure {
  const answered_at = activityInfo().currentAttemptScheduledTimestampMs;
  heartbeat({ waited_ms: waited_ms + gap_ms, answered_at } satisfies AnsweredNote);
  return notYet(reason, gap_ms);
}

/** A query without an answer is repeated without end, less and less often. */
function unanswered(error: unknown): unknown {
  const gap_ms = gapBeforeNextSearch(activityAge());
  return retryableFailure(error, gap_ms > RETRY_PAUSES.longest_ms ? gap_ms : undefined);
}

/** An order usually appears within seconds of its creation, so the gaps grow the longer it is missing. */
function gapBeforeNextSearch(waited_ms: number): number {
  return Math.min(Math.max(FIRST_GAP_MS, waited_ms / 4), LONGEST_GAP_MS);
}
