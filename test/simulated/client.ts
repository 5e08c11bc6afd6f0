/** A Temporal client whose server is the simulated one: as much of its interface as the webhook and the activities use. */
import { Client, type ConnectionLike } from '@temporalio/client';
import { msNumberToTs } from '@temporalio/common/lib/time';
import { temporal as wire } from '@temporalio/proto';
import type { Run } from './run';
import type { SimulatedTemporal } from './temporal';

const { WorkflowService, ...api } = wire.api.workflowservice.v1;
const { EventType, WorkflowExecutionStatus, WorkflowIdReusePolicy, HistoryEventFilterType } = wire.api.enums.v1;

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;

class Refusal extends Error {
  readonly details = '';
  readonly metadata = { get: () => [] };
  constructor(readonly code: number) {
    super(`${code}: the simulated server refuses`);
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
      const events = onlyItsEnd ? [endOf(run)] : [startOf(run)];
      return api.GetWorkflowExecutionHistoryResponse.encode({ history: { events } }).finish();
    }
    case 'SignalWithStartWorkflowExecution': {
      const request = api.SignalWithStartWorkflowExecutionRequest.decode(data);
      const { runId, started } = signalWithStart(temporal, request);
      return api.SignalWithStartWorkflowExecutionResponse.encode({ runId, started }).finish();
    }
    case 'QueryWorkflow': {
      const { execution, query } = api.QueryWorkflowRequest.decode(data);
      const run = find(temporal, execution);
      if (!run.isRunning && !run.hasBegun) throw new Refusal(FAILED_PRECONDITION);
      const result = await run.query(query?.queryType ?? '');
      return api.QueryWorkflowResponse.encode({ queryResult: { payloads: [result] } }).finish();
    }
    case 'ListWorkflowExecutions': {
      const { query } = api.ListWorkflowExecutionsRequest.decode(data);
      const id = /^WorkflowId = "(.*)"$/.exec(query)?.[1] ?? '';
      const executions = temporal.runs(id).map(infoOf);
      return api.ListWorkflowExecutionsResponse.encode({ executions }).finish();
    }
    default:
      throw new Refusal(UNIMPLEMENTED);
  }
}

function signalWithStart(
  temporal: SimulatedTemporal,
  request: wire.api.workflowservice.v1.ISignalWithStartWorkflowExecutionRequest,
) {
  const { workflowId, workflowType, input, signalName, signalInput, requestId, workflowIdReusePolicy } = request;
  const latest = temporal.latest(workflowId ?? '');
  const isNew = !latest?.isRunning;
  const refusesNew =
    workflowIdReusePolicy === WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE && latest !== undefined;
  if (isNew && refusesNew) throw new Refusal(ALREADY_EXISTS);
  const run =
    latest?.isRunning === true
      ? latest
      : temporal.begin({ workflowId: workflowId ?? '', type: workflowType?.name ?? '', args: input?.payloads ?? [] });
  // Servers drop a signal whose request they have seen in this run.
  if (!run.requestIds.has(requestId ?? '')) run.signal(signalName ?? '', signalInput?.payloads ?? []);
  run.requestIds.add(requestId ?? '');
  return { runId: run.runId, started: isNew };
}

function find(temporal: SimulatedTemporal, execution: wire.api.common.v1.IWorkflowExecution | null | undefined): Run {
  const runs = temporal.runs(execution?.workflowId ?? '');
  const run = execution?.runId ? runs.find(({ runId }) => runId === execution.runId) : runs.at(-1);
  if (!run) throw new Refusal(NOT_FOUND);
  return run;
}

const STATUSES: Record<Run['status'], wire.api.enums.v1.WorkflowExecutionStatus> = {
  RUNNING: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
  COMPLETED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  FAILED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED,
  CONTINUED_AS_NEW: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
  TERMINATED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
};

function infoOf(run: Run): wire.api.workflow.v1.IWorkflowExecutionInfo {
  return {
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

function endOf({ status, result, failure }: Run): wire.api.history.v1.IHistoryEvent {
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
    default:
      throw new Refusal(UNIMPLEMENTED);
  }
}
