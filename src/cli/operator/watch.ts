/** `payment-gateway watch`: a table of what needs a person or is stuck, refreshed every few seconds until Ctrl-C. */
import { setTimeout } from 'node:timers/promises';
import { type ListedOrder, listOrders, longestWaitFirst } from '../../temporal/order-list';
import type { PaymentFilter } from '../../temporal/payment-query';
import { collect } from '../../temporal/workflow-list';
import { say } from '../print';
import { asOperator } from './connection';
import { jobsInTrouble } from './jobs';
import { everyOf, type FilterOptions, filterOf } from './options';
import { orderTable, type TableOptions, tableOptions } from './order-table';
import { utc } from './times';

interface WatchOptions extends FilterOptions {
  every: string;
}

/** The rows that fit on a screen. */
const SHOWN = 40;
const CLEAR = '\u001b[2J\u001b[H';

export function watch(options: WatchOptions): Promise<never> {
  const pause_ms = everyOf('--every', options.every);
  watched(options, new Date());
  return asOperator(async (operator) => {
    const { client, config } = operator;
    for (;;) {
      const now = new Date();
      const filter = watched(options, now);
      const jobs = longestWaitFirst(await jobsInTrouble(operator, filter, now));
      const rows = [...jobs, ...(await collect(listOrders(client, filter, now)))];
      if (options.json) say(JSON.stringify({ time: now.toISOString(), count: rows.length, workflows: rows }));
      else say(screen(rows, tableOptions(config, now)));
      await setTimeout(pause_ms);
    }
  }, 'lists');
}

/** What is watched: by default, what needs a person. */
export function watched(options: FilterOptions, now: Date): PaymentFilter {
  const filter = filterOf(options, now);
  const { app_id: _, ...chosen } = filter;
  return Object.values(chosen).some((one) => one !== undefined) ? filter : { ...filter, attention: true };
}

function screen(rows: readonly ListedOrder[], options: TableOptions): string {
  const title = `${utc(options.now.toISOString())} UTC  ${rows.length} found${rows.length > SHOWN ? `, ${SHOWN} shown` : ''}`;
  const body = rows.length === 0 ? 'None.' : orderTable(rows.slice(0, SHOWN), options);
  return `${process.stdout.isTTY ? CLEAR : ''}${title}\n${body}`;
}
