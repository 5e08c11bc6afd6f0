/**
 * One run of a workflow. Its code runs in the SDK's own sandbox; what the server and the SDK's core do around it is here:
 * events gather until a workflow task takes them to the code, and the commands that come back are carried out.
 */
import { TypedSearchAttributes } from '@temporalio/common';
import { msNumberToTs, optionalTsToMs } from '@temporalio/common/lib/time';
import { coresdk, type temporal } from '@temporalio/proto';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
import { Attempts, cancelled, execute, type Order } from './attempts';
import type { SimulatedTemporal } from './temporal';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Activation = coresdk.workflow_activation.IWorkflowActivation;
type Command = coresdk.workflow_commands.IWorkflowCommand;
type Payload = temporal.api.common.v1.IPayload;
type Failure = temporal.api.failure.v1.IFailure;
const { ParentClosePolicy, StartChildWorkflowExecutionFailedCause } = coresdk.child_workflow;

export interface Start {
  workflowId: string;
  type: string;
  args: Payload[];
  /** Who hears of its end. */
  parent?: { run: Run; seq: number };
  /** Of a run that goes on where another one stopped. */
  firstRunId?: string;
}

/** An update that somebody waits for. */
export interface Asked {
  accepted?: boolean;
  /** The run ended before it had looked at it. */
  aborted?: boolean;
  outcome?: { completed: Payload } | { failure: Failure };
}

export class Run {
  status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CONTINUED_AS_NEW' | 'CANCELED' | 'TERMINATED' = 'RUNNING';
  result: Payload | undefined;
  failure: Failure | undefined;
  /** The run that goes on where this one stopped. */
  next: Run | undefined;
  /** What operators can search for. */
  readonly searchAttributes: Record<string, Payload> = {};
  readonly runId: string;
  readonly startedAt: number;
  /** Of what was sent to it: a repetition is dropped. */
  readonly requestIds = new Set<string>();
  private workflow: Workflow | undefined;
  private inbox: Job[] = [];
  private hasTask = false;
  /** What a worker that has lost its memory replays. */
  private readonly past: { activation: Activation; commands: Command[] }[] = [];
  private readonly flags = new Set<number>();
  private readonly timers = new Map<number, () => void>();
  private readonly activities = new Map<number, { attempts: Attempts; order: Order }>();
  private readonly updates = new Map<string, Asked>();
  private readonly children: { workflowId: string; policy: coresdk.child_workflow.ParentClosePolicy }[] = [];
  private events = 0;

  constructor(
    private readonly temporal: SimulatedTemporal,
    readonly start: Start,
    number: number,
  ) {
    this.runId = `${start.workflowId}/${number}`;
    this.startedAt = temporal.agenda.now;
    const { workflowId, type, args } = start;
    this.hear({ initializeWorkflow: { workflowId, workflowType: type, arguments: args, attempt: 1 } });
  }

  get isRunning(): boolean {
    return this.status === 'RUNNING';
  }

  /** Whether a task has brought it to its code. */
  get hasBegun(): boolean {
    return this.past.length > 0;
  }

  // — What comes from outside —

  signal(signalName: string, input: Payload[]): void {
    this.hear({ signalWorkflow: { signalName, input, identity: 'simulated' } });
  }

  /** A repetition under the same id is the same update. */
  update(id: string, name: string, input: Payload[]): Asked {
    const known = this.updates.get(id);
    if (known) return known;
    const asked: Asked = {};
    this.updates.set(id, asked);
    const meta = { updateId: id, identity: 'simulated' };
    this.hear({ doUpdate: { id, protocolInstanceId: id, name, input, meta, runValidator: true } });
    return asked;
  }

  /** An update that it was asked before. */
  asked(id: string): Asked | undefined {
    return this.updates.get(id);
  }

  /** Whether all that has come is before the workflow: a query waits for it. */
  get isUpToDate(): boolean {
    return !this.isRunning || !this.hasTask;
  }

  async query(queryType: string, args: Payload[] = []): Promise<Payload> {
    // It is asked after the first task, as on a server.
    await this.temporal.agenda.until(() => this.hasBegun || !this.isRunning, 60_000);
    const queryWorkflow = { queryId: 'query', queryType, arguments: args };
    const activation = coresdk.workflow_activation.WorkflowActivation.fromObject({
      runId: this.runId,
      jobs: [{ queryWorkflow }],
    });
    const { successful, failed } = await (await this.sandbox()).activate(activation);
    const answer = successful?.commands?.[0]?.respondToQuery;
    if (answer?.succeeded?.response) return answer.succeeded.response;
    throw new Error(`Query ${queryType} of ${this.runId}: ${(answer?.failed ?? failed?.failure)?.message}`);
  }

