/**
 * How often a waiting payment is polled, as PAYMENTS_POLL_SCHEDULE and PAYMENTS_POLL_EVERY say; their defaults are in
 * `process/settings/payments.ts`. Pure; durations in ms.
 */

export interface PollSchedule {
  /** Poll at these times after the creation, and after each deadline … */
  poll_schedule_ms: readonly number[];
  /** … and then as often as this. */
  poll_every_ms: number;
}

/** The part of a policy that a poll needs. */
export function pollSchedule({ poll_schedule_ms, poll_every_ms }: PollSchedule): PollSchedule {
  return { poll_schedule_ms, poll_every_ms };
}

/**
 * The delay before a watch polls again, in ms, after this many `polls` (the start does not count). It depends on their
 * number and not on a clock: servers disagree on the time of an attempt, and a worker's clock may be wrong.
 */
export function delayBeforePoll(polls: number, { poll_schedule_ms, poll_every_ms }: PollSchedule): number {
  const at = poll_schedule_ms[polls];
  return at === undefined ? poll_every_ms : at - (poll_schedule_ms[polls - 1] ?? 0);
}

/** The longest pause between the polls of a watch, in ms, of those that begin within `until_ms` of its start. */
export function longestPause(until_ms: number, schedule: PollSchedule): number {
  const starts = [0, ...schedule.poll_schedule_ms].filter((at) => at < until_ms);
  return Math.max(...starts.map((_, polls) => delayBeforePoll(polls, schedule)));
}

/** What is left of a schedule that began `age_ms` ago: for a poll that continues another one. */
export function leftOfSchedule<Schedule extends PollSchedule>(schedule: Schedule, age_ms: number): Schedule {
  const left = schedule.poll_schedule_ms.filter((at) => at > age_ms).map((at) => at - age_ms);
  return { ...schedule, poll_schedule_ms: left };
}
