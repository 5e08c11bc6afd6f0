/** What those who have taken something wrote for the others. It is encrypted, so the keys and a worker are needed. */
import { QUERY } from '../../contract';
import type { ListedOrder } from '../../temporal/order-list';
import type { Operator } from './connection';
import type { ShownOrder } from './order-table';

/** So many notes are read for a list: few are taken at a time. */
const MOST_NOTES = 40;
const READ_TIMEOUT_MS = 3_000;

/** The rows, with the notes that could be read. */
export function withNotes({ client }: Pick<Operator, 'client'>, rows: readonly ListedOrder[]): Promise<ShownOrder[]> {
  const noted = new Set(rows.filter(({ taken_by }) => taken_by !== null).slice(0, MOST_NOTES));
  const read = async ({ workflow_id }: ListedOrder) => {
    const ask = () =>
      client.workflow.getHandle(workflow_id).query<{ taken?: { note: string | null } | null }>(QUERY.state);
    const state = await client.withDeadline(Date.now() + READ_TIMEOUT_MS, ask).catch(() => undefined);
    return state?.taken?.note ?? null;
  };
  return Promise.all(rows.map(async (row) => (noted.has(row) ? { ...row, note: await read(row) } : row)));
}
