/** Finds orders and accounts by what a person knows of them: a number, a name, or an amount and a day. */
import type { Client } from '@temporalio/client';
import {
  type Attention,
  afterSaleWorkflowId,
  createSpeiAccountWorkflowId,
  NAME_KINDS,
  nameDigest,
  namedByWorkflowId,
  type PaymentState,
  paymentWorkflowId,
  SEARCH_ATTRIBUTE,
  speiAccountWorkflowId,
} from '../contract';
import { isSayable, NOT_CONTINUED, quoted, runsOf } from './list-query';
import { type ListedOrder, longestWaitFirst } from './order-list';
import { ofOrdersQuery, ordersBesideQuery, type Period, paymentQuery, tradeQuery } from './payment-query';
import { latestState } from './runs';
import { type ListedWorkflow, listWorkflows, newestRuns, runsUnder } from './workflow-list';

/** What is looked for. `app_ids`: the apps that may have it. */
export interface Sought {
  text: string;
  app_ids: readonly string[];
  /** The one app to which a person has limited the search. */
  app_id?: string | undefined;
}

/** An order or an account, and which of its numbers or names the text was. */
export interface FoundOrder extends ListedOrder {
  found_by: string;
}

const MOST = 100;

/** The workflow ids that the text may stand for, each with what the text would be. */
const idsOf = ({ text, app_ids }: Sought): readonly (readonly [by: string, id: string])[] => [
  ...app_ids.flatMap((app) => [
    ['order', paymentWorkflowId(app, text)] as const,
    ['order', afterSaleWorkflowId(app, text)] as const,
    ['account', speiAccountWorkflowId(app, text)] as const,
    ['key of an account', createSpeiAccountWorkflowId(app, text)] as const,
  ]),
  ...(namedByWorkflowId(text) === undefined ? [] : [['workflow', text] as const]),
];

const isTradeNo = (text: string): boolean => /^[\w.:-]+$/.test(text);

/** One query for everything that has the text as its number or name, short enough for a link. */
export function namedQuery(sought: Sought): string {
  const { text } = sought;
  const { tradeNo, names } = SEARCH_ATTRIBUTE;
  const ids = idsOf(sought).flatMap(([, id]) => (isSayable(id) ? quoted(id) : []));
  return [
    ...(ids.length > 0 ? [`WorkflowId IN (${ids.join(', ')})`] : []),
    ...(isTradeNo(text) ? [`${tradeNo.name} = ${quoted(text)}`] : []),
    `${names.name} IN (${NAME_KINDS.map((kind) => quoted(nameDigest(kind, text))).join(', ')})`,
  ].join(' OR ');
}

/** Everything that has the text as its number or name. */
export async function findNamed(client: Client, sought: Sought): Promise<FoundOrder[]> {
  const { text, app_id } = sought;
  const questions: readonly Question[] = [
    ...idsOf(sought).map(([by, id]) => ({ by, id, query: runsOf(id) })),
    ...(isTradeNo(text) ? [{ by: 'trade', query: tradeQuery(text) }] : []),
    ...NAME_KINDS.map((kind) => ({
      by: kind,
      query: `${SEARCH_ATTRIBUTE.names.name} = ${quoted(nameDigest(kind, text))}`,
    })),
  ];
  const found = (await Promise.all(questions.map((one) => rowsOf(client, { ...one, app_id })))).flat();
  return together(client, found.length > 0 ? found : await ofSecondTrade(client, sought));
}

/** How long the state of one order may take, in ms: without a worker there is no answer. */
const STATE_TIMEOUT_MS = 5_000;

/**
 * The orders under `second-trade` that have the text as the number of another trade. Only their states have it, so a worker has to answer, and
 * our keys have to read it: an order of which nobody tells is left out.
 */
