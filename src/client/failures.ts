/** A workflow's failure as clients read it before they turn it into an error of their own. */
import { ApplicationFailure } from '@temporalio/common';
import type { FieldIssue } from '../gateway';

export interface Failure {
  type: string | undefined;
  message: string;
  details: Record<string, unknown>;
}

/** What a workflow failed with, its details as they were given first; undefined where it is no failure of an application. */
export function failureOf(cause: unknown): Failure | undefined {
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const [first] = cause.details ?? [];
  return {
    type: cause.type ?? undefined,
    message: cause.message,
    details: typeof first === 'object' && first !== null ? { ...first } : {},
  };
}

/** The fields that an `InvalidRequest` names, with the rule that each breaks. */
export function issuesOf({ details: { issues } }: Failure): FieldIssue[] {
  return Array.isArray(issues)
    ? issues.map((issue) => ({ field: String(issue?.field), rule: String(issue?.rule) }))
    : [];
}
