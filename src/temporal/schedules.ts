/** Makes the Schedules of our jobs, and finds the jobs that do not do their work. */
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import {
  comparedOf,
  daysOutside,
  isScheduleOfOurs,
  namedByWorkflowId,
  periodOf,
  RETENTION_MS,
  type ScheduledJob,
  SEARCH_ATTRIBUTE,
  SWEPT,
  scheduledRun,
} from '../contract';
import { firstLineOf } from '../process/message-of';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';
import { retentionOf } from './namespaces';
import { reconciliationsQuery } from './payment-query';
import { ifExists } from './runs';
import { collect, type ListedWorkflow, listWorkflows } from './workflow-list';

/** Makes the Schedule of a job, or brings it up to date. Its runs wait in `taskQueue`. A pause stays: it is returned in words, else null. */
export async function makeSchedule(client: Client, job: ScheduledJob, taskQueue: string): Promise<string | null> {
  const schedule = scheduleOf(job, taskQueue);
  try {
    await client.schedule.create(schedule);
    return null;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = schedule;
    await client.schedule
      .getHandle(job.schedule_id)
      .update(({ state }) => ({ spec, action, policies: { ...policies, pauseOnFailure: false }, state }));
    const found = await describe(client, job.schedule_id);
    return found && pauseOf(job, found);
  }
}

/** That somebody has paused it, and how it goes on; null if nobody has. */
const pauseOf = ({ schedule_id }: ScheduledJob, { paused, notes }: FoundSchedule): string | null =>
  paused
    ? `it is paused${notes ? ` (${notes})` : ''}: temporal schedule toggle --unpause --schedule-id ${schedule_id}`
    : null;

/** Our Schedules that belong to none of these jobs and still run. Temporal's list of them is moments behind. */
export async function unwantedSchedules(client: Client, jobs: readonly ScheduledJob[]): Promise<string[]> {
  const wanted = new Set(jobs.map(({ schedule_id }) => schedule_id));
  const unwanted: string[] = [];
  for await (const { scheduleId } of client.schedule.list())
    if (isScheduleOfOurs(scheduleId) && !wanted.has(scheduleId)) unwanted.push(scheduleId);
  return unwanted.sort();
}

