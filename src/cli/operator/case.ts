/** All that is known of an order: its payment, its after-sale, their events, and what happened in each. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { z } from 'zod';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  appAttentionWorkflowId,
  FAILING_TASKS,
  kindOfWorkflow,
  moneyToSendBack,
  namedByWorkflowId,
  type PaymentState,
  paymentAfterEnd,
  paymentWorkflowId,
  type SpeiAccountCreation,
  type SpeiAccountState,
  secondTradesPaid,
  unlessOwnWentBack,
  WORKFLOW,
} from '../../contract';
import { appIdsOf } from '../../process/settings';
import { UserError } from '../../process/user-error';
import { withEnd } from '../../temporal/attention-list';
import { findNamed } from '../../temporal/find';
import { deliveriesQuery, orderQuery } from '../../temporal/payment-query';
import { type PendingWork, pendingWork } from '../../temporal/pending-work';
import { pollersOf } from '../../temporal/pollers';
import { ifExists, latestTakenRun, stateOfRun } from '../../temporal/runs';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import { type TimelineEntry, timelineOf } from '../../temporal/timeline';
import { collect, type ListedWorkflow, listed, listWorkflows } from '../../temporal/workflow-list';
import { printable } from '../print';
import type { Operator, Target } from './connection';

export interface OrderRun extends ListedWorkflow {
  waits_for: PendingWork[];
  task_queue: string;
}

export interface TimelineLine extends TimelineEntry {
  /** The kind of the workflow that it happened in. */
  of: string;
}

export interface OrderCase {
  app_id: string;
  out_trade_no: string | null;
  /** The newest first. */
  runs: OrderRun[];
  /** Null if there is none, or if no worker has answered: then `unanswered` has the workflow. */
  payment: PaymentState | null;
  after_sale: AfterSaleState | null;
  /** Of a virtual account. */
  account?: SpeiAccountState | null;
  /** Of the creation of a virtual account. */
  creation?: SpeiAccountCreation | null;
  unanswered: string[];
  /** The page in Temporal UI as lines of Markdown: of an open payment, or of a workflow that belongs to no order. */
  page: string[];
  timeline: TimelineLine[];
}

/** What is said of an order's number that somebody has asked about, and that is nobody's. */
export const NOBODYS = 'is known to nobody: Temporal has no payment of it, and the gateway showed no trade';

/** How long a query may wait for a worker, in ms. */
export const QUERY_TIMEOUT_MS = 8_000;
/** The runs whose histories are read, the newest first. */
const READ_RUNS = 10;

/** Reads a case from Temporal. Without a worker, only the states of open workflows are missing. */
export async function readCase(client: Client, { app_id, out_trade_no, workflow_id }: Target): Promise<OrderCase> {
  const found =
    out_trade_no === null ? await oneRun(client, workflow_id ?? '') : await runsOf(client, app_id, out_trade_no);
  const runs = await Promise.all(found.map((run) => withEnd(client, run)));
  const unanswered: string[] = [];
  const stateOf = async <T>(id: string): Promise<T | null> => {
    const newest = runs.find((run) => run.workflow_id === id);
    if (!newest) return null;
    const { runId } = await latestTakenRun(client, id);
    const latest = runs.find((run) => run.run_id === runId) ?? newest;
    const state = (await isAnswerable(client, latest)) ? await readState<T>(client, latest) : undefined;
    if (state === undefined) unanswered.push(id);
    return state ?? null;
  };
  const read = runs.filter(({ type }) => out_trade_no === null || type !== WORKFLOW.eventDelivery).slice(0, READ_RUNS);
  const timelines = await Promise.all(read.map((run) => linesOf(client, run)));
  const ofPayment = await stateOf<PaymentState>(paymentWorkflowId(app_id, out_trade_no ?? ''));
  const after_sale = await stateOf<AfterSaleState>(afterSaleWorkflowId(app_id, out_trade_no ?? ''));
  const payment = paymentAfterEnd(after_sale) ?? ofPayment;
  const ofType = async <T>(type: string) => (runs[0]?.type === type ? stateOf<T>(workflow_id ?? '') : null);
  const account = await ofType<SpeiAccountState>(WORKFLOW.speiAccount);
  const creation = await ofType<SpeiAccountCreation>(WORKFLOW.createSpeiAccount);
  // If all orders of an app fail, one workflow of the app waits for a person.
  const ofApp =
    payment?.attention === 'credentials' ? await oneRun(client, appAttentionWorkflowId(app_id, 'credentials')) : [];
  return {
    app_id,
    out_trade_no,
    runs: [...runs, ...ofApp.filter(({ execution }) => execution === 'RUNNING')],
    payment,
    after_sale,
    account,
    creation,
    unanswered,
    page: await readPage(client, out_trade_no === null ? runs[0] : ofPayment && runs.find(isOpenPayment)),
    timeline: happenedOnce(timelines).sort((one, other) => one.time.localeCompare(other.time)),
  };
}

