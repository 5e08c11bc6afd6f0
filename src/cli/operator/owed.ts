/** `payment-gateway list --owed`: orders whose money is to be sent back: called not sold by a person, or paid twice. */
import type { Client } from '@temporalio/client';
import { type Attention, PAYMENT_OUTCOMES, type PaymentState } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { listEnded } from '../../temporal/attention-list';
import { retentionOf } from '../../temporal/namespaces';
import { longestWaitFirst } from '../../temporal/order-list';
import { owedQuery } from '../../temporal/payment-query';
import { collect, listWorkflows } from '../../temporal/workflow-list';
import { moneyOwed, readCase, secondMoneyOwed } from './case';
import { type ShownOrder, sinceOf } from './order-table';

/**
 * Each order that the lists find is read, one after the other: only its state says what has gone back, and since when the rest is owed. The
 * longest owed comes first.
 */
export async function* owedOrders(client: Client, app_id: string | undefined): AsyncGenerator<ShownOrder> {
  const rows = await collect(owedRows(client, app_id));
  yield* rows.sort((one, other) => sinceOf(one).localeCompare(sinceOf(other)));
}

const SECOND = 'second-trade' satisfies Attention;

async function* owedRows(client: Client, app_id: string | undefined): AsyncGenerator<ShownOrder> {
  const second = { app_id, attention: SECOND };
  const listed = await collect(listWorkflows(client, owedQuery(app_id), app_id));
  const ended = await collect(listEnded(client, second, new Date()));
  for (const row of longestWaitFirst([...listed, ...ended])) {
    const found = await readCase(client, { ...row, app_id: row.app_id ?? '' });
    const isTwice = row.attentions.includes(SECOND);
    const owed = isTwice ? secondMoneyOwed(found) : moneyOwed(found);
    if (owed === undefined) continue;
    yield {
      ...row,
      owed: owed ?? 'perhaps: no worker says how much',
      owed_since: isTwice ? row.waits_since : owedSince(found),
    };
  }
}

/** When a person ended the order without a sale: its money is owed since then. Null if no worker says so. */
export const owedSince = ({ payment }: { payment: Pick<PaymentState, 'history'> | null }): string | null =>
  payment?.history.findLast(({ source, to }) => source === 'operator' && UNSOLD.some((one) => one === to))?.time ??
  null;

const UNSOLD = PAYMENT_OUTCOMES.filter((outcome) => outcome !== 'SUCCESS');

/** What the list cannot show: orders that Temporal has forgotten. */
export async function owedEnding({ connection, options }: Client): Promise<string> {
  // Without the permission to ask for the retention, the list is shown all the same.
  const kept_ms = await retentionOf(connection, options.namespace).catch(() => undefined);
  const kept = kept_ms === undefined ? 'its retention' : `${Math.round(kept_ms / DAY)}d`;
  return `What ended longer ago than Temporal keeps (${kept}) is not here: list --attention has it, under books-differ, since the reconciliation of the day on which it ended.`;
}
