/**
 * One run of a workflow: what the server and the SDK's core do around its code. News are collected until a workflow task passes
 * them to the code, and the commands that it returns are carried out.
 */
import {
  type Activities,
  ActivityExecution,
  cancelled,
  failedForGood,
  type LostAttempt,
  type Resolution,
  runActivityCode,
  type ScheduledActivity,
} from './activity-execution';
import { notSimulated } from './not-simulated';
import { api, coresdk, msNumberToTs, optionalTsToMs, type ReusableVMWorkflowCreator } from './sdk-internals';
import type { VirtualClock } from './virtual-clock';
import { type Activation, type Command, type Job, type KeptCode, type Past, WorkflowCode } from './workflow-code';

type Payload = api.api.common.v1.IPayload;
type Failure = api.api.failure.v1.IFailure;
type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CONTINUED_AS_NEW' | 'CANCELED' | 'TERMINATED';

export interface RunStart {
  workflowId: string;
  type: string;
  args: Payload[];
  searchAttributes?: Record<string, Payload>;
  /** The parent, and the number by which the parent knows this run. */
  parent?: { run: WorkflowRun; seq: number };
  /** Set if a reset began this run after the parent was told of the end: the parent is not told again. */
  isUnheard?: boolean;
  /** Set if the run before continued as new: the first run of that chain. */
  firstRunId?: string;
  /** Set with it: the run before. */
  continuedFrom?: string;
  /** Set if a reset began this run: the run that was reset. */
  originalRunId?: string;
  /** Set with it: what the reset keeps of that run. */
  kept?: KeptCode | undefined;
  /** Set with it: the updates that had come to that run. */
  updatesBefore?: ReadonlySet<string>;
}

/** An update that somebody waits for. */
export interface UpdateExecution {
  readonly name: string;
  readonly input: readonly Payload[];
  accepted?: boolean;
  /** The run closed before it had looked at the update. */
  aborted?: boolean;
  outcome?: { completed: Payload } | { failure: Failure };
}

export interface Server {
  readonly clock: VirtualClock;
  readonly activities: Activities;
  readonly creator: ReusableVMWorkflowCreator;
  /** Events of a run after which the server suggests to continue as new. */
  readonly suggestsContinueAsNewAfter: number;
  /** False: after each task the worker forgets the workflow, and continues from its history. */
  readonly cachesWorkflows: boolean;

  /** Whether a closed run was on a task queue that no worker polls any more. */
  isWithoutWorker(run: WorkflowRun): boolean;
  /** Every run under an id, oldest first. */
  runs(workflowId: string): readonly WorkflowRun[];
  allRuns(): WorkflowRun[];
  latest(workflowId: string): WorkflowRun | undefined;
  /** Whether nothing may start under this id now: something runs, or the reuse policy forbids it. */
  isTaken(workflowId: string, reuse?: api.api.enums.v1.WorkflowIdReusePolicy | null): boolean;
  /** How long a task waits for the worker, in ms: the network's delay, and until the worker is back. */
  delayOfTask(): number;
  /** How long the server takes to start a child, in ms. */
  delayOfChild(): number;
  /** How long until a parent is told of the end of a child, in ms. */
  delayOfChildEnd(): number;
  /** Starts a workflow. Throws if one runs under this id. */
  begin(start: RunStart): WorkflowRun;
}

/** The server's default (`history.maximumSignalsPerExecution`). */
const MOST_SIGNALS = 10_000;
/** Longest wait of a query for the first workflow task, in ms of virtual time. */
const FIRST_TASK_WITHIN_MS = 60_000;

