/** `payment-gateway reconcile`: compares a period with the gateway, and with the merchant's own list from standard input. */
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import {
  type Difference,
  type DifferencesPage,
  type DifferencesQuestion,
  inParts,
  type MerchantRow,
  priorityOf,
  QUERY,
  type ReconciliationInput,
  type ReconciliationState,
  readPeriod,
  reconciliationWorkflowId,
  WORKFLOW,
} from '../../contract';
import { ConfigError } from '../../process/user-error';
import { GRPC_STATUS, grpcCodeOf, isOutOfTime } from '../../temporal/call-errors';
import { pendingWork } from '../../temporal/pending-work';
import { ifAnswered, stateOfRun } from '../../temporal/runs';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import { innermost } from '../../temporal/timeline';
import type { AppOptions } from '../command-settings';
import { EXIT } from '../exit-codes';
import { complain, say } from '../print';
import { appToChange } from '../which-app';
import { asOperator, type Operator } from './connection';
import { csvLine } from './csv';
import { merchantRows } from './merchant-rows';
import { momentOf, numberOf } from './options';

interface ReconcileOptions extends AppOptions {
  since?: string;
  until?: string;
  csv?: boolean;
  adopt?: boolean;
  perSecond: string;
}

/** How often the progress is read, in ms. */
const LOOK_EVERY_MS = 1_000;
/** How long one reading may take, in ms. */
const ANSWER_WITHIN_MS = 5_000;
/** What Temporal answers while no worker, or Temporal itself, is there. */
const NO_ANSWER_NOW: readonly (number | undefined)[] = [GRPC_STATUS.FAILED_PRECONDITION, GRPC_STATUS.UNAVAILABLE];
/** One start of a workflow has no room for more rows: a longer list is compared in parts. */
const ROWS_A_START = 10_000;

const COLUMNS = ['out_trade_no', 'kind', 'between', 'here', 'gateway', 'merchant', 'adopted'] as const;

/**
 * Ends the process: 0 if nothing differs, 1 if something does or a row was left out: the lines say what; 3 if not all was compared. The
 * comparison is a workflow, which goes on if this command is stopped; with differences it waits for `resolve`.
 */
export function reconcile(options: ReconcileOptions): Promise<never> {
  const now = new Date();
  const { since, until } = options;
  const per_second = numberOf('--per-second', options.perSecond);
  const named = {
    since: since === undefined ? undefined : momentOf('--since', since, now).toISOString(),
    until: until === undefined ? undefined : momentOf('--until', until, now).toISOString(),
  };
  const period = readPeriod(named, now.getTime());
  if ('rule' in period) throw new ConfigError(`--${period.field} ${period.rule}.`);
  return asOperator(async (operator) => {
    const app_id = await appToChange(operator.config, { app: options.app }, () => Promise.resolve(operator.client));
    // In a namespace that is not set up, no worker answers.
    await explainIfNotSetUp(operator.client);
    const whole = { app_id, ...period, adopt: options.adopt === true, per_second };
    const list = options.csv ? merchantRows(await text(process.stdin)) : undefined;
    if (list) complain(`Read as: ${list.readAs}.`);
    const parts = partsOf(list?.rows);
    const leftOut = list?.leftOut ?? [];
    for (const sentence of leftOut) complain(sentence);
    let [checked, open, found] = [0, 0, 0];
    if (!options.json) say(csvLine(COLUMNS));
    for (const [i, part] of parts.entries()) {
      const name = parts.length === 1 ? now.toISOString() : `${now.toISOString()}:${i + 1}`;
      if (parts.length > 1) complain(`Part ${i + 1} of ${parts.length}: a part that is not begun needs this command.`);
      const state = await compare(operator, name, { ...whole, ...part }, options);
      if (!state?.finished) return EXIT.pending;
      checked += state.checked;
      open += state.open;
      found += state.found;
    }
    const left = leftOut.length > 0 ? ` ${leftOut.length} lines of the list were left out.` : '';
    complain(`${checked} orders compared, ${open} of them open, ${found} differences.${left}`);
    return found === 0 && leftOut.length === 0 ? EXIT.ok : EXIT.refused;
  });
}

/** Compares one part as a workflow, and prints its differences: all, or those found before the workflow was ended from outside. */
async function compare(
  { client, config }: Operator,
  name: string,
  input: ReconciliationInput,
  options: ReconcileOptions,
): Promise<ReconciliationState | null> {
  const handle = await client.workflow.start(WORKFLOW.reconciliation, {
    workflowId: reconciliationWorkflowId(input.app_id, name),
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    args: [input],
    staticSummary: `Reconciliation of ${input.app_id}`,
    priority: priorityOf(reconciliationWorkflowId(input.app_id, name)),
  });
  complain(`Comparing as ${handle.workflowId}. It goes on if you stop this command.`);
  const state = await untilEnded(handle, client);
  for (let from: number | null = state === null ? null : 0; from !== null; ) {
    const question: DifferencesQuestion = { from };
    const page: DifferencesPage = await handle.query(QUERY.differences, question);
    print(page.differences, options);
    from = page.next;
  }
  if (state?.broken_off)
    complain('Broken off: with so many differences, look at the settings and at the period first.');
  if (!state?.finished) {
    const how = await handle.result().catch(innermost);
    complain(`It was ended before it had compared everything: ${how}. Start this command again.`);
  }
  return state;
}

function partsOf(rows: MerchantRow[] | undefined): Pick<ReconciliationInput, 'rows' | 'orders'>[] {
  return rows === undefined || rows.length <= ROWS_A_START ? [{ rows }] : inParts(rows, ROWS_A_START);
}

/** Its last state; null if it was ended before a worker had it. */
async function untilEnded(handle: WorkflowHandle, client: Client): Promise<ReconciliationState | null> {
  for (let shown = ''; ; ) {
    const known = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => progressOf(handle, client));
    if (known && (known.state?.finished || known.run.status.name !== 'RUNNING')) return known.state;
    const progress = known?.state
      ? `${known.state.checked} compared, ${known.state.found} differences so far${await obstacle(known.run, client)}`
      : 'No worker answers now. The comparison goes on where it was once one runs.';
    if (progress !== shown) complain(progress);
    shown = progress;
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** Why the comparison does not go on, if it does not. */
async function obstacle(run: WorkflowExecutionDescription, client: Client): Promise<string> {
  const [work] = await pendingWork(client, run);
  return work?.last_answer ? `; it is tried again after: ${work.last_answer}` : '';
}

/** Null while nobody can answer: workers and Temporal may be restarted during a long comparison. */
async function progressOf(handle: WorkflowHandle, client: Client) {
  try {
    const run = await handle.describe();
    return { run, state: await ifAnswered<ReconciliationState | null>(() => stateOfRun(client, run), null) };
  } catch (error) {
    if (isOutOfTime(error) || NO_ANSWER_NOW.includes(grpcCodeOf(error))) return null;
    throw error;
  }
}

function print(differences: readonly Difference[], { json }: ReconcileOptions): void {
  for (const one of differences) {
    say(json ? JSON.stringify(one) : csvLine(COLUMNS.map((column) => String(one[column] ?? ''))));
  }
}
