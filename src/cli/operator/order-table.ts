/** A table of orders for a person who works through them, and its totals by reason and age. */
import { type Attention, kindOfWorkflow, NOT_CREATED_YET, WORKFLOW } from '../../contract';
import { DAY, HOUR } from '../../gateway/pure/durations';
import { appIdsOf, type Config } from '../../process/settings';
import type { ListedOrder } from '../../temporal/order-list';
import { type Screen, type TableColumn, table } from './table';
import { age, span, timeLeft } from './times';

/**
 * A row with the note of the person who has taken it, and the first line of its task's failure, if these could be read; `owed`: what is to be
 * sent back, and since when.
 */
export type ShownOrder = ListedOrder & {
  note?: string | null;
  failure?: string | null;
  owed?: string;
  owed_since?: string | null;
};

export interface TableOptions {
  now: Date;
  /** What has waited for longer than this, in ms, is marked. */
  overdue_ms: number;
  /** The apps of the settings. */
  app_ids: readonly string[];
  screen?: Screen;
}

/** What a table needs of the settings. */
export const tableOptions = (config: Config, now: Date): TableOptions => ({
  ...{ now, overdue_ms: config.PAYMENTS_OVERDUE, app_ids: appIdsOf(config) },
});

/** How a run without an outcome has ended. */
const ENDED: Readonly<Record<string, string>> = {
  FAILED: 'not created',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed out',
  CANCELED: 'canceled',
};

function outcomeOf({ outcome, type, execution, attentions }: ListedOrder): string {
  // The order had ended otherwise, and nobody has decided yet whether it is sold.
  if (outcome === 'SUCCESS' && attentions.includes('late-payment' satisfies Attention)) return 'SUCCESS, late';
  const isOfOrder = type === WORKFLOW.payment || type === WORKFLOW.afterSale;
  return outcome ?? ENDED[execution] ?? (isOfOrder && execution === 'RUNNING' ? 'open' : '');
}

function gatewaySays({ status, type, execution }: ListedOrder): string {
  // Lists do not say whether the creation was sent: a reader who believes that it was not would sell the order again.
  if (status === NOT_CREATED_YET) return 'no answer';
  return status ?? (type === WORKFLOW.payment && execution === 'RUNNING' ? 'no worker yet' : '');
}

/** Since when it waits for a person, or its money is owed; if neither, since when there is the order. */
export const sinceOf = ({ owed_since, waits_since, started_at }: ShownOrder): string =>
  owed_since ?? waits_since ?? started_at;

export const orderTable = (rows: readonly ShownOrder[], options: TableOptions): string =>
  table(orderColumns(rows, options), rows, options.screen);

export function orderColumns(
  rows: readonly ShownOrder[],
  { now, overdue_ms, app_ids }: Omit<TableOptions, 'screen'>,
): readonly TableColumn<ShownOrder>[] {
  // Commands mean the only app of the settings by themselves. Any other app has to be typed.
  const areMeant = rows.every(({ app_id }) => !app_id || (app_ids.length === 1 && app_id === app_ids[0]));
  const isOverdue = ({ waits_since }: ShownOrder) =>
    waits_since !== null && now.getTime() - Date.parse(waits_since) > overdue_ms;
  return [
    { name: 'ORDER', of: ({ out_trade_no, workflow_id }) => out_trade_no ?? workflow_id },
    { name: 'APP', of: ({ app_id }) => (areMeant ? '' : (app_id ?? '')) },
    { name: 'OF', of: kindOfWorkflow, least: 3 },
    { name: 'OUTCOME', of: outcomeOf, least: 1 },
    { name: 'GATEWAY', of: gatewaySays, least: 2 },
    {
      name: 'ATTENTION',
      of: ({ attentions }) => attentions.join(', '),
      mark: (row) => (isOverdue(row) ? 'red' : 'yellow'),
    },
    { name: 'AGE', of: (row) => age(sinceOf(row), now), mark: (row) => (isOverdue(row) ? 'red' : undefined) },
    {
      name: 'LEFT',
      of: (row) => timeLeft(answerBy(row), now),
      mark: (row) => (isSoon(answerBy(row), now) ? 'red' : undefined),
    },
    { name: 'AMOUNT', of: amountOf },
    { name: 'TO SEND BACK', of: ({ owed }) => owed ?? '' },
    { name: 'TAKEN BY', of: ({ taken_by }) => taken_by ?? '' },
    { name: 'METHOD', of: ({ method }) => method ?? '', least: 4 },
    { name: 'ANSWER BY (UTC)', of: (row) => minuteOf(answerBy(row)), least: 5 },
    { name: 'EXPIRES (UTC)', of: (row) => minuteOf(expiresAt(row)), least: 5 },
    { name: 'NOTE', of: ({ note, failure }) => [note, failure].filter(Boolean).join('; '), yields: true },
  ];
}

const minuteOf = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '';

/** By when a dispute has to be answered, which Temporal stores as the order's expiry; null for anything else. */
const answerBy = ({ attentions, expires_at }: ListedOrder): string | null =>
  attentions.includes('dispute' satisfies Attention) ? expires_at : null;

/** By when it may be paid: of no more use once the order has ended. */
const expiresAt = (row: ListedOrder): string | null => (answerBy(row) || row.outcome !== null ? null : row.expires_at);

/** A time nearer than this, in ms, is marked by its colour. */
const SOON_MS = 2 * DAY;
const isSoon = (time: string | null, now: Date): boolean => time !== null && Date.parse(time) - now.getTime() < SOON_MS;

const amountOf = ({ amount, currency }: ListedOrder) => (amount === null ? '' : `${amount} ${currency ?? ''}`);

/** The ages by which totals are given. */
const AGES: readonly (readonly [name: string, below_ms: number])[] = [
  ['under an hour', HOUR],
  ['under a day', DAY],
  ['longer', Number.POSITIVE_INFINITY],
];

/** How many wait, by reason and by age; empty if nothing waits. */
export function totals(rows: readonly ListedOrder[], now: Date): string[] {
  const waits = rows.flatMap(({ waits_since }) =>
    waits_since === null ? [] : now.getTime() - Date.parse(waits_since),
  );
  if (waits.length === 0) return [];
  const reasons = countedBy(rows.flatMap(({ attentions }) => attentions));
  const ages = countedBy(waits.map((ms) => AGES.find(([, below_ms]) => ms < below_ms)?.[0] ?? ''));
  const byAge = AGES.flatMap(([name]) => (ages.has(name) ? `${ages.get(name)} ${name}` : []));
  const most = [...reasons].sort(([, one], [, other]) => other - one).map(([reason, count]) => `${count} ${reason}`);
  return [`By reason: ${most.join(', ')}.`, `By age: ${byAge.join(', ')}; the longest ${span(Math.max(...waits))}.`];
}

function countedBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