/** The money that is to be sent back, in words; undefined if there is none, null if no worker said what has gone back. */
export function moneyOwed(found: OrderCase): string | undefined | null {
  const { payment, after_sale } = found;
  return payment && saysWhatWentBack(found) ? moneyToSendBack(payment, after_sale) : null;
}

/** The same of what was paid a second time. No fact tells whether a refund of the order's own trade was for it. */
export function secondMoneyOwed(found: OrderCase): string | undefined | null {
  const { payment, after_sale } = found;
  if (!payment || !saysWhatWentBack(found)) return null;
  const twice = secondTradesPaid(payment);
  const unless = unlessOwnWentBack(after_sale);
  return twice && (unless === '' ? twice : `perhaps ${twice}${unless}`);
}

const saysWhatWentBack = ({ app_id, out_trade_no, unanswered }: OrderCase): boolean =>
  !unanswered.includes(afterSaleWorkflowId(app_id, out_trade_no ?? ''));

/**
 * The case that has this as another number or name: of a trade, a refund, an account, a buyer. `app`: only of this app, as somebody has named it.
 * Throws UserError if several have it.
 */
export async function caseFound(
  { client, config }: Operator,
  { app_id, out_trade_no }: Target,
  app?: string,
): Promise<OrderCase | undefined> {
  if (out_trade_no === null) return undefined;
  // If the namespace lacks a search attribute, Temporal refuses to search by it.
  await explainIfNotSetUp(client);
  const app_ids = app === undefined ? [...new Set([app_id, ...appIdsOf(config)])] : [app];
  const [found, ...others] = await findNamed(client, { text: out_trade_no, app_ids, app_id: app });
  if (found === undefined) return undefined;
  if (others.length > 0) {
    const names = [found, ...others].map((one) => `  ${one.out_trade_no ?? one.workflow_id} (${one.found_by})`);
    throw new UserError([`Several have ${out_trade_no}. Name one:`, ...names].map(printable).join('\n'));
  }
  const { app_id: its_app, out_trade_no: order, workflow_id } = found;
  return readCase(client, {
    app_id: its_app ?? app_id,
    out_trade_no: order,
    workflow_id: order === null ? workflow_id : null,
  });
}

/** Every run of the order. The two main workflows are described as well: the list may be seconds behind. */
async function runsOf(client: Client, app_id: string, out_trade_no: string): Promise<OrderRun[]> {
  const found = new Map<string, ListedWorkflow>();
  for await (const run of listWorkflows(client, orderQuery(app_id, out_trade_no))) {
    const named = namedByWorkflowId(run.workflow_id);
    if (named?.app_id === app_id && named.out_trade_no === out_trade_no) found.set(run.run_id, run);
  }
  for (const id of [paymentWorkflowId(app_id, out_trade_no), afterSaleWorkflowId(app_id, out_trade_no)]) {
    for (const run of await oneRun(client, id)) found.set(run.run_id, run);
  }
  // The order's own workflows say what happened to it. Of its events, only the undelivered ones are added.
  const query = deliveriesQuery(paymentWorkflowId(app_id, out_trade_no), new Date());
  const deliveries = (await collect(listWorkflows(client, query))).map((run) => withEnd(client, run));
  for (const run of await Promise.all(deliveries))
    if (run.execution === 'RUNNING' || run.attention !== null) found.set(run.run_id, run);
  const runs = [...found.values()].sort((one, other) => other.started_at.localeCompare(one.started_at));
  return Promise.all(runs.map((run) => withWork(client, run)));
}

