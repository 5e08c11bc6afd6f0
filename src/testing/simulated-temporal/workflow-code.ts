/** The code of one run in the SDK's own sandbox, and the history that a worker replays after it has lost its memory. */
import { isDeepStrictEqual } from 'node:util';
import { TypedSearchAttributes } from '@temporalio/common';
import { type coresdk, optionalTsToMs, type Workflow, type WorkflowCreator, withoutStorages } from './sdk-internals';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Activation = coresdk.workflow_activation.IWorkflowActivation;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;

export interface RunInfo {
  workflowId: string;
  runId: string;
  type: string;
  /** The first run of a chain of runs that continued as new. */
  firstRunId: string;
  /** The run that continued as this one. */
  continuedFrom: string | undefined;
  /** The run that a reset began with; its own id for every other run. */
  originalRunId: string;
  parent: { workflowId: string; runId: string } | undefined;
  /** Ms since the epoch. */
  startedAt: number;
}

/** An activation, the number of its workflow task, and what the code commanded. */
export interface Past {
  readonly task: number;
  readonly activation: Activation;
  readonly commands: Command[];
}

/** Equal as JSON. Almost always they are equal directly, which takes a fraction of the time to check. */
const areSame = (one: unknown, other: unknown) =>
  isDeepStrictEqual(one, other) || JSON.stringify(one) === JSON.stringify(other);

const acceptedIn = (commands: readonly Command[]): string[] =>
  commands.flatMap(({ updateResponse }) => (updateResponse?.accepted ? (updateResponse.protocolInstanceId ?? '') : []));

/** What a reset keeps of the code of the run that it begins with. */
export interface KeptCode {
  /** When the run that was reset was started. */
  readonly startedAt: number;
  readonly past: readonly Past[];
  /** The news of the workflow task that is repeated. */
  readonly news: readonly Job[];
  readonly flags: ReadonlySet<number>;
}

export class WorkflowCode {
  /** It knows the whole past. */
  private workflow: Workflow | undefined;
  /** A second sandbox, for a worker that forgets the workflow after each task; see `forgetTask`. */
  private twin: Workflow | undefined;
  /** How many activations of the past the second sandbox knows. */
  private twinKnows = 0;
  private readonly past: Past[];
  private readonly startedAt: number;
  /** Answers of the code since the last news: until the next news, the same query has the same answer. */
  private readonly answers = new Map<string, Completion>();
  private readonly flags: Set<number>;
  /** Updates that passed their validator. A reset run validates again all updates that its kept past does not have. */
  private readonly accepted: Set<string>;

  /** `before`: what a reset keeps of the run that it resets. */
  constructor(
    private readonly creator: WorkflowCreator,
    private readonly info: RunInfo,
    before?: KeptCode,
  ) {
    this.past = [...(before?.past ?? [])];
    this.startedAt = before?.startedAt ?? info.startedAt;
    this.flags = new Set(before?.flags);
    this.accepted = new Set(this.past.flatMap(({ commands }) => acceptedIn(commands)));
  }

  /** What a reset to this workflow task keeps: all before it; undefined if there was no task yet. `task` counts from 0, or from -1 for the last. */
  before(task: number): KeptCode | undefined {
    if (!this.hasBegun) return undefined;
    const numbers = [...new Set(this.past.map((one) => one.task))];
    // There is nothing before the first task.
    const first = numbers.at(Math.max(task, -numbers.length));
    if (first === undefined) throw new Error(`${this.info.runId} has no workflow task ${task}`);
    const past = this.past.filter((one) => one.task < first);
    // The history has the news that started the task, but an update only with its answer.
    const jobs = this.past[past.length]?.activation.jobs ?? [];
    return {
      startedAt: this.startedAt,
      past,
      news: jobs.filter(({ doUpdate }) => !doUpdate),
      flags: this.flags,
    };
  }

  get hasBegun(): boolean {
    return this.past.length > 0;
  }

  /** Runs one activation of a workflow task; returns the commands of the code. Throws if the task fails. */
  async activate(activation: Activation, task: number): Promise<Command[]> {
    this.answers.clear();
    const { successful, failed } = await this.run(await this.sandbox(activation), activation);
    // Drops the answers to queries that came meanwhile.
    this.answers.clear();
    if (!successful) {
      const { message, stackTrace } = failed?.failure ?? {};
      throw new Error(`A workflow task of ${this.info.runId} failed: ${message}\n${stackTrace}`);
    }
    for (const flag of successful.usedInternalFlags ?? []) this.flags.add(flag);
    const commands = successful.commands ?? [];
    this.remember(activation, commands, task);
    return commands;
  }

  /** Lets the code of a closed run read what came after its last workflow task. What it commands then, nobody carries out. */
  async readOn(activation: Activation): Promise<void> {
    this.answers.clear();
    await this.run(await this.sandbox(activation), { ...activation, isReplaying: true });
  }

