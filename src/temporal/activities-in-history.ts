/** What a run's history has of its activities, so that no worker has to answer for it. */
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { firstArgument } from './first-argument';
import { historyEvents } from './history-events';
import type { ShownRun } from './taken-run';

/** What an activity was given and has answered: undefined for what nobody can read, and for the answer of one that did not complete. */
export interface RecordedActivity {
  type: string;
  input: unknown;
  result: unknown;
}

/** The activities of these types that a run has begun, in turn. Throws WorkflowNotFoundError. */
export async function activitiesIn(
  client: Client,
  { workflowId, runId }: Pick<ShownRun, 'workflowId' | 'runId'>,
  ...types: readonly string[]
): Promise<RecordedActivity[]> {
  const { namespace, loadedDataConverter } = client.options;
  const events = await historyEvents(client, workflowId, runId);
  const results = new Map(
    events.flatMap(({ activityTaskCompletedEventAttributes: one }) =>
      one ? [[String(one.scheduledEventId), one.result] as const] : [],
    ),
  );
  const begun = events.flatMap(({ eventId, activityTaskScheduledEventAttributes: one }) => {
    const type = one?.activityType?.name ?? '';
    return one && types.includes(type) ? [{ ...one, type, result: results.get(String(eventId)) }] : [];
  });
  return Promise.all(
    begun.map(async ({ type, activityId, input, result }) => {
      const of = { type: 'activity', namespace, workflowId, activityId: activityId ?? '', isLocal: false } as const;
      const read = (given: Payloads) => firstArgument(loadedDataConverter, given?.payloads, of).catch(() => undefined);
      return { type, input: await read(input), result: await read(result) };
    }),
  );
}

type Payloads = { payloads?: Payload[] | null } | null | undefined;
