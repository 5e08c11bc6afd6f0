/**
 * Temporal, simulated: virtual time, and every order of events that a real server, network and worker could bring, drawn
 * from a random source that a test gives and can give again. Workflow code runs in the SDK's own sandbox and activities
 * run unchanged. It is fast enough for thousands of lives, and the same seed always plays the same one.
 */

import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { temporal as wire } from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { workflowBundle } from '../harness/stack';
import { Agenda, type Delay, type Pick } from './agenda';
import type { Activities } from './attempts';
import { simulatedClient } from './client';
import { type Asked, Run, type Start } from './run';

/** Workflows look up those that they run within their own task. */
const LOCAL_ACTIVITIES = new Set(['gateway.policy', 'gateway.account-policy']);

const { WorkflowIdReusePolicy } = wire.api.enums.v1;

let sandboxes: Promise<ReusableVMWorkflowCreator> | undefined;

/** Where workflows' code runs: one for all tests of a file. */
async function createSandboxes(): Promise<ReusableVMWorkflowCreator> {
  const { code } = await workflowBundle();
  return ReusableVMWorkflowCreator.create(parseWorkflowCode(code), 5_000, LOCAL_ACTIVITIES);
}

export interface SimulationOptions {
  /** Ms since the epoch. */
  now: number;
  /** The random source: a whole number from 0 to n - 1. */
  pick: Pick;
  /** How long the network takes; unsteady unless told otherwise. */
  delay?: Delay;
  activities: Activities['functions'];
  /** Events of a run after which the server suggests to continue as new. */
  suggestsContinueAsNewAfter?: number;
}

/** An update that was refused, or failed. */
export class UpdateFailed extends Error {
  override readonly name = 'UpdateFailed';
}

export class SimulatedTemporal {
  static async create(options: SimulationOptions): Promise<SimulatedTemporal> {
    sandboxes ??= createSandboxes();
    return new SimulatedTemporal(await sandboxes, options);
  }

  readonly agenda: Agenda;
  readonly activities: Activities;
  readonly client: Client;
  readonly suggestsContinueAsNewAfter: number;
  private readonly workflows = new Map<string, Run[]>();
  private updates = 0;

  private constructor(
    readonly creator: ReusableVMWorkflowCreator,
    { now, pick, delay, activities, suggestsContinueAsNewAfter = 4_000 }: SimulationOptions,
  ) {
    this.agenda = new Agenda(now, pick, delay);
    this.client = simulatedClient(this);
    this.activities = { client: this.client, functions: activities };
    this.suggestsContinueAsNewAfter = suggestsContinueAsNewAfter;
  }

  /** Every run under an id, oldest first. */
  runs(workflowId: string): readonly Run[] {
    return this.workflows.get(workflowId) ?? [];
  }

  latest(workflowId: string): Run | undefined {
    return this.runs(workflowId).at(-1);
  }

  /** Whether nothing may begin under this id now: by default, where something runs. */
  isTaken(workflowId: string, reuse?: wire.api.enums.v1.WorkflowIdReusePolicy | null): boolean {
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
        throw new Error(`Not simulated: reuse policy ${reuse}`);
    }
  }

  start(type: string, workflowId: string, ...args: unknown[]): Run {
    return this.begin({ workflowId, type, args: args.map((arg) => defaultPayloadConverter.toPayload(arg)) });
  }

  begin(start: Start): Run {
    const runs = this.workflows.get(start.workflowId) ?? [];
    if (runs.at(-1)?.isRunning) throw new Error(`${start.workflowId} runs already`);
    const run = new Run(this, start, runs.length + 1);
    this.workflows.set(start.workflowId, [...runs, run]);
    return run;
  }

  /** False where nothing runs under this id. */
  signal(workflowId: string, name: string, arg: unknown): boolean {
    const run = this.latest(workflowId);
    if (!run?.isRunning) return false;
    run.signal(name, [defaultPayloadConverter.toPayload(arg)]);
    return true;
  }

  /** Asks a workflow that runs. The answer comes as time passes. */
  update(workflowId: string, name: string, ...args: unknown[]): Asked | undefined {
    const run = this.latest(workflowId);
    this.updates += 1;
    if (!run?.isRunning) return undefined;
    return run.update(
      `update-${this.updates}`,
      name,
      args.map((arg) => defaultPayloadConverter.toPayload(arg)),
    );
  }

  /** Waits for an update's answer by virtual time; throws UpdateFailed with the workflow's failure as its cause. */
  async answerTo<T>(asked: Asked, patience_ms: number): Promise<T> {
    await this.agenda.until(() => asked.outcome !== undefined || asked.aborted === true, patience_ms);
    const { outcome, aborted } = asked;
    if (aborted) throw new UpdateFailed('The workflow closed before it had looked at the update');
    if (!outcome) throw new Error(`No answer within ${patience_ms} ms`);
    if ('completed' in outcome) return defaultPayloadConverter.fromPayload<T>(outcome.completed);
    const cause = defaultFailureConverter.failureToError(outcome.failure, defaultPayloadConverter);
    throw new UpdateFailed(cause.message, { cause });
  }

  async query<T>(run: Run, name: string): Promise<T> {
    return defaultPayloadConverter.fromPayload<T>(await run.query(name));
  }

  resultOf<T>({ result }: Run): T | undefined {
    return result && defaultPayloadConverter.fromPayload<T>(result);
  }

  /** What operators can search for; what was taken back is not there. */
  attributesOf({ searchAttributes }: Run): Readonly<Record<string, unknown>> {
    const read = Object.entries(searchAttributes).map(([name, payload]) => [
      name,
      defaultPayloadConverter.fromPayload(payload),
    ]);
    return Object.fromEntries(read);
  }

  /** `kill -9` of the worker, and its start. */
  async killWorker(): Promise<void> {
    for (const runs of this.workflows.values()) for (const run of runs) if (run.isRunning) await run.lose();
  }

  async close(): Promise<void> {
    this.agenda.close();
    for (const runs of this.workflows.values()) for (const run of runs) await run.dispose();
  }
}
