/** `payment-gateway ui`: links to the payments desk in Temporal UI. */
import { ENDED_FROM_OUTSIDE } from '../../contract';
import { withDevSettings } from '../../process/dev-settings';
import { loadConfig } from '../../process/settings';
import { ConfigError } from '../../process/user-error';
import { temporalConfig } from '../../temporal/connection';
import { paymentQuery } from '../../temporal/payment-query';
import { say } from '../print';

/** An hour, as `list --stuck` has it. The link keeps the time at which it was printed. */
const STUCK_MS = 3_600_000;

/** Prints the links. Throws ConfigError where nobody says where Temporal UI is. */
export function ui({ address, json }: { address?: string; json?: boolean }): void {
  const { env } = withDevSettings(process.env);
  const base = (address ?? loadConfig(env).TEMPORAL_UI_URL)?.replace(/\/$/, '');
  if (base === undefined) throw new ConfigError('Where is Temporal UI? Give --address, or set TEMPORAL_UI_URL.');
  const links = operatorLinks(base, temporalConfig(env).namespace, new Date());
  if (json) return void say(JSON.stringify(links));
  say(
    `${Object.entries(links)
      .map(([name, link]) => `${name}\n  ${link}`)
      .join('\n')}\n${COLUMNS}`,
  );
}

const COLUMNS =
  'Columns: on the list’s page, press the gear beside the table, and add PaymentStatus, PaymentOutcome, PaymentAttention, PaymentAttentionSince, PaymentTakenBy and PaymentAmount.';

/** Each question with its saved list. */
function operatorLinks(base: string, namespace: string, now: Date): Record<string, string> {
  const link = (query: string) =>
    `${base}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(query)}`;
  return {
    'What needs a person': link(paymentQuery({ attention: true }, now)),
    'What was ended from outside': link(paymentQuery({ attention: ENDED_FROM_OUTSIDE }, now)),
    'What has been stuck for an hour': link(paymentQuery({ stuck_ms: STUCK_MS }, now)),
    'Open payments': link("WorkflowType = 'payment' AND ExecutionStatus = 'Running'"),
  };
}
