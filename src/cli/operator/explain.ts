/** `payment-gateway explain [REASON]`: the runbook in the terminal. */
import { ATTENTIONS, isAttention, RUNBOOK } from '../../contract';
import { ConfigError } from '../../process/user-error';
import { say } from '../print';

/** Prints the reasons, or what one of them means. Throws ConfigError for a reason that there is not. */
export function explain(reason: string | undefined, { json }: { json?: boolean }): void {
  if (reason === undefined) return void say(json ? JSON.stringify(RUNBOOK) : ATTENTIONS.map(headline).join('\n'));
  if (!isAttention(reason)) throw new ConfigError(`${reason}: no such reason. There are ${ATTENTIONS.join(', ')}.`);
  const { happened, loses, look, act, after } = RUNBOOK[reason];
  if (json) return void say(JSON.stringify({ reason, ...RUNBOOK[reason] }));
  say(
    [reason, `  ${happened}`, `  Who loses: ${loses}`, `  Look: ${look}`, `  Do: ${act}`, `  Then: ${after}`].join(
      '\n',
    ),
  );
}

const headline = (reason: (typeof ATTENTIONS)[number]) => `${reason.padEnd(26)}${RUNBOOK[reason].happened}`;
