/** Which of the gateway's operations a busy worker does first. */
import { CREATING, QUERYING, WATCHING } from '../../../src/workflows/shared/activities';

test('creations are done before looks that somebody waits for, these before what has no priority, and polls last', () => {
  const keys = [CREATING, QUERYING, WATCHING].map(({ priority }) => priority.priorityKey);
  const WITHOUT_ONE = 3;
  const [creations = 0, looks = 0, polls = 0] = keys;
  expect([creations, looks, WITHOUT_ONE, polls].every((key, i, all) => i === 0 || key > (all[i - 1] ?? 0))).toBe(true);
});
