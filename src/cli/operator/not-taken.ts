/** Why a workflow takes no `recheck` or decision now, and what helps instead. */
import {
  ENDED_FROM_OUTSIDE,
  isTemporalAttention,
  kindOfWorkflow,
  namedInCommands,
  type OperatorAction,
  operatorActions,
  runbookEntry,
  takesUpdate,
} from '../../contract';
import type { ListedWorkflow } from '../../temporal/workflow-list';
import { printable } from '../print';

type Row = Pick<ListedWorkflow, 'workflow_id' | 'execution' | 'attention'>;

/** The reason in two or three words; undefined for one that takes it. */
export function whyNotTaken(update: OperatorAction['update'], { workflow_id, execution }: Row): string | undefined {
  if (execution !== 'RUNNING') return 'ended from outside';
  return takesUpdate(update, workflow_id) ? undefined : `has no ${update}`;
}

/** Of each run that is open, or waits for a person, and does not take it, what to do instead; empty if there is none. */
export const insteadOf = (update: OperatorAction['update'], runs: readonly Row[]): string =>
  runs
    .filter((run) => (run.execution === 'RUNNING' || run.attention === ENDED_FROM_OUTSIDE) && whyNotTaken(update, run))
    .flatMap((run) => linesOf(update, run).map(printable))
    .join('\n');

function linesOf(update: OperatorAction['update'], { workflow_id, attention }: Row): string[] {
  if (attention === null) return [`${workflow_id} has no ${update} of its own, and goes on by itself.`];
  const { act = '', after = '' } = runbookEntry(attention, workflow_id) ?? {};
  const words = namedInCommands(act, workflow_id);
  if (attention === ENDED_FROM_OUTSIDE) return [`${workflow_id} was ended from outside. ${words}`];
  const actions = isTemporalAttention(attention) ? [] : operatorActions(workflow_id, { attention });
  const first = `${workflow_id} has no ${update} of its own, and waits under ${attention}. ${words}`;
  if (actions.length === 0) return [`${first} ${after}`];
  return [first, ...actions.map(({ what, command }) => `  To ${what}: ${command}`)];
}

/** How many were left out, by kind and reason; empty if none was. */
export function leftOut(update: OperatorAction['update'], rows: readonly ListedWorkflow[]): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const what = `${kindOfWorkflow(row)} (${whyNotTaken(update, row)})`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const words = [...counts].map(([what, many]) => `${many} ${what}`);
  return words.length === 0 ? '' : `Left out: ${words.join(', ')}. show says what each needs.`;
}
