/** What Temporal knows about an account's workflows, read through the worker's own client. */

import { createHash } from 'node:crypto';
import { activityInfo, getClient } from '@temporalio/activity';
import { type AccountActivities, type PaymentState, speiAccountWorkflowId } from '../contract';
import { accountsOfKey } from '../temporal/list-query';
import { notYet } from './failures';

/** The gaps between two looks at a payment that another workflow has started, in ms: the first, and the longest. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 10 * 60_000;

/** The account of a creation's key, also where its workflow was terminated, and however it was started. */
export const accountOfCreation: AccountActivities['payments.account-of-creation'] = async ({ app_id, workflow_id }) => {
  // A search attribute is in clear for everybody who reads Temporal, and a key may be a buyer's.
  const key = createHash('sha256').update(workflow_id).digest('hex').slice(0, 32);
  const prefix = speiAccountWorkflowId(app_id, '');
  for await (const { workflowId } of getClient().workflow.list({ query: accountsOfKey(key) })) {
    if (workflowId.startsWith(prefix)) return { account_id: workflowId.slice(prefix.length), key };
  }
  return { account_id: null, key };
};

/** Fails, to be called again, until the payment has ended. `state` is null if it failed, was cancelled or terminated. */
export const endedPayment: AccountActivities['payments.ended-payment'] = async ({ workflow_id }) => {
  const { workflow } = getClient();
  const { status, parentExecution, runId } = await workflow.getHandle(workflow_id).describe();
  if (status.name === 'RUNNING') {
    const { attempt } = activityInfo();
    throw notYet('the payment still runs', Math.min(FIRST_GAP_MS * 2 ** (attempt - 1), LONGEST_GAP_MS));
  }
  const parent = parentExecution?.workflowId ?? null;
  if (status.name !== 'COMPLETED') return { parent, state: null };
  return { parent, state: await workflow.getHandle<() => Promise<PaymentState>>(workflow_id, runId).result() };
};
