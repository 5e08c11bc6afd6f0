/**
 * One run of a workflow: what the server and the SDK's core do around its code. News are collected until a workflow task passes
 * them to the code, and the commands that it returns are carried out.
 */

import type { LostAttempt, Resolution } from './activity-execution';
import { Commands } from './commands';
import type { Failure, Payload, Run, RunStart, RunStatus, Server, UpdateExecution } from './run';
import { coresdk, msNumberToTs } from './sdk-internals';
import { type Activation, type Command, type Job, type KeptCode, WorkflowCode } from './workflow-code';

/** The server's default (`history.maximumSignalsPerExecution`). */
const MOST_SIGNALS = 10_000;
/** Longest wait of a query for the first workflow task, in ms of virtual time. */
const FIRST_TASK_WITHIN_MS = 60_000;

export class WorkflowRun implements Run {
  status: RunStatus = 'RUNNING';
  result: Payload | undefined;
  failure: Failure | undefined;
  /** The run after this one, if this one continued as new. */
  next: Run | undefined;
  readonly searchAttributes: Record<string, Payload>;
  readonly runId: string;
  /** Ms since the epoch. */
  readonly startedAt: number;
  closedAt: number | undefined;
  /** Ids of the signal requests so far: the server drops a repeated one. */
  readonly requestIds = new Set<string>();
  /** Events of its history without those of its workflow tasks, whose number depends on the server's timing. */
  events = 0;
  /** Its workflow tasks. */
  tasks = 0;
  /** Activities that it has asked for, local ones included. */
  activities = 0;
  /** The activities that were scheduled on a task queue. */
  readonly scheduled: coresdk.workflow_commands.IScheduleActivity[] = [];
  /** The results of completed activities, by the activities' numbers. */
  readonly results = new Map<number, Payload>();
  readonly signals: { name: string; input: Payload[] }[] = [];
  private readonly code: WorkflowCode;
  private readonly commands: Commands;
  private pending: Job[] = [];
  private hasTask = false;
  private readonly updates = new Map<string, UpdateExecution>();

  constructor(
    private readonly temporal: Server,
    readonly start: RunStart,
    number: number,
  ) {
    const { workflowId, type, args, parent, firstRunId, continuedFrom, kept } = start;
    this.runId = `${workflowId}/${number}`;
    this.startedAt = temporal.clock.now;
    this.searchAttributes = { ...start.searchAttributes };
    const info = {
      workflowId,
      type,
      runId: this.runId,
      firstRunId: firstRunId ?? this.runId,
      continuedFrom,
      originalRunId: start.originalRunId ?? this.runId,
      parent: parent && { workflowId: parent.run.start.workflowId, runId: parent.run.runId },
      startedAt: this.startedAt,
    };
    this.code = new WorkflowCode(temporal.creator, info, kept);
    this.commands = new Commands(temporal, this);
    const searchAttributes = { indexedFields: { ...start.searchAttributes } };
    if (kept) this.goOnFrom(kept);
    else
      this.hear({
        initializeWorkflow: { workflowId, workflowType: type, arguments: args, attempt: 1, searchAttributes },
      });
  }

  /** Continues as a reset: what was kept is done, and its unfinished part is under way. */
  private goOnFrom({ past, news }: KeptCode): void {
    const jobs = [...past.flatMap(({ activation }) => activation.jobs ?? []), ...news];
    const commands = past.flatMap((one) => one.commands);
    for (const { signalWorkflow, doUpdate, resolveActivity } of jobs) {
      const result = resolveActivity?.result?.completed?.result;
      if (result && !resolveActivity?.isLocal) this.results.set(resolveActivity?.seq ?? 0, result);
      if (signalWorkflow)
        this.signals.push({ name: signalWorkflow.signalName ?? '', input: signalWorkflow.input ?? [] });
      if (doUpdate) this.updates.set(doUpdate.id ?? '', { name: doUpdate.name ?? '', input: doUpdate.input ?? [] });
    }
    for (const { updateResponse, scheduleActivity } of commands) {
      if (updateResponse) this.answerUpdate(updateResponse);
      if (scheduleActivity) this.scheduled.push(scheduleActivity);
    }
    this.tasks = past.at(-1)?.task ?? 0;
    this.events = sum(jobs.map(eventsOf)) + sum(commands.map(eventsOfCommand)) - sum(news.map(eventsOf));
    this.commands.goOn(past, jobs);
    for (const job of news) this.hear(job);
  }