export class WorkflowRun {
  status: RunStatus = 'RUNNING';
  result: Payload | undefined;
  failure: Failure | undefined;
  /** The run after this one, if this one continued as new. */
  next: WorkflowRun | undefined;
  readonly searchAttributes: Record<string, Payload>;
  readonly runId: string;
  /** Ms since the epoch. */
  readonly startedAt: number;
  closedAt: number | undefined;
  /** Ids of the signal requests so far: the server drops a repeated one. */
  readonly requestIds = new Set<string>();
  /** Events of its history without those of its workflow tasks, whose number depends on the server's timing. */
  events = 0;
  tasks = 0;
  /** Activities that it has asked for, local ones included. */
  activities = 0;
  /** The activities that were scheduled on a task queue. */
  readonly scheduled: coresdk.workflow_commands.IScheduleActivity[] = [];
  /** The results of completed activities, by the activities' numbers. */
  readonly results = new Map<number, Payload>();
  readonly signals: { name: string; input: Payload[] }[] = [];
  readonly code: WorkflowCode;
  readonly commands: Commands;
  private pending: Job[] = [];
  /** News that are in the history of a run that somebody has ended, and that no workflow task has taken. */
  private untaken: Job[] = [];
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

  get isRunning(): boolean {
    return this.status === 'RUNNING';
  }

  get hasBegun(): boolean {
    return this.code.hasBegun;
  }

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

  knownUpdate(id: string): UpdateExecution | undefined {
    return this.updates.get(id);
  }

  /** Waits for the first workflow task and answers a query. Throws if the workflow refuses it. */
  async query(queryType: string, args: Payload[] = []): Promise<Payload> {
    await this.temporal.clock.until(() => this.hasBegun || !this.isRunning, FIRST_TASK_WITHIN_MS);
    // Whoever queries a closed run has all of its history replayed.
    const untaken = this.untaken.splice(0);
    if (this.hasBegun && untaken.length > 0) await this.code.readOn(this.activationOf(untaken));
    const jobs = [{ queryWorkflow: { queryId: 'query', queryType, arguments: args } }];
    const activation = coresdk.workflow_activation.WorkflowActivation.fromObject({ runId: this.runId, jobs });
    const { successful, failed } = await this.code.query(activation);
    const answer = successful?.commands?.[0]?.respondToQuery;
    if (answer?.succeeded?.response) return answer.succeeded.response;
    throw new Error(`Query ${queryType} of ${this.runId}: ${(answer?.failed ?? failed?.failure)?.message}`);
  }

  requestCancel(reason: string): void {
    this.hear({ cancelWorkflow: { reason } });
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
    const commands = await this.code.activate(this.activationOf(jobs), this.tasks);
    for (const command of commands) {
      this.events += eventsOfCommand(command);
      if (command.scheduleActivity || command.scheduleLocalActivity) this.activities += 1;
      if (command.scheduleActivity) this.scheduled.push(command.scheduleActivity);
      await this.commands.carryOut(command);
    }
  }

