/**
 * The deadlines of an order, and those that may follow them: risk control, and the confirmation of a notified SUCCESS. At each the trade
 * is queried, and after the last one the wait ends. The usual expiry of each method is in `gateway/pure/by-method.ts`. Pure; times are
 * ms since the epoch, UTC.
 */
import type { PaymentInput, PaymentPolicy, WaitingPolicy } from '../../contract';
import { deadline } from '../../gateway/pure/durations';
import type { KnownPayment } from './known-payment';

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

type OrderTimes = Partial<Record<'timeout_express' | 'cancellation_express', string | undefined>>;

/** The times in the order itself. Those of an adopted trade are unknown. */
export function orderTimes(input: PaymentInput): OrderTimes {
  return input.kind === 'adopt' ? {} : input.request;
}

/** From when on an order that was asked for at `began` is not sent any more: its own expiry, or the settings' limit. */
export function sendingEnd(
  { timeout_express }: OrderTimes,
  began: number,
  { create_within_ms }: Pick<PaymentPolicy, 'create_within_ms'>,
): number {
  return Math.min(endOf(timeout_express, began) ?? Number.POSITIVE_INFINITY, began + create_within_ms);
}

const endOf = (express: string | undefined, from: number) =>
  express === undefined ? undefined : deadline(express, from);

/** The deadlines of an order created at `created_at`, earliest first. The last one ends the wait. */
export function orderDeadlines(
  order: OrderTimes,
  created_at: number,
  policy: WaitingPolicy,
): [Deadline, ...Deadline[]] {
  const timeout = endOf(order.timeout_express, created_at);
  const expiry: Deadline =
    timeout === undefined
      ? { name: 'usual expiry', at: created_at + policy.usual_expiry_ms }
      : { name: 'timeout_express', at: timeout };
  const own = ownDeadlines(expiry, endOf(order.cancellation_express, created_at));
  const last = (own.at(-1) ?? expiry).at;
  const settled: Deadline[] =
    policy.settles_ms > policy.grace_ms ? [{ name: 'settlement', at: last + policy.settles_ms }] : [];
  return [...own, { name: 'last notification', at: last + policy.grace_ms }, ...settled];
}

function ownDeadlines(expiry: Deadline, cancellation: number | undefined): [Deadline, ...Deadline[]] {
  if (cancellation === undefined) return [expiry];
  const cancels: Deadline = { name: 'cancellation_express', at: cancellation };
  if (cancellation > expiry.at) return [expiry, cancels];
  // The usual expiry is our guess, so an earlier cancellation replaces it. It does not replace the order's
  // timeout_express.
  return expiry.name === 'usual expiry' ? [cancels] : [expiry];
}

/** Until when risk control may hold a trade that is RISK_CONTROLLING now; 0 for every other trade. */
function endOfRiskControl(
  { shown: { trade_status }, history }: TimesOfTrade,
  { risk_control_ms }: Pick<WaitingPolicy, 'risk_control_ms'>,
): number {
  const since = history.findLast(({ to }) => to === 'RISK_CONTROLLING')?.time;
  return trade_status === 'RISK_CONTROLLING' && since !== undefined ? Date.parse(since) + risk_control_ms : 0;
}

/** When a person has to look at a SUCCESS that was notified and not confirmed; null if there is none. */
export function doubtDueAt(
  { doubted_at }: Pick<KnownPayment, 'doubted_at'>,
  { poll_schedule_ms }: Pick<PaymentPolicy, 'poll_schedule_ms'>,
): number | null {
  return doubted_at === null ? null : doubted_at + (poll_schedule_ms.at(-1) ?? 0);
}

interface TimesOfTrade extends Pick<KnownPayment, 'history' | 'doubted_at'> {
  readonly shown: Pick<KnownPayment['shown'], 'trade_status'>;
}

/** The order's own deadlines, and what may be due after them. */
export function allDeadlines(
  own: readonly Deadline[],
  known: TimesOfTrade,
  settings: Pick<PaymentPolicy, 'poll_schedule_ms' | 'risk_control_ms'>,
): readonly Deadline[] {
  const last = own.at(-1)?.at ?? 0;
  const later: Deadline[] = [
    { name: 'risk control', at: endOfRiskControl(known, settings) },
    { name: 'confirmation', at: doubtDueAt(known, settings) ?? 0 },
  ];
  return [...own, ...later.filter(({ at }) => at > last).sort((one, other) => one.at - other.at)];
}
