/**
 * What a row says besides what lists know: the notes of the people who have taken it, and why its task fails. Both are encrypted, so the keys
 * are needed, and for the notes a worker, too.
 */
import { FAILING_TASKS, QUERY } from '../../contract';
import type { ListedOrder } from '../../temporal/order-list';
import { pendingWork } from '../../temporal/pending-work';
import type { Operator } from './connection';
import type { ShownOrder } from './order-table';

/** The most notes that are read for a list: few rows are taken on at a time. */
const MOST_NOTES = 40;
const READ_TIMEOUT_MS = 3_000;

/** The rows, with the notes and the failures that could be read. */
export function withNotes({ client }: Pick<Operator, 'client'>, rows: readonly ListedOrder[]): Promise<ShownOrder[]> {
  const noted = new Set(rows.filter(({ taken_by }) => taken_by !== null).slice(0, MOST_NOTES));
  const failing = new Set(rows.filter(({ attentions }) => attentions.includes(FAILING_TASKS)).slice(0, MOST_NOTES));
  const failureOf = async ({ workflow_id }: ListedOrder) => {
    const ask = async () => pendingWork(client, await client.workflow.getHandle(workflow_id).describe());
    const work = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, ask).catch(() => []);
    return work.find(({ state }) => state === 'fails each time')?.last_answer?.split('\n')[0] ?? null;
  };
  const read = async ({ workflow_id }: ListedOrder) => {
    const ask = () =>
      client.workflow.getHandle(workflow_id).query<{ taken?: { note: string | null } | null }>(QUERY.state);
    const state = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, ask).catch(() => undefined);
    return state?.taken?.note ?? null;
  };
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      ...(noted.has(row) ? { note: await read(row) } : {}),
      ...(failing.has(row) ? { failure: await failureOf(row) } : {}),
    })),
  );
}
