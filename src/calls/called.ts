/** A Worker takes every function of a bundle for a workflow, and a merchant's bundle may export what its workflows call. */
import { workflowInfo } from '@temporalio/workflow';
import { FAILURE, typedFailure } from '../contract';

/** Throws ApplicationFailure (`NotAWorkflow`) where somebody has started the function itself by its name. */
export function assertCalled(name: string): void {
  if (workflowInfo().workflowType !== name) return;
  const message = `${name} is a function for your workflow, and no workflow: do not start it by its name. Nothing was done.`;
  throw typedFailure(FAILURE.notAWorkflow, message);
}
