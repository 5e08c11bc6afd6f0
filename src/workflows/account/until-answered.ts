/** Questions about virtual accounts, asked until they are answered. A person is told of a silence after the same time as for a payment. */
import { ActivityFailure } from '@temporalio/workflow';
import type { Silence } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { hasRunOut, silenceAfter } from '../shared/activity-failure';

/** Asks in one activity after another: the first ends after `patience_ms`, later ones after a day. `onSilence` gets the reason of each silence. */
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
