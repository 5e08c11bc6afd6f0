/**
 * An activity that a person fails or completes by hand, in Temporal UI or with Temporal's command, has not answered. A look is
 * made again; a request that makes something has an unknown outcome.
 */
import { ActivityFailure, ApplicationFailure, isCancellation, sleep } from '@temporalio/workflow';
import { FAILURE, POLL_STOPPED, type Told, WAS_RESET } from '../../contract';
import { hasRunOut } from './activity-failure';
import { nextBackoff } from './backoff';

/** Callers may wait for the answer, so the first pause before a look is made again is short. In ms; it doubles. */
const FIRST_PAUSE_MS = 1_000;

/** The final failures of our own activities. */
const OURS: readonly string[] = [...Object.values(POLL_STOPPED), WAS_RESET, FAILURE.invalidRequest];

/** Whether the failure is no answer: a person, or the server, has ended the activity. */
export function saysNothing(error: unknown): boolean {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return false;
  return !(error.cause instanceof ApplicationFailure && OURS.includes(error.cause.type ?? ''));
}

/**
 * Asks again, ever less often, until the activity itself answers. Fails if the activity itself fails, or if `isOver` says so: by default,
 * once it is out of time.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  isAnswer: (told: unknown) => boolean,
  isOver: (error: unknown) => boolean = hasRunOut,
): Promise<T> {
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = nextBackoff(pause_ms)) {
    try {
      const told = await ask();
      if (isAnswer(told)) return told;
    } catch (error) {
      if (!saysNothing(error) || isOver(error)) throw error;
    }
    await sleep(pause_ms, { summary: 'a person has ended the look: before it is made again' });
  }
}

/** For an activity without a time of its own: the server gives it up only where somebody has given the run an end before the next attempt. */
export const NEVER_OVER = () => false;

/** The look, made again until its activity has told the answer itself: see contract/told.ts. */
export function untilTold<Input extends unknown[], T>(
  look: (...input: Input) => Promise<Told<T>>,
): (...input: Input) => Promise<T> {
  return async (...input) => (await untilAnswered(() => look(...input), isTold)).told;
}

/** Whether the answer comes from the activity, and not from a person. */
export const isTold = (answer: unknown) => isObject(answer) && answer.is === 'told';

const hasField = (told: unknown, name: string): told is Readonly<Record<string, unknown>> =>
  isObject(told) && isText(told[name]);

const TRADE_TEXTS = ['trade_no', 'out_trade_no', 'order_amount', 'order_currency', 'method'] as const;

/** The values that a result has for `is`, and the fields that come with each. */
export type ResultShape<Result extends { is: string }> = {
  readonly [Word in Result['is']]: Readonly<Record<string, (value: unknown) => boolean>>;
};

/** Whether this is such a result. A person may have typed an unknown `is`, or an `is` without its fields: neither counts. */
export function isResultOf<Result extends { is: string }>(told: unknown, shape: ResultShape<Result>): boolean {
  if (!isObject(told)) return false;
  const [, fields] = Object.entries<ResultShape<Result>[Result['is']]>(shape).find(([is]) => is === told.is) ?? [];
  return fields !== undefined && Object.entries(fields).every(([name, fits]) => fits(told[name]));
}

export const isText = (value: unknown) => typeof value === 'string';
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
/** A trade has a status, perhaps the time of the question, and else texts: what a person typed may have anything there. */
export const isTrade = (value: unknown): boolean =>
  hasField(value, 'trade_status') &&
  TRADE_TEXTS.every((name) => value[name] === undefined || isText(value[name])) &&
  (value.asked_at === undefined || Number.isFinite(value.asked_at)) &&
  (value.second === undefined || (isTrade(value.second) && hasField(value.second, 'trade_no')));

/** Whether this is a trade, or null: the activities return nothing else. */
export const isTradeOrNull = (told: unknown) => told === null || isTrade(told);
