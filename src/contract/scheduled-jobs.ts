/** What Temporal starts by itself, for as long as the namespace stands: the sweep, and a reconciliation of each app a day. Pure. */
import { DAY, HOUR, MINUTE } from '../gateway/pure/durations';
import type { Attention, RunbookEntry } from './attention';
import { reconciliationWorkflowId, STUCK_SWEEP_WORKFLOW_ID } from './ids';
import { WORKFLOW } from './names';
import type { Told } from './told';

/** A job and its Schedule. It has no arguments: nothing of it is encrypted, so that no key that is removed stops it. */
export interface ScheduledJob {
  schedule_id: string;
  workflow_type: string;
  /** Temporal puts the time after it. */
  workflow_id: string;
  /** By an interval, or each day at this hour, UTC. */
  starts: { every_ms: number } | { at_hour: number };
  /** How long a run may work. One that waits for a person works no more. */
  works_ms: number;
  /** How long after its time a run is still started, where Temporal was down. */
  catches_up_ms: number;
  /**
   * `one-at-a-time`: a run is left out while the one before is open; a run ends in time by itself or by a limit.
   * `each`: every run is started, because those before may wait for a person for long, and each has a day of its own.
   */
  runs: 'one-at-a-time' | 'each';
}

/** A sweep goes on as a new run after half of this time, so that only one that hangs is ended by it. */
export const SWEEP_RUN_MS = HOUR;

/**
 * So long a namespace keeps closed payments: for less, it forgets numbers, ledgers and jobs too soon, and what is owed before a reconciliation
 * has named it.
 */
export const RETENTION_MS = 30 * DAY;

/** The jobs of a namespace with these apps. */
export function scheduledJobs(app_ids: readonly string[]): ScheduledJob[] {
  return [
    {
      schedule_id: SWEEP_ID,
      workflow_type: WORKFLOW.stuckSweep,
      workflow_id: STUCK_SWEEP_WORKFLOW_ID,
      starts: { every_ms: 15 * MINUTE },
      works_ms: SWEEP_RUN_MS,
      // The next one sees all that the one before would have seen.
      catches_up_ms: 10 * MINUTE,
      runs: 'one-at-a-time',
    },
    ...app_ids.map((app_id) => ({
      schedule_id: `${RECONCILIATION_ID}${app_id}`,
      workflow_type: WORKFLOW.reconciliation,
      workflow_id: reconciliationWorkflowId(app_id, 'daily'),
      starts: { at_hour: 4 },
      works_ms: 20 * HOUR,
      // Each compares the day before its time, so that none is left out after an outage, while Temporal still has what ended that day.
      catches_up_ms: RETENTION_MS - 2 * DAY,
      runs: 'each' as const,
    })),
  ];
}

const SWEEP_ID = 'payments-stuck-sweep';
const RECONCILIATION_ID = 'payments-reconciliation:';

/** Whether `setup` has made the Schedule of this id, for whichever app. */
export const isScheduleOfOurs = (schedule_id: string): boolean =>
  schedule_id === SWEEP_ID || schedule_id.startsWith(RECONCILIATION_ID);

/** How often a job is due, in ms. */
export const periodOf = ({ starts }: ScheduledJob): number => ('every_ms' in starts ? starts.every_ms : 24 * HOUR);

/** Why a job needs a person. No workflow holds it: what has stopped cannot say so, and lists look at the Schedules instead. */
export const JOB_RUNBOOK = {
  'job-stopped': {
    happened:
      'A job that Temporal starts by itself, the sweep or a daily reconciliation, did not do its work when it was due.',
    loses: 'Nobody yet. But what is stuck, or differs at the gateway, is found by nobody.',
    look: '`payment-gateway list --attention job-stopped` says what is wrong: no Schedule, a pause, a run that failed or hangs, days that nobody has compared (`gap`), or nobody knows (`unknown`).',
    act: 'Make the Schedule with `payment-gateway setup`, unpause it, or mend what its last run shows in Temporal UI. Days in between are compared by the command in the line.',
    after:
      'The line goes once a run has done its work, and each day since is compared. It cannot be resolved otherwise.',
  },
} as const satisfies Record<string, RunbookEntry>;

// — The sweep for payments that should have moved on —

/** A Schedule starts it without an input. */
export interface StuckSweepInput {
  /** Payments count as stuck after this long past their time, in ms; by default an hour. */
  stuck_ms?: number | undefined;
  /** The run before has told the merchant of what is stuck. */
  is_reported?: boolean | undefined;
}

/** The status of a sweep that has looked. */
export const SWEPT = 'SWEPT';

/** What one look found. */
export interface Swept {
  stuck: number;
  /** How many workflows need a person. */
  under_attention: number;
  /** Some of the stuck ones, the newest first. */
  some: { workflow_id: string; status: string | null }[];
}

/** The query `state` of a sweep, and what it returns. */
export interface StuckSweepState extends Swept {
  looked_at: string | null;
  attention: Attention | null;
  resolved: { by: string; reason: string; time: string } | null;
}

export interface StuckSweepActivities {
  /**
   * Takes terminated orders on again, and counts by lists alone: it asks no payment and no gateway. Its metrics say the same. `listeners`: who
   * hears events, as the worker has it.
   */
  'payments.sweep'(input: { stuck_ms: number }): Promise<Told<Swept & { listeners: readonly string[] }>>;
}
