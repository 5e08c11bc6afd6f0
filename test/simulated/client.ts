/** A Temporal client whose server is the simulated one: as much of its interface as webhook, activities and tests use.
 * Time passes while somebody waits for an answer. What a real server answers stands in temporalio/temporal, service/history. */
import { Client, type ConnectionLike } from '@temporalio/client';
import { msNumberToTs } from '@temporalio/common/lib/time';
import { temporal as wire } from '@temporalio/proto';
import { DAY } from '../../src/gateway/durations';
import type { Asked, Run } from './run';
import type { SimulatedTemporal } from './temporal';

const { WorkflowService, ...api } = wire.api.workflowservice.v1;
const {
  EventType,
  HistoryEventFilterType,
  UpdateWorkflowExecutionLifecycleStage: Stage,
  WorkflowExecutionStatus,
  WorkflowIdConflictPolicy,
} = wire.api.enums.v1;
type Execution = wire.api.common.v1.IWorkflowExecution | null | undefined;

const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;

/** A wait without an end is a mistake of the test, or of what it tests. */
const PATIENCE_MS = 366 * DAY;

class Refusal extends Error {
  readonly metadata = { get: () => [] };
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`${code}: ${details}`);
  }
}

export function simulatedClient(temporal: SimulatedTemporal): Client {
  const workflowService = WorkflowService.create((method, data, callback) => {
    answer(temporal, method.name, data).then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const operatorService = wire.api.operatorservice.v1.OperatorService.create(() => {});
  const connection: ConnectionLike = {
    workflowService,
    operatorService,
    plugins: [],
    close: async () => {},
    ensureConnected: async () => {},
    withDeadline: (_deadline, run) => run(),
    withMetadata: (_metadata, run) => run(),
    withAbortSignal: (_signal, run) => run(),
  };
  return new Client({ connection });
}

async function answer(temporal: SimulatedTemporal, method: string, data: Uint8Array): Promise<Uint8Array> {
  switch (method) {
    case 'DescribeWorkflowExecution': {
      const run = find(temporal, api.DescribeWorkflowExecutionRequest.decode(data).execution);
      return api.DescribeWorkflowExecutionResponse.encode({
        workflowExecutionInfo: infoOf(run),
        workflowExtendedInfo: {
          requestIdInfos: Object.fromEntries([...run.requestIds].map((id) => [id, { buffered: false }])),
        },
      }).finish();
    }
    case 'GetWorkflowExecutionHistory': {
      const request = api.GetWorkflowExecutionHistoryRequest.decode(data);
      const run = find(temporal, request.execution);
      const onlyItsEnd =
        request.historyEventFilterType === HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
      if (onlyItsEnd && request.waitNewEvent) await passes(temporal, () => !run.isRunning, `${run.runId} to end`);
      const events = onlyItsEnd ? [endOf(run)] : [startOf(run)];
      return api.GetWorkflowExecutionHistoryResponse.encode({ history: { events } }).finish();
    }
    case 'StartWorkflowExecution': {
      const request = api.StartWorkflowExecutionRequest.decode(data);
      const { run, started } = begin(temporal, request);
      return api.StartWorkflowExecutionResponse.encode({ runId: run.runId, started }).finish();
    }
    case 'SignalWithStartWorkflowExecution': {
      const request = api.SignalWithStartWorkflowExecutionRequest.decode(data);
      const { run, started } = begin(temporal, {
        ...request,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
      });
      signal(run, request, request.signalInput);
      return api.SignalWithStartWorkflowExecutionResponse.encode({ runId: run.runId, started }).finish();
    }
    case 'SignalWorkflowExecution': {
      const request = api.SignalWorkflowExecutionRequest.decode(data);
      signal(running(temporal, request.workflowExecution), request, request.input);
      return api.SignalWorkflowExecutionResponse.encode({}).finish();
    }
    case 'UpdateWorkflowExecution': {
      const request = api.UpdateWorkflowExecutionRequest.decode(data);
      return api.UpdateWorkflowExecutionResponse.encode(await update(temporal, request)).finish();
    }
    case 'PollWorkflowExecutionUpdate': {
      const { updateRef, waitPolicy } = api.PollWorkflowExecutionUpdateRequest.decode(data);
      const run = find(temporal, updateRef?.workflowExecution);
      const asked = run.asked(updateRef?.updateId ?? '');
      if (!asked) throw new Refusal(NOT_FOUND, `update ${updateRef?.updateId} not found`);
      const reached = await reaches(temporal, asked, waitPolicy?.lifecycleStage);
      if (!reached) throw new Refusal(NOT_FOUND, ABORTED);
      return api.PollWorkflowExecutionUpdateResponse.encode({ ...reached, updateRef: updateRef ?? null }).finish();
    }
    case 'QueryWorkflow': {
      const { execution, query } = api.QueryWorkflowRequest.decode(data);
      const run = find(temporal, execution);
      // What came before the query, the workflow has seen when it answers.
      await passes(temporal, () => run.isUpToDate, `the workflow task of ${run.runId}`);
      if (!run.isRunning && !run.hasBegun)
        throw new Refusal(FAILED_PRECONDITION, `${run.runId} was closed before a workflow task`);
      const result = await run.query(query?.queryType ?? '', query?.queryArgs?.payloads ?? []).catch((error: Error) => {
        throw new Refusal(INVALID_ARGUMENT, error.message);
      });
      return api.QueryWorkflowResponse.encode({ queryResult: { payloads: [result] } }).finish();
    }
    case 'RequestCancelWorkflowExecution': {
      const request = api.RequestCancelWorkflowExecutionRequest.decode(data);
      running(temporal, request.workflowExecution, request.firstExecutionRunId).requestCancel(request.reason);
      return api.RequestCancelWorkflowExecutionResponse.encode({}).finish();
    }
    case 'TerminateWorkflowExecution': {
      const request = api.TerminateWorkflowExecutionRequest.decode(data);
      running(temporal, request.workflowExecution, request.firstExecutionRunId).terminate();
      return api.TerminateWorkflowExecutionResponse.encode({}).finish();
    }
    case 'ListWorkflowExecutions': {
      const { query } = api.ListWorkflowExecutionsRequest.decode(data);
      const id = /^WorkflowId = "(.*)"$/.exec(query)?.[1];
      if (id === undefined) throw new Refusal(UNIMPLEMENTED, `no list by ${query}`);
      const executions = temporal.runs(id).map(infoOf);
      return api.ListWorkflowExecutionsResponse.encode({ executions }).finish();
    }
    default:
      throw new Refusal(UNIMPLEMENTED, method);
  }
}

/** Lets time pass until something is so. */
async function passes({ agenda }: SimulatedTemporal, isSo: () => boolean, what: string): Promise<void> {
  if (!(await agenda.until(isSo, PATIENCE_MS))) throw new Refusal(DEADLINE_EXCEEDED, `${what}: not within a year`);
}

function begin(
  temporal: SimulatedTemporal,
  request: wire.api.workflowservice.v1.IStartWorkflowExecutionRequest,
): { run: Run; started: boolean } {
  const { workflowId: id, workflowType, input, workflowIdReusePolicy, workflowIdConflictPolicy } = request;
  const workflowId = id ?? '';
  const latest = temporal.latest(workflowId);
  const usesExisting = workflowIdConflictPolicy === WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING;
  if (workflowIdConflictPolicy === WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
    throw new Refusal(UNIMPLEMENTED, 'conflict policy TERMINATE_EXISTING');
  if (latest?.isRunning && usesExisting) return { run: latest, started: false };
  if (temporal.isTaken(workflowId, workflowIdReusePolicy))
    throw new Refusal(ALREADY_EXISTS, `Workflow execution already started: ${workflowId}`);
  const args = input?.payloads ?? [];
  return { run: temporal.begin({ workflowId, type: workflowType?.name ?? '', args }), started: true };
}

/** Servers drop a signal whose request they have seen in this run. */
function signal(
  run: Run,
  { signalName, requestId }: { signalName: string; requestId: string },
  input: wire.api.common.v1.IPayloads | null | undefined,
): void {
  if (!run.requestIds.has(requestId)) run.signal(signalName, input?.payloads ?? []);
  run.requestIds.add(requestId);
}

const ABORTED = 'workflow update was aborted by closing workflow';

async function update(
  temporal: SimulatedTemporal,
  request: wire.api.workflowservice.v1.UpdateWorkflowExecutionRequest,
): Promise<wire.api.workflowservice.v1.IUpdateWorkflowExecutionResponse> {
  const { meta, input } = request.request ?? {};
  const updateId = meta?.updateId ?? '';
  const run = running(temporal, request.workflowExecution, request.firstExecutionRunId);
  const asked = run.update(updateId, input?.name ?? '', input?.args?.payloads ?? []);
  const reached = await reaches(temporal, asked, request.waitPolicy?.lifecycleStage);
  // A server sends it to the run that goes on, but here a run sees all that has come before it goes on as a new one.
  if (!reached) throw new Refusal(run.next ? UNIMPLEMENTED : NOT_FOUND, ABORTED);
  const workflowExecution = { workflowId: run.start.workflowId, runId: run.runId };
  return { ...reached, updateRef: { workflowExecution, updateId } };
}

/** How far an update is when it has come to a stage; nothing where its run closed before it was looked at. */
async function reaches(
  temporal: SimulatedTemporal,
  asked: Asked,
  wanted: wire.api.enums.v1.UpdateWorkflowExecutionLifecycleStage | null | undefined,
): Promise<Pick<wire.api.workflowservice.v1.IUpdateWorkflowExecutionResponse, 'stage' | 'outcome'> | undefined> {
  const completed = Stage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;
  const isThere = () => (wanted !== completed && asked.accepted === true) || asked.outcome !== undefined;
  await passes(temporal, () => isThere() || asked.aborted === true, 'an update');
  const { outcome, aborted } = asked;
  if (outcome) {
    const said = 'completed' in outcome ? { success: { payloads: [outcome.completed] } } : outcome;
    return { stage: completed, outcome: said };
  }
  return aborted ? undefined : { stage: Stage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_ACCEPTED };
}

/** The run that was meant, or the latest one. */
function find(temporal: SimulatedTemporal, execution: Execution): Run {
  const runs = temporal.runs(execution?.workflowId ?? '');
  const run = execution?.runId ? runs.find(({ runId }) => runId === execution.runId) : runs.at(-1);
  if (!run) throw new Refusal(NOT_FOUND, `workflow not found for ID: ${execution?.workflowId}`);
  return run;
}

/** The same, which must run; where its first run is named, it must go on from that one. */
function running(temporal: SimulatedTemporal, execution: Execution, firstRunId = ''): Run {
  const run = find(temporal, execution);
  if (firstRunId !== '' && (run.start.firstRunId ?? run.runId) !== firstRunId)
    throw new Refusal(NOT_FOUND, `${run.runId} does not go on from ${firstRunId}`);
  if (!run.isRunning) throw new Refusal(NOT_FOUND, 'workflow execution already completed');
  return run;
}

const STATUSES: Record<Run['status'], wire.api.enums.v1.WorkflowExecutionStatus> = {
  RUNNING: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
  COMPLETED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  FAILED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED,
  CONTINUED_AS_NEW: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
  CANCELED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED,
  TERMINATED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
};

function infoOf(run: Run): wire.api.workflow.v1.IWorkflowExecutionInfo {
  const { parent } = run.start;
  return {
    ...(parent ? { parentExecution: { workflowId: parent.run.start.workflowId, runId: parent.run.runId } } : {}),
    execution: { workflowId: run.start.workflowId, runId: run.runId },
    type: { name: run.start.type },
    status: STATUSES[run.status],
    startTime: msNumberToTs(run.startedAt),
    taskQueue: 'simulated',
    searchAttributes: { indexedFields: run.searchAttributes },
  };
}

function startOf({ start, runId }: Run): wire.api.history.v1.IHistoryEvent {
  return {
    eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
    workflowExecutionStartedEventAttributes: { input: { payloads: start.args }, originalExecutionRunId: runId },
  };
}

function endOf({ status, result, failure, next }: Run): wire.api.history.v1.IHistoryEvent {
  switch (status) {
    case 'COMPLETED':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        workflowExecutionCompletedEventAttributes: { result: { payloads: result ? [result] : [] } },
      };
    case 'FAILED':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        workflowExecutionFailedEventAttributes: { failure: failure ?? {} },
      };
    case 'TERMINATED':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
        workflowExecutionTerminatedEventAttributes: { reason: 'simulated' },
      };
    case 'CANCELED':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
        workflowExecutionCanceledEventAttributes: {},
      };
    case 'CONTINUED_AS_NEW':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
        workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: next?.runId ?? '' },
      };
    case 'RUNNING':
      throw new Refusal(UNIMPLEMENTED, 'the last event of a run that goes on');
  }
}
