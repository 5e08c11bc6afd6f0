/** Carries out what a workflow's code commands: timers, activities, children, signals, and its end. */
import {
  ActivityExecution,
  cancelled,
  failedForGood,
  type LostAttempt,
  runActivityCode,
  type ScheduledActivity,
} from './activity-execution';
import { notSimulated } from './not-simulated';
import type { Payload, Run, Server } from './run';
import { api, coresdk, msNumberToTs, optionalTsToMs } from './sdk-internals';
import type { Command, Job, Past } from './workflow-code';

const { ParentClosePolicy, StartChildWorkflowExecutionFailedCause } = coresdk.child_workflow;
const { ActivityCancellationType } = coresdk.workflow_commands;
const { WorkflowIdReusePolicy } = api.api.enums.v1;

type Seq = number | null | undefined;
type ClosePolicy = coresdk.child_workflow.ParentClosePolicy | null | undefined;

/** The server's default (`limit.searchAttributesSizeOfValueLimit`). */
const MOST_BYTES_OF_ATTRIBUTE = 2_048;

export class Commands {
  /** Functions that stop timers, by the timers' numbers. */
  private readonly timers = new Map<number, () => void>();
  private readonly activities = new Map<
    number,
    { execution: ActivityExecution; scheduled: ScheduledActivity; waits: boolean }
  >();

  private readonly local = new Map<number, ScheduledActivity>();

  private cancelled = 0;
  /** Children that end with this run. */
  private readonly children: { run: Run; policy: ClosePolicy }[] = [];

  constructor(
    private readonly temporal: Server,
    private readonly run: Run,
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

  /** Somebody ends all that the run waits for, and its attempts are lost, and returned. */
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
