/** The endpoint's calls to Temporal. Each has a time limit, so that a slow Temporal cannot hold up a notification without end. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { compilePriority, encodeWorkflowIdConflictPolicy, encodeWorkflowIdReusePolicy } from '@temporalio/common';
import { encodeToPayloadsWithContext, encodeUserMetadata } from '@temporalio/common/lib/internal-non-workflow';
import { msOptionalToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import {
  type AfterSaleState,
  type AfterSaleWorkflow,
  type PaymentState,
  type PaymentWorkflow,
  priorityOf,
  SEARCH_ATTRIBUTE,
  startSummary,
  TASK_TIMEOUT_MS,
} from '../contract';
import { MINUTE } from '../gateway/pure/durations';
import { GRPC_STATUS, grpcCodeOf, isOutOfTime } from '../temporal/call-errors';
import { takenRunUpTo } from '../temporal/runs';
import type { Telemetry } from '../temporal/telemetry/telemetry';
import { isOfOrder, resultOfRun } from '../temporal/workflow-history';

const CALL_TIMEOUT_MS = 3_000;
const RUNNING = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;

export interface WorkflowStart {
  workflowId: string;
  type: string;
  input: object;
}

export interface SignalWithStart extends WorkflowStart {
  signal: string;
  payload: object;
  /** Temporal drops a signal with a request id that the run has already had. */
  requestId: string;
  /** Whether a new run may start after the last one has ended. */
  afterEnd: 'start' | 'refuse';
}

export interface DescribedRun {
  runId: string;
  /** Temporal's name of its state, such as RUNNING or COMPLETED. */
  state: string;
  paymentStatus: string | undefined;
  tradeNo: string | undefined;
  /** Whether no run came after this one: a later run that no worker had may hold signals that nobody has read. */
  isLatest: boolean;
  /** Whether the run has got the call with this request id. */
  hasGot(requestId: string): boolean;
}

