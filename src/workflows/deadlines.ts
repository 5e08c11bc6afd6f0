/** When a payment is looked at because time has come, and when waiting ends. Pure; times are ms since the epoch, UTC. */
import { deadline } from '../gateway/durations';
import type { PaymentState } from './contract';

export interface Deadline {
  name:
    | 'timeout_express'
    | 'usual expiry'
    | 'cancellation_express'
    | 'last notification'
    | 'settlement'
    | 'risk control'
    | 'confirmation';
  at: number;
}

/** What the worker's settings say of waiting (durations in ms). Recorded once a payment, so that replay sees the same. */
export interface WaitingPolicy {
  /** Checks at these times after the creation, and after each deadline … */
  poll_schedule_ms: readonly number[];
  /** … and then as often as this. */
  poll_every_ms: number;
  /** Where the order names no `timeout_express`: its method's usual expiry. */
  usual_expiry_ms: number;
  /** How long to go on watching after the last deadline: past the last retry of a notification … */
  grace_ms: number;
  /** … and past the time that the method takes to settle. */
  settles_ms: number;
  /** How long risk control may keep a trade. */
  risk_control_ms: number;
}

/** The deadlines of an order created at `created_at`, in their order. The last one ends the waiting. */
export function deadlines(
  order: { timeout_express?: string | undefined; cancellation_express?: string | undefined },
  created_at: number,
  policy: WaitingPolicy,
): [Deadline, ...Deadline[]] {
  const timeout = order.timeout_express === undefined ? undefined : deadline(order.timeout_express, created_at);
  const cancellation =
    order.cancellation_express === undefined ? undefined : deadline(order.cancellation_express, created_at);
  const expiry: Deadline =
    timeout === undefined
      ? { name: 'usual expiry', at: created_at + policy.usual_expiry_ms }
      : { name: 'timeout_express', at: timeout };
  const own = ownDeadlines(expiry, cancellation);
  const last = (own.at(-1) ?? expiry).at;
  const settled: Deadline[] =
    policy.settles_ms > policy.grace_ms ? [{ name: 'settlement', at: last + policy.settles_ms }] : [];
  return [...own, { name: 'last notification', at: last + policy.grace_ms }, ...settled];
}

function ownDeadlines(expiry: Deadline, cancellation: number | undefined): [Deadline, ...Deadline[]] {
  if (cancellation === undefined) return [expiry];
  const cancels: Deadline = { name: 'cancellation_express', at: cancellation };
  if (cancellation > expiry.at) return [expiry, cancels];
  // The usual expiry is our guess; what the order itself says wins. Its own timeout_express it cannot undercut.
  return expiry.name === 'usual expiry' ? [cancels] : [expiry];
}

/** Until when risk control may keep a trade that is RISK_CONTROLLING now; 0 for every other. */
export function endOfRiskControl(
  { trade_status, history }: Pick<PaymentState, 'trade_status' | 'history'>,
  { risk_control_ms }: Pick<WaitingPolicy, 'risk_control_ms'>,
): number {
  const since = history.findLast(({ to }) => to === 'RISK_CONTROLLING')?.time;
  return trade_status === 'RISK_CONTROLLING' && since !== undefined ? Date.parse(since) + risk_control_ms : 0;
}

/**
 * How long to wait before a watch's next look, in ms, after `looks` of them (the start counts as none). Told by their
 * number and not by a clock: servers do not agree on what time an attempt has, and a worker's clock may be off.
 */
export function gapBeforeLook(
  looks: number,
  { poll_schedule_ms, poll_every_ms }: Pick<WaitingPolicy, 'poll_schedule_ms' | 'poll_every_ms'>,
): number {
  const at = poll_schedule_ms[looks];
  return at === undefined ? poll_every_ms : at - (poll_schedule_ms[looks - 1] ?? 0);
}
