/**
 * How urgent a call of the gateway is: who waits for it, and for how long already. Newest first, on purpose: after an
 * outage the buyers who have waited longest have left, and in a queue everybody would wait behind them.
 */
import { activityInfo } from '@temporalio/activity';
import type { AccountActivities, GatewayActivities } from '../contract';

/** `awaited`: somebody waits for it now. `late`: somebody may still wait. `background`: nobody does. */
export type Urgency = 'awaited' | 'late' | 'background';

/** A buyer, or a merchant's request, waits about this long, in ms. */
const AWAITED_MS = 30_000;

type CallingActivity = Extract<keyof (GatewayActivities & AccountActivities), `gateway.${string}`>;

/** The urgency of each activity's calls while it is fresh, and later. */
const URGENCY = {
  'gateway.create': ['awaited', 'late'],
  'gateway.refund': ['awaited', 'late'],
  'gateway.look': ['awaited', 'late'],
  'gateway.query': ['awaited', 'late'],
  'gateway.settle': ['awaited', 'late'],
  'gateway.find': ['awaited', 'background'],
  'gateway.watch': ['background', 'background'],
  'gateway.create-account': ['awaited', 'late'],
  'gateway.cancel-account': ['awaited', 'late'],
  'gateway.find-account': ['awaited', 'late'],
  'gateway.watch-account': ['background', 'background'],
  'gateway.account-quantity': ['awaited', 'late'],
  'gateway.watch-account-quantity': ['background', 'background'],
} as const satisfies Record<CallingActivity, readonly [fresh: Urgency, later: Urgency]>;

const BY_ACTIVITY = new Map<string, readonly [Urgency, Urgency]>(Object.entries(URGENCY));

/** The urgency of the calls that the activity makes now. */
export function urgencyOfActivity(): Urgency {
  const [fresh, later] = BY_ACTIVITY.get(activityInfo().activityType) ?? URGENCY['gateway.query'];
  return activityAge() < AWAITED_MS ? fresh : later;
}

/** How long ago the workflow asked for the activity, in ms, when this attempt became due. By the server's clock. */
export function activityAge(): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs;
}
