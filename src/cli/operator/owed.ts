/** `payment-gateway list --owed`: to whom money is to be sent back: for an order that a person has called not sold, or paid twice. */
import type { Client } from '@temporalio/client';
import { type Attention, secondTradesPaid } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { retentionOf } from '../../temporal/namespaces';
import { longestWaitFirst } from '../../temporal/order-list';
import { owedQuery } from '../../temporal/payment-query';
import { collect, listWorkflows } from '../../temporal/workflow-list';
import { moneyOwed, readCase } from './case';
import type { ShownOrder } from './order-table';

/** What the lists find is looked at one order after the other: what has gone back, only its state says. */
export async function* owedOrders(client: Client, app_id: string | undefined): AsyncGenerator<ShownOrder> {
  const found = await collect(listWorkflows(client, owedQuery(app_id), app_id));
  for (const row of longestWaitFirst(found)) {
    const found = await readCase(client, { ...row, app_id: row.app_id ?? '' });
    const isTwice = row.attention === ('second-trade' satisfies Attention);
    const owed = (isTwice && found.payment ? secondTradesPaid(found.payment) : undefined) ?? moneyOwed(found);
    if (owed !== undefined) yield { ...row, owed: owed ?? 'no worker says how much' };
  }
}

/** What the list cannot have: it ends with what Temporal keeps. */
export async function owedEnding({ connection, options }: Client): Promise<string> {
  // Who may not ask how long that is, has the list all the same.
  const kept_ms = await retentionOf(connection, options.namespace).catch(() => undefined);
  const kept = kept_ms === undefined ? 'its retention' : `${Math.round(kept_ms / DAY)}d`;
  return `What ended longer ago than Temporal keeps (${kept}) is not here: list --attention has it, under books-differ, since the reconciliation of the day on which it ended.`;
}
