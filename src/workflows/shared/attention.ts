/** What Temporal UI shows about why a workflow needs a person: the runbook's words, and the actions. */
import { namedInCommands, type OperatorQuestion, operatorActions, runbookEntry, timeText } from '../../contract';

/** What a reason is about besides the order: a refund, or two amounts that differ. */
export interface AttentionSubject {
  readonly out_request_no?: string | undefined;
  readonly amounts?: string | undefined;
  readonly trade_status?: string | null | undefined;
  readonly shown?: string | undefined;
}

/** Markdown: the reason and since when, what happened, where to look, what to do, and the commands and updates for it. */
export function attentionSection(
  { amounts, ...question }: OperatorQuestion & AttentionSubject,
  since: string,
  workflowId: string,
): string[] {
  const { attention, out_request_no } = question;
  const of = out_request_no === undefined ? '' : ` of refund ${out_request_no}`;
  const head = `⚠️ **${attention}**${of} since ${timeText(since)}`;
  const entry = runbookEntry(attention, workflowId);
  const words = entry
    ? [
        `${head}: ${entry.happened}`,
        ...(amounts === undefined ? [] : [`**${amounts}**`]),
        `**At stake.** ${entry.loses}`,
        `**Look.** ${entry.look}`,
        namedInCommands(`**Do.** ${entry.act} **Then.** ${entry.after}`, workflowId),
      ]
    : [head];
  return [...words, ...actionLines(question, workflowId)];
}

/**
 * What a person can do: the command to type, or the update to press in Temporal UI. The JSON has several lines already: otherwise the form
 * would reformat it when the person leaves it, and move the button away from the first press.
 */
function actionLines(question: OperatorQuestion, workflowId: string): string[] {
  const lines = operatorActions(workflowId, question).map(
    ({ what, command, update, input }) =>
      `- To ${what}: \`${command}\`, or the update \`${update}\`${input === undefined ? '' : ` with\n${asBlock(input)}`}`,
  );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const asBlock = (json: string) =>
  ['```json', ...JSON.stringify(JSON.parse(json), null, 2).split('\n'), '```'].map((line) => `  ${line}`).join('\n');
