/** `recheck --query …` and `resolve --all-of …`: many workflows, at a bounded rate, with progress. */
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isAttention, QUERY, type SpeiAccountState, shownOf, UPDATE, WORKFLOW } from '../../contract';
import { ConfigError, UserError } from '../../process/user-error';
import { listFiltered } from '../../temporal/attention-list';
import { longestWaitFirst } from '../../temporal/order-list';
import { isTrouble, paymentQuery } from '../../temporal/payment-query';
import { innermost } from '../../temporal/timeline';
import { collect, type ListedWorkflow, listed, listWorkflows } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { withOptions } from '../option-words';
import { complain, say } from '../print';
import { asOperator } from './connection';
import { DECISION_FIELDS, type ResolveOptions, resolutionOf, secondTradesLeft, UPDATE_TIMEOUT_MS } from './decide';
import { leftOut, whyNotTaken } from './not-taken';
import { type FilterOptions, filterOf, numberOf } from './options';
import { orderTable, tableOptions, totals } from './order-table';

interface ManyOptions {
  json?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  perSecond: string;
}

type BulkOptions = FilterOptions & ManyOptions;

interface BulkResolveOptions extends ResolveOptions, ManyOptions {
  allOf: string;
}

/** What is done with each of many workflows. */
interface Task {
  /** The verb of a sentence with the number of workflows. */
  asks: string;
  would: string;
  done: string;
  /** Gives what is left for the person to do with it, if there is anything. */
  act: (workflowId: string) => Promise<string | undefined>;
}

/** How many answers may be awaited at a time. */
const AT_A_TIME = 20;

/** Ends the process: 0 if each that takes it was asked, 1 if some were not, 2 if nobody confirms. */
export function recheckMany(options: BulkOptions): Promise<never> {
  const now = new Date();
  const filter = filterOf(options, now);
  const per_second = numberOf('--per-second', options.perSecond);
  return asOperator(async ({ client }) => {
    // What `list` shows for the same choice, so that whoever asks for it hears of each.
    const found = await collect(
      isTrouble(filter)
        ? listFiltered(client, filter, now)
        : listWorkflows(client, paymentQuery({ ...filter, open: true }, now), filter.app_id),
    );
    const rows = [...new Map(found.map((row) => [row.workflow_id, row])).values()];
    const isTaken = (row: ListedWorkflow) => whyNotTaken(UPDATE.recheck, row) === undefined;
    const left = rows.filter((row) => !isTaken(row));
    const ids = rows.filter(isTaken).map(({ workflow_id }) => workflow_id);
    const task = {
      ...{ asks: 'asks the gateway for', would: 'would be asked for', done: 'were asked for' },
      act: (id: string) =>
        client.workflow
          .getHandle(id)
          .executeUpdate<object, []>(UPDATE.recheck)
          .then(() => undefined),
    };
    if (options.json)
      for (const row of left) {
        const { workflow_id } = row;
        say(JSON.stringify({ workflow_id, asked: false, error: whyNotTaken(UPDATE.recheck, row) }));
      }
    else if (left.length > 0) complain(leftOut(UPDATE.recheck, left));
    if (options.dryRun) return listOnly(ids, options, task);
    await confirm(ids.length, options, task);
    return doEach(client, ids, { ...task, per_second }, options);
  });
}

/**
 * Shows what waits for this reason, and sends the same decision to each once a person has confirmed the number. Ends the process: 0 if each has
 * taken it, 1 if some have not, 2 if nobody confirms.
 */
export function resolveMany(options: BulkResolveOptions): Promise<never> {
  const { allOf: reason, json } = options;
  if (!isAttention(reason))
    throw new ConfigError(`--all-of ${reason}: no reason that is resolved. payment-gateway explain lists them.`);
  const now = new Date();
  const query = paymentQuery({ attention: reason, app_id: options.app }, now);
  const per_second = numberOf('--per-second', options.perSecond);
  return asOperator(async ({ client, config }) => {
    const rows = longestWaitFirst(await collect(listWorkflows(client, query, options.app)));
    const ids = rows.map(({ workflow_id }) => workflow_id);
    const input = resolutionOf(options);
    const task = {
      ...{ asks: 'resolves', would: 'would be resolved', done: 'were resolved' },
      act: async (id: string) => {
        const handle = client.workflow.getHandle(id);
        // The person has not seen what has come since.
        const { attention, type } = listed(await handle.describe());
        if (attention !== reason) throw new UserError(`it waits for ${reason} no longer`);
        // An account takes only decisions that name what it shows under the reason.
        const seen =
          type === WORKFLOW.speiAccount ? shownOf((await handle.query<SpeiAccountState>(QUERY.state)).unseen) : reason;
        const state = await handle.executeUpdate<object, [object]>(UPDATE.resolve, { args: [{ ...input, seen }] });
        return secondTradesLeft(state, reason);
      },
    };
    const isShown = !json && rows.length > 0 && !options.yes;
    if (isShown) say([orderTable(rows, tableOptions(config, now)), ...totals(rows, now)].join('\n'));
    if (options.dryRun) return listOnly(isShown ? [] : ids, options, task, ids.length);
    await confirm(ids.length, options, task);
    return doEach(client, ids, { ...task, per_second }, options);
  });
}

function listOnly(ids: readonly string[], { json }: ManyOptions, { would }: Task, many = ids.length): number {
  for (const workflow_id of ids) say(json ? JSON.stringify({ workflow_id, asked: false }) : workflow_id);
  if (!json) say(`${many} ${would}. Nothing was done.`);
  return EXIT.ok;
}

/** Throws UserError if nobody confirms. */
async function confirm(many: number, { yes }: ManyOptions, { asks }: Task): Promise<void> {
  if (yes || many === 0) return;
  const what = `This ${asks} ${many} ${many === 1 ? 'workflow' : 'workflows'}.`;
  const how = `${what} Look with --dry-run first, then give --yes.`;
  if (!process.stdin.isTTY) throw new UserError(how);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${what} Type ${many} to go on: `);
  terminal.close();
  if (answer.trim() !== String(many)) throw new UserError('Nothing was done.');
}

/** Begins `per_second` workflows a second, and reports each. */
async function doEach(
  client: Client,
  ids: readonly string[],
  { act, done, per_second }: Task & { per_second: number },
  { json }: ManyOptions,
): Promise<number> {
  const started = Date.now();
  const waiting = new Set<Promise<void>>();
  let failed = 0;
  let ended = 0;
  for (const [i, id] of ids.entries()) {
    await setTimeout(Math.max(started + (i * 1_000) / per_second - Date.now(), 0));
    while (waiting.size >= AT_A_TIME) await Promise.race(waiting);
    const acting = endOf(client, () => act(id)).then(({ error, left }) => {
      waiting.delete(acting);
      ended += 1;
      if (error !== null) failed += 1;
      if (json) say(JSON.stringify({ workflow_id: id, asked: error === null, error, left }));
      else complain(`${ended} of ${ids.length}  ${[id, error ?? left].filter(Boolean).join(': ')}`);
    });
    waiting.add(acting);
  }
  await Promise.all(waiting);
  if (!json) say(`${ids.length - failed} of ${ids.length} ${done}${failed ? `; ${failed} were not` : ''}.`);
  return failed === 0 ? EXIT.ok : EXIT.refused;
}

/** `error`: null once it is done; otherwise why it was not. */
async function endOf(client: Client, act: () => Promise<string | undefined>) {
  try {
    return { error: null, left: await client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, act) };
  } catch (error) {
    return { error: withOptions(DECISION_FIELDS, innermost(error)), left: undefined };
  }
}