function scheduleOf({ schedule_id, workflow_type, workflow_id, ...job }: ScheduledJob, taskQueue: string) {
  const isOne = job.runs === 'one-at-a-time';
  return {
    scheduleId: schedule_id,
    spec:
      'every_ms' in job.starts
        ? { intervals: [{ every: job.starts.every_ms }] }
        : { calendars: [{ hour: job.starts.at_hour, minute: 0 }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflow_type,
      workflowId: workflow_id,
      taskQueue,
      // Without a limit, a run that hangs would make the Schedule skip every later run.
      ...(isOne ? { workflowRunTimeout: job.works_ms } : {}),
    },
    policies: {
      overlap: isOne ? ScheduleOverlapPolicy.SKIP : ScheduleOverlapPolicy.ALLOW_ALL,
      catchupWindow: job.catches_up_ms,
    },
  } satisfies ScheduleOptions;
}

/**
 * Why a job does not do its work: there is no Schedule, somebody paused it, it starts nothing (`late`), its last run ended badly
 * (`failed`), its run gets no further (`hangs`), no run has compared a day that it had to (`gap`), or Temporal does not say (`unknown`).
 */
export interface JobTrouble {
  schedule_id: string;
  problem: 'missing' | 'paused' | 'late' | 'failed' | 'hangs' | 'gap' | 'unknown';
  workflow_id: string | null;
  /** Since when, ISO 8601, UTC; null if nobody knows. */
  since: string | null;
  text: string;
}

/** A Schedule may start its workflow some minutes late, and lists are behind. */
const MAY_BE_LATE_MS = 15 * 60_000;

/**
 * The jobs that do not do their work, by their Schedules and the runs of these. No keys are needed. If Temporal refuses to answer about one
 * job, only that job is `unknown`.
 */
export async function troubledJobs(client: Client, jobs: readonly ScheduledJob[], now: Date): Promise<JobTrouble[]> {
  const troubles = await Promise.all(
    jobs.map((job) => troubleOf(client, job, now).catch((error: unknown) => untold(job, error))),
  );
  return troubles.filter((one) => one !== null);
}

function untold({ schedule_id }: ScheduledJob, error: unknown): JobTrouble {
  const text = `Temporal does not tell whether it does its work: ${firstLineOf(error)}`;
  return { schedule_id, problem: 'unknown', workflow_id: null, since: null, text };
}

async function troubleOf(client: Client, job: ScheduledJob, now: Date): Promise<JobTrouble | null> {
  const { schedule_id } = job;
  const found = await describe(client, schedule_id);
  if (found === null) {
    const text = 'there is no such Schedule: payment-gateway setup makes it';
    return { schedule_id, problem: 'missing', workflow_id: null, since: null, text };
  }
  const text = pauseOf(job, found);
  if (text !== null) return { schedule_id, problem: 'paused', workflow_id: null, since: null, text };
  const [last] = found.runs;
  const due = Math.max(last?.time ?? 0, found.made_at) + periodOf(job);
  if (now.getTime() > due + MAY_BE_LATE_MS && !(await isAtWork(client, job, found.runs, now))) {
    const late = `nothing was started since ${last === undefined ? 'it was made' : new Date(last.time).toISOString()}`;
    return { schedule_id, problem: 'late', workflow_id: last?.workflow_id ?? null, since: iso(due), text: late };
  }
  return (await troubleOfRuns(client, job, found.runs, now)) ?? (await gapOf(client, job, found, now));
}

/** Whether the last run is open and gets on, as a sweep that waits for a person: then nothing is due. */
async function isAtWork(client: Client, job: ScheduledJob, [last]: readonly StartedRun[], now: Date): Promise<boolean> {
  if (job.runs !== 'one-at-a-time' || last === undefined) return false;
  const run = await describeRun(client, last);
  return run?.status.name === 'RUNNING' && hangingSince(job, run, now) === null;
}

/** Only the latest run that has done its work or failed shows a trouble; runs that are at work do not yet. */
async function troubleOfRuns(
  client: Client,
  job: ScheduledJob,
  runs: readonly StartedRun[],
  now: Date,
): Promise<JobTrouble | null> {
  const { schedule_id } = job;
  for (const started of runs) {
    const run = await describeRun(client, started);
    // Temporal forgets runs after the namespace's retention.
    if (run === null) return null;
    const { workflow_id } = started;
    if (run.status.name === 'RUNNING') {
      const status = run.typedSearchAttributes.get(SEARCH_ATTRIBUTE.status);
      if (status?.startsWith('COMPARED')) return null;
      const since = hangingSince(job, run, now);
      // A sweep that has looked only waits for a person. Its next run inherits the status, and looks at once.
      if (since === null && status === SWEPT) return null;
      if (since === null) continue;
      const text = `${workflow_id} gets no further: its page in Temporal UI says why`;
      return { schedule_id, problem: 'hangs', workflow_id, since, text };
    }
    if (run.status.name === 'COMPLETED') return null;
    const text = `its last run, ${workflow_id}, ended as ${run.status.name}: its page in Temporal UI says why`;
    return { schedule_id, problem: 'failed', workflow_id, since: run.closeTime?.toISOString() ?? null, text };
  }
  return null;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days that nobody has compared are looked for this far back, in ms: Temporal keeps runs for longer. */
const GAPS_WITHIN_MS = RETENTION_MS - 2 * DAY;

/**
 * The first days that no reconciliation of the app has compared, since the Schedule was made or since the first run that Temporal still has.
 * A failed run, a pause and a time without the Schedule leave such days, and no later run compares them.
 */
async function gapOf(
  client: Client,
  { schedule_id, workflow_id, starts, works_ms }: ScheduledJob,
  { created_at }: FoundSchedule,
  now: Date,
): Promise<JobTrouble | null> {
  const app_id = namedByWorkflowId(workflow_id)?.app_id;
  if ('every_ms' in starts || !app_id) return null;
  const { connection, options } = client;
  // A run that Temporal has forgotten may have compared a day.
  const kept_ms = ((await retentionOf(connection, options.namespace)) ?? 0) - 2 * DAY;
  const earliest = now.getTime() - Math.min(GAPS_WITHIN_MS, kept_ms);
  const runs = await collect(listWorkflows(client, reconciliationsQuery(app_id, new Date(earliest)), app_id));
  const dues = runs.flatMap(({ workflow_id: id }) => scheduledRun(id)?.due ?? []).map((due) => Date.parse(due));
  const since = Math.max(Math.min(created_at, ...dues), earliest);
  const at = starts.at_hour * HOUR;
  // A run that is due on a day compares the day before, and has `works_ms` for it.
  const first = Math.ceil((since - at) / DAY) * DAY - DAY;
  const days = Array.from(
    { length: Math.max(0, Math.ceil((now.getTime() - works_ms - at - DAY - first) / DAY)) },
    (_, i) => first + i * DAY,
  );
  const left = daysOutside(
    days,
    runs.flatMap(({ status }) => comparedOf(status) ?? []),
  );
  const [day] = left;
  if (day === undefined) return null;
  const end = left.findLast((one, i) => one === day + i * DAY) ?? day;
  const on = (ms: number) => iso(ms).slice(0, 10);
  const command = `payment-gateway reconcile --app ${app_id} --since ${on(day)} --until ${on(end + DAY)}`;
  const many =
    left.length === 1
      ? `no reconciliation has compared ${on(day)}`
      : `no reconciliation has compared ${left.length} days, from ${on(day)}`;
  return { schedule_id, problem: 'gap', workflow_id: null, since: iso(day + DAY + at), text: `${many}: ${command}` };
}

/** Since when an open run gets no further; null if it does. Temporal itself reports some runs whose tasks fail. */
function hangingSince({ works_ms }: ScheduledJob, run: WorkflowExecutionDescription, now: Date): string | null {
  if (run.searchAttributes.TemporalReportedProblems !== undefined) return run.startTime.toISOString();
  return now.getTime() - run.startTime.getTime() > works_ms ? iso(run.startTime.getTime() + works_ms) : null;
}

interface StartedRun {
  workflow_id: string;
  /** When it was started, in ms since the epoch. */
  time: number;
}

interface FoundSchedule {
  paused: boolean;
  notes: string;
  created_at: number;
  /** When it was made or changed, in ms since the epoch. */
  made_at: number;
  /** The latest first. */
  runs: StartedRun[];
}

/** Asks Temporal's service directly: the client's description would decode payloads whose key may be gone. */
async function describe({ connection, options }: Client, scheduleId: string): Promise<FoundSchedule | null> {
  try {
    const { schedule, info } = await connection.workflowService.describeSchedule({
      namespace: options.namespace,
      scheduleId,
    });
    const runs = (info?.recentActions ?? []).flatMap(({ actualTime, startWorkflowResult: started }) =>
      started?.workflowId ? [{ workflow_id: started.workflowId, time: optionalTsToMs(actualTime) ?? 0 }] : [],
    );
    const created_at = optionalTsToMs(info?.createTime) ?? 0;
    return {
      paused: schedule?.state?.paused ?? false,
      notes: schedule?.state?.notes ?? '',
      created_at,
      made_at: Math.max(created_at, optionalTsToMs(info?.updateTime) ?? 0),
      runs: runs.reverse(),
    };
  } catch (error) {
    if (grpcCodeOf(error) === GRPC_STATUS.NOT_FOUND) return null;
    throw error;
  }
}

const describeRun = (client: Client, { workflow_id }: StartedRun) =>
  ifExists(() => client.workflow.getHandle(workflow_id).describe(), null);

const iso = (ms: number) => new Date(ms).toISOString();

/** A job in trouble as lists show it, beside the workflows that need a person. */
export function listedJob({ schedule_id, problem, workflow_id, since, text }: JobTrouble, now: Date): ListedWorkflow {
  const unknown = {
    app_id: null,
    out_trade_no: null,
    outcome: null,
    taken_by: null,
    method: null,
    currency: null,
    amount: null,
    trade_no: null,
  };
  return {
    ...unknown,
    workflow_id: schedule_id,
    run_id: workflow_id ?? '',
    type: 'schedule',
    execution: 'RUNNING',
    status: `${problem}: ${text}`,
    attention: 'job-stopped',
    waits_since: since ?? now.toISOString(),
    started_at: since ?? now.toISOString(),
    closed_at: null,
    expires_at: null,
  };
}
