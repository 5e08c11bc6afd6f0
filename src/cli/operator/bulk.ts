/** `recheck --query …`: asks the gateway for many payments, at a bounded rate, with progress. */
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { UPDATE } from '../../contract';
import { UserError } from '../../process/user-error';
import { paymentQuery } from '../../temporal/payment-query';
import { innermost } from '../../temporal/timeline';
import { listWorkflows } from '../../temporal/workflow-list';
import { EXIT } from '../exit-codes';
import { complain, say } from '../print';
import { asOperator } from './connection';
import { UPDATE_TIMEOUT_MS } from './decide';
import { type FilterOptions, filterOf, numberOf } from './options';

export interface BulkOptions extends FilterOptions {
  json?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  perSecond: string;
}

/** How many may wait for their answers at a time. */
const AT_A_TIME = 20;

/** Ends the process: 0 if each was asked, 1 if some were not, 2 if nobody confirms. */
export function recheckMany(options: BulkOptions): Promise<never> {
  const now = new Date();
  const per_second = numberOf('--per-second', options.perSecond);
  const query = paymentQuery({ ...filterOf(options, now), open: true }, now);
  return asOperator(async ({ client }) => {
    const ids = await idsOf(client, query, options.app);
    if (options.dryRun) return listOnly(ids, options);
    await confirm(ids.length, options);
    const failed = await askEach(client, ids, per_second, options);
    if (!options.json)
      say(`${ids.length - failed} of ${ids.length} were asked for${failed ? `; ${failed} were not` : ''}.`);
    return failed === 0 ? EXIT.ok : EXIT.refused;
  });
}

async function idsOf(client: Client, query: string, app_id: string | undefined): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { workflow_id } of listWorkflows(client, query, app_id)) ids.add(workflow_id);
  return [...ids];
}

function listOnly(ids: readonly string[], { json }: BulkOptions): number {
  for (const workflow_id of ids) say(json ? JSON.stringify({ workflow_id, asked: false }) : workflow_id);
  if (!json) say(`${ids.length} would be asked for. Nothing was done.`);
  return EXIT.ok;
}

/** Throws UserError where nobody says yes. */
async function confirm(many: number, { yes }: BulkOptions): Promise<void> {
  if (yes || many === 0) return;
  const how = `This asks the gateway for ${many} payments. Look with --dry-run first, then give --yes.`;
  if (!process.stdin.isTTY) throw new UserError(how);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Ask the gateway for ${many} payments? Type ${many} to go on: `);
  terminal.close();
  if (answer.trim() !== String(many)) throw new UserError('Nothing was done.');
}

/** Begins so many a second. Returns how many were not answered. */
async function askEach(
  client: Client,
  ids: readonly string[],
  per_second: number,
  { json }: BulkOptions,
): Promise<number> {
  const started = Date.now();
  const waiting = new Set<Promise<void>>();
  let failed = 0;
  let done = 0;
  for (const [i, id] of ids.entries()) {
    await setTimeout(Math.max(started + (i * 1_000) / per_second - Date.now(), 0));
    while (waiting.size >= AT_A_TIME) await Promise.race(waiting);
    const asking = ask(client, id).then((error) => {
      waiting.delete(asking);
      done += 1;
      if (error !== null) failed += 1;
      if (json) say(JSON.stringify({ workflow_id: id, asked: error === null, error }));
      else complain(`${done} of ${ids.length}  ${id}${error === null ? '' : `: ${error}`}`);
    });
    waiting.add(asking);
  }
  await Promise.all(waiting);
  return failed;
}

/** Null once the workflow has looked, or why it did not. */
async function ask(client: Client, workflowId: string): Promise<string | null> {
  try {
    await client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).executeUpdate<object, []>(UPDATE.recheck),
    );
    return null;
  } catch (error) {
    return innermost(error);
  }
}