  /** Runs a query. The activation is not part of the history. */
  async query(activation: Activation): Promise<Completion> {
    const question = JSON.stringify(activation.jobs);
    const answer = this.answers.get(question) ?? (await this.run(await this.sandbox(activation), activation));
    this.answers.set(question, answer);
    return answer;
  }

  /** Forgets the sandbox and replays the history, which must give the same commands. */
  async replay(): Promise<void> {
    const [first] = this.past;
    if (!this.workflow || !first) return;
    await this.dispose();
    await this.sandbox(first.activation);
  }

  /**
   * Continues with code that knows the last task only from its history. Two sandboxes take turns, and each replays what the other one did: to
   * replay the whole history each time would be quadratic. `replay` does so when a run ends.
   */
  async forgetTask(): Promise<void> {
    const { workflow } = this;
    const [first] = this.past;
    if (!workflow || !first) return;
    const twin = this.twin ?? (await this.createSandbox(first.activation));
    for (const task of this.past.slice(this.twinKnows)) await this.replayTask(twin, task);
    this.answers.clear();
    this.workflow = twin;
    this.twin = workflow;
    this.twinKnows = this.past.length;
  }

  private async replayTask(replayed: Workflow, { activation, commands }: Past): Promise<void> {
    const patches = commands.flatMap(({ setPatchMarker }) => setPatchMarker?.patchId ?? []);
    const jobs = [...patches.map((patchId) => ({ notifyHasPatch: { patchId } })), ...(activation.jobs ?? [])];
    const completion = await this.run(replayed, {
      ...activation,
      jobs,
      isReplaying: true,
      availableInternalFlags: [...this.flags],
    });
    const again = completion.successful?.commands ?? completion.failed?.failure?.message;
    if (!areSame(again, commands)) throw new Error(`${this.info.runId} is not deterministic: ${JSON.stringify(again)}`);
  }

  async dispose(): Promise<void> {
    const { workflow, twin } = this;
    this.answers.clear();
    this.workflow = undefined;
    this.twin = undefined;
    this.twinKnows = 0;
    await workflow?.dispose();
    await twin?.dispose();
  }

  /** An update that its validator rejected leaves no trace in a history. */
  private remember({ jobs = [], ...activation }: Activation, commands: Command[], task: number): void {
    for (const id of acceptedIn(commands)) this.accepted.add(id);
    const isRejected = (id: string | null | undefined) => !this.accepted.has(id ?? '');
    const kept = (jobs ?? []).flatMap((job) => {
      if (!job.doUpdate) return job;
      return isRejected(job.doUpdate.id) ? [] : { doUpdate: { ...job.doUpdate, runValidator: false } };
    });
    if (kept.length === 0) return;
    this.past.push({
      task,
      activation: { ...activation, jobs: kept },
      commands: commands.filter(
        ({ updateResponse }) => !updateResponse || !isRejected(updateResponse.protocolInstanceId),
      ),
    });
  }

  private async run(workflow: Workflow, activation: Activation): Promise<Completion> {
    const completion = await workflow.activate(activation);
    withoutStorages(workflow);
    return completion;
  }

  private async sandbox(activation: Activation): Promise<Workflow> {
    if (this.workflow) return this.workflow;
    const workflow = await this.createSandbox(this.past[0]?.activation ?? activation);
    for (const task of this.past) await this.replayTask(workflow, task);
    this.workflow = workflow;
    return workflow;
  }

  /** As with a worker, `runStartTime` is the time of the first activation, and a reset has both times of the run that was reset. */
  private createSandbox({ timestamp }: Activation): Promise<Workflow> {
    return this.creator.createWorkflow(
      createOptions(this.info, this.startedAt, optionalTsToMs(timestamp) ?? this.startedAt),
    );
  }
}

function createOptions(
  run: RunInfo,
  startedAt: number,
  begunAt: number,
): Parameters<WorkflowCreator['createWorkflow']>[0] {
  const { workflowId, runId, type, firstRunId, continuedFrom, parent } = run;
  return {
    info: {
      workflowId,
      runId,
      workflowType: type,
      searchAttributes: {},
      typedSearchAttributes: new TypedSearchAttributes(),
      ...(parent ? { parent: { ...parent, namespace: 'default' } } : {}),
      historyLength: 0,
      historySize: 0,
      continueAsNewSuggested: false,
      targetWorkerDeploymentVersionChanged: false,
      taskQueue: 'simulated',
      namespace: 'default',
      firstExecutionRunId: firstRunId,
      ...(continuedFrom === undefined ? {} : { continuedFromExecutionRunId: continuedFrom }),
      originalExecutionRunId: run.originalRunId,
      startTime: new Date(startedAt),
      runStartTime: new Date(begunAt),
      taskTimeoutMs: 10_000,
      attempt: 1,
      unsafe: {
        now: () => begunAt,
        isReplaying: false,
        isReplayingHistoryEvents: false,
        random: { random: () => 0, uuid4: () => '', fillRandom: (bytes) => bytes },
      },
    },
    randomnessSeed: [...Buffer.from(runId).subarray(-8)],
    now: begunAt,
    showStackTraceSources: false,
  };
}
