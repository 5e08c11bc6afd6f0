import { MINUTE } from '../time';

/** When each attempt is due, from the first one. After the last there are no more. */
export const attemptOffsets: readonly number[] = [0, 10, 30, 60, 120, 360, 840].map((minutes) => minutes * MINUTE);

/** When the next attempt is due after so many were made; `null` when there is none. */
export function nextAttempt(firstAt: number, attemptsMade: number): number | null {
  const offset = attemptOffsets[attemptsMade];
  return offset === undefined ? null : firstAt + offset;
}