  keptBefore(task: number): KeptCode | undefined {
    return this.code.before(task);
  }

  get isRunning(): boolean {
    return this.status === 'RUNNING';
  }

  /** Whether a workflow task has come to the code. */
  get hasBegun(): boolean {
    return this.code.hasBegun;
  }

  /** Whether the code has seen all news. */
  get isUpToDate(): boolean {
    return !this.isRunning || !this.hasTask;
  }

  // — What comes from outside —

  get takesSignals(): boolean {
    return this.isRunning && this.signals.length < MOST_SIGNALS;
  }

  signal(signalName: string, input: Payload[]): void {
    this.signals.push({ name: signalName, input });
    this.hear({ signalWorkflow: { signalName, input, identity: 'simulated' } });
  }

  /** Starts an update, or returns the one that has this id already. */
  update(id: string, name: string, input: Payload[]): UpdateExecution {
    const known = this.updates.get(id);
    if (known) return known;
    const update: UpdateExecution = { name, input };
    this.updates.set(id, update);
    const meta = { updateId: id, identity: 'simulated' };
    this.hear({ doUpdate: { id, protocolInstanceId: id, name, input, meta, runValidator: true } });
    return update;
  }

  /** Updates that wait for their outcome. */
  get openUpdates(): number {
    return [...this.updates.values()].filter(({ outcome, aborted }) => !outcome && !aborted).length;
  }

  /** Updates in its history, and those that may come into it: a rejected one leaves no trace. */
  get countedUpdates(): number {
    return [...this.updates.values()].filter(({ accepted, outcome }) => accepted || !outcome).length;
  }

  get takenUpdates(): ReadonlyMap<string, UpdateExecution> {
    return new Map([...this.updates].filter(([, { accepted }]) => accepted));
  }

  /** An update by its id. */
  knownUpdate(id: string): UpdateExecution | undefined {
    return this.updates.get(id);
  }

  /** Waits for the first workflow task and answers a query. Throws if the workflow refuses it. */
  async query(queryType: string, args: Payload[] = []): Promise<Payload> {
    await this.temporal.clock.until(() => this.hasBegun || !this.isRunning, FIRST_TASK_WITHIN_MS);
    const jobs = [{ queryWorkflow: { queryId: 'query', queryType, arguments: args } }];
    const activation = coresdk.workflow_activation.WorkflowActivation.fromObject({ runId: this.runId, jobs });
    const { successful, failed } = await this.code.query(activation);
    const answer = successful?.commands?.[0]?.respondToQuery;
    if (answer?.succeeded?.response) return answer.succeeded.response;
    throw new Error(`Query ${queryType} of ${this.runId}: ${(answer?.failed ?? failed?.failure)?.message}`);
  }

  noteHeartbeat(activityId: string, details: Payload): { cancelRequested: boolean } | undefined {
    return this.commands.noteHeartbeat(activityId, details);
  }

  requestCancel(reason: string): void {
    this.hear({ cancelWorkflow: { reason } });
  }

  /** Somebody pauses the activities that the run waits for now. */
  pauseActivities(): void {
    this.commands.pauseActivities();
  }

  /** Somebody ends the activities that the run waits for now, by `temporal activity complete`, or `fail` without `given`. */
  endActivitiesByHand(given?: { readonly result: unknown }): LostAttempt[] {
    return this.commands.endActivitiesByHand(given);
  }

  terminate(): void {
    this.close('TERMINATED');
  }

  /** Ends this run for one that takes its place: the parent is told only of the new run's end. */
  replace(): void {
    this.close('TERMINATED', false);
  }

  // — News and workflow tasks —

  /** Keeps news for the next workflow task, which takes all that has come by then. */
  hear(job: Job): void {
    if (!this.isRunning) return;
    this.pending.push(job);
    this.events += eventsOf(job);
    const { seq, result } = job.resolveActivity ?? {};
    if (result?.completed?.result) this.results.set(seq ?? 0, result.completed.result);
    if (this.hasTask) return;
    this.hasTask = true;
    this.temporal.clock.in(this.temporal.delayOfTask(), () => this.task());
  }

  /** Keeps news that the SDK's core makes itself: the workflow task that is under way takes them. */
  hearWithinTask(job: Job): void {
    this.pending.push(job);
  }

  /** Replaces the result of an activity that the code has not seen yet. */
  replaceResult(seq: number, result: Resolution): void {
    this.pending = this.pending.map((job) =>
      job.resolveActivity?.seq === seq ? { resolveActivity: { ...job.resolveActivity, result } } : job,
    );
  }

