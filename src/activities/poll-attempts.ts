/** The attempts of a poll: which of them have looked, and which were held back. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import { z } from 'zod';

/** The attempts that were held back; `last` is the number of the latest. */
const heldBackAttempts = z.object({ total: z.number(), in_a_row: z.number(), last: z.number() });
type HeldBackAttempts = z.infer<typeof heldBackAttempts>;

/** How many attempts of this poll have looked, or begun, before this one. */
export function looksSoFar(): number {
  return activityInfo().attempt - 1 - heldBackSoFar().total;
}

/** How many times this poll was held back since its last look. */
export function heldBackInARow(): number {
  const { in_a_row, last } = heldBackSoFar();
  return last === activityInfo().attempt - 1 ? in_a_row : 0;
}

/** Tells the next attempts that this one was held back. An attempt that looks costs the server no heartbeat. */
export function noteHeldBack(): void {
  const { total } = heldBackSoFar();
  const { attempt } = activityInfo();
  heartbeat({ total: total + 1, in_a_row: heldBackInARow() + 1, last: attempt } satisfies HeldBackAttempts);
}

/** None where no attempt has told of any. A heartbeat's details stay until the next heartbeat. */
function heldBackSoFar(): HeldBackAttempts {
  const { success, data } = heldBackAttempts.safeParse(activityInfo().heartbeatDetails);
  return success ? data : { total: 0, in_a_row: 0, last: 0 };
}