  /** What an event brings waits for the next workflow task, which takes all that is there by then. */
  hear(job: Job): void {
    if (!this.isRunning) return;
    this.inbox.push(job);
    this.events += 1;
    if (this.hasTask) return;
    this.hasTask = true;
    this.temporal.agenda.in(this.temporal.agenda.delay(), () => this.task());
  }

  requestCancel(reason: string): void {
    this.hear({ cancelWorkflow: { reason } });
  }

  terminate(): void {
    this.close('TERMINATED');
  }

  // — The worker —

  /** The worker has died: attempts under way are lost, and the workflow is replayed, which must come to the same. */
  async lose(): Promise<void> {
    for (const { attempts } of this.activities.values()) attempts.lose();
    if (!this.workflow) return;
    await this.dispose();
    const replayed = await this.sandbox();
    for (const { activation, commands } of this.past) {
      const patches = commands.flatMap(({ setPatchMarker }) => setPatchMarker?.patchId ?? []);
      const jobs = [...patches.map((patchId) => ({ notifyHasPatch: { patchId } })), ...(activation.jobs ?? [])];
      const completion = await replayed.activate({
        ...activation,
        jobs,
        isReplaying: true,
        availableInternalFlags: [...this.flags],
      });
      const again = JSON.stringify(completion.successful?.commands ?? completion.failed?.failure?.message);
      if (again !== JSON.stringify(commands)) throw new Error(`${this.runId} is not deterministic: ${again}`);
    }
  }

  async dispose(): Promise<void> {
    await this.workflow?.dispose();
    this.workflow = undefined;
  }

  private async task(): Promise<void> {
    this.hasTask = false;
    // What the SDK's core answers itself, it answers within the task.
    for (let jobs = this.inbox.splice(0); jobs.length > 0 && this.isRunning; jobs = this.inbox.splice(0)) {
      await this.activate(jobs);
    }
  }

  private async activate(jobs: Job[]): Promise<void> {
    const { agenda, suggestsContinueAsNewAfter } = this.temporal;
    const activation: Activation = {
      runId: this.runId,
      timestamp: msNumberToTs(agenda.now),
      historyLength: this.events,
      continueAsNewSuggested: this.events > suggestsContinueAsNewAfter,
      jobs,
    };
    const { successful, failed } = await (await this.sandbox()).activate(activation);
    if (!successful) {
      const { message, stackTrace } = failed?.failure ?? {};
      throw new Error(`A workflow task of ${this.runId} failed: ${message}\n${stackTrace}`);
    }
    for (const flag of successful.usedInternalFlags ?? []) this.flags.add(flag);
    const commands = successful.commands ?? [];
    this.remember(activation, commands);
    this.events += commands.length;
    for (const command of commands) await this.carryOut(command);
  }

  /** An update that its validator rejected leaves no trace in a history; one that failed later does. */
  private remember({ jobs = [], ...activation }: Activation, commands: Command[]): void {
    for (const { updateResponse } of commands) {
      const asked = this.updates.get(updateResponse?.protocolInstanceId ?? '');
      if (asked && updateResponse?.accepted) asked.accepted = true;
    }
    const isRejected = (id: string | null | undefined) => this.updates.get(id ?? '')?.accepted !== true;
    const kept = (jobs ?? []).flatMap((job) => {
      if (!job.doUpdate) return job;
      return isRejected(job.doUpdate.id) ? [] : { doUpdate: { ...job.doUpdate, runValidator: false } };
    });
    if (kept.length === 0) return;
    this.past.push({
      activation: { ...activation, jobs: kept },
      commands: commands.filter(
        ({ updateResponse }) => !updateResponse || !isRejected(updateResponse.protocolInstanceId),
      ),
    });
  }

  private async sandbox(): Promise<Workflow> {
    this.workflow ??= await this.create(this.temporal.creator);
    return this.workflow;
  }

