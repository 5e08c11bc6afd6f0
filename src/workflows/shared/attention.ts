/** What Temporal UI shows of a reason why a workflow needs a person: the runbook's words, and what can be done here. */
import { isAttention, operatorActions, RUNBOOK } from '../../contract';

/** Markdown: the reason and since when, what happened, where to look, what to do, and the commands and updates for it. */
export function attentionSection(attention: string, since: string, workflowId: string): string[] {
  const head = `⚠️ **${attention}** since ${since}`;
  // Reasons of virtual accounts have their own words.
  if (!isAttention(attention)) return [head, ...actionLines(workflowId)];
  const { happened, loses, look, act, after } = RUNBOOK[attention];
  return [
    `${head}: ${happened}`,
    `**At stake.** ${loses}`,
    `**Look.** ${look}`,
    `**Do.** ${act} **Then.** ${after}`,
    ...actionLines(workflowId),
  ];
}

/** What a person can do: the command to type, or the update to press in Temporal UI. */
export function actionLines(workflowId: string): string[] {
  const lines = operatorActions(workflowId).map(({ what, command, update, input }) => {
    const pressed = `the update \`${update}\`${input === undefined ? '' : ` with \`${input}\``}`;
    return `- To ${what}: \`${command}\`, or ${pressed}`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}
