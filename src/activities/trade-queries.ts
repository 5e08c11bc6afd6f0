/**
 * Queries of a trade. Searching and watching are activities that fail until there is something to return: Temporal keeps
 * the schedule, so no worker waits.
 */

import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import {
  CREDENTIALS_REFUSED,
  delayBeforePoll,
  type FindInput,
  type LookInput,
  type LookResult,
  typedFailure,
  type WatchInput,
} from '../contract';
import { GatewayError, type Trade, type TradeId } from '../gateway';
import { isCredentialsRefusal } from '../gateway/refusals';
import { isDefiniteAnswer, isNoSuchOrder, notYet, retryableFailure, retryablePoll } from './failures';
import type { PaymentGateway } from './gateways';
import { looksSoFar } from './poll-attempts';
import { activityAge } from './urgency';

/** The gaps between two searches for an order that may exist, in ms: the first, and the longest. */
const FIRST_GAP_MS = 5_000;
const LONGEST_GAP_MS = 30 * 60_000;

/** The trade as the gateway reports it now. Throws a retryable failure for every error of the gateway. */
export async function queryTrade(gateway: PaymentGateway, id: TradeId): Promise<Trade> {
  try {
    return await query(gateway, id);
  } catch (error) {
    throw retryableFailure(error);
  }
}

/**
 * Looks at a trade: the trade, or "no such order" once the gateway has kept saying so for `settling_ms`, or "no answer"
 * after `patience_ms`. Whatever says nothing about the order is no answer.
 */
export async function lookAtTrade(
  gateway: PaymentGateway,
  { id, settling_ms, patience_ms }: LookInput,
  noSuchOrderWords: ReadonlySet<string>,
): Promise<LookResult> {
  try {
    return { is: 'found', trade: await query(gateway, id) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { message } = error;
    const waited_ms = waitedSoFar();
    const isDenied = isNoSuchOrder(error, noSuchOrderWords);
    if (isDenied && waited_ms >= settling_ms) return { is: 'no-such-order', message };
    if (activityAge() >= patience_ms)
      return { is: 'no-answer', message, credentials: isCredentialsRefusal(error.fields()) };
    if (isDenied)
      throw waitOn(message, waited_ms, Math.min(gapBeforeNextSearch(waited_ms), settling_ms || FIRST_GAP_MS));
    throw retryableFailure(error);
  }
}

/** A trade that may exist; null once the gateway has answered "no such order" for `settling_ms`. Undefined: searches for ever. */
export async function findTrade(
  gateway: PaymentGateway,
  { id, others = [], settling_ms }: Omit<FindInput, 'app_id'>,
): Promise<Trade | null> {
  // One id an attempt: each attempt is one call of the gateway.
  const ids = [id, ...others];
  const next = ids[(activityInfo().attempt - 1) % ids.length] ?? id;
  try {
    return await query(gateway, next);
  } catch (error) {
    if (!isDefiniteAnswer(error)) throw retryableFailure(error);
    const waited_ms = waitedSoFar();
    if (settling_ms !== undefined && waited_ms >= settling_ms) return null;
    throw waitOn(error.message, waited_ms, gapBeforeNextSearch(waited_ms));
  }
}

/** The trade once its status differs from `seen`, or once the gateway has answered `seen` for `settling_ms`. */
export async function settleTrade(
  gateway: PaymentGateway,
  id: TradeId,
  seen: string,
  settling_ms: number,
): Promise<Trade> {
  const trade = await queryTrade(gateway, id);
  const waited_ms = waitedSoFar();
  if (trade.trade_status !== seen || waited_ms >= settling_ms) return trade;
  throw waitOn(`still ${seen}`, waited_ms, Math.min(FIRST_GAP_MS, settling_ms));
}

/** The trade once its status differs from `seen`; until then Temporal calls again as `schedule` says. */
export async function watchTrade(
  gateway: PaymentGateway,
  id: TradeId,
  seen: string | null,
  schedule: WatchInput['schedule'],
  { until_answered = false, tell_credentials = false }: Pick<WatchInput, 'until_answered' | 'tell_credentials'> = {},
): Promise<Trade> {
  const looks = looksSoFar();
  const delay = delayBeforePoll(looks, schedule);
  // The workflow has just queried, so the first attempt only starts the schedule.
  if (looks === 0) throw notYet('watching', delay);
  try {
    const trade = await query(gateway, id);
    if (until_answered || trade.trade_status !== seen) return trade;
  } catch (error) {
    if (tell_credentials && error instanceof GatewayError && isCredentialsRefusal(error.fields()))
      throw typedFailure(CREDENTIALS_REFUSED, error.message);
    throw retryablePoll(error, delay, delayBeforePoll(looks - 1, schedule));
  }
  throw notYet(`still ${seen}`, delay);
}

/** Leaves the whole answer out: no decision needs it, and it may hold the buyer's data, which a history would keep. */
async function query(gateway: PaymentGateway, id: TradeId): Promise<Trade> {
  const { answer: _whole, ...trade } = await gateway.query(id);
  return trade;
}

/** The waiting time, in ms, counts only attempts that the gateway answered, so the heartbeat carries it between attempts. */
function waitedSoFar(): number {
  return Number(activityInfo().heartbeatDetails ?? 0);
}

function waitOn(reason: string, waited_ms: number, gap_ms: number): ApplicationFailure {
  heartbeat(waited_ms + gap_ms);
  return notYet(reason, gap_ms);
}

/** An order usually appears within seconds of its creation, so the gaps grow the longer it is missing. */
function gapBeforeNextSearch(waited_ms: number): number {
  return Math.min(Math.max(FIRST_GAP_MS, waited_ms / 4), LONGEST_GAP_MS);
}
