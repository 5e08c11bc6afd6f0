/** `payment-gateway list --owed`: to whom money is to be sent back that came for an order which a person has called not sold. */
import type { Client } from '@temporalio/client';
import { longestWaitFirst } from '../../temporal/order-list';
import { owedQuery } from '../../temporal/payment-query';
import { collect, listWorkflows } from '../../temporal/workflow-list';
import { moneyOwed, readCase } from './case';
import type { ShownOrder } from './order-table';

/** What the lists find is looked at one order after the other: what has gone back, only its state says. */
export async function* owedOrders(client: Client, app_id: string | undefined): AsyncGenerator<ShownOrder> {
  const found = await collect(listWorkflows(client, owedQuery(app_id), app_id));
  for (const row of longestWaitFirst(found)) {
    const owed = moneyOwed(await readCase(client, { ...row, app_id: row.app_id ?? '' }));
    if (owed !== undefined) yield { ...row, owed: owed ?? 'no worker says how much' };
  }
}
