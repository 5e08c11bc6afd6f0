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
    ...(isShort(resolution?.by) ? [] : [{ field: 'by', rule: `required, who decides: ${SHORT}` }]),
    ...(isShort(resolution?.reason) ? [] : [{ field: 'reason', rule: `required: ${SHORT}` }]),
    ...furtherIssues,
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

/** Decisions are kept for the life of the order, and are shown with it. */
const MOST_CHARACTERS = 1_000;
const SHORT = `text of at most ${MOST_CHARACTERS} characters`;
const isShort = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= MOST_CHARACTERS;

/** The failure `InvalidRequest` for a request that changed nothing. */
export function invalidRequest(issues: readonly RequestIssue[]): ApplicationFailure {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  return typedFailure(FAILURE.invalidRequest, `Nothing was changed. ${list}`, { issues });
}
