/** What Temporal knows about an account's workflows, read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  type AccountActivities,
  type CarriedAccount,
  type DepositSignal,
  type EarlierAccount,
  type PaymentState,
  QUERY,
  SIGNAL,
  speiAccountWorkflowId,
  WORKFLOW,
} from '../contract';
import { earlierRuns, ifExists } from '../temporal/earlier-runs';
import { childrenOf } from '../temporal/list-query';
import { givenTo } from '../temporal/workflow-history';
import { notYet } from './failures';

/** What a run was given that a run of ours, or nobody, handed on. */
const accountInput = z.looseObject({ carried: z.custom<CarriedAccount>().optional() }).catch({});
const NOTHING = { input: {}, signals: [] };
const isDeposit = (signal: unknown): signal is DepositSignal => typeof signal === 'object' && signal !== null;

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

/** What earlier runs of this account knew, the latest first, until one has its ledger. Throws a retryable failure while the list is behind. */
export const accountBefore: AccountActivities['payments.account-before'] = async () => {
  const { workflowExecution } = activityInfo();
  const before: EarlierAccount = { carried: null, deposits: [] };
  if (workflowExecution === undefined) return before;
  const { workflowId, runId } = workflowExecution;
  const client = getClient();
  for (const run of await earlierRuns(client, workflowId, runId)) {
    const { carried, deposits } = await knownTo(client, workflowId, run.runId);
    before.deposits.unshift(...deposits);
    if (carried !== null) return { ...before, carried };
  }
  return before;
};

/**
 * What a run would have handed on. A run that ended before a worker had it cannot be asked, and one that can be asked may not
 * have seen the last signals: the history has all that came.
 */
async function knownTo(client: Client, workflowId: string, runId: string): Promise<EarlierAccount> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const known = await ifExists(() => handle.query<CarriedAccount | null>(QUERY.carried), undefined);
  const given = await ifExists(() => givenTo(client, workflowId, runId, SIGNAL.deposit), NOTHING);
  const carried = known === undefined ? (accountInput.parse(given.input).carried ?? null) : known;
  const kept = numbersIn(carried);
  const deposits = given.signals.filter(isDeposit).filter(({ out_trade_no }) => !kept.has(String(out_trade_no)));
  return { carried, deposits };
}

/** The deposits that a ledger knows. */
function numbersIn(carried: CarriedAccount | null): ReadonlySet<string> {
  const { pending = [], set_aside = [], counted = [] } = carried?.ledger ?? {};
  const open = [...pending, ...set_aside].map(({ out_trade_no }) => out_trade_no);
  return new Set([...open, ...counted.map(([out_trade_no]) => out_trade_no)]);
}

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
