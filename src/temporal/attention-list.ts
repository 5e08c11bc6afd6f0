/** The lists of what a person looks for: what is open, and what somebody has ended although it was not over. */
import type { Client } from '@temporalio/client';
import { afterTermination, ENDED_FROM_OUTSIDE, isAttention } from '../contract';
import { historyEvents } from './history-events';
import { type PaymentFilter, paymentQuery } from './payment-query';
import { takenRunUpTo } from './runs';
import { countWorkflows, findWorkflows, type ListedWorkflow, listed, listWorkflows, waitOf } from './workflow-list';

/** Every run that the filter finds, the newest first; what was ended from outside comes before what is open. */
export async function* listFiltered(client: Client, filter: PaymentFilter, now: Date): AsyncGenerator<ListedWorkflow> {
  if (asksForEnded(filter)) yield* listEnded(client, filter, now);
  if (filter.attention !== ENDED_FROM_OUTSIDE) yield* listWorkflows(client, paymentQuery(filter, now), filter.app_id);
}

/** How many runs {@link listFiltered} finds, of all apps. */
export async function countFiltered(client: Client, filter: PaymentFilter, now: Date): Promise<number> {
  const open = filter.attention === ENDED_FROM_OUTSIDE ? 0 : await countWorkflows(client, paymentQuery(filter, now));
  const ended = new Set<string>();
  if (asksForEnded(filter)) for await (const { run_id } of listEnded(client, filter, now)) ended.add(run_id);
  return open + ended.size;
}

/** Temporal's other reasons are of open runs alone. */
const asksForEnded = ({ attention = '', stuck_ms }: PaymentFilter) =>
  (attention === true || attention === ENDED_FROM_OUTSIDE || isAttention(attention)) && stuck_ms === undefined;

/** What somebody has ended although it was not over: once for that, and once for what it waited for then, which nobody has settled. */
export async function* listEnded(client: Client, filter: PaymentFilter, now: Date): AsyncGenerator<ListedWorkflow> {
  const seen = new Set<string>();
  for await (const found of findWorkflows(client, paymentQuery({ ...filter, ended: true }, now))) {
    const row = listed(found);
    // The newest run of an id comes first.
    if (seen.has(row.workflow_id) || (filter.app_id !== undefined && row.app_id !== filter.app_id)) continue;
    seen.add(row.workflow_id);
    if (!(await leftUndone(client, row))) continue;
    yield { ...row, attention: ENDED_FROM_OUTSIDE, waits_since: row.closed_at };
    const waited = waitOf(found);
    if (waited.attention !== null) yield { ...row, ...waited };
  }
}

/** The row of a run, with the reason if it was ended from outside and no other run goes on with its work. */
export async function withEnd<Row extends ListedWorkflow>(client: Client, row: Row): Promise<Row> {
  const isEnded = row.execution === 'TERMINATED' || row.execution === 'TIMED_OUT';
  return isEnded && (await leftUndone(client, row))
    ? { ...row, attention: ENDED_FROM_OUTSIDE, waits_since: row.closed_at }
    : row;
}

/**
 * Whether this run left something that no other run continues: nothing begins its work anew, it is the latest, and either a worker had it, or
 * the run before it did not complete, or it got signals or updates. Asks Temporal for the latest run, because a list may be behind.
 */
export async function leftUndone(
  client: Client,
  { workflow_id, run_id, status }: Pick<ListedWorkflow, 'workflow_id' | 'run_id' | 'status'>,
): Promise<boolean> {
  if (afterTermination(workflow_id, status).isBegunAnew) return false;
  const latest = await client.workflow.getHandle(workflow_id).describe();
  if (latest.runId !== run_id) return false;
  const taken = await takenRunUpTo(client, latest);
  if (taken.runId === run_id || taken.status.name !== 'COMPLETED') return true;
  // Whoever lists need not have the keys: that something came is enough.
  const events = await historyEvents(client, workflow_id, run_id);
  return events.some(
    (event) => event.workflowExecutionSignaledEventAttributes ?? event.workflowExecutionUpdateAcceptedEventAttributes,
  );
}
