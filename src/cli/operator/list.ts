/** `payment-gateway list`: payments by what is known of them without a worker. */

import { countFiltered, listFiltered } from '../../temporal/attention-list';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import type { ListedWorkflow } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { say } from '../print';
import { asOperator } from './connection';
import { jobsInTrouble } from './jobs';
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
  const filter = filterOf(options, now);
  const limit = limitOf(options);
  return asOperator(async (operator) => {
    const { client } = operator;
    const jobs = await jobsInTrouble(operator, filter, now);
    const rows: ListedWorkflow[] = options.json ? [] : [...jobs];
    if (options.json) for (const job of jobs) say(JSON.stringify(job));
    let found = jobs.length;
    for await (const row of listFiltered(client, filter, now)) {
      found += 1;
      if (found > limit) {
        // Temporal counts everything by itself, but of an app it does not know all.
        if (options.json || options.app === undefined) break;
      } else if (options.json) say(JSON.stringify(row));
      else rows.push(row);
    }
    // Where nobody has prepared the namespace, "none" would be no answer.
    if (found === 0) await explainIfNotSetUp(client);
    if (options.json) return EXIT.ok;
    const all =
      found > limit && options.app === undefined ? jobs.length + (await countFiltered(client, filter, now)) : found;
    say(asText(rows, all, now));
    return EXIT.ok;
  }, 'lists');
}

function limitOf({ limit, json }: ListOptions): number {
  if (limit !== undefined) return numberOf('--limit', limit);
  return json ? Number.POSITIVE_INFINITY : SHOWN;
}

function asText(rows: readonly ListedWorkflow[], all: number, now: Date): string {
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
