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
  /** Set where a reset began this run after the parent had heard of the end: it hears of no second one. */
  isUnheard?: boolean;
  /** Set where the run before continued as new: the first run of that chain. */
  firstRunId?: string;
  /** Set with it: the run before. */
  continuedFrom?: string;
  /** Set where a reset began this run: the run that was reset. */
  originalRunId?: string;
  /** Set with it: what is kept of that. */
  kept?: KeptCode | undefined;
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
  /** The run after this one, where this one continued as new. */
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
  /** What a reset to this workflow task keeps; undefined where there was none yet. `task` counts from 0, or from -1 for the last. */
  keptBefore(task: number): KeptCode | undefined;
  /** Those that it has taken, by their ids. */
  readonly takenUpdates: ReadonlyMap<string, UpdateExecution>;
  /** The activities that it has scheduled on a task queue. */
  readonly scheduled: readonly coresdk.workflow_commands.IScheduleActivity[];
  /** What those that have completed returned, by their numbers. */
  readonly results: ReadonlyMap<number, Payload>;
  /** An update by its id. */
  knownUpdate(id: string): UpdateExecution | undefined;
  /** Waits for the first workflow task and answers a query. Throws where the workflow refuses it. */
  query(name: string, args?: Payload[]): Promise<Payload>;
  /** Stores a heartbeat of an activity; undefined where no such activity runs. */
  noteHeartbeat(activityId: string, details: Payload): { cancelRequested: boolean } | undefined;
  requestCancel(reason: string): void;
  terminate(): void;
  /** Ends it for a run that takes its place: its parent hears of that one's end. */
  replace(): void;
  /** Keeps news for the next workflow task, which takes all that has come by then. */
  hear(job: Job): void;
  /** Keeps news that the SDK's core makes itself: the workflow task that is under way takes them. */
  hearWithinTask(job: Job): void;
  /** Gives the code another result of an activity than the one that it has not seen yet. */
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
  /** False: after each task the worker forgets it, and goes on with what the history tells of it. */
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
  /** How long a task waits for the worker, in ms: the network's delay, and until the worker is there. */
  delayOfTask(): number;
  /** How long the server takes to start a child, in ms. */
  delayOfChild(): number;
  /** How long until a parent hears of the end of a child, in ms. */
  delayOfChildEnd(): number;
  /** Starts a workflow. Throws where one runs under this id. */
  begin(start: RunStart): Run;
}
