/**
 * Temporal, simulated in this process: virtual time, and any order of events that a real server, network and worker could
 * produce. Workflow code runs in the SDK's own sandbox and activities run unchanged, so it is fast enough for thousands of
 * simulations. The same seed always gives the same simulation.
 */
import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { workflowBundle } from '../workflow-bundle';
import type { Activities, LostAttempt } from './activity-execution';
import { simulatedClient } from './client';
import { notSimulated } from './not-simulated';
import type { RandomInt } from './random';
import { api, ReusableVMWorkflowCreator, readBundle, withoutWatching } from './sdk-internals';
import { type NetworkDelay, VirtualClock } from './virtual-clock';
import { type RunStart, type Server, type UpdateExecution, WorkflowRun } from './workflow-run';

/** Payments read the worker's settings, and look at their trade for a moment, by local activities. */
const LOCAL_ACTIVITIES = new Set(['gateway.policy', 'gateway.glance']);
/** The sandboxes require a limit for a workflow task, in ms, but do not enforce it. */
const TASK_TIMEOUT_MS = 600_000;
const EVENTS_BEFORE_SUGGESTION = 4_000;

const { WorkflowIdReusePolicy } = api.api.enums.v1;

let sandboxes: Promise<ReusableVMWorkflowCreator> | undefined;

/** Where the workflows' code runs: one for all simulations of a process. */
async function createSandboxes(): Promise<ReusableVMWorkflowCreator> {
  const { code } = await workflowBundle();
  return withoutWatching(await ReusableVMWorkflowCreator.create(readBundle(code), TASK_TIMEOUT_MS, LOCAL_ACTIVITIES));
}

export interface SimulatedTemporalOptions {
  /** Ms since the epoch. */
  now: number;
  random: RandomInt;
  /** How long the network takes; default `unsteadyNetwork`. */
  delay?: NetworkDelay;
  /** The worker's activities by their names. They are looked up when they run, so more may be added later. */
  activities: Activities['functions'];
  /** Events of a run after which the server suggests to continue as new; default 4,000. */
  suggestsContinueAsNewAfter?: number;
  /** False: after each task the worker forgets the workflow, and continues from its history; default true. */
  cachesWorkflows?: boolean;
  /** How far the server is behind with the starts of children, in ms, beside the network's delay; default 0. */
  childStarts_ms?: number;
  /** How far the server is behind with the ends of children, in ms; default 0: the parent is told at once. */
  childEnds_ms?: number;
}

/** An update was refused, or it failed: `cause` says why. */
class UpdateFailed extends Error {
  override readonly name = 'UpdateFailed';
}

export class SimulatedTemporal implements Server {
  static async create(options: SimulatedTemporalOptions): Promise<SimulatedTemporal> {
    sandboxes ??= createSandboxes();
    return new SimulatedTemporal(await sandboxes, options);
  }

  readonly clock: VirtualClock;
  readonly activities: Activities;
  readonly client: Client;
  readonly suggestsContinueAsNewAfter: number;
  readonly cachesWorkflows: boolean;
  private readonly workflows = new Map<string, WorkflowRun[]>();
  /** How many runs each workflow id has had, forgotten ones included, so that no two runs have the same id. */
  private readonly begun = new Map<string, number>();
  private updates = 0;
  /** When the task queue was renamed last, in ms since the epoch. */
  private renamedAt = 0;
  /** When the worker is there again, in ms since the epoch. */
  private awayUntil = 0;

  private constructor(
    readonly creator: ReusableVMWorkflowCreator,
    private readonly options: SimulatedTemporalOptions,
  ) {
    this.clock = new VirtualClock(options.now, options.random, options.delay);
    this.client = simulatedClient(this);
    this.activities = { client: this.client, functions: options.activities };
    this.suggestsContinueAsNewAfter = options.suggestsContinueAsNewAfter ?? EVENTS_BEFORE_SUGGESTION;
    this.cachesWorkflows = options.cachesWorkflows ?? true;
  }

  runs(workflowId: string): readonly WorkflowRun[] {
    return this.workflows.get(workflowId) ?? [];
  }

  allRuns(): WorkflowRun[] {
    return [...this.workflows.values()].flat();
  }

  latest(workflowId: string): WorkflowRun | undefined {
    return this.runs(workflowId).at(-1);
  }

  isTaken(workflowId: string, reuse?: api.api.enums.v1.WorkflowIdReusePolicy | null): boolean {
    const latest = this.latest(workflowId);
    if (!latest || latest.isRunning) return latest !== undefined;
    switch (reuse ?? WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_UNSPECIFIED) {
      case WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_UNSPECIFIED:
      case WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE:
        return false;
      case WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY:
        return latest.status === 'COMPLETED';
      case WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE:
        return true;
      default:
        throw notSimulated(`the workflow id reuse policy ${reuse}`);
    }
  }

  /** Starts a workflow. Throws if one runs under this id. */
  start(type: string, workflowId: string, ...args: unknown[]): WorkflowRun {
    return this.begin({ workflowId, type, args: args.map((arg) => defaultPayloadConverter.toPayload(arg)) });
  }

  /** The same, as a run that continues a run which is not simulated. */
  continueAs(type: string, workflowId: string, ...args: unknown[]): WorkflowRun {
    const payloads = args.map((arg) => defaultPayloadConverter.toPayload(arg));
    return this.begin({ workflowId, type, args: payloads, continuedFrom: `${workflowId}/0` });
  }

