/** The wait for a person: it begins and ends with the reason that is shown. Whoever took it on also keeps a wait that follows directly. Pure. */
import { type ShownWait, type Taken, type Taking, timeText, type Wait } from '../../contract';
import { invalidRequest, isShort, SHORT } from './request-rules';

/** The wait, given the reason that is shown at this time, in ms since the epoch. */
export function waitAfter<Reason extends string>(
  wait: Wait<Reason> | null,
  attention: Reason | null,
  at: number,
): Wait<Reason> | null {
  if (attention === null) return null;
  return wait?.attention === attention ? wait : { attention, since: at, taken: wait?.taken ?? null };
}

export function takenOn<Reason extends string>(
  wait: Wait<Reason> | null,
  { by, note, at }: Readonly<Taking> & { readonly at: number },
): Wait<Reason> | null {
  return wait && { ...wait, taken: { by, note: note ?? null, time: new Date(at).toISOString() } };
}

/** The wait as the public states show it. */
export const shownWait = (wait: Wait<string> | null): ShownWait => ({
  attention_since: wait && new Date(wait.since).toISOString(),
  taken: wait?.taken ?? null,
});

/** Who has taken the wait on, for the page in Temporal UI. */
export const takenLines = (taken: Taken | null): string[] =>
  taken ? [`Taken by **${taken.by}** on ${timeText(taken.time)}${taken.note === null ? '' : `: ${taken.note}`}`] : [];

interface Decided {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  readonly time?: string | undefined;
}

/** Who decided last, when and why, for the page in Temporal UI. */
export const decidedLines = (decided: Decided | null | undefined): string[] =>
  decided?.by === undefined
    ? []
    : [
        `Decided by **${decided.by}**${decided.time === undefined ? '' : ` on ${timeText(decided.time)}`}: ${decided.reason ?? ''}`,
      ];

/** Throws `InvalidRequest` if nothing waits for a person, or the name of the person is missing or too long. */
export function assertTaking(taking: Partial<Taking> | undefined, attention: string | null): void {
  const { by, note } = taking ?? {};
  const issues = [
    ...(isShort(by) ? [] : [{ field: 'by', rule: `required, your name: ${SHORT}` }]),
    ...(note === undefined || isShort(note) ? [] : [{ field: 'note', rule: SHORT }]),
    ...(attention === null ? [{ field: 'attention', rule: 'nothing of it waits for a person' }] : []),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}
