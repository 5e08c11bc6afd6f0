/** Lists with one row for each order, however many workflows and runs it has. What waits for a person comes first, the longest wait first. */
import type { Client } from '@temporalio/client';
import { afterSaleWorkflowId, WORKFLOW } from '../contract';
import { listFiltered, withEnd } from './attention-list';
import { isTrouble, type PaymentFilter } from './payment-query';
import { collect, type ListedWorkflow, newestRuns, runsUnder } from './workflow-list';

/** A row; `attentions` are all reasons for which the order waits, the longest wait first. */
export interface ListedOrder extends ListedWorkflow {
  attentions: string[];
}

const AT_A_TIME = 50;

/**
 * The rows that the filter finds. Waiting orders come by their wait, the longest first, so all are read before the first row; other payments
 * come as Temporal gives them, page by page, with what their after-sales know: what is open first.
 */
export async function* listOrders(client: Client, filter: PaymentFilter, now: Date): AsyncGenerator<ListedOrder> {
  if (isTrouble(filter)) {
    yield* longestWaitFirst(await collect(listFiltered(client, filter, now)));
    return;
  }
  const seen = new Set<string>();
  let waiting: ListedWorkflow[] = [];
  for await (const row of listFiltered(client, filter, now)) {
    // The newest run of an order comes first.
    if (seen.has(row.workflow_id)) continue;
    seen.add(row.workflow_id);
    waiting.push(row);
    if (waiting.length < AT_A_TIME) continue;
    yield* await withAfterSales(client, waiting);
    waiting = [];
  }
  yield* await withAfterSales(client, waiting);
}

/** One row for each order, the longest wait first; then the newest. */
export function longestWaitFirst(rows: readonly ListedWorkflow[]): ListedOrder[] {
  const orders = new Map<string, ListedWorkflow[]>();
  for (const row of [...rows].sort(byWait)) {
    const name = row.out_trade_no === null ? row.workflow_id : `${row.app_id} ${row.out_trade_no}`;
    orders.set(name, [...(orders.get(name) ?? []), row]);
  }
  return [...orders.values()].flatMap(([first, ...others]) => (first ? [together(first, others)] : []));
}

/** By the time at which an order expires, the nearest first; orders without a time come last. */
export const nearestFirst = (rows: readonly ListedOrder[]): ListedOrder[] =>
  [...rows].sort((one, other) => (one.expires_at ?? '~').localeCompare(other.expires_at ?? '~'));

function byWait(one: ListedWorkflow, other: ListedWorkflow): number {
  if (one.waits_since === null || other.waits_since === null)
    return Number(one.waits_since === null) - Number(other.waits_since === null) || newestFirst(one, other);
  return one.waits_since.localeCompare(other.waits_since) || newestFirst(one, other);
}

const newestFirst = (one: ListedWorkflow, other: ListedWorkflow) => other.started_at.localeCompare(one.started_at);

/** The row that counts most comes first: that of the payment, until the after-sale knows how the payment ended. */
function bySpeaker(one: ListedWorkflow, other: ListedWorkflow): number {
  const rank = (row: ListedWorkflow) => (row.type !== WORKFLOW.afterSale ? 1 : row.outcome !== null ? 0 : 2);
  return rank(one) - rank(other);
}

/** The first row, with what the order's other rows know of the trade. */
function together(first: ListedWorkflow, others: readonly ListedWorkflow[]): ListedOrder {
  const rows = [first, ...others].sort(bySpeaker);
  const known = <Field extends keyof ListedWorkflow>(field: Field): ListedWorkflow[Field] =>
    rows.find((row) => row[field] !== null)?.[field] ?? first[field];
  const attentions = [...new Set(rows.flatMap(({ attention }) => attention ?? []))];
  return {
    ...first,
    ...{ outcome: known('outcome'), status: known('status'), method: known('method'), currency: known('currency') },
    ...{ amount: known('amount'), trade_no: known('trade_no'), expires_at: known('expires_at') },
    ...{ taken_by: known('taken_by'), attentions },
  };
}

/** Adds what the after-sales know to payments that have ended: then the after-sale counts. */
async function withAfterSales(client: Client, rows: readonly ListedWorkflow[]): Promise<ListedOrder[]> {
  const ended = rows.filter(({ type, execution }) => type === WORKFLOW.payment && execution !== 'RUNNING');
  const latest = newestRuns(await runsUnder(client, ended.map(afterSaleIdOf)));
  return Promise.all(
    rows.map(async (listedRow) => {
      const row = await withEnd(client, listedRow);
      const after = latest.get(afterSaleIdOf(row));
      if (after === undefined || !isOfOrder(after, row)) return together(row, []);
      const known = await withEnd(client, after);
      const { attention, waits_since } = known.attention === null ? row : known;
      return { ...together(row, [known]), attention, waits_since, taken_by: known.taken_by };
    }),
  );
}

/**
 * An after-sale that began before this run, and that knows of no end, is of an earlier order: that was not made. A sale is under the number
 * for ever.
 */
const isOfOrder = (after: ListedWorkflow, row: ListedWorkflow): boolean =>
  after.outcome !== null || after.started_at >= row.started_at;

const afterSaleIdOf = ({ app_id, out_trade_no }: ListedWorkflow) =>
  afterSaleWorkflowId(app_id ?? '', out_trade_no ?? '');
