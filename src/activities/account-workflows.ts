/** What Temporal knows of a deposit's payment, read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import type { AccountActivities, PaymentState } from '../contract';
import { ifExists } from '../temporal/earlier-runs';
import { notYet } from './failures';

/** The gaps between two looks at a payment that another workflow has started, in ms: the first, and the longest. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 10 * 60_000;

/** Fails, to be called again, until the payment has ended. `state` is null if it failed, was cancelled or terminated. */
export const endedPayment: AccountActivities['payments.ended-payment'] = async ({ workflow_id }) => {
  const { workflow } = getClient();
  const described = await ifExists(() => workflow.getHandle(workflow_id).describe(), null);
  if (described === null) return { parent: null, state: null, is_gone: true };
  const { status, parentExecution, runId } = described;
  if (status.name === 'RUNNING') {
    const { attempt } = activityInfo();
    throw notYet('the payment still runs', Math.min(FIRST_GAP_MS * 2 ** (attempt - 1), LONGEST_GAP_MS));
  }
  const parent = parentExecution?.workflowId ?? null;
  if (status.name !== 'COMPLETED') return { parent, state: null, is_gone: false };
  const state = await workflow.getHandle<() => Promise<PaymentState>>(workflow_id, runId).result();
  return { parent, state, is_gone: false };
};
