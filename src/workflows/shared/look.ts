/** The ways to ask the gateway for a trade: for a moment, until its answer lasts, and on and on until it has the trade. */
import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { Attention, LookInput, LookResult, QueriedTrade, TradeId } from '../../contract';
import { gateway } from './activities';
import { isLookResult, saysNothing } from './ended-by-hand';
import { hasRunOut, silenceAfter } from './given-up';
import { pollUntil } from './polling';

/** How long a denial has to last, and after what silence there is no answer, in ms. */
export type LookTimes = Required<Pick<LookInput, 'settling_ms' | 'patience_ms'>>;

/** What is looked for, and how long: a policy has the times, too. */
export interface Look extends Omit<LookInput, keyof LookTimes> {
  readonly times: LookTimes;
}

/** A look that did not find the trade. */
export type NotFound = Exclude<LookResult, { is: 'found' }>;

/** What the gateway says at once: one that is silent for ten seconds has no answer. */
export const BRIEFLY: LookTimes = { settling_ms: 0, patience_ms: 10_000 };

/** So long after its patience a look may still take, in ms: its last attempt, and the pause before it. A short one takes no longer than that. */
const LOOK_ENDS_WITHIN_MS = 5 * 60_000;

/**
 * Looks until the answer lasts; null as soon as `isInterrupted` holds. A look that is paused, ended by a person, or taken by no worker has
 * no answer: the workflow's own timer says so.
 */
export async function look(asked: Look): Promise<LookResult>;
export async function look(asked: Look, isInterrupted: () => boolean): Promise<LookResult | null>;
export async function look({ times, ...asked }: Look, isInterrupted = () => false): Promise<LookResult | null> {
  const { settling_ms, patience_ms } = times;
  const late_ms = Math.min(patience_ms, LOOK_ENDS_WITHIN_MS);
  const timeout_ms = settling_ms + patience_ms + late_ms;
  // The server ends it first, and says why there is no answer; but not one that is paused.
  const server_ms = timeout_ms - Math.round(late_ms / 5);
  const summary = 'how long a look may go without an answer';
  const ask = () => gateway.look({ ...asked, settling_ms, patience_ms }, server_ms);
  try {
    const looked = await pollUntil(ask, { isInterrupted, timeout_ms, summary });
    if (looked === 'interrupted') return null;
    return typeof looked !== 'string' && isLookResult(looked) ? looked : NO_ANSWER;
  } catch (error) {
    if (!saysNothing(error)) throw error;
    return hasRunOut(error)
      ? { is: 'no-answer', message: error.cause?.message ?? error.message, why: silenceAfter(error) }
      : NO_ANSWER;
  }
}

const NO_ANSWER: LookResult = { is: 'no-answer', message: 'the look was ended, or held up', why: 'no-answer' };

/**
 * One look that the workflow task which is under way makes itself: it costs no task more. Null where the gateway has not answered
 * within a moment: then a look that is repeated follows.
 */
export async function glance(app_id: string, id: TradeId): Promise<QueriedTrade | null> {
  try {
    return await gateway.glance({ app_id, id });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return null;
  }
}

/**
 * Asks on, ever more slowly, after a look that did not find the trade: until it is found, or `isInterrupted` holds, which is null; after a
 * look without an answer also until a denial has lasted for `settling_ms`. It costs the same however long it takes.
 */
export async function lookOn(
  after: NotFound['is'],
  { times: { settling_ms }, ...asked }: Look,
  isInterrupted: () => boolean,
): Promise<LookResult | null> {
  const search = after === 'no-answer' ? { ...asked, settling_ms } : asked;
  const looked = await pollUntil(() => gateway.find(search), { isInterrupted });
  return typeof looked === 'string' ? null : looked;
}

/** That the trade is not there, or why the gateway has not said it. */
export type Missing = { readonly is: 'no-such-order' } | Extract<NotFound, { is: 'no-answer' }>;

/** Why a person has to know of a look that did not find the trade. */
export function attentionAfter(looked: Missing): Attention {
  return looked.is === 'no-such-order' ? 'unknown-trade' : looked.why;
}
