/**
 * The server's API, as much of it as the clients, the webhook and the activities of this package use. Each answer is what
 * a real server gives (its rules: temporalio/temporal, service/history); test/real-server/simulated-temporal.test.ts
 * compares the two.
 */
import { SEARCH_ATTRIBUTE } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { notSimulated } from './not-simulated';
import { activitiesOf, endOf, infoOf, signalsOf, startOf, tasksOf, updatesOf } from './run-messages';
import { api, decodeTypedSearchAttributes } from './sdk-internals';
import type { Server, UpdateExecution, WorkflowRun } from './workflow-run';

import service = api.api.workflowservice.v1;

const {
  HistoryEventFilterType,
  UpdateWorkflowExecutionLifecycleStage: Stage,
  WorkflowIdConflictPolicy,
} = api.api.enums.v1;

type Execution = api.api.common.v1.IWorkflowExecution | null | undefined;
type UpdateReached = Pick<service.IUpdateWorkflowExecutionResponse, 'stage' | 'outcome'>;

const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;

const UPDATES_AT_ONCE = 10;
const UPDATES_IN_ALL = 2_000;
const REPEATED_FOR_MS = 60_000;

/** A wait without an end is a mistake of the test, or of what it tests. */
const MAX_WAIT_MS = 366 * DAY;
const ABORTED = 'workflow update was aborted by closing workflow';

/** An error of a gRPC service, as a client knows one. */
export class ServiceError extends Error {
  readonly metadata = { get: () => [] };
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`${code}: ${details}`);
  }
}

export interface Call {
  temporal: Server;
  /** Virtual ms until the caller gives up; undefined if it waits without end. */
  within_ms: number | undefined;
}
type Method = (call: Call, data: Uint8Array) => Promise<Uint8Array>;

