/** A start under a wrong workflow id: a second ledger beside the first would count the same money twice. */
import type { UpdateDefinition } from '@temporalio/common';
import { allHandlersFinished, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RequestIssue } from './request-rules';

export const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The rules that a start breaks: it lacks a text, or does not run under the workflow id `own`. `why`: the reason for this one id. */
export function startIssues(texts: Readonly<Record<string, unknown>>, own: string, why: string): RequestIssue[] {
  const lacking = Object.keys(texts).filter((field) => !isFilled(texts[field]));
  if (lacking.length > 0) return lacking.map((field) => ({ field, rule: 'required' }));
  return idIssues(own, why);
}

export function idIssues(own: string, why: string): RequestIssue[] {
  if (workflowInfo().workflowId === own) return [];
  return [{ field: 'workflow id', rule: `must be ${own}: ${why}` }];
}

/** Anyone who asks this run is told why. An update may have come with the start. */
export async function refuseUpdates(
  updates: readonly UpdateDefinition<unknown, unknown[]>[],
  refusal: () => never,
): Promise<void> {
  for (const update of updates) setHandler(update, refusal);
  await condition(allHandlersFinished);
}
