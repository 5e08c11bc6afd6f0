/** Refuses what a person or a merchant asks for, before a workflow applies it. */
import type { ApplicationFailure } from '@temporalio/common';
import { FAILURE, typedFailure } from '../../contract';

/** A field of a request, and the rule that it breaks. */
export interface RequestIssue {
  field: string;
  rule: string;
}

/** Throws `InvalidRequest` unless the resolution says who decides and why, and there are no further issues. */
export function assertResolution(
  resolution: { by?: string | undefined; reason?: string | undefined } | undefined,
  furtherIssues: readonly RequestIssue[] = [],
): void {
  const issues = [
    ...(resolution?.by ? [] : [{ field: 'by', rule: 'required, who decides' }]),
    ...(resolution?.reason ? [] : [{ field: 'reason', rule: 'required' }]),
    ...furtherIssues,
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

/** The failure `InvalidRequest` for a request that changed nothing. */
export function invalidRequest(issues: readonly RequestIssue[]): ApplicationFailure {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  return typedFailure(FAILURE.invalidRequest, `Nothing was changed. ${list}`, { issues });
}
