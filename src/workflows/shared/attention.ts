/** What Temporal UI shows of a reason why a workflow needs a person. */
import { type Attention, RUNBOOK } from '../../contract';

/** One line of Markdown: the reason, what happened, and what to do. */
export function attentionLine(attention: Attention): string {
  const { happened, act } = RUNBOOK[attention];
  return `⚠️ **${attention}**: ${happened} ${act}`;
}
