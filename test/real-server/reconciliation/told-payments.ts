/** Workflows in the place of ours that end at once in the state that they are given: thousands of them cost little. */
import { ApplicationFailure, executeChild } from '@temporalio/workflow';

/** Without a state it fails, as a run that was started with what is not its own. */
export async function payment(state?: object): Promise<object> {
  if (state === undefined) throw ApplicationFailure.nonRetryable('This run was given nothing of its own.');
  return state;
}

export async function afterSale(state: object): Promise<object> {
  return state;
}

/** One deposit, which is a payment of its own. */
export async function speiAccount(workflowId: string, state: object): Promise<void> {
  await executeChild('payment', { workflowId, args: [state] });
}
