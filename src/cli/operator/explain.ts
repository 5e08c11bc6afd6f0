/** `payment-gateway explain [REASON]`: the runbook in the terminal. */
import { ACCOUNT_RUNBOOK, ATTENTIONS, JOB_RUNBOOK, RUNBOOK, type RunbookEntry, TEMPORAL_RUNBOOK } from '../../contract';
import { ConfigError } from '../../process/user-error';
import { say } from '../print';

/** A reason; `of`, for reasons of virtual accounts, is the kind of workflow. */
interface Reason extends RunbookEntry {
  reason: string;
  of: string | null;
}

const REASONS: readonly Reason[] = [
  ...ATTENTIONS.map((reason) => ({ reason, of: null, ...RUNBOOK[reason] })),
  ...Object.entries(JOB_RUNBOOK).map(([reason, entry]) => ({ reason, of: 'schedule', ...entry })),
  ...Object.entries(TEMPORAL_RUNBOOK).map(([reason, entry]) => ({ reason, of: null, ...entry })),
  ...Object.entries(ACCOUNT_RUNBOOK).flatMap(([of, entries]) =>
    Object.entries(entries).map(([reason, entry]) => ({ reason, of, ...entry })),
  ),
];

/** Prints the reasons, or what one of them means. Throws ConfigError for an unknown reason. */
export function explain(reason: string | undefined, { json }: { json?: boolean }): void {
  const meant = reason === undefined ? REASONS : REASONS.filter((one) => one.reason === reason);
  if (meant.length === 0) {
    const names = [...new Set(REASONS.map((one) => one.reason))];
    throw new ConfigError(`${reason}: no such reason. There are ${names.join(', ')}.`);
  }
  if (json) return void meant.map((one) => say(JSON.stringify(one)));
  say(meant.map(reason === undefined ? headline : inFull).join('\n'));
}

const named = ({ reason, of }: Reason) => (of === null ? reason : `${reason} (${of})`);
const headline = (one: Reason) => `${named(one).padEnd(48)}${one.happened}`;
const inFull = (one: Reason) =>
  [
    ...[named(one), `  ${one.happened}`, `  Who loses: ${one.loses}`, `  Look: ${one.look}`],
    ...[`  Do: ${one.act}`, `  Then: ${one.after}`],
  ].join('\n');
