/** `payment-gateway log --since 24h`: who decided what and why, over all orders. */
import { decisionsIn, type LoggedDecision } from '../../temporal/decision-log';
import type { AppOptions } from '../command-settings';
import { EXIT } from '../exit-codes';
import { say } from '../print';
import { asOperator } from './connection';
import { listedPeriod } from './options';
import { type TableColumn, table } from './table';
import { utc } from './times';

interface LogOptions extends AppOptions {
  since: string;
  until?: string;
  by?: string;
}

const COLUMNS: readonly TableColumn<LoggedDecision>[] = [
  { name: 'TIME (UTC)', of: ({ time }) => utc(time) },
  { name: 'ORDER', of: ({ out_trade_no, workflow_id }) => out_trade_no ?? workflow_id },
  { name: 'WHO', of: ({ by }) => by },
  { name: 'DID', of: didOf },
  { name: 'WHY', of: ({ why }) => why },
];

const DID = { take: 'took it', cancel: 'canceled it', terminate: 'terminated it', reset: 'reset it' } as const;

function didOf({ did, what }: LoggedDecision): string {
  const { outcome, out_request_no: refund, refunded_elsewhere: elsewhere, account_id } = what;
  if (did !== 'resolve') return DID[did];
  if (elsewhere !== undefined) return `${elsewhere} went back elsewhere`;
  if (account_id !== undefined) return `account ${account_id}`;
  return refund === undefined ? (outcome ?? 'has seen to it') : `refund ${refund}: ${outcome ?? 'has seen to it'}`;
}

/** Ends the process with 0. */
export function log(options: LogOptions): Promise<never> {
  const now = new Date();
  const { since = now, until = now } = listedPeriod(options, now);
  return asOperator(async ({ client }) => {
    const all = await decisionsIn(client, { since, until }, options.app);
    const decisions = all.filter(({ by }) => options.by === undefined || by === options.by);
    if (options.json) for (const one of decisions) say(JSON.stringify(one));
    else
      say(
        decisions.length === 0
          ? 'Nobody decided anything.'
          : `${table(COLUMNS, decisions)}\n${decisions.length} in all.`,
      );
    return EXIT.ok;
  });
}
