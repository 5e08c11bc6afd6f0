/** `payment-gateway keys needed TIME`: whether Temporal still has data that only an encryption key no longer in use can open. */
import { quoted } from '../temporal/list-query';
import { countWorkflows } from '../temporal/workflow-list';
import { EXIT } from './exit-codes';
import { asOperator } from './operator/connection';
import { momentOf } from './operator/options';
import { say } from './print';

/** Ends the process: 0 if nothing needs the key any more, 1 if something does. */
export function keysNeeded(time: string, { json }: { json?: boolean }): Promise<never> {
  const before = momentOf('TIME', time, new Date()).toISOString();
  return asOperator(async ({ client }) => {
    // A run's data is encrypted with the key in use when it was written; a run that continues as new starts with the current key.
    const began = `StartTime < ${quoted(before)}`;
    const open = await countWorkflows(client, `${began} AND ExecutionStatus = 'Running'`);
    const closed = (await countWorkflows(client, began)) - open;
    say(json ? JSON.stringify({ before, open, closed }) : neededText({ before, open, closed }));
    return open + closed === 0 ? EXIT.ok : EXIT.refused;
  }, 'lists');
}

function neededText({ before, open, closed }: { before: string; open: number; closed: number }): string {
  if (open + closed === 0) return `Temporal has no run that began before ${before}: the key may be dropped.`;
  return [
    `Keep the key. Of the runs that began before ${before}, Temporal has ${open} open ones, which would stand still without it,`,
    `and ${closed} closed ones, until their retention is over. In Temporal UI: StartTime < '${before}'`,
  ].join('\n');
}