async function oneRun(client: Client, workflowId: string): Promise<OrderRun[]> {
  const described = await descriptionOf(client, workflowId);
  return described ? [await asRun(client, described)] : [];
}

async function withWork(client: Client, run: ListedWorkflow): Promise<OrderRun> {
  const described = run.execution === 'RUNNING' ? await descriptionOf(client, run.workflow_id, run.run_id) : undefined;
  return described ? asRun(client, described) : { ...run, waits_for: [], task_queue: '' };
}

async function asRun(client: Client, described: WorkflowExecutionDescription): Promise<OrderRun> {
  const [run, waits_for] = [listed(described), await pendingWork(client, described)];
  // Temporal itself reports a task only once it has failed several times: until then, nothing else says that a person is needed.
  const failing = run.attention === null ? waits_for.find(({ state }) => state === 'fails each time') : undefined;
  const needs = failing && { attention: FAILING_TASKS, waits_since: failing.last_at ?? run.started_at };
  return { ...run, ...needs, waits_for, task_queue: described.taskQueue };
}

/** A workflow as Temporal has it now; undefined if there is none. */
export const descriptionOf = (client: Client, workflowId: string, runId?: string) =>
  ifExists<WorkflowExecutionDescription | undefined>(
    () => client.workflow.getHandle(workflowId, runId).describe(),
    undefined,
  );

/** A query on a task queue that nobody polls fails only after its time is over, so it is not made. */
async function isAnswerable({ connection, options }: Client, { execution, task_queue }: OrderRun): Promise<boolean> {
  if (execution === 'COMPLETED' || task_queue === '') return true;
  const pollers = await pollersOf(connection, { namespace: options.namespace, taskQueue: task_queue }, 0);
  return pollers['workflow tasks'].identities.length > 0;
}

/** Undefined if it cannot be read. */
async function readState<T>(
  client: Client,
  { workflow_id: workflowId, run_id: runId, execution: name }: ListedWorkflow,
): Promise<T | undefined> {
  const ask = () => stateOfRun<T>(client, { workflowId, runId, status: { name } });
  return client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, ask).catch(() => undefined);
}

const isOpenPayment = ({ type, execution }: OrderRun) => type === WORKFLOW.payment && execution === 'RUNNING';

const metadata = z.object({ currentDetails: z.string().optional() });

/** Empty without a worker. */
async function readPage(client: Client, run: OrderRun | null | undefined): Promise<string[]> {
  if (!run || !(await isAnswerable(client, run))) return [];
  const handle = client.workflow.getHandle(run.workflow_id, run.run_id);
  const read = await client
    .withDeadline(Date.now() + QUERY_TIMEOUT_MS, () => handle.query('__temporal_workflow_metadata'))
    .catch(() => ({}));
  return (metadata.parse(read).currentDetails ?? '').split('\n').filter((line) => line !== '');
}

/** A run that is a reset begins with the events of the one that was reset: they happened once. */
function happenedOnce(timelines: readonly TimelineLine[][]): TimelineLine[] {
  const told = new Set<string>();
  return timelines.flatMap((lines) => {
    const named = lines.map((line) => [JSON.stringify(line), line] as const).filter(([name]) => !told.has(name));
    for (const [name] of named) told.add(name);
    return named.map(([, line]) => line);
  });
}

async function linesOf(client: Client, run: OrderRun): Promise<TimelineLine[]> {
  const of = kindOfWorkflow(run);
  return (await timelineOf(client, run.workflow_id, run.run_id)).map((entry) => ({ ...entry, of }));
}
