/**
 * Who asks in a Nexus task. The SDK does not tell a codec, but only the workflow that asked may read the answer. So the key and
 * the owner of the question are kept for the answer.
 */
import { ApplicationFailure } from '@temporalio/common';
import { asyncLocalStorage } from '@temporalio/nexus/lib/context';
import { isOurWorkflow } from '../contract/ids';
import type { EncryptionKey } from './cipher';
import { parseOwner } from './payload-owner';

/** A workflow in another namespace: its key and its place, which bind the answer. */
export interface NexusCaller {
  key: EncryptionKey;
  ownerText: string;
}

/** By the SDK's own object for each task. `refused`: the question was not authentic, and no handler has got it. */
const callers = new WeakMap<object, NexusCaller | 'refused'>();

export const isNexusTask = () => asyncLocalStorage.getStore() !== undefined;

/** Undefined outside of Nexus tasks, and if the question had no input. */
export function nexusCaller(): NexusCaller | 'refused' | undefined {
  const task = asyncLocalStorage.getStore();
  return task && callers.get(task);
}

export function rememberCaller(caller: NexusCaller | 'refused'): void {
  const task = asyncLocalStorage.getStore();
  if (task) callers.set(task, caller);
}

/** Only merchants' workflows ask. A payload of one of our workflows was moved here. */
export function mayAsk(ownerText: string): boolean {
  const { type, workflowId } = parseOwner(ownerText) ?? {};
  return type === 'workflow' && workflowId !== undefined && !isOurWorkflow(workflowId);
}

/** The SDK answers this error with `BAD_REQUEST`; every other error makes it repeat the task without end. */
export function refusedQuestion(message: string): ApplicationFailure {
  rememberCaller('refused');
  return ApplicationFailure.create({ type: 'PayloadValidationError', message, nonRetryable: true });
}
