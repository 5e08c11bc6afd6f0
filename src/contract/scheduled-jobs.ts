/** The jobs that Temporal starts by itself, as long as the namespace exists: the sweep, and a daily reconciliation of each app. Pure. */
import { DAY, HOUR, MINUTE } from '../gateway/pure/durations';
import type { Attention, RunbookEntry } from './attention';
import { reconciliationWorkflowId, STUCK_SWEEP_WORKFLOW_ID } from './ids';
import { WORKFLOW } from './names';
import type { Told } from './told';

/** A job and its Schedule. It has no arguments: nothing of it is encrypted, so that the removal of a key cannot stop it. */
export interface ScheduledJob {
  schedule_id: string;
  workflow_type: string;
  /** Temporal appends the time. */
  workflow_id: string;
  /** At an interval, or each day at this hour, UTC. */
  starts: { every_ms: number } | { at_hour: number };
  /** How long a run may work. A run that waits for a person does not work any more. */
  works_ms: number;
  /** How long after its time a run is still started, if Temporal was down. */
  catches_up_ms: number;
  /**
   * `one-at-a-time`: a run is skipped while the run before is open; a run ends in time by itself or by a limit.
   * `each`: every run is started, because earlier runs may wait for a person for long, and each run has its own day.
   */
  runs: 'one-at-a-time' | 'each';
}

/** A sweep continues as a new run after half of this time, so that the limit ends only a sweep that hangs. */
export const SWEEP_RUN_MS = HOUR;

/**
 * How long a namespace keeps closed payments. With less, it forgets numbers, ledgers and jobs too soon, and debts before a reconciliation has
 * found them.
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
      // A missed sweep does no harm: the next one sees all that it would have seen.
      catches_up_ms: 10 * MINUTE,
      runs: 'one-at-a-time',
    },
    ...app_ids.map((app_id) => ({
      schedule_id: `${RECONCILIATION_ID}${app_id}`,
      workflow_type: WORKFLOW.reconciliation,
      workflow_id: reconciliationWorkflowId(app_id, 'daily'),
      starts: { at_hour: 4 },
      works_ms: 20 * HOUR,
      // Each run compares the day before its time: after an outage no day is skipped, while Temporal still has what ended that day.
      catches_up_ms: RETENTION_MS - 2 * DAY,
      runs: 'each' as const,
    })),
  ];
}

const SWEEP_ID = 'payments-stuck-sweep';
const RECONCILIATION_ID = 'payments-reconciliation:';

/** Whether `setup` makes Schedules with this id, for any app. */
export const isScheduleOfOurs = (schedule_id: string): boolean =>
  schedule_id === SWEEP_ID || schedule_id.startsWith(RECONCILIATION_ID);

/** How often a job is due, in ms. */
export const periodOf = ({ starts }: ScheduledJob): number => ('every_ms' in starts ? starts.every_ms : 24 * HOUR);

/** Why a job needs a person. No workflow has this reason, because a stopped job cannot say so: lists look at the Schedules. */
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
  /** The run before has told the merchant of the stuck payments. */
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
   * Takes terminated orders on again, and counts by lists alone: it asks no payment and no gateway. It sets metrics to the counts.
   * `listeners`: the listeners of events, as the worker has them.
   */
  'payments.sweep'(input: { stuck_ms: number }): Promise<Told<Swept & { listeners: readonly string[] }>>;
}
