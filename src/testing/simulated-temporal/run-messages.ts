/** A run in the form of the server's messages. */
import { notSimulated } from './not-simulated';
import { api, msNumberToTs } from './sdk-internals';
import type { WorkflowRun } from './workflow-run';

const { EventType, WorkflowExecutionStatus, WorkflowTaskFailedCause } = api.api.enums.v1;
const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW } = WorkflowTaskFailedCause;
const { HistoryEvent } = api.api.history.v1;

/** What a server shows of a run in descriptions and lists. */
export function infoOf(run: WorkflowRun): api.api.workflow.v1.IWorkflowExecutionInfo {
  const { parent } = run.start;
  return {
    ...(parent ? { parentExecution: { workflowId: parent.run.start.workflowId, runId: parent.run.runId } } : {}),
    execution: { workflowId: run.start.workflowId, runId: run.runId },
    firstRunId: run.start.firstRunId ?? run.runId,
    type: { name: run.start.type },
    status: WorkflowExecutionStatus[`WORKFLOW_EXECUTION_STATUS_${run.status}`],
    startTime: msNumberToTs(run.startedAt),
    ...(run.closedAt === undefined ? {} : { closeTime: msNumberToTs(run.closedAt) }),
    taskQueue: 'simulated',
    searchAttributes: { indexedFields: run.searchAttributes },
  };
}

export function startOf({ start, runId }: WorkflowRun): api.api.history.v1.IHistoryEvent {
  return {
    eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
    workflowExecutionStartedEventAttributes: {
      input: { payloads: start.args },
      originalExecutionRunId: start.originalRunId ?? runId,
    },
  };
}

/** One event of a completed workflow task, for all of them, if the code has had the run. */
export function tasksOf({ hasBegun }: WorkflowRun): api.api.history.v1.IHistoryEvent[] {
  const eventType = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
  return hasBegun ? [{ eventType, workflowTaskCompletedEventAttributes: {} }] : [];
}

export function signalsOf({ signals }: WorkflowRun): api.api.history.v1.IHistoryEvent[] {
  return signals.map(({ name, input }) => ({
    eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
    workflowExecutionSignaledEventAttributes: { signalName: name, input: { payloads: input } },
  }));
}

/** The events of the activities that a run has scheduled on a task queue, and of those that have completed. Their numbers are their ids. */
export function activitiesOf({ scheduled, results }: WorkflowRun): api.api.history.v1.IHistoryEvent[] {
  return scheduled.flatMap(({ seq, activityType, activityId, arguments: args }) => {
    const begun = HistoryEvent.fromObject({
      eventId: seq,
      eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
      activityTaskScheduledEventAttributes: {
        activityType: { name: activityType },
        activityId,
        input: { payloads: args },
      },
    });
    const result = results.get(seq ?? 0);
    if (!result) return [begun];
    const completed = HistoryEvent.fromObject({
      eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
      activityTaskCompletedEventAttributes: { scheduledEventId: seq, result: { payloads: [result] } },
    });
    return [begun, completed];
  });
}

/** The events of the updates that a run took. A reset has them after the mark of the reset, and of those that it was given anew no request. */
export function updatesOf({ takenUpdates, start }: WorkflowRun): api.api.history.v1.IHistoryEvent[] {
  const eventType = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED;
  const mark = { eventType, workflowTaskFailedEventAttributes: { cause: WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW } };
  const events = [...takenUpdates].flatMap(([updateId, { name, outcome }]) => {
    const acceptedRequest = start.updatesBefore?.has(updateId) ? null : { meta: { updateId }, input: { name } };
    const accepted = { protocolInstanceId: updateId, acceptedRequest };
    const said = outcome && 'completed' in outcome ? { success: { payloads: [outcome.completed] } } : outcome;
    const completed = said
      ? [
          {
            eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED,
            workflowExecutionUpdateCompletedEventAttributes: { meta: { updateId }, outcome: said },
          },
        ]
      : [];
    return [
      {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
        workflowExecutionUpdateAcceptedEventAttributes: accepted,
      },
      ...completed,
    ];
  });
  return start.kept ? [mark, ...events] : events;
}

export function endOf({ status, result, failure, next }: WorkflowRun): api.api.history.v1.IHistoryEvent {
  if (status === 'RUNNING') throw notSimulated('the history of a run that goes on');
  const attributes = {
    COMPLETED: { workflowExecutionCompletedEventAttributes: { result: { payloads: result ? [result] : [] } } },
    FAILED: { workflowExecutionFailedEventAttributes: { failure: failure ?? {} } },
    TERMINATED: { workflowExecutionTerminatedEventAttributes: { reason: 'simulated' } },
    CANCELED: { workflowExecutionCanceledEventAttributes: {} },
    CONTINUED_AS_NEW: {
      workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: next?.runId ?? '' },
    },
  };
  return { eventType: EventType[`EVENT_TYPE_WORKFLOW_EXECUTION_${status}`], ...attributes[status] };
}
