/** `payment-gateway list`: payments, without a worker. What waits for a person comes the longest wait first. */
import type { Attention } from '../../contract';
import { countFiltered } from '../../temporal/attention-list';
import { listOrders, longestWaitFirst, nearestFirst } from '../../temporal/order-list';
import { isTrouble } from '../../temporal/payment-query';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import { collect } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { say } from '../print';
import { asOperator } from './connection';
import { jobsInTrouble } from './jobs';
import { withNotes } from './notes';
import { type FilterOptions, filterOf, numberOf } from './options';
import { orderTable, type ShownOrder, type TableOptions, tableOptions, totals } from './order-table';
import { owedEnding, owedOrders } from './owed';

export interface ListOptions extends FilterOptions {
  disputes?: boolean;
  owed?: boolean;
  json?: boolean;
  limit?: string;
}

/** How many rows a person is shown by default. A program gets all of them. */
const SHOWN = 100;

export function list(options: ListOptions): Promise<never> {
  const now = new Date();
  const { disputes = false, owed = false } = options;
  const filter = filterOf(disputes ? { ...options, attention: 'dispute' satisfies Attention } : options, now);
  const limit = limitOf(options);
  // Waiting orders are counted by reason, and owed ones by state. Temporal counts payments as such by itself, but not those of one app.
  const isCountedHere = owed || options.app !== undefined || isTrouble(filter);
  return asOperator(
    async (operator) => {
      const { client, config } = operator;
      const jobs = longestWaitFirst(await jobsInTrouble(operator, filter, now));
      const found: ShownOrder[] = [...jobs];
      if (options.json) for (const job of jobs) say(JSON.stringify(job));
      let count = jobs.length;
      const listed = owed ? owedOrders(client, options.app) : listOrders(client, filter, now);
      for await (const row of disputes ? nearestFirst(await collect(listed)) : listed) {
        count += 1;
        if (!options.json) found.push(row);
        else if (count <= limit) for (const one of await withNotes(operator, [row])) say(JSON.stringify(one));
        if (count > limit && (options.json || !isCountedHere)) break;
      }
      // In a namespace that is not set up, "none" would be no answer.
      if (count === 0) await explainIfNotSetUp(client);
      if (options.json) return EXIT.ok;
      const all = isCountedHere || count <= limit ? count : await countFiltered(client, filter, now);
      const rows = await withNotes(operator, found.slice(0, limit));
      say(asText(rows, { found, all, ...tableOptions(config, now) }));
      if (owed) say(await owedEnding(client));
      return EXIT.ok;
    },
    owed ? 'payloads' : 'lists',
  );
}

function limitOf({ limit, json }: ListOptions): number {
  if (limit !== undefined) return numberOf('--limit', limit);
  return json ? Number.POSITIVE_INFINITY : SHOWN;
}

interface Found extends TableOptions {
  found: readonly ShownOrder[];
  all: number;
}

function asText(rows: readonly ShownOrder[], { found, all, ...options }: Found): string {
  if (rows.length === 0) return 'None.';
  const ending =
    all > rows.length ? `${rows.length} of ${all}; --limit shows more, --json and export all.` : `${all} in all.`;
  return [orderTable(rows, options), ...totals(found, options.now), ending].join('\n');
}
