/** `payment-gateway export`: payments with their exact amounts, as CSV or JSON lines. */
import type { Client } from '@temporalio/client';
import { type AfterSaleState, afterSaleWorkflowId, type PaymentState, paymentAfterEnd, WORKFLOW } from '../../contract';
import { paymentQuery } from '../../temporal/payment-query';
import { ifExists, stateOfRun } from '../../temporal/runs';
import { innermost } from '../../temporal/timeline';
import { type ListedWorkflow, listWorkflows } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { complain } from '../print';
import { asOperator } from './connection';
import { csvLine } from './csv';
import { type FilterOptions, filterOf } from './options';

interface ExportOptions extends FilterOptions {
  format: string;
}

const COLUMNS = [
  ...['app_id', 'out_trade_no', 'trade_no', 'order_amount', 'order_currency', 'method', 'trade_status', 'outcome'],
  ...[
    'confirmed_by',
    'attention',
    'waits_since',
    'taken_by',
    'expires_at',
    'started_at',
    'closed_at',
    'execution',
    'workflow_id',
    'run_id',
    'error',
  ],
] as const;
type Row = Record<(typeof COLUMNS)[number], string | null>;

/** How many states are read at a time. */
const AT_A_TIME = 16;
const READ_TIMEOUT_MS = 20_000;

/** Ends the process: 0 if each state was read, 1 if some were not: their lines say why in `error`. */
export function exportPayments(options: ExportOptions): Promise<never> {
  const now = new Date();
  const query = paymentQuery(filterOf(options, now), now);
  return asOperator(async ({ client }) => {
    const isCsv = options.format === 'csv' && !options.json;
    if (isCsv) await write(csvLine(COLUMNS));
    let failed = 0;
    for await (const row of rowsOf(client, query, options.app)) {
      if (row.error !== null) failed += 1;
      await write(isCsv ? csvLine(COLUMNS.map((column) => row[column] ?? '')) : JSON.stringify(row));
    }
    if (failed > 0) complain(`${failed} states could not be read: column error says why.`);
    return failed === 0 ? EXIT.ok : EXIT.refused;
  });
}

/** In the order of the list; some states are read ahead. */
async function* rowsOf(client: Client, query: string, app_id: string | undefined): AsyncGenerator<Row> {
  const ahead: Promise<Row>[] = [];
  const seen = new Set<string>();
  for await (const listed of listWorkflows(client, query, app_id)) {
    // The newest run of an order comes first, and knows everything.
    const order = `${listed.app_id} ${listed.out_trade_no ?? listed.workflow_id}`;
    if (seen.has(order)) continue;
    seen.add(order);
    ahead.push(rowOf(client, listed));
    if (ahead.length >= AT_A_TIME) yield* await Promise.all(ahead.splice(0, 1));
  }
  yield* await Promise.all(ahead);
}

async function rowOf(client: Client, listed: ListedWorkflow): Promise<Row> {
  const { app_id, out_trade_no, trade_no, method, attention, expires_at, waits_since, taken_by, ...run } = listed;
  const { started_at, closed_at, execution, workflow_id, run_id } = run;
  const known = { app_id, out_trade_no, trade_no, method, attention, waits_since, taken_by, expires_at };
  const row = { ...known, started_at, closed_at, execution, workflow_id, run_id };
  const unread = { order_amount: listed.amount, order_currency: listed.currency, trade_status: listed.status };
  try {
    const isAfter = execution === 'COMPLETED' || listed.type === WORKFLOW.afterSale;
    const after = isAfter ? await afterEnd(client, listed) : null;
    const state = after ?? (await readState<PaymentState>(client, listed));
    const { order_amount, order_currency, trade_status, outcome, confirmed_by } = state;
    const now = { order_amount, order_currency, trade_status, outcome, confirmed_by };
    const wait = after && {
      attention: after.attention,
      waits_since: after.attention_since,
      taken_by: after.taken?.by ?? null,
    };
    return { ...row, ...now, ...wait, error: null };
  } catch (error) {
    return { ...row, ...unread, outcome: null, confirmed_by: null, error: innermost(error) };
  }
}

/** The payment as its after-sale has it; null if there is no after-sale, or it knows no order. */
async function afterEnd(client: Client, { app_id, out_trade_no }: ListedWorkflow): Promise<PaymentState | null> {
  if (app_id === null || out_trade_no === null) return null;
  const workflow_id = afterSaleWorkflowId(app_id, out_trade_no);
  const describe = () => inTime(client, () => client.workflow.getHandle(workflow_id).describe());
  const found = await ifExists(describe, null);
  if (found === null) return null;
  const { runId: run_id, status } = found;
  return paymentAfterEnd(await readState<AfterSaleState>(client, { workflow_id, run_id, execution: status.name }));
}

const inTime = <Read>(client: Client, read: () => Promise<Read>): Promise<Read> =>
  client.withDeadline(Date.now() + READ_TIMEOUT_MS, read);

type ShownRun = Pick<ListedWorkflow, 'workflow_id' | 'run_id' | 'execution'>;

const readState = <State>(client: Client, { workflow_id, run_id, execution }: ShownRun): Promise<State> =>
  inTime(client, () =>
    stateOfRun<State>(client, { workflowId: workflow_id, runId: run_id, status: { name: execution } }),
  );

/** Waits for a slow reader, so that no list fills the memory. */
async function write(line: string): Promise<void> {
  if (process.stdout.write(`${line}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}
