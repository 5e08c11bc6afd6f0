/** A run and its server as the other files of the simulation see them. */
import type { Activities, Resolution } from './activity-execution';
import type { api, coresdk, ReusableVMWorkflowCreator } from './sdk-internals';
import type { VirtualClock } from './virtual-clock';
import type { Job, KeptCode } from './workflow-code';

export type Payload = api.api.common.v1.IPayload;
export type Failure = api.api.failure.v1.IFailure;
export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CONTINUED_AS_NEW' | 'CANCELED' | 'TERMINATED';

export interface RunStart {
  workflowId: string;
  type: string;
  args: Payload[];
  searchAttributes?: Record<string, Payload>;
  /** The parent, and the number by which the parent knows this run. */
  parent?: { run: Run; seq: number };
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

/** One run of a workflow. */
export interface Run {
  readonly start: RunStart;
  readonly runId: string;
  /** Ms since the epoch. */
  readonly startedAt: number;
  /** Ms since the epoch; undefined while it runs. */
  readonly closedAt: number | undefined;
  readonly status: RunStatus;
  readonly isRunning: boolean;
  /** Whether the code has had a workflow task. */
  readonly hasBegun: boolean;
  /** Whether the code has seen all news. */
  readonly isUpToDate: boolean;
  readonly searchAttributes: Record<string, Payload>;
  /** Ids of the signal requests so far: the server drops a repeated one. */
  readonly requestIds: Set<string>;
  /** Every signal that it has had: a reset gives them to the next run. */
  readonly signals: readonly { name: string; input: Payload[] }[];
  result: Payload | undefined;
  failure: Failure | undefined;
  /** The run after this one, if this one continued as new. */
  next: Run | undefined;

  /** Whether it runs, and has not had as many signals yet as a server takes. */
  readonly takesSignals: boolean;
  signal(name: string, input: Payload[]): void;
  /** Starts an update, or returns the one that has this id already. */
  update(id: string, name: string, input: Payload[]): UpdateExecution;
  /** Updates that wait for their outcome. */
  readonly openUpdates: number;
  /** Updates in its history, and those that may come into it. */
  readonly countedUpdates: number;
  /** What a reset to this workflow task keeps; undefined if there was no task yet. `task` counts from 0, or from -1 for the last. */
  keptBefore(task: number): KeptCode | undefined;
  /** Updates that it has taken, by their ids. */
  readonly takenUpdates: ReadonlyMap<string, UpdateExecution>;
  /** The activities that it has scheduled on a task queue. */
  readonly scheduled: readonly coresdk.workflow_commands.IScheduleActivity[];
  /** The results of completed activities, by the activities' numbers. */
  readonly results: ReadonlyMap<number, Payload>;
  /** An update by its id. */
  knownUpdate(id: string): UpdateExecution | undefined;
  /** Waits for the first workflow task and answers a query. Throws if the workflow refuses it. */
  query(name: string, args?: Payload[]): Promise<Payload>;
  /** Stores a heartbeat of an activity; undefined if no such activity runs. */
  noteHeartbeat(activityId: string, details: Payload): { cancelRequested: boolean } | undefined;
  requestCancel(reason: string): void;
  terminate(): void;
  /** Ends this run for one that takes its place: the parent is told only of the new run's end. */
  replace(): void;
  /** Keeps news for the next workflow task, which takes all that has come by then. */
  hear(job: Job): void;
  /** Keeps news that the SDK's core makes itself: the workflow task that is under way takes them. */
  hearWithinTask(job: Job): void;
  /** Replaces the result of an activity that the code has not seen yet. */
  replaceResult(seq: number, result: Resolution): void;
  /** Drops a timer's firing that the code has not seen yet. */
  dropFiring(seq: number): void;
  /** Carries out the answer to an update. */
  answerUpdate(response: coresdk.workflow_commands.IUpdateResponse): void;
  close(status: Exclude<RunStatus, 'RUNNING'>): void;
}

/** The simulated server. */
export interface Server {
  readonly clock: VirtualClock;
  readonly activities: Activities;
  readonly creator: ReusableVMWorkflowCreator;
  /** Events of a run after which the server suggests to continue as new. */
  readonly suggestsContinueAsNewAfter: number;
  /** False: after each task the worker forgets the workflow, and continues from its history. */
  readonly cachesWorkflows: boolean;

  /** Whether a closed run was on a task queue that no worker polls any more. */
  isWithoutWorker(run: Run): boolean;
  /** Every run under an id, oldest first. */
  runs(workflowId: string): readonly Run[];
  /** Every run of the simulation. */
  allRuns(): Run[];
  /** The latest run under an id. */
  latest(workflowId: string): Run | undefined;
  /** Whether nothing may start under this id now: something runs, or the reuse policy forbids it. */
  isTaken(workflowId: string, reuse?: api.api.enums.v1.WorkflowIdReusePolicy | null): boolean;
  /** How long a task waits for the worker, in ms: the network's delay, and until the worker is back. */
  delayOfTask(): number;
  /** How long the server takes to start a child, in ms. */
  delayOfChild(): number;
  /** How long until a parent is told of the end of a child, in ms. */
  delayOfChildEnd(): number;
  /** Starts a workflow. Throws if one runs under this id. */
  begin(start: RunStart): Run;
}