  private create(creator: WorkflowCreator): Promise<Workflow> {
    const { workflowId, type, parent, firstRunId } = this.start;
    const { runId, startedAt } = this;
    const start = new Date(startedAt);
    return creator.createWorkflow({
      info: {
        workflowId,
        runId,
        workflowType: type,
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
        ...(parent
          ? { parent: { workflowId: parent.run.start.workflowId, runId: parent.run.runId, namespace: 'default' } }
          : {}),
        historyLength: 0,
        historySize: 0,
        continueAsNewSuggested: false,
        targetWorkerDeploymentVersionChanged: false,
        taskQueue: 'simulated',
        namespace: 'default',
        firstExecutionRunId: firstRunId ?? runId,
        originalExecutionRunId: runId,
        startTime: start,
        runStartTime: start,
        taskTimeoutMs: 10_000,
        attempt: 1,
        unsafe: {
          now: () => startedAt,
          isReplaying: false,
          isReplayingHistoryEvents: false,
          random: { random: () => 0, uuid4: () => '', fillRandom: (bytes) => bytes },
        },
      },
      randomnessSeed: [...Buffer.from(runId).subarray(-8)],
      now: startedAt,
      showStackTraceSources: false,
    });
  }

  // — Its commands —

  private async carryOut(command: Command): Promise<void> {
    const { agenda } = this.temporal;
    if (command.startTimer) {
      const { seq, startToFireTimeout } = command.startTimer;
      const fire = () => {
        this.timers.delete(numberOf(seq));
        this.hear({ fireTimer: { seq: numberOf(seq) } });
      };
      this.timers.set(numberOf(seq), agenda.in(optionalTsToMs(startToFireTimeout) ?? 0, fire));
    } else if (command.cancelTimer) this.cancelTimer(numberOf(command.cancelTimer.seq));
    else if (command.scheduleActivity) this.schedule(command.scheduleActivity);
    else if (command.scheduleLocalActivity) await this.runLocally(command.scheduleLocalActivity);
    else if (command.requestCancelActivity) this.cancelActivity(numberOf(command.requestCancelActivity.seq));
    else if (command.startChildWorkflowExecution) this.startChild(command.startChildWorkflowExecution);
    else if (command.signalExternalWorkflowExecution) this.signalOther(command.signalExternalWorkflowExecution);
    else if (command.updateResponse) this.answer(command.updateResponse);
    else if (command.upsertWorkflowSearchAttributes) {
      const { indexedFields } = command.upsertWorkflowSearchAttributes.searchAttributes ?? {};
      Object.assign(this.searchAttributes, indexedFields);
    } else if (command.completeWorkflowExecution) {
      this.result = command.completeWorkflowExecution.result ?? undefined;
      this.close('COMPLETED');
    } else if (command.failWorkflowExecution) {
      this.failure = command.failWorkflowExecution.failure ?? {};
      this.close('FAILED');
    } else if (command.continueAsNewWorkflowExecution) {
      this.close('CONTINUED_AS_NEW');
      const { arguments: args } = command.continueAsNewWorkflowExecution;
      const { firstRunId = this.runId } = this.start;
      this.next = this.temporal.begin({ ...this.start, args: args ?? [], firstRunId });
      Object.assign(this.next.searchAttributes, this.searchAttributes);
    } else if (command.cancelWorkflowExecution) this.close('CANCELED');
    else if (!command.modifyWorkflowProperties && !command.setPatchMarker)
      throw new Error(`Not simulated: ${Object.keys(command)}`);
  }

  private cancelTimer(seq: number): void {
    this.timers.get(seq)?.();
    this.timers.delete(seq);
    this.inbox = this.inbox.filter(({ fireTimer }) => fireTimer?.seq !== seq);
  }

  private schedule(command: coresdk.workflow_commands.IScheduleActivity): void {
    const order = this.orderOf(command);
    const seq = numberOf(command.seq);
    const attempts = new Attempts(order, this.temporal.activities, this.temporal.agenda, (result) => {
      this.activities.delete(seq);
      this.hear({ resolveActivity: { seq, result } });
    });
    this.activities.set(seq, { attempts, order });
  }

  private cancelActivity(seq: number): void {
    const asked = this.activities.get(seq);
    if (!asked?.attempts.cancel()) return;
    this.activities.delete(seq);
    this.inbox.push({ resolveActivity: { seq, result: cancelled(asked.order) } });
  }