  /** Drops a timer's firing that the code has not seen yet. */
  dropFiring(seq: number): void {
    this.pending = this.pending.filter(({ fireTimer }) => fireTimer?.seq !== seq);
  }

  private async task(): Promise<void> {
    this.hasTask = false;
    if (this.pending.length > 0) this.tasks += 1;
    for (let jobs = this.pending.splice(0); jobs.length > 0 && this.isRunning; jobs = this.pending.splice(0)) {
      await this.activate(jobs);
    }
    if (this.isRunning) this.countCancelled();
    if (!this.temporal.cachesWorkflows) await (this.isRunning ? this.code.forgetTask() : this.code.replay());
  }

  /** A server records the end of a cancelled activity and gives the code a task for it, without news. */
  private countCancelled(): void {
    const cancelled = this.commands.takeCancelled();
    this.events += cancelled;
    if (cancelled > 0) this.tasks += 1;
  }

  private async activate(jobs: Job[]): Promise<void> {
    const { clock, suggestsContinueAsNewAfter } = this.temporal;
    const activation: Activation = {
      runId: this.runId,
      timestamp: msNumberToTs(clock.now),
      historyLength: this.events,
      continueAsNewSuggested: this.events > suggestsContinueAsNewAfter,
      jobs,
    };
    const commands = await this.code.activate(activation, this.tasks);
    for (const command of commands) {
      this.events += eventsOfCommand(command);
      if (command.scheduleActivity || command.scheduleLocalActivity) this.activities += 1;
      if (command.scheduleActivity) this.scheduled.push(command.scheduleActivity);
      await this.commands.carryOut(command);
    }
  }

  // — The worker —

  /** The worker dies and another one starts: attempts under way are lost, and the history is replayed. */
  async lose(): Promise<LostAttempt[]> {
    const lost = this.commands.loseAttempts();
    await this.code.replay();
    return lost;
  }

  async dispose(): Promise<void> {
    await this.code.dispose();
  }

  // — What commands do to the run —

  /** Carries out the answer to an update. */
  answerUpdate({ protocolInstanceId, accepted, rejected, completed }: coresdk.workflow_commands.IUpdateResponse): void {
    const update = this.updates.get(protocolInstanceId ?? '');
    if (!update) return;
    if (accepted) update.accepted = true;
    if (completed) update.outcome = { completed };
    if (rejected) update.outcome = { failure: rejected };
  }

  close(status: Exclude<RunStatus, 'RUNNING'>, tellsParent = true): void {
    this.status = status;
    this.closedAt = this.temporal.clock.now;
    this.pending = [];
    this.commands.cancelAll();
    for (const update of this.updates.values()) {
      if (update.accepted) update.outcome ??= { failure: CLOSED_BEFORE_OUTCOME };
      else if (!update.outcome) update.aborted = true;
    }
    if (status !== 'CONTINUED_AS_NEW' && tellsParent) this.tellParent();
  }

  private tellParent(): void {
    const { parent, isUnheard, type, workflowId } = this.start;
    if (!parent || isUnheard) return;
    const failure: Failure = {
      message: 'Child Workflow execution failed',
      cause: this.failure ?? null,
      childWorkflowExecutionFailureInfo: {
        workflowType: { name: type },
        workflowExecution: { workflowId, runId: this.runId },
      },
    };
    const result =
      this.status === 'COMPLETED' ? { completed: { result: this.result ?? null } } : { failed: { failure } };
    const tell = () => parent.run.hear({ resolveChildWorkflowExecution: { seq: parent.seq, result } });
    const delay = this.temporal.delayOfChildEnd();
    if (delay === 0) tell();
    else this.temporal.clock.in(delay, tell);
  }
}

/** What the server says of an update that was accepted and has no outcome when its run closes. */
const CLOSED_BEFORE_OUTCOME: Failure = {
  message: 'Workflow Update failed because the Workflow completed before the Update completed.',
  source: 'Server',
  applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
};

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** The events of news in a history: an activity has begun and ended; an update is recorded by its answers. */
function eventsOf({ doUpdate, resolveActivity }: Job): number {
  if (doUpdate) return 0;
  return resolveActivity ? 2 : 1;
}

/** A rejected update leaves no trace; every other command is one event. */
const eventsOfCommand = ({ updateResponse }: Command): number => (updateResponse?.rejected ? 0 : 1);
