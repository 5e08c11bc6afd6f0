import { setTimeout as delay } from 'node:timers/promises';

/** It is there to end a hang: ten times what the slowest of these takes on a quiet machine. */
const PATIENCE_MS = 5 * 60_000;

/** Each look asks a server: more of them would only take CPU from what they wait for. */
export const LOOK_AGAIN_MS = 100;

/** Waits until something becomes true; throws with `what` where it does not. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  ms = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await delay(LOOK_AGAIN_MS);
  }
}