  private async runLocally(command: coresdk.workflow_commands.IScheduleLocalActivity): Promise<void> {
    const { agenda, activities } = this.temporal;
    const ended = await execute(this.orderOf(command), activities, { attempt: 1, scheduled: agenda.now });
    if ('failure' in ended) throw new Error(`A local activity failed: ${ended.failure.message}`);
    this.inbox.push({ resolveActivity: { seq: numberOf(command.seq), isLocal: true, result: { completed: ended } } });
  }

  private orderOf(command: Omit<Order, 'workflowId' | 'runId' | 'workflowType'>): Order {
    const { workflowId, type } = this.start;
    return { ...command, workflowId, runId: this.runId, workflowType: type };
  }

  private startChild(command: coresdk.workflow_commands.IStartChildWorkflowExecution): void {
    const { workflowId = '', workflowType = '', input, parentClosePolicy, workflowIdReusePolicy } = command;
    const seq = numberOf(command.seq);
    this.temporal.agenda.in(this.temporal.agenda.delay(), () => {
      if (!this.isRunning && parentClosePolicy !== ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON) return;
      const id = workflowId ?? '';
      const type = workflowType ?? '';
      if (this.temporal.isTaken(id, workflowIdReusePolicy)) {
        const cause =
          StartChildWorkflowExecutionFailedCause.START_CHILD_WORKFLOW_EXECUTION_FAILED_CAUSE_WORKFLOW_ALREADY_EXISTS;
        this.hear({
          resolveChildWorkflowExecutionStart: { seq, failed: { workflowId: id, workflowType: type, cause } },
        });
        return;
      }
      const child = this.temporal.begin({ workflowId: id, type, args: input ?? [], parent: { run: this, seq } });
      this.children.push({ workflowId: id, policy: parentClosePolicy ?? 0 });
      this.hear({ resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: child.runId } } });
    });
  }

  private signalOther(command: coresdk.workflow_commands.ISignalExternalWorkflowExecution): void {
    const workflowId = command.workflowExecution?.workflowId ?? command.childWorkflowId ?? '';
    const seq = numberOf(command.seq);
    this.temporal.agenda.in(this.temporal.agenda.delay(), () => {
      const other = this.temporal.latest(workflowId);
      if (other?.isRunning) other.signal(command.signalName ?? '', command.args ?? []);
      const failure = {
        message: 'Unable to signal external workflow because it was not found',
        applicationFailureInfo: {},
      };
      this.hear({ resolveSignalExternalWorkflow: { seq, ...(other?.isRunning ? {} : { failure }) } });
    });
  }

  private answer({ protocolInstanceId, rejected, completed }: coresdk.workflow_commands.IUpdateResponse): void {
    const asked = this.updates.get(protocolInstanceId ?? '');
    if (!asked) return;
    if (completed) asked.outcome = { completed };
    if (rejected) asked.outcome = { failure: rejected };
  }

  private close(status: Exclude<Run['status'], 'RUNNING'>): void {
    this.status = status;
    this.inbox = [];
    for (const seq of [...this.timers.keys()]) this.cancelTimer(seq);
    for (const { attempts } of this.activities.values()) attempts.cancel();
    for (const asked of this.updates.values()) {
      if (asked.accepted) asked.outcome ??= { failure: closedBefore };
      else if (!asked.outcome) asked.aborted = true;
    }
    if (this.children.some(({ policy }) => policy !== ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON))
      throw new Error('Not simulated: a child that ends with its parent');
    const { parent, type, workflowId } = this.start;
    if (!parent || status === 'CONTINUED_AS_NEW') return;
    const execution = { workflowId, runId: this.runId };
    const failure: Failure = {
      message: 'Child Workflow execution failed',
      cause: this.failure ?? null,
      childWorkflowExecutionFailureInfo: { workflowType: { name: type }, workflowExecution: execution },
    };
    const result = status === 'COMPLETED' ? { completed: { result: this.result ?? null } } : { failed: { failure } };
    parent.run.hear({ resolveChildWorkflowExecution: { seq: parent.seq, result } });
  }
}

/** What the server says of an update that was accepted and has no outcome when its run closes. */
const closedBefore: Failure = {
  message: 'Workflow Update failed because the Workflow completed before the Update completed.',
  source: 'Server',
  applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
};

const numberOf = (seq: number | null | undefined): number => seq ?? 0;
