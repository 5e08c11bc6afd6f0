/**
 * Who asks in a Nexus task. The SDK tells a codec nothing of it, and yet the answer must be readable to the workflow that
 * asked, and to nobody else. So what the question was encrypted with is kept for the answer.
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

/** By the SDK's own object for each task. `refused`: the question was not authentic, and no handler has seen it. */
const callers = new WeakMap<object, NexusCaller | 'refused'>();

export const isNexusTask = () => asyncLocalStorage.getStore() !== undefined;

/** Undefined outside of Nexus tasks, and where the question had no input. */
export function nexusCaller(): NexusCaller | 'refused' | undefined {
  const task = asyncLocalStorage.getStore();
  return task && callers.get(task);
}

export function rememberCaller(caller: NexusCaller | 'refused'): void {
  const task = asyncLocalStorage.getStore();
  if (task) callers.set(task, caller);
}

/** Workflows of merchants ask. Our own ones do not: a payload of theirs was moved here. */
export function mayAsk(ownerText: string): boolean {
  const { type, workflowId } = parseOwner(ownerText) ?? {};
  return type === 'workflow' && workflowId !== undefined && !isOurWorkflow(workflowId);
}

/** The error that the SDK answers with `BAD_REQUEST`: every other one it would try again without end. */
export function refusedQuestion(message: string): ApplicationFailure {
  rememberCaller('refused');
  return ApplicationFailure.create({ type: 'PayloadValidationError', message, nonRetryable: true });
}
