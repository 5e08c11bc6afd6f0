/** A payload that cannot be read fails the task that brings it, and nothing else: no promise is left that ends the worker. */
import { temporal } from '@temporalio/proto';
import { quiet } from '../../src/testing/dev-server';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { failuresOf, type History, keptHistories } from './replay';

const { History: Histories } = temporal.api.history.v1;
type Event = temporal.api.history.v1.IHistoryEvent;

const payloadOf = (event: Event) =>
  (
    event.workflowExecutionSignaledEventAttributes?.input ??
    event.childWorkflowExecutionCompletedEventAttributes?.result
  )?.payloads?.[0];

/** What lets a workflow go on: it comes in the same task, before the payload that cannot be read. */
const goesOn = (event: Event) =>
  event.activityTaskCompletedEventAttributes ??
  event.activityTaskFailedEventAttributes ??
  event.timerFiredEventAttributes;

/** The history, with one payload changed; undefined where no task has such a one behind something that lets it go on. */
function withUnreadable(history: History): History | undefined {
  const copy = Histories.decode(Histories.encode(history).finish());
  let hasGoneOn = false;
  for (const event of copy.events) {
    if (event.workflowTaskCompletedEventAttributes) hasGoneOn = false;
    if (goesOn(event)) hasGoneOn = true;
    const payload = hasGoneOn ? payloadOf(event) : undefined;
    if (!payload) continue;
    payload.metadata = { encoding: Buffer.from('nobody’s') };
    return copy;
  }
  return undefined;
}

beforeAll(quiet);

test('a payload that cannot be read fails its task, whatever else the task has begun', async () => {
  const changed = new Map(
    [...(await keptHistories())].flatMap(([name, history]) => {
      const copy = withUnreadable(history);
      return copy ? [[name, copy] as const] : [];
    }),
  );
  // In how many histories a payload comes so is an accident of their recording.
  expect(changed.size).toBeGreaterThan(0);
  // Jest fails this test, too, where a promise is rejected that nobody waits for.
  const failures = await failuresOf(await workflowBundle(), changed);
  expect(failures.map((failure) => failure.split(':')[0]).sort()).toEqual([...changed.keys()].sort());
});