async function ofSecondTrade(client: Client, { text, app_id }: Sought): Promise<FoundRow[]> {
  if (!isTradeNo(text)) return [];
  const reason: Attention = 'second-trade';
  const query = paymentQuery({ attention: reason }, new Date());
  const rows = await rowsOf(client, { by: 'second trade', query, app_id });
  const having = await Promise.all(
    rows.map(async ({ workflow_id }) => {
      const ask = () => latestState<Pick<PaymentState, 'other_trades'>>(client, workflow_id);
      const { other_trades } = await client.withDeadline(Date.now() + STATE_TIMEOUT_MS, ask).catch(() => NO_TRADES);
      return other_trades.some(({ trade_no }) => trade_no === text);
    }),
  );
  return rows.filter((_, i) => having[i]);
}

const NO_TRADES: Pick<PaymentState, 'other_trades'> = { other_trades: [] };

/** What has the text as its number in apps that are not among `app_ids`, such as one that a caller has mistyped. */
export async function findInOtherApps(client: Client, { text, app_ids }: Sought): Promise<FoundOrder[]> {
  const others = await otherApps(client, app_ids);
  return others.length === 0 ? [] : findNamed(client, { text, app_ids: others });
}

/** The most apps that are looked for: each costs a query. */
const MOST_APPS = 50;

/** The other apps of the namespace that have orders. Temporal has no list of them: each query leaves out those that are known. */
async function otherApps(client: Client, app_ids: readonly string[]): Promise<string[]> {
  const others = new Set<string>();
  while (others.size < MOST_APPS) {
    const query = ordersBesideQuery([...app_ids, ...others]);
    const { value: next } = await client.workflow.list({ query, pageSize: 1 })[Symbol.asyncIterator]().next();
    const { app_id } = (next && namedByWorkflowId(next.workflowId)) ?? {};
    // An id that nobody here makes, or that no query can leave out, would be found again.
    if (app_id === undefined || !isSayable(app_id) || others.has(app_id)) break;
    others.add(app_id);
  }
  return [...others];
}

/** Orders of this amount, which began in the period, or at any time. */
export async function findAmount(
  client: Client,
  { amount, began }: { amount: number; began: Period | undefined },
  app_id: string | undefined,
): Promise<FoundOrder[]> {
  const on = (time: Date) => quoted(time.toISOString());
  const within = began ? ` AND StartTime >= ${on(began.since)} AND StartTime < ${on(began.until)}` : '';
  const query = `${ofOrdersQuery} AND ${SEARCH_ATTRIBUTE.amount.name} = ${amount}${within}`;
  return together(client, await rowsOf(client, { by: 'amount', query, app_id }));
}

interface Question {
  by: string;
  query: string;
  /** The workflow that is meant: a query may find others, too. */
  id?: string | undefined;
  app_id?: string | undefined;
}

type FoundRow = ListedWorkflow & { found_by: string };

async function rowsOf(client: Client, { by, query, id, app_id }: Question): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for await (const row of listWorkflows(client, `${query} AND ${NOT_CONTINUED}`, app_id)) {
    if (id === undefined || row.workflow_id === id) rows.push({ ...row, found_by: by });
    if (rows.length === MOST) break;
  }
  return rows;
}

/** One row for each order, with all that its payment and its after-sale know now, whichever of them was found. */
async function together(client: Client, found: readonly FoundRow[]): Promise<FoundOrder[]> {
  const ids = found.flatMap(({ app_id, out_trade_no }) =>
    app_id === null || out_trade_no === null
      ? []
      : [paymentWorkflowId(app_id, out_trade_no), afterSaleWorkflowId(app_id, out_trade_no)],
  );
  const newest = newestRuns([...found, ...(await runsUnder(client, [...new Set(ids)]))]);
  const by = new Map(found.map((row) => [nameOf(row), row.found_by]));
  return longestWaitFirst([...newest.values()]).map((row) => ({ ...row, found_by: by.get(nameOf(row)) ?? '' }));
}

const nameOf = ({ app_id, out_trade_no, workflow_id }: ListedWorkflow) => `${app_id} ${out_trade_no ?? workflow_id}`;
