/** One look at a trade, what it needs of a person, and the search for a trade that the gateway does not show yet. */
import {
  type Attention,
  type FindInput,
  type GlanceInput,
  isSilence,
  type LookInput,
  type LookResult,
  type PaymentPolicy,
  type QueriedTrade,
  type TradeId,
} from '../../contract';
import { gateway, glanceAtTrade } from './activities';
import { isResultOf, isText, isTrade, type ResultShape, saysNothing } from './ended-by-hand';
import { pollUntil, type WaitOptions } from './polling';

/**
 * The settings of a look, in ms: how long a denial has to last, and after what silence a person is asked. In a reset of the run `read_by`,
 * the look fails with `WasReset`. And whether it asks for the order's number, too.
 */
export type LookTimes = Pick<PaymentPolicy, 'settling_ms' | 'patience_ms' | 'read_by'> & Pick<LookInput, 'number_too'>;

/** A look that did not find the trade. */
export type NotFound = Exclude<LookResult, { is: 'found' }>;

/** How long a look may still take after its patience, in ms: its last attempt, and the pause before it. */
const LOOK_ENDS_WITHIN_MS = 5 * 60_000;

/** "No such order" counts once it has lasted for `settling_ms`, and so does the status `seen`. */
export async function lookOnce(app_id: string, id: TradeId, times: LookTimes, seen?: string): Promise<LookResult> {
  return (await lookUnless(() => false, app_id, id, times, seen)) ?? NO_ANSWER;
}

/** As {@link lookOnce}; null as soon as `isInterrupted` holds. */
export function lookUnless(
  isInterrupted: () => boolean,
  app_id: string,
  id: TradeId,
  { settling_ms, patience_ms, read_by, number_too }: LookTimes,
  seen?: string,
): Promise<LookResult | null> {
  const input = { app_id, id, number_too, settling_ms, patience_ms, read_by, ...(seen === undefined ? {} : { seen }) };
  return lookWithin(settling_ms + patience_ms + LOOK_ENDS_WITHIN_MS, input, isInterrupted);
}

/** For a look that callers wait for, in ms: its patience, and when it is given up. Callers are answered within 30 s. */
const BRIEFLY_MS = 10_000;
const BRIEF_LOOK_ENDS_MS = 20_000;

/** What the gateway says at once. Ten seconds of silence count as no answer. */
export async function lookBriefly(app_id: string, id: TradeId, read_by: string): Promise<LookResult> {
  const input = { app_id, id, settling_ms: 0, patience_ms: BRIEFLY_MS, read_by };
  return (await lookWithin(BRIEF_LOOK_ENDS_MS, input, () => false)) ?? NO_ANSWER;
}

/** If a look is paused, ended by a person, or taken by no worker, the workflow's own timer ends the wait: no answer. */
async function lookWithin(
  timeout_ms: number,
  input: LookInput,
  isInterrupted: () => boolean,
): Promise<LookResult | null> {
  const summary = 'how long a look may go without an answer';
  try {
    const looked = await pollUntil(() => gateway.lookAtTrade(input), { isInterrupted, timeout_ms, summary });
    if (looked === 'interrupted') return null;
    return typeof looked !== 'string' && isResultOf(looked, LOOKED) ? looked : NO_ANSWER;
  } catch (error) {
    if (!saysNothing(error)) throw error;
    return NO_ANSWER;
  }
}

const LOOKED: ResultShape<LookResult> = {
  found: { trade: isTrade },
  'no-such-order': { message: isText, second: (value) => value === undefined || isTrade(value) },
  'no-answer': { message: isText, why: isSilence },
};

export const NO_ANSWER: LookResult = { is: 'no-answer', message: 'the look was ended, or held up', why: 'no-answer' };

/**
 * One look within the current workflow task: it costs no further task. Null if the gateway has not answered within seconds: the
 * caller then makes a look with retries.
 */
export async function glance(look: GlanceInput): Promise<QueriedTrade | null> {
  try {
    return await glanceAtTrade(look);
  } catch (error) {
    if (!saysNothing(error)) throw error;
    return null;
  }
}

/** The gateway has no such trade, or the reason why it did not say. */
export type Missing =
  | Pick<Extract<NotFound, { is: 'no-such-order' }>, 'is' | 'second'>
  | Extract<NotFound, { is: 'no-answer' }>;

/** Why a person has to know of a look that did not find the trade. */
export function attentionAfter(looked: Missing): Attention {
  return looked.is === 'no-such-order' ? 'unknown-trade' : looked.why;
}

/** What is searched for after which look, and how long a denial has to last, in ms. */
interface SearchOn extends Omit<FindInput, 'settling_ms'> {
  after: NotFound['is'];
  settling_ms: number;
}

/** What a search has brought. `denied`: the gateway has kept saying that there is no such order. */
export type Searched =
  | { readonly is: 'found'; readonly trade: QueriedTrade }
  | { readonly is: 'denied' }
  | { readonly is: 'interrupted' };

/**
 * Keeps asking, ever more slowly, after a look that did not find the trade: until it is found, or `wait` is over; after a look without an
 * answer also until a denial has lasted. The history grows by the same however long it takes.
 */
export async function searchOn({ after, settling_ms, ...search }: SearchOn, wait: WaitOptions): Promise<Searched> {
  const asked = after === 'no-answer' ? { ...search, settling_ms } : search;
  const found = await pollUntil(async () => ({ trade: await gateway.searchTrade(asked) }), wait);
  if (typeof found === 'string') return { is: 'interrupted' };
  return found.trade ? { is: 'found', trade: found.trade } : { is: 'denied' };
}