  /** The same, with arguments as payloads. */
  begin(start: RunStart): WorkflowRun {
    const runs = this.workflows.get(start.workflowId) ?? [];
    if (runs.at(-1)?.isRunning) throw new Error(`${start.workflowId} runs already`);
    const number = 1 + (this.begun.get(start.workflowId) ?? 0);
    this.begun.set(start.workflowId, number);
    const run = new WorkflowRun(this, start, number);
    this.workflows.set(start.workflowId, [...runs, run]);
    return run;
  }

  /** Signals a workflow. False if nothing runs under this id. */
  signal(workflowId: string, name: string, arg: unknown): boolean {
    const run = this.latest(workflowId);
    if (!run?.isRunning) return false;
    run.signal(name, [defaultPayloadConverter.toPayload(arg)]);
    return true;
  }

  /** Sends an update to a workflow; undefined if nothing runs. The answer comes as time passes: see `answerTo`. */
  update(workflowId: string, name: string, ...args: unknown[]): UpdateExecution | undefined {
    const run = this.latest(workflowId);
    this.updates += 1;
    if (!run?.isRunning) return undefined;
    return run.update(
      `update-${this.updates}`,
      name,
      args.map((arg) => defaultPayloadConverter.toPayload(arg)),
    );
  }

  /** Waits for an update's answer, at most `timeout_ms` of virtual time. Throws UpdateFailed. */
  async answerTo<T>(update: UpdateExecution, timeout_ms: number): Promise<T> {
    await this.clock.until(() => update.outcome !== undefined || update.aborted === true, timeout_ms);
    const { outcome, aborted } = update;
    if (aborted) throw new UpdateFailed('The workflow closed before it had looked at the update');
    if (!outcome) throw new Error(`No answer within ${timeout_ms} ms`);
    if ('completed' in outcome) return defaultPayloadConverter.fromPayload<T>(outcome.completed);
    const cause = defaultFailureConverter.failureToError(outcome.failure, defaultPayloadConverter);
    throw new UpdateFailed(cause.message, { cause });
  }

  async query<T>(run: Pick<WorkflowRun, 'query'>, name: string): Promise<T> {
    return defaultPayloadConverter.fromPayload<T>(await run.query(name));
  }

  resultOf<T>({ result }: Pick<WorkflowRun, 'result'>): T | undefined {
    return result && defaultPayloadConverter.fromPayload<T>(result);
  }

  attributesOf({ searchAttributes }: Pick<WorkflowRun, 'searchAttributes'>): Readonly<Record<string, unknown>> {
    const read = Object.entries(searchAttributes).map(([name, payload]) => [
      name,
      defaultPayloadConverter.fromPayload(payload),
    ]);
    return Object.fromEntries(read);
  }

  /**
   * `kill -9` of the worker, and its start: attempts under way are lost, and returned, and every open workflow is replayed.
   */
  async killWorker(): Promise<LostAttempt[]> {
    const lost: LostAttempt[] = [];
    for (const runs of this.workflows.values())
      for (const run of runs) if (run.isRunning) lost.push(...(await run.lose()));
    return lost;
  }

  /** For `ms`, nothing takes tasks: neither workflow tasks nor attempts of activities. */
  leaveWithoutWorker(ms: number): void {
    this.awayUntil = Math.max(this.awayUntil, this.clock.now + ms);
  }

  /** Renames the task queue: closed runs stay on the old one, which no worker polls any more. */
  renameTaskQueue(): void {
    this.renamedAt = this.clock.now;
  }

  isWithoutWorker({ isRunning, startedAt }: WorkflowRun): boolean {
    return !isRunning && startedAt < this.renamedAt;
  }

  delayOfTask(): number {
    return Math.max(0, this.awayUntil - this.clock.now) + this.clock.delay();
  }

  delayOfChildEnd(): number {
    return this.options.childEnds_ms ?? 0;
  }

  /** The end of the retention: the server forgets every closed run under an id. */
  async forget(workflowId: string): Promise<void> {
    const runs = this.runs(workflowId);
    this.workflows.set(
      workflowId,
      runs.filter(({ isRunning }) => isRunning),
    );
    for (const run of runs) if (!run.isRunning) await run.dispose();
  }

  delayOfChild(): number {
    return (this.options.childStarts_ms ?? 0) + this.clock.delay();
  }

  /**
   * Resets a run as an operator does: the latest run, or one that closed before it. The new run keeps everything before the workflow task `task`
   * (from 0, or from -1 for the last), and then gets the later signals and the later updates that were taken.
   */
  reset(run: WorkflowRun, task = 0): WorkflowRun {
    const kept = run.code.before(task);
    const isUnheard = !run.isRunning;
    const latest = this.latest(run.start.workflowId);
    if (latest?.isRunning) latest.replace();
    const originalRunId = run.start.originalRunId ?? run.runId;
    const updatesBefore = new Set(run.takenUpdates.keys());
    const next = this.begin({ ...run.start, isUnheard, originalRunId, kept, updatesBefore });
    for (const { name, input } of run.signals.slice(next.signals.length)) next.signal(name, input);
    for (const [id, { name, input }] of run.takenUpdates) if (!next.knownUpdate(id)) next.update(id, name, [...input]);
    return next;
  }

  async close(): Promise<void> {
    this.clock.close();
    for (const runs of this.workflows.values()) for (const run of runs) await run.dispose();
  }
}