/** By the names of the server's API. */
export const METHODS: Readonly<Record<string, Method>> = {
  async DescribeWorkflowExecution({ temporal }, data) {
    const run = find(temporal, service.DescribeWorkflowExecutionRequest.decode(data).execution);
    const requestIdInfos = Object.fromEntries([...run.requestIds].map((id) => [id, { buffered: false }]));
    return service.DescribeWorkflowExecutionResponse.encode({
      workflowExecutionInfo: infoOf(run),
      workflowExtendedInfo: { requestIdInfos },
    }).finish();
  },

  async GetWorkflowExecutionHistory(call, data) {
    const request = service.GetWorkflowExecutionHistoryRequest.decode(data);
    const run = find(call.temporal, request.execution);
    const events = await eventsOf(call, run, request);
    return service.GetWorkflowExecutionHistoryResponse.encode({ history: { events } }).finish();
  },

  async StartWorkflowExecution({ temporal }, data) {
    const { run, started } = begin(temporal, service.StartWorkflowExecutionRequest.decode(data));
    return service.StartWorkflowExecutionResponse.encode({ runId: run.runId, started }).finish();
  },

  async SignalWithStartWorkflowExecution({ temporal }, data) {
    const request = service.SignalWithStartWorkflowExecutionRequest.decode(data);
    const workflowIdConflictPolicy = WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING;
    const { run, started } = begin(temporal, { ...request, workflowIdConflictPolicy });
    signal(run, request, request.signalInput);
    return service.SignalWithStartWorkflowExecutionResponse.encode({ runId: run.runId, started }).finish();
  },

  async SignalWorkflowExecution({ temporal }, data) {
    const request = service.SignalWorkflowExecutionRequest.decode(data);
    signal(running(temporal, request.workflowExecution), request, request.input);
    return service.SignalWorkflowExecutionResponse.encode({}).finish();
  },

  async UpdateWorkflowExecution(call, data) {
    const request = service.UpdateWorkflowExecutionRequest.decode(data);
    return service.UpdateWorkflowExecutionResponse.encode(await update(call, request)).finish();
  },

  async ExecuteMultiOperation(call, data) {
    const { operations } = service.ExecuteMultiOperationRequest.decode(data);
    const [first, second] = operations;
    if (operations.length !== 2 || !first?.startWorkflow || !second?.updateWorkflow)
      throw notSimulated('operations at once that are not a start and an update');
    const { run, started } = begin(call.temporal, first.startWorkflow);
    const updateWorkflow = await update(call, second.updateWorkflow);
    const responses = [{ startWorkflow: { runId: run.runId, started } }, { updateWorkflow }];
    return service.ExecuteMultiOperationResponse.encode({ responses }).finish();
  },

  async PollWorkflowExecutionUpdate(call, data) {
    const { updateRef, waitPolicy } = service.PollWorkflowExecutionUpdateRequest.decode(data);
    const run = find(call.temporal, updateRef?.workflowExecution);
    const known = run.knownUpdate(updateRef?.updateId ?? '');
    if (!known) throw new ServiceError(NOT_FOUND, `update ${updateRef?.updateId} not found`);
    const reached = await reaches(call, known, waitPolicy?.lifecycleStage);
    if (!reached) throw new ServiceError(NOT_FOUND, ABORTED);
    return service.PollWorkflowExecutionUpdateResponse.encode({ ...reached, updateRef: updateRef ?? null }).finish();
  },

  async QueryWorkflow(call, data) {
    const { execution, query } = service.QueryWorkflowRequest.decode(data);
    const run = find(call.temporal, execution);
    // A query sees all news that came before it.
    await passes(call, () => run.isUpToDate, `the workflow task of ${run.runId}`);
    if (!run.isRunning && !run.hasBegun)
      throw new ServiceError(FAILED_PRECONDITION, `${run.runId} was closed before a workflow task`);
    if (call.temporal.isWithoutWorker(run))
      throw new ServiceError(FAILED_PRECONDITION, 'no poller seen for task queue recently, worker may be down');
    const result = await run.query(query?.queryType ?? '', query?.queryArgs?.payloads ?? []).catch((error: Error) => {
      throw new ServiceError(INVALID_ARGUMENT, error.message);
    });
    return service.QueryWorkflowResponse.encode({ queryResult: { payloads: [result] } }).finish();
  },

  async RequestCancelWorkflowExecution({ temporal }, data) {
    const request = service.RequestCancelWorkflowExecutionRequest.decode(data);
    running(temporal, request.workflowExecution, request.firstExecutionRunId).requestCancel(request.reason);
    return service.RequestCancelWorkflowExecutionResponse.encode({}).finish();
  },

  async RecordActivityTaskHeartbeatById({ temporal }, data) {
    const { workflowId, runId, activityId, details } = service.RecordActivityTaskHeartbeatByIdRequest.decode(data);
    const run = running(temporal, { workflowId, runId });
    const noted = run.commands.noteHeartbeat(activityId, details?.payloads?.[0] ?? {});
    if (!noted) throw new ServiceError(NOT_FOUND, `no activity ${activityId} runs`);
    return service.RecordActivityTaskHeartbeatByIdResponse.encode(noted).finish();
  },

  async TerminateWorkflowExecution({ temporal }, data) {
    const request = service.TerminateWorkflowExecutionRequest.decode(data);
    running(temporal, request.workflowExecution, request.firstExecutionRunId).terminate();
    return service.TerminateWorkflowExecutionResponse.encode({}).finish();
  },

  async ListWorkflowExecutions({ temporal }, data) {
    const { query } = service.ListWorkflowExecutionsRequest.decode(data);
    // A server lists the latest first: nothing else shows which of two runs of one millisecond is later.
    const executions = temporal.allRuns().filter(matching(query)).toReversed().map(infoOf);
    return service.ListWorkflowExecutionsResponse.encode({ executions }).finish();
  },

  /** Only shows whether a search attribute is registered: here all are. */
  async CountWorkflowExecutions(_call, data) {
    const { query } = service.CountWorkflowExecutionsRequest.decode(data);
    if (!/^\w+ IS NOT NULL$/.test(query)) throw notSimulated(`a count of ${query}`);
    return service.CountWorkflowExecutionsResponse.encode({}).finish();
  },
};