  private activationOf(jobs: Job[]): Activation {
    const { clock, suggestsContinueAsNewAfter } = this.temporal;
    return {
      runId: this.runId,
      timestamp: msNumberToTs(this.closedAt ?? clock.now),
      historyLength: this.events,
      continueAsNewSuggested: this.events > suggestsContinueAsNewAfter,
      jobs,
    };
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
    this.untaken = status === 'TERMINATED' ? this.pending.filter(({ doUpdate }) => !doUpdate) : [];
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

// — The commands —

const { ParentClosePolicy, StartChildWorkflowExecutionFailedCause } = coresdk.child_workflow;
const { ActivityCancellationType } = coresdk.workflow_commands;
const { WorkflowIdReusePolicy } = api.api.enums.v1;

type Seq = number | null | undefined;
type ClosePolicy = coresdk.child_workflow.ParentClosePolicy | null | undefined;

/** The server's default (`limit.searchAttributesSizeOfValueLimit`). */
const MOST_BYTES_OF_ATTRIBUTE = 2_048;

/** Carries out what a workflow's code commands: timers, activities, children, signals, and its end. */
export class Commands {
  private readonly timers = new Map<number, () => void>();
  private readonly activities = new Map<
    number,
    { execution: ActivityExecution; scheduled: ScheduledActivity; waits: boolean }
  >();

  private readonly local = new Map<number, ScheduledActivity>();

  private cancelled = 0;
  /** Children that end with this run. */
  private readonly children: { run: WorkflowRun; policy: ClosePolicy }[] = [];

  constructor(
    private readonly temporal: Server,
    private readonly run: WorkflowRun,
  ) {}

  async carryOut(command: Command): Promise<void> {
    const { run } = this;
    if (command.startTimer) this.startTimer(command.startTimer);
    else if (command.cancelTimer) this.cancelTimer(numberOf(command.cancelTimer.seq));
    else if (command.scheduleActivity) this.schedule(command.scheduleActivity);
    else if (command.scheduleLocalActivity) await this.runLocally(command.scheduleLocalActivity);
    else if (command.requestCancelLocalActivity) this.cancelLocally(numberOf(command.requestCancelLocalActivity.seq));
    else if (command.requestCancelActivity) this.cancelActivity(numberOf(command.requestCancelActivity.seq));
    else if (command.startChildWorkflowExecution) this.startChild(command.startChildWorkflowExecution);
    else if (command.signalExternalWorkflowExecution) this.signalOther(command.signalExternalWorkflowExecution);
    // A signal that was sent cannot be taken back, and its answer comes all the same.
    else if (command.cancelSignalWorkflow) return;
    else if (command.updateResponse) run.answerUpdate(command.updateResponse);
    else if (command.upsertWorkflowSearchAttributes) {
      const { indexedFields } = command.upsertWorkflowSearchAttributes.searchAttributes ?? {};
      for (const [name, { data }] of Object.entries(indexedFields ?? {}))
        if ((data?.length ?? 0) > MOST_BYTES_OF_ATTRIBUTE)
          throw new Error(`${name} has ${data?.length} bytes: a server terminates this workflow`);
      Object.assign(run.searchAttributes, indexedFields);
    } else if (!this.end(command) && !command.modifyWorkflowProperties && !command.setPatchMarker) {
      throw notSimulated(`the command ${Object.keys(command)}`);
    }
  }

  /**
   * Continues what a reset has kept and none of `jobs` has ended: timers run for the rest of their time, activities begin again. Requests to
   * other workflows are repeated, and taken only once, as with a request id.
   */
  goOn(past: readonly Past[], jobs: readonly Job[]): void {
    const endedBy = (seqOf: (job: Job) => Seq) => new Set(jobs.flatMap((job) => seqOf(job) ?? []));
    const commands = past.flatMap((one) => one.commands);
    const stopped = new Set(commands.flatMap(({ cancelTimer }) => cancelTimer?.seq ?? []));
    const fired = endedBy(({ fireTimer }) => fireTimer?.seq);
    const resolved = endedBy(({ resolveActivity }) => (resolveActivity?.isLocal ? null : resolveActivity?.seq));
    const begun = endedBy(({ resolveChildWorkflowExecutionStart }) => resolveChildWorkflowExecutionStart?.seq);
    const signaled = endedBy(({ resolveSignalExternalWorkflow }) => resolveSignalExternalWorkflow?.seq);
    for (const { startChildWorkflowExecution: child, signalExternalWorkflowExecution: signal } of commands) {
      if (child && !begun.has(numberOf(child.seq))) this.startChild(child);
      if (signal && !signaled.has(numberOf(signal.seq))) this.signalOther(signal);
    }
    for (const { activation, commands: ordered } of past)
      for (const { startTimer: timer, scheduleActivity: activity, upsertWorkflowSearchAttributes: shown } of ordered) {
        if (timer && !fired.has(numberOf(timer.seq)) && !stopped.has(numberOf(timer.seq))) {
          const ends = (optionalTsToMs(activation.timestamp) ?? 0) + (optionalTsToMs(timer.startToFireTimeout) ?? 0);
          this.startTimer({ ...timer, startToFireTimeout: msNumberToTs(Math.max(0, ends - this.temporal.clock.now)) });
        }
        if (activity && !resolved.has(numberOf(activity.seq))) this.schedule(activity);
        Object.assign(this.run.searchAttributes, shown?.searchAttributes?.indexedFields);
      }
    for (const { requestCancelActivity: asked } of commands)
      if (asked && !resolved.has(numberOf(asked.seq))) this.cancelActivity(numberOf(asked.seq));
  }

  /** The worker has died: its attempts are lost, and returned. */
  loseAttempts(): LostAttempt[] {
    return [...this.activities.values()].flatMap(({ execution }) => execution.lose() ?? []);
  }

  /** Somebody pauses all that the run waits for. */
  pauseActivities(): void {
    for (const { execution } of this.activities.values()) execution.pause();
  }

  /** Somebody ends all that the run waits for, by `temporal activity complete`, or `fail` without `given`. Returns the lost attempts. */
  endActivitiesByHand(given?: { readonly result: unknown }): LostAttempt[] {
    return [...this.activities.values()].flatMap(({ execution }) => execution.endByHand(given) ?? []);
  }

  /** How many activities were cancelled since the last call. */
  takeCancelled(): number {
    const { cancelled } = this;
    this.cancelled = 0;
    return cancelled;
  }

  /** The run has closed: its timers, activities and children end with it. */
  cancelAll(): void {
    for (const seq of [...this.timers.keys()]) this.cancelTimer(seq);
    for (const { execution } of this.activities.values()) execution.cancel(false);
    for (const { run, policy } of this.children.filter((child) => child.run.isRunning)) {
      if (this.run.status === 'CONTINUED_AS_NEW') throw notSimulated('to continue as new beside a child');
      if (policy === ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL) run.requestCancel('its parent has closed');
      else run.terminate();
    }
  }

  /** Carries out a command that closes the run; false for any other command. */
  private end(command: Command): boolean {
    const { run, temporal } = this;
    if (command.completeWorkflowExecution) {
      run.result = command.completeWorkflowExecution.result ?? undefined;
      run.close('COMPLETED');
    } else if (command.failWorkflowExecution) {
      run.failure = command.failWorkflowExecution.failure ?? {};
      run.close('FAILED');
    } else if (command.continueAsNewWorkflowExecution) {
      run.close('CONTINUED_AS_NEW');
      const { arguments: args } = command.continueAsNewWorkflowExecution;
      const { firstRunId = run.runId, originalRunId: _, kept: __, ...start } = run.start;
      const searchAttributes = { ...run.searchAttributes };
      const continuedFrom = run.runId;
      run.next = temporal.begin({ ...start, args: args ?? [], firstRunId, continuedFrom, searchAttributes });
    } else if (command.cancelWorkflowExecution) run.close('CANCELED');
    else return false;
    return true;
  }

  private startTimer({ seq, startToFireTimeout }: coresdk.workflow_commands.IStartTimer): void {
    const fire = () => {
      this.timers.delete(numberOf(seq));
      this.run.hear({ fireTimer: { seq: numberOf(seq) } });
    };
    this.timers.set(numberOf(seq), this.temporal.clock.in(optionalTsToMs(startToFireTimeout) ?? 0, fire));
  }

  private cancelTimer(seq: number): void {
    this.timers.get(seq)?.();
    this.timers.delete(seq);
    this.run.dropFiring(seq);
  }

  private schedule(command: coresdk.workflow_commands.IScheduleActivity): void {
    const scheduled = this.scheduledOf(command);
    const seq = numberOf(command.seq);
    const { activities, clock } = this.temporal;
    const delay = () => this.temporal.delayOfTask();
    const execution = new ActivityExecution(scheduled, activities, clock, delay, (result) => {
      this.activities.delete(seq);
      this.run.hear({ resolveActivity: { seq, result } });
    });
    const waits = command.cancellationType === ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
    this.activities.set(seq, { execution, scheduled, waits });
  }

  /** A heartbeat of an activity by its id; undefined if no such activity runs. */
  noteHeartbeat(activityId: string, details: Payload): { cancelRequested: boolean } | undefined {
    const known = [...this.activities.values()].find(({ scheduled }) => scheduled.activityId === activityId);
    return known?.execution.noteHeartbeat(details);
  }

  private cancelActivity(seq: number): void {
    const known = this.activities.get(seq);
    if (!known?.execution.cancel(known.waits)) return;
    this.cancelled += 1;
    this.activities.delete(seq);
    this.run.hearWithinTask({ resolveActivity: { seq, result: cancelled(known.scheduled) } });
  }

  private async runLocally(command: coresdk.workflow_commands.IScheduleLocalActivity): Promise<void> {
    const { clock, activities } = this.temporal;
    const scheduled = this.scheduledOf(command);
    this.local.set(numberOf(command.seq), scheduled);
    const ended = await runActivityCode(scheduled, activities, {
      attempt: 1,
      since: clock.now,
      scheduled: clock.now,
      now: clock.now,
    });
    if ('failure' in ended && !ended.failure.applicationFailureInfo?.nonRetryable)
      throw notSimulated(`a local activity that is tried again (${ended.failure.message})`);
    const result = 'failure' in ended ? failedForGood(scheduled, ended.failure) : { completed: ended };
    this.run.hearWithinTask({ resolveActivity: { seq: numberOf(command.seq), isLocal: true, result } });
  }

  /** A local activity that is cancelled before the code has its result counts as cancelled. */
  private cancelLocally(seq: number): void {
    const scheduled = this.local.get(seq);
    if (scheduled) this.run.replaceResult(seq, cancelled(scheduled));
  }

  private scheduledOf(command: Omit<ScheduledActivity, 'workflowId' | 'runId' | 'workflowType'>): ScheduledActivity {
    const { workflowId, type } = this.run.start;
    return { ...command, workflowId, runId: this.run.runId, workflowType: type };
  }

  private startChild(command: coresdk.workflow_commands.IStartChildWorkflowExecution): void {
    const { workflowId: id, workflowType, input, parentClosePolicy, workflowIdReusePolicy } = command;
    const seq = numberOf(command.seq);
    const workflowId = id ?? '';
    const type = workflowType ?? '';
    const isAbandoned = parentClosePolicy === ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON;
    this.temporal.clock.in(this.temporal.delayOfChild(), () => {
      // A server starts no child whose parent has closed before, abandoned or not (transfer_queue_active_task_executor.go).
      if (!this.run.isRunning) return;
      const before = BEGUN.get(command);
      if (before) return this.run.hear({ resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: before } } });
      const reuse = workflowIdReusePolicy ?? WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_UNSPECIFIED;
      if (this.temporal.isTaken(workflowId, reuse)) {
        const cause =
          StartChildWorkflowExecutionFailedCause.START_CHILD_WORKFLOW_EXECUTION_FAILED_CAUSE_WORKFLOW_ALREADY_EXISTS;
        const failed = { workflowId, workflowType: type, cause };
        this.run.hear({ resolveChildWorkflowExecutionStart: { seq, failed } });
        return;
      }
      const searchAttributes = command.searchAttributes?.indexedFields ?? {};
      const parent = { run: this.run, seq };
      const child = this.temporal.begin({ workflowId, type, args: input ?? [], searchAttributes, parent });
      BEGUN.set(command, child.runId);
      if (!isAbandoned) this.children.push({ run: child, policy: parentClosePolicy });
      this.run.hear({ resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: child.runId } } });
    });
  }

  private signalOther(command: coresdk.workflow_commands.ISignalExternalWorkflowExecution): void {
    const workflowId = command.workflowExecution?.workflowId ?? command.childWorkflowId ?? '';
    const seq = numberOf(command.seq);
    this.temporal.clock.in(this.temporal.clock.delay(), () => {
      const other = this.temporal.latest(workflowId);
      const isTaken = TAKEN.has(command) || other?.takesSignals === true;
      if (isTaken && !TAKEN.has(command)) other?.signal(command.signalName ?? '', command.args ?? []);
      if (isTaken) TAKEN.add(command);
      // The SDK has this message also if there were too many signals.
      const failure = {
        message: 'Unable to signal external workflow because it was not found',
        applicationFailureInfo: {},
      };
      this.run.hear({ resolveSignalExternalWorkflow: { seq, ...(isTaken ? {} : { failure }) } });
    });
  }
}

/** Children by the command that started them, and signals that were taken: a reset asks for both again. */
const BEGUN = new WeakMap<object, string>();
const TAKEN = new WeakSet<object>();

const numberOf = (seq: Seq): number => seq ?? 0;