export class TemporalCalls {
  private readonly recentStarts = new RecentStarts();

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly telemetry?: Pick<Telemetry, 'headers'>,
  ) {}

  /** Signals a workflow, and starts it first if it does not run. Resolves to whether a run was started. */
  async signalWithStart(call: SignalWithStart): Promise<boolean> {
    const request = await this.signalWithStartRequest(call);
    const send = async () => {
      const { workflowService } = this.client;
      const { started, runId } = await this.inTime(() => workflowService.signalWithStartWorkflowExecution(request));
      if (started && runId) this.recentStarts.note(call, runId);
      return started ?? false;
    };
    try {
      return await send();
    } catch (error) {
      // The SDK does not retry a call that ran out of time. Its signal may have arrived: the same request id makes a retry safe.
      if (!isOutOfTime(error)) throw error;
      return send();
    }
  }

  /** Starts a workflow unless its id was ever used. Resolves to whether a run was started. */
  async startOnce({ workflowId, type, input }: WorkflowStart): Promise<boolean> {
    try {
      await this.inTime(() =>
        this.client.workflow.start(type, {
          workflowId,
          taskQueue: this.taskQueue,
          args: [input],
          priority: priorityOf(workflowId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
        }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return false;
    }
  }

  async isRunning(workflowId: string): Promise<boolean> {
    return (await this.statusOf(workflowId)) === RUNNING;
  }

  /** Whether Temporal has a run of the workflow, whether it has ended or not. */
  async isKnown(workflowId: string): Promise<boolean> {
    return (await this.statusOf(workflowId)) !== null;
  }

  /** Whether this payment's number is of an order that was asked for here, and so not of a deposit. */
  isOfOrder(workflowId: string): Promise<boolean> {
    return this.inTime(() => isOfOrder(this.client, workflowId));
  }

  /** Null if Temporal has no such workflow. */
  private async statusOf(workflowId: string) {
    const { workflowService, options } = this.client;
    const request = { namespace: options.namespace, execution: { workflowId } };
    try {
      const { workflowExecutionInfo } = await this.inTime(() => workflowService.describeWorkflowExecution(request));
      return workflowExecutionInfo?.status;
    } catch (error) {
      if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
      return null;
    }
  }

  /** The workflow's last run that a worker had, by its description and search attributes, which need no worker. Throws WorkflowNotFoundError. */
  async lastRun(workflowId: string): Promise<DescribedRun> {
    return this.inTime(async () => {
      const latest = await this.client.workflow.getHandle(workflowId).describe();
      return shown(await takenRunUpTo(this.client, latest), latest.runId);
    });
  }

  /** The run that this process recently started by a call with this request id; undefined if there is none. */
  async recentlyStarted(workflowId: string, requestId: string): Promise<DescribedRun | undefined> {
    const runId = this.recentStarts.runOf({ workflowId, requestId });
    if (runId === undefined) return undefined;
    return shown(await this.inTime(() => this.client.workflow.getHandle(workflowId, runId).describe()), runId);
  }

  /** What a payment that has completed knew at its end; undefined if nobody can read it. */
  paymentAtEnd(workflowId: string, runId: string): Promise<PaymentState | undefined> {
    return this.inTime(() => resultOfRun<PaymentWorkflow>(this.client, workflowId, runId)).catch(unlessTemporal);
  }

  /** What an after-sale that has completed knew at its end; undefined if nobody can read it. */
  afterSaleAtEnd(workflowId: string, runId: string): Promise<AfterSaleState | undefined> {
    return this.inTime(() => resultOfRun<AfterSaleWorkflow>(this.client, workflowId, runId)).catch(unlessTemporal);
  }

  private async signalWithStartRequest({
    workflowId,
    type,
    input,
    signal,
    payload,
    requestId,
    afterEnd,
  }: SignalWithStart) {
    const { namespace, identity, loadedDataConverter } = this.client.options;
    const context = { type: 'workflow', namespace, workflowId } as const;
    const encode = async (value: object) => ({
      payloads: (await encodeToPayloadsWithContext(loadedDataConverter, context, [value])) ?? [],
    });
    const userMetadata = await encodeUserMetadata(loadedDataConverter, startSummary(input), undefined, context);
    const reuse = afterEnd === 'start' ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE';
    return {
      namespace,
      identity,
      requestId,
      workflowId,
      workflowType: { name: type },
      taskQueue: { name: this.taskQueue },
      workflowTaskTimeout: msOptionalToTs(TASK_TIMEOUT_MS[type]) ?? null,
      input: await encode(input),
      userMetadata: userMetadata ?? null,
      priority: compilePriority(priorityOf(workflowId)),
      signalName: signal,
      header: { fields: this.telemetry?.headers() ?? {} },
      signalInput: await encode(payload),
      workflowIdReusePolicy: encodeWorkflowIdReusePolicy(reuse) ?? null,
      workflowIdConflictPolicy: encodeWorkflowIdConflictPolicy('USE_EXISTING') ?? null,
    };
  }

  private inTime<T>(call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);
  }
}

function shown(
  { runId, status, typedSearchAttributes, raw }: WorkflowExecutionDescription,
  latest: string,
): DescribedRun {
  return {
    runId,
    isLatest: runId === latest,
    state: status.name,
    paymentStatus: typedSearchAttributes.get(SEARCH_ATTRIBUTE.status),
    tradeNo: typedSearchAttributes.get(SEARCH_ATTRIBUTE.tradeNo),
    hasGot: (requestId) => requestId in (raw.workflowExtendedInfo?.requestIdInfos ?? {}),
  };
}

/** If this webhook lacks the key, it treats the end as unknown: the notification goes to a workflow whose worker has the key. */
function unlessTemporal(error: unknown): undefined {
  if (grpcCodeOf(error) !== undefined) throw error;
}

export function isAlreadyEnded(error: unknown): boolean {
  return grpcCodeOf(error) === GRPC_STATUS.ALREADY_EXISTS;
}

// — Which runs this process has started recently, and by which notifications —

/**
 * For this long, in ms, the same bytes count as one notification. Later, somebody may have pressed the callback button because a deposit was
 * set aside; or it is a second dispute, for which a gateway without a `timestamp` sends the same bytes.
 */
export const REPEATS_FOR_MS = 10 * MINUTE;
/** The most starts that are remembered: twice what the default of WEBHOOK_LIMIT_ADOPTIONS allows in that time. */
const MAX_KNOWN = 12_000;

interface Started {
  workflowId: string;
  requestId: string;
}

/** Temporal knows which notifications the last run got. For earlier runs, only the process that started them knows. */
class RecentStarts {
  private readonly runs = new Map<string, { runId: string; at: number }>();

  note(started: Started, runId: string): void {
    const [oldest] = this.runs.keys();
    if (oldest !== undefined && this.runs.size >= MAX_KNOWN) this.runs.delete(oldest);
    this.runs.set(keyOf(started), { runId, at: Date.now() });
  }

  /** The run that this notification started within the last ten minutes. */
  runOf(started: Started): string | undefined {
    const { runId, at = 0 } = this.runs.get(keyOf(started)) ?? {};
    return Date.now() - at < REPEATS_FOR_MS ? runId : undefined;
  }
}

const keyOf = ({ workflowId, requestId }: Started) => `${workflowId} ${requestId}`;
