/** `payment-gateway list`: payments by what is known of them without a worker. */

import { paymentQuery } from '../../temporal/payment-query';
import { countWorkflows, type ListedWorkflow, listWorkflows } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { say } from '../print';
import { asOperator, type Operator } from './connection';
import { type FilterOptions, filterOf, numberOf } from './options';
import { table } from './table';
import { age } from './times';

export interface ListOptions extends FilterOptions {
  json?: boolean;
  limit?: string;
}

/** How many a person is shown where they do not say. A program gets all of them. */
const SHOWN = 100;

export function list(options: ListOptions): Promise<never> {
  const now = new Date();
  const query = paymentQuery(filterOf(options, now), now);
  const limit = limitOf(options);
  return asOperator(async ({ client }) => {
    const rows: ListedWorkflow[] = [];
    let found = 0;
    for await (const row of listWorkflows(client, query)) {
      found += 1;
      if (options.json) say(JSON.stringify(row));
      else rows.push(row);
      if (found === limit) break;
    }
    if (!options.json) say(await asText(client, { query, rows, isCut: found === limit }, now));
    return EXIT.ok;
  }, 'lists');
}

function limitOf({ limit, json }: ListOptions): number {
  if (limit !== undefined) return numberOf('--limit', limit);
  return json ? Number.POSITIVE_INFINITY : SHOWN;
}

interface Page {
  query: string;
  rows: readonly ListedWorkflow[];
  isCut: boolean;
}

async function asText(client: Operator['client'], { query, rows, isCut }: Page, now: Date): Promise<string> {
  const all = isCut ? await countWorkflows(client, query) : rows.length;
  const ending =
    all > rows.length ? `${rows.length} of ${all}; --limit shows more, --json and export all.` : `${all} in all.`;
  return rows.length === 0 ? 'None.' : `${workflowTable(rows, now)}\n${ending}`;
}

/** The lists of `list` and `watch`. */
export function workflowTable(rows: readonly ListedWorkflow[], now: Date): string {
  return table(
    ['ORDER', 'OF', 'STATUS', 'ATTENTION', 'METHOD', 'AMOUNT', 'AGE', 'EXPIRES (UTC)'],
    rows.map((row) => [
      row.out_trade_no ?? row.workflow_id,
      row.type,
      row.execution === 'RUNNING'
        ? (row.status ?? 'no worker yet')
        : `${row.status ?? ''} ${row.execution.toLowerCase()}`,
      row.attention ?? '',
      row.method ?? '',
      row.amount_about === null ? '' : `${row.amount_about.toFixed(2)} ${row.currency ?? ''}`,
      age(row.started_at, now),
      row.expires_at?.slice(0, 16).replace('T', ' ') ?? '',
    ]),
  );
}
