/** What Temporal knows about an account's workflows, read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import { type AccountActivities, type PaymentState, speiAccountWorkflowId, WORKFLOW } from '../contract';
import { childrenOf } from '../temporal/list-query';
import { notYet } from './failures';

/** The gaps between two looks at a payment that another workflow has started, in ms: the first, and the longest. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 10 * 60_000;

/** The `account_id` that the creation under this workflow id has made, also where its workflow was terminated; null if Temporal knows none. */
export const accountOfCreation: AccountActivities['payments.account-of-creation'] = async ({ app_id, workflow_id }) => {
  const query = childrenOf(workflow_id, WORKFLOW.speiAccount);
  const prefix = speiAccountWorkflowId(app_id, '');
  for await (const { workflowId, parentExecution } of getClient().workflow.list({ query })) {
    if (parentExecution?.workflowId === workflow_id) return workflowId.slice(prefix.length);
  }
  return null;
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
