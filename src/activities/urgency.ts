/**
 * How urgent a call of the gateway is: who waits for it, and for how long already. Newest first, on purpose: after an
 * outage the buyers who have waited longest have left, and in a queue everybody would wait behind them.
 */
import { activityInfo, heartbeat } from '@temporalio/activity';
import { z } from 'zod';
import type { AccountActivities, GatewayActivities, LookupActivities } from '../contract';

/**
 * `awaited`: somebody waits for it now. `late`: somebody may still wait. `background`: nobody does. `overdue`: a poll that
 * was held back so often that it goes before other polls.
 */
export type Urgency = 'awaited' | 'late' | 'overdue' | 'background';

/** A buyer, or a merchant's request, waits about this long, in ms. */
const AWAITED_MS = 30_000;

type CallingActivity =
  | Exclude<
      Extract<keyof (GatewayActivities & AccountActivities & LookupActivities), `gateway.${string}`>,
      // It returns the worker's settings, and makes no call.
      'gateway.account-policy'
    >
  | 'payments.reconcile';

/** A poll that was held back this often in a row is overdue: else the frequent polls of young payments would starve it. */
const OVERDUE_AFTER = 2;

/** The urgency of each activity's calls while it is fresh, and later. */
const URGENCY = {
  'gateway.create': ['awaited', 'late'],
  'gateway.refund': ['awaited', 'late'],
  'gateway.look': ['awaited', 'late'],
  'gateway.glance': ['awaited', 'late'],
  'gateway.find': ['awaited', 'background'],
  'gateway.watch': ['background', 'overdue'],
  'gateway.create-account': ['awaited', 'late'],
  'gateway.cancel-account': ['awaited', 'late'],
  'gateway.find-account': ['awaited', 'late'],
  'gateway.watch-account': ['background', 'overdue'],
  'gateway.account-quantity': ['awaited', 'late'],
  'gateway.watch-account-quantity': ['background', 'overdue'],
  'gateway.banks': ['awaited', 'late'],
  'gateway.installments': ['awaited', 'late'],
  'gateway.wallet-token': ['awaited', 'late'],
  // Nobody waits for a reconciliation, and it holds no payment up.
  'payments.reconcile': ['background', 'background'],
} as const satisfies Record<CallingActivity, readonly [fresh: Urgency, later: Urgency]>;

const BY_ACTIVITY = new Map<string, readonly [Urgency, Urgency]>(Object.entries(URGENCY));

export function urgencyOfActivity(): Urgency {
  const [fresh, later] = BY_ACTIVITY.get(activityInfo().activityType) ?? URGENCY['gateway.look'];
  const isFresh = fresh === 'background' ? heldBackInARow() < OVERDUE_AFTER : activityAge() < AWAITED_MS;
  return isFresh ? fresh : later;
}

/** How long ago the workflow asked for the activity, in ms, when this attempt became due. By the server's clock. */
export function activityAge(): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs;
}

/** An earlier run may fail to answer for this long, in ms: no worker polls its task queue, or its code does not replay after a deploy. */
const PATIENCE_MS = 10 * 60_000;

/** What `read` returns; `otherwise` if it still fails when the activity is {@link PATIENCE_MS} old: the workflow waits no longer. */
export async function readInTime<T, O>(read: () => Promise<T>, otherwise: O): Promise<T | O> {
  try {
    return await read();
  } catch (error) {
    if (activityAge() < PATIENCE_MS) throw error;
    return otherwise;
  }
}

// — The attempts of a poll: which of them have looked, which were held back, and since when they are denied —

/**
 * The attempts that were held back; `last` is the number of the latest. `denied_since`: when the gateway first denied the trade, in ms since
 * the epoch, if no look has shown it since then.
 */
const pollNotes = z.object({
  ...{ total: z.number(), in_a_row: z.number(), last: z.number() },
  denied_since: z.number().optional(),
});
type PollNotes = z.infer<typeof pollNotes>;

/** How many attempts of this poll have looked, or begun, before this one. */
export function looksSoFar(): number {
  return activityInfo().attempt - 1 - notesSoFar().total;
}

/** How many times this poll was held back since its last look. */
export function heldBackInARow(): number {
  const { in_a_row, last } = notesSoFar();
  return last === activityInfo().attempt - 1 ? in_a_row : 0;
}

/** Tells the next attempts that this one was held back. Attempts that look, and are not denied, need no heartbeat. */
export function noteHeldBack(): void {
  const { attempt } = activityInfo();
  note({ total: notesSoFar().total + 1, in_a_row: heldBackInARow() + 1, last: attempt });
}

/** Tells the next attempts that the gateway denies the trade. Returns since when it did so before this attempt; undefined if it did not. */
export function noteDenied(): number | undefined {
  const { denied_since } = notesSoFar();
  if (denied_since === undefined) note({ denied_since: activityInfo().currentAttemptScheduledTimestampMs });
  return denied_since;
}

/** Tells the next attempts that the gateway has shown the trade, if it was denied before. */
export function noteShown(): void {
  if (notesSoFar().denied_since !== undefined) note({ denied_since: undefined });
}

const note = (changed: Partial<PollNotes>) => heartbeat({ ...notesSoFar(), ...changed } satisfies PollNotes);

const NOTHING_NOTED: PollNotes = { total: 0, in_a_row: 0, last: 0 };

/**
 * A heartbeat's details stay until the next heartbeat, also where somebody resets the activity. Its attempts are counted anew then, and what
 * the gateway denied stays denied until it shows the trade.
 */
function notesSoFar(): PollNotes {
  const { attempt, heartbeatDetails } = activityInfo();
  const { data = NOTHING_NOTED } = pollNotes.safeParse(heartbeatDetails);
  return data.last < attempt ? data : { ...NOTHING_NOTED, denied_since: data.denied_since };
}
