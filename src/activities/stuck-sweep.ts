/** Counts what is stuck and what needs a person, from Temporal's lists, and starts terminated orders again. */
import { getClient, log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import {
  ATTENTION_WORDS,
  ENDED_FROM_OUTSIDE,
  paymentWorkflowId,
  type StuckSweepActivities,
  telling,
} from '../contract';
import { DAY } from '../gateway/pure/durations';
import { countFiltered, leftUndone } from '../temporal/attention-list';
import { paymentQuery, terminatedQuery } from '../temporal/payment-query';
import { countWorkflows, listWorkflows } from '../temporal/workflow-list';
import { adopt } from './reconcile';
import { recordInActivity } from './recorder';
import { serverClock } from './time';

const NAMED = 20;

/** `listeners`: the listeners to events by the worker's settings. `overdue_ms`: how long a person may let something wait. */
export const stuckSweepActivities = (listeners: readonly string[], overdue_ms: number): StuckSweepActivities => ({
  'payments.sweep': telling(async ({ stuck_ms }) => {
    const client = getClient();
    // A worker whose clock is hours ahead would find every open payment past its time.
    const now = new Date(serverClock()());
    await takeOnTerminated(client, now);
    const query = paymentQuery({ stuck_ms }, now);
    const [stuck, open, overdue, ended] = await Promise.all([
      countWorkflows(client, query),
      countWorkflows(client, paymentQuery({ attention: true }, now)),
      countWorkflows(client, paymentQuery({ attention: true, waits_since: new Date(now.getTime() - overdue_ms) }, now)),
      // This count looks at each of these payments, so it is made once a sweep.
      countFiltered(client, { attention: ENDED_FROM_OUTSIDE }, now),
    ]);
    const some: { workflow_id: string; status: string | null }[] = [];
    if (stuck > 0) {
      for await (const { workflow_id, status } of listWorkflows(client, query)) {
        some.push({ workflow_id, status });
        if (some.length === NAMED) break;
      }
      log.warn('payments are stuck', { stuck });
    }
    recordInActivity('stuck', stuck, {});
    recordInActivity('overdue', overdue, {});
    await countReasons(client, now, { [ENDED_FROM_OUTSIDE]: ended });
    recordInActivity('sweptAt', Math.floor(now.getTime() / 1_000), {});
    return { stuck, under_attention: open + ended, some, listeners };
  }),
});

/** A termination older than this, in ms, is not looked for any more. */
const TERMINATED_WITHIN_MS = 7 * DAY;
/** How many orders one sweep starts again; the next sweep goes on. */
const TAKEN_ON = 200;

/** A termination ends nothing at the gateway: the order may still be paid, so it gets a new run. */
async function takeOnTerminated(client: Client, now: Date): Promise<void> {
  let left = TAKEN_ON;
  const query = terminatedQuery(new Date(now.getTime() - TERMINATED_WITHIN_MS));
  for await (const run of listWorkflows(client, query)) {
    if (left === 0) return;
    const { workflow_id, app_id, out_trade_no } = run;
    if (app_id === null || out_trade_no === null || workflow_id !== paymentWorkflowId(app_id, out_trade_no)) continue;
    if (!(await leftUndone(client, run))) continue;
    left -= 1;
    await adopt(client, { app_id, out_trade_no, reasons: ['terminated'] }, 'ALLOW_DUPLICATE').catch((error: unknown) =>
      log.warn('a terminated order could not be taken on', { workflow_id, error: String(error) }),
    );
  }
}

/** Each reason is counted, also those that no payment has: a gauge that is not set again keeps its old value. */
async function countReasons(client: Client, now: Date, known: Readonly<Record<string, number>>): Promise<void> {
  for (const reason of ATTENTION_WORDS) {
    const count = known[reason] ?? (await countWorkflows(client, paymentQuery({ attention: reason }, now)));
    recordInActivity('underAttention', count, { reason });
  }
}
