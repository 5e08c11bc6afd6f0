/** Whether pending work waits for its time or for a worker: an operator who reads the wrong one looks in the wrong place. */
import { temporal } from '@temporalio/proto';
import { pendingState } from '../../src/temporal/pending-work';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED, PENDING_ACTIVITY_STATE_STARTED: STARTED } =
  temporal.api.enums.v1.PendingActivityState;
const at = (ms: number) =>
  temporal.api.workflow.v1.PendingActivityInfo.fromObject({
    state: SCHEDULED,
    nextAttemptScheduleTime: { seconds: Math.floor((NOW + ms) / 1_000) },
  });

test.each([
  ['between two attempts waits for its time', at(60_000), 'waits for its time'],
  ['whose time has just come still has a moment for a worker to take it', at(-1_000), 'waits for its time'],
  ['whose time is over waits for a worker', at(-60_000), 'waits for a worker'],
  ['that was never taken waits for a worker', { state: SCHEDULED }, 'waits for a worker'],
  ['that a worker has taken runs', { state: STARTED }, 'runs'],
  ['that somebody has paused waits for no worker', { state: SCHEDULED, paused: true }, 'is paused'],
] as const)('an activity %s', (_, pending, state) => {
  expect(pendingState(pending, NOW)).toBe(state);
});