const LIST_FIELDS: Readonly<Record<string, (run: WorkflowRun) => string | undefined | readonly string[]>> = {
  WorkflowId: ({ start }) => start.workflowId,
  WorkflowType: ({ start }) => start.type,
  ParentWorkflowId: ({ start }) => start.parent?.run.start.workflowId,
  PaymentAccountKeys: ({ searchAttributes }) =>
    decodeTypedSearchAttributes(searchAttributes).get(SEARCH_ATTRIBUTE.accountKeys),
  ExecutionStatus: ({ isRunning }) => (isRunning ? 'Running' : 'closed'),
};

/** Reads a list query: terms such as `Field = "text"` or `Field STARTS_WITH 'text'`, joined by AND. */
function matching(query: string): (run: WorkflowRun) => boolean {
  const terms = query.split(' AND ').map((term) => {
    const [, name = '', operator, quoted = ''] = /^(\w+) (=|STARTS_WITH) ("[^"]*"|'.*')$/.exec(term) ?? [];
    const read = LIST_FIELDS[name];
    if (!read) throw notSimulated(`a list by ${query}`);
    // Temporal's query language cannot express these characters: such a list stays empty.
    if (/[\\"]/.test(quoted.slice(1, -1))) return () => false;
    const text = quoted.slice(1, -1).replaceAll("''", "'");
    const isMet = (value: string) => (operator === '=' ? value === text : value.startsWith(text));
    return (run: WorkflowRun) => [read(run) ?? []].flat().some(isMet);
  });
  return (run) => terms.every((holds) => holds(run));
}

/**
 * The simulated events of a history: only the first or the last if one is asked for; of a closed run also its tasks, activities, signals and
 * updates.
 */
async function eventsOf(call: Call, run: WorkflowRun, request: service.GetWorkflowExecutionHistoryRequest) {
  const { historyEventFilterType, maximumPageSize, waitNewEvent, nextPageToken } = request;
  if (historyEventFilterType === HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT) {
    if (waitNewEvent) await passes(call, () => !run.isRunning, `${run.runId} to end`);
    return [endOf(run)];
  }
  if (maximumPageSize === 1 && nextPageToken.length === 0) return [startOf(run)];
  if (!run.isRunning)
    return [startOf(run), ...tasksOf(run), ...activitiesOf(run), ...signalsOf(run), ...updatesOf(run), endOf(run)];
  throw notSimulated('a history (historyLength of the environment counts its events)');
}

async function passes({ temporal, within_ms = MAX_WAIT_MS }: Call, isSo: () => boolean, what: string): Promise<void> {
  if (await temporal.clock.until(isSo, within_ms)) return;
  throw new ServiceError(DEADLINE_EXCEEDED, `${what}: not within ${within_ms} ms`);
}

function begin(
  temporal: Server,
  request: service.IStartWorkflowExecutionRequest,
): { run: WorkflowRun; started: boolean } {
  const { workflowId: id, workflowType, input, workflowIdReusePolicy, workflowIdConflictPolicy } = request;
  const workflowId = id ?? '';
  const latest = temporal.latest(workflowId);
  const usesExisting = workflowIdConflictPolicy === WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING;
  if (workflowIdConflictPolicy === WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
    throw notSimulated('the workflow id conflict policy TERMINATE_EXISTING');
  if (latest?.isRunning && usesExisting) return { run: latest, started: false };
  if (temporal.isTaken(workflowId, workflowIdReusePolicy))
    throw new ServiceError(ALREADY_EXISTS, `Workflow execution already started: ${workflowId}`);
  const args = input?.payloads ?? [];
  const searchAttributes = request.searchAttributes?.indexedFields ?? {};
  const run = temporal.begin({ workflowId, type: workflowType?.name ?? '', args, searchAttributes });
  return { run, started: true };
}

/** Servers drop a signal whose request they have seen in this run. */
function signal(
  run: WorkflowRun,
  { signalName, requestId }: { signalName: string; requestId: string },
  input: api.api.common.v1.IPayloads | null | undefined,
): void {
  if (!run.takesSignals)
    throw new ServiceError(INVALID_ARGUMENT, 'exceeded workflow execution limit for signal events');
  if (!run.requestIds.has(requestId)) run.signal(signalName, input?.payloads ?? []);
  run.requestIds.add(requestId);
}

async function update(
  call: Call,
  { request, workflowExecution, firstExecutionRunId, waitPolicy }: service.IUpdateWorkflowExecutionRequest,
): Promise<service.IUpdateWorkflowExecutionResponse> {
  const { meta, input } = request ?? {};
  const updateId = meta?.updateId ?? '';
  const run = running(call.temporal, workflowExecution, firstExecutionRunId ?? '');
  if (!run.knownUpdate(updateId)) await hasRoom(call, run);
  const execution = run.update(updateId, input?.name ?? '', input?.args?.payloads ?? []);
  const reached = await reaches(call, execution, waitPolicy?.lifecycleStage);
  if (reached) {
    const ref = { workflowId: run.start.workflowId, runId: run.runId };
    return { ...reached, updateRef: { workflowExecution: ref, updateId } };
  }
  // A server would send the update to the next run. Here a run sees all news before it continues as new.
  if (run.next) throw notSimulated('an update that its run leaves to the next one');
  throw new ServiceError(NOT_FOUND, ABORTED);
}

/** The SDK's connection repeats a call that a server has no room for, for about REPEATED_FOR_MS. */
async function hasRoom({ temporal }: Call, run: WorkflowRun): Promise<void> {
  if (!(await temporal.clock.until(() => run.openUpdates < UPDATES_AT_ONCE, REPEATED_FOR_MS)))
    throw new ServiceError(RESOURCE_EXHAUSTED, 'limit on number of concurrent in-flight updates has been reached');
  if (run.countedUpdates >= UPDATES_IN_ALL)
    throw new ServiceError(FAILED_PRECONDITION, 'limit on the total number of distinct updates has been reached');
}

/** Waits until an update has come to a stage; undefined if its run closed before it had looked at the update. */
async function reaches(
  call: Call,
  execution: UpdateExecution,
  wanted: api.api.enums.v1.UpdateWorkflowExecutionLifecycleStage | null | undefined,
): Promise<UpdateReached | undefined> {
  const completed = Stage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;
  const isThere = () => (wanted !== completed && execution.accepted === true) || execution.outcome !== undefined;
  await passes(call, () => isThere() || execution.aborted === true, 'an update');
  const { outcome, aborted } = execution;
  if (outcome) {
    const said = 'completed' in outcome ? { success: { payloads: [outcome.completed] } } : outcome;
    return { stage: completed, outcome: said };
  }
  return aborted ? undefined : { stage: Stage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_ACCEPTED };
}

/** The run that is named, or the latest one. */
function find(temporal: Server, execution: Execution): WorkflowRun {
  const runs = temporal.runs(execution?.workflowId ?? '');
  const run = execution?.runId ? runs.find(({ runId }) => runId === execution.runId) : runs.at(-1);
  if (!run) throw new ServiceError(NOT_FOUND, `workflow not found for ID: ${execution?.workflowId}`);
  return run;
}

/** The same, but the run must be open and, if `firstRunId` is given, belong to the chain of that run. */
function running(temporal: Server, execution: Execution, firstRunId = ''): WorkflowRun {
  const run = find(temporal, execution);
  if (firstRunId !== '' && (run.start.firstRunId ?? run.runId) !== firstRunId)
    throw new ServiceError(NOT_FOUND, `${run.runId} does not go on from ${firstRunId}`);
  if (!run.isRunning) throw new ServiceError(NOT_FOUND, 'workflow execution already completed');
  return run;
}
