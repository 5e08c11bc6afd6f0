/** Refuses what a person or a merchant asks for, before a workflow applies it. */
import type { ApplicationFailure } from '@temporalio/common';
import { FAILURE, TO_WRITE, typedFailure } from '../../contract';

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
    ...(isWritten(resolution?.by, TO_WRITE.by) ? [] : [{ field: 'by', rule: `required, your name: ${SHORT}` }]),
    ...(isWritten(resolution?.reason, TO_WRITE.reason) ? [] : [{ field: 'reason', rule: `required, why: ${SHORT}` }]),
    ...furtherIssues,
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

/** Limited, because decisions are kept for the life of the order, and are shown with it. */
const MOST_CHARACTERS = 1_000;
export const SHORT = `text of at most ${MOST_CHARACTERS} characters`;
export const isShort = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= MOST_CHARACTERS;
const isWritten = (text: unknown, example: string) => isShort(text) && text !== example;

/** The issue if a decision names the reason that the person has seen, and another reason is shown by now. */
export const seenIssues = (seen: unknown, shown: string | null): RequestIssue[] =>
  seen === undefined || seen === shown
    ? []
    : [
        {
          field: 'seen',
          rule: shown === null ? 'nobody is needed any more' : `it needs a person for ${shown} now: look again`,
        },
      ];

/** The failure `InvalidRequest` for a request that changed nothing, or as `what` says. */
export function invalidRequest(
  issues: readonly RequestIssue[],
  what = 'Nothing was changed.',
  details: object = {},
): ApplicationFailure {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  return typedFailure(FAILURE.invalidRequest, `${what} ${list}`, { issues, ...details });
}
