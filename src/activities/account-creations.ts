/** What Temporal knows of a key: its account, and whether an earlier creation may have made an account. */
import { createHash } from 'node:crypto';
import { getClient } from '@temporalio/activity';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AccountActivities,
  type CreatedSpeiAccount,
  createSpeiAccountWorkflowId,
  detailsOf,
  isNotCreatedFailure,
  SEARCH_ATTRIBUTE,
  speiAccountWorkflowId,
  telling,
} from '../contract';
import { accountsOfKey } from '../temporal/list-query';
import { earlierRuns, ifExists } from '../temporal/runs';
import { failureOf } from '../temporal/workflow-history';
import { ownRunId } from './own-run';

/** The account of a creation's key, also where its workflow was terminated, and however it was started. */
export const accountOfCreation: AccountActivities['payments.account-of-creation'] = telling(
  async ({ app_id, workflow_id }) => {
    const client = getClient();
    // Hashed, because everybody who reads Temporal sees search attributes in clear, and a key may identify a buyer.
    const key = createHash('sha256').update(workflow_id).digest('hex').slice(0, 32);
    const read_by = ownRunId();
    const prefix = speiAccountWorkflowId(app_id, '');
    for await (const { workflowId } of client.workflow.list({ query: accountsOfKey(key) })) {
      if (!workflowId.startsWith(prefix)) continue;
      return { account_id: workflowId.slice(prefix.length), key, read_by, unknown_run: null };
    }
    return { key, read_by, ...(await earlierCreations(client, workflow_id, read_by)) };
  },
);

/** `describe` is never behind, unlike a list: it shows an account that another creation has just taken. */
export const accountHolder: AccountActivities['payments.account-holder'] = telling(
  async ({ app_id, account_id, key }) => {
    const handle = getClient().workflow.getHandle(speiAccountWorkflowId(app_id, account_id));
    const account = await ifExists(() => handle.describe(), null);
    const keys = account?.typedSearchAttributes.get(SEARCH_ATTRIBUTE.accountKeys) ?? [];
    if (account === null || keys.length === 0 || keys.includes(key)) return null;
    const parent = account.parentExecution?.workflowId;
    return parent?.startsWith(createSpeiAccountWorkflowId(app_id, '')) ? parent : account.workflowId;
  },
);

/** What the earlier runs under a creation's id made. A run that ended as certainly not created had checked the runs before it. */
async function earlierCreations(client: Client, workflow_id: string, run_id: string) {
  let unknown_run: string | null = null;
  for (const run of await earlierRuns(client, workflow_id, run_id)) {
    const made = await madeBy(client, run);
    if (made === 'certainly-none') break;
    if (made === 'never-started') continue;
    if (made === 'unknown') unknown_run ??= run.runId;
    else return { account_id: made.account_id, unknown_run: null };
  }
  return { account_id: null, unknown_run };
}

/** A run that somebody ended may have made an account that nobody knows. */
async function madeBy(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<CreatedSpeiAccount | 'certainly-none' | 'never-started' | 'unknown'> {
  const handle = client.workflow.getHandle<() => Promise<CreatedSpeiAccount>>(workflowId, runId);
  const { status } = await handle.describe();
  if (status.name === 'COMPLETED') return handle.result();
  const failure = await failureOf(handle);
  // This run ended before it had checked the runs before it.
  if (failure instanceof ApplicationFailure && detailsOf(failure)?.started === false) return 'never-started';
  return isNotCreatedFailure(failure) ? 'certainly-none' : 'unknown';
}
