/** Questions about virtual accounts, which are asked until they are answered. A person hears of a silence as soon as of a payment's. */
import { ActivityFailure } from '@temporalio/workflow';
import type { Silence } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { hasRunOut, silenceAfter } from '../shared/activity-failure';

/** Asks in activities that end after `within_ms`, the first one after `patience_ms`. `onSilence` hears at the end of each why there was no answer. */
export async function untilGatewayAnswers<T>(
  patience_ms: number,
  ask: (within_ms: number) => Promise<T>,
  onSilence: (why: Silence) => void,
): Promise<T> {
  for (let within_ms = patience_ms; ; within_ms = DAY) {
    try {
      return await ask(within_ms);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || !hasRunOut(error)) throw error;
      onSilence(silenceAfter(error));
    }
  }
}
