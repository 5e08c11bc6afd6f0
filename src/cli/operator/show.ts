/** `payment-gateway show ORDER`: what a person needs to understand a payment, in fewer than 30 lines. */
import { activityWords, isAttention, operatorActions, RUNBOOK } from '../../contract';
import { EXIT } from '../exit-codes';
import { ending, printable, say } from '../print';
import { type OrderCase, type OrderRun, readCase, type TimelineLine } from './case';
import { asOperator, targetOf } from './connection';
import { age, utc } from './times';

export interface ShowOptions {
  app?: string;
  json?: boolean;
  all?: boolean;
}

/** The timeline's lines at its beginning and its end; `--all` shows those between too. */
const FIRST = 3;
const LAST = 7;

/** Ends the process: 0 for an order that Temporal knows, 1 for another. */
export function showOrder(order: string, options: ShowOptions): Promise<never> {
  return asOperator(async (operator) => {
    const found = await readCase(operator.client, targetOf(order, options, operator));
    if (options.json) say(JSON.stringify(found));
    else say(found.runs.length === 0 ? `Temporal has nothing of order ${printable(order)}.` : caseText(found, options));
    return found.runs.length === 0 ? EXIT.refused : EXIT.ok;
  });
}

/** The case as text. */
export function caseText(found: OrderCase, { all = false }: ShowOptions, now = new Date()): string {
  const timeline = all ? found.timeline : shortened(found.timeline);
  return [
    ...heading(found),
    ...found.unanswered.map((id) => `  No worker has answered for ${printable(id)}. Is one running?`),
    ...moneyLines(found),
    ...found.runs.filter(({ execution }) => execution === 'RUNNING').flatMap((run) => openLines(run, now)),
    '',
    'What happened (UTC)',
    ...timeline.map(timelineText),
  ].join('\n');
}

function heading({ payment, runs, app_id, out_trade_no }: OrderCase): string[] {
  const [newest] = runs;
  const name = `${out_trade_no ?? newest?.workflow_id ?? ''} (app ${app_id})`;
  if (!payment) return [printable(`${name}: ${newest?.type} ${newest?.execution} ${newest?.status ?? ''}`)];
  const { trade_status, trade_no, expires_at, method } = payment;
  const expires = expires_at === null ? '' : `, expires ${utc(expires_at)}`;
  return [
    ending(payment),
    printable(
      `  ${method ?? 'method not chosen yet'}, ${trade_status ?? 'no status yet'}, trade ${trade_no ?? 'not known'}${expires}`,
    ),
    ...payment.other_trades.map((one) =>
      printable(`  Another trade: ${one.trade_no} ${one.trade_status ?? '?'} ${one.order_amount ?? '?'}`),
    ),
  ];
}

function moneyLines({ after_sale, payment, runs }: OrderCase): string[] {
  const counts = new Map<string, number>();
  for (const { type } of runs) counts.set(type, (counts.get(type) ?? 0) + 1);
  const kinds = [...counts].map(([type, n]) => `${n} ${type}`).join(', ');
  const late = payment?.late_refund;
  return [
    ...(late
      ? [`  Late money: refund ${late.out_request_no}, ${printable(late.reason ?? late.refund_status ?? 'asked')}`]
      : []),
    ...(after_sale
      ? [`  After the sale: ${after_sale.refunded_amount} refunded, ${after_sale.refunding_amount} being refunded`]
      : []),
    ...(after_sale?.refunds ?? []).map(
      (one) =>
        `    ${printable(one.out_request_no)}: ${one.refund_amount} ${one.refund_currency}, ${one.outcome ?? one.refund_status ?? 'asked'}`,
    ),
    `  Runs: ${kinds}`,
  ];
}

/** What an open workflow waits for, and what a person can do. */
function openLines({ workflow_id, waits_for, attention, task_queue }: OrderRun, now: Date): string[] {
  const waits = waits_for.map(({ what, attempt, last_answer, last_at, next_at, state }) => {
    const answer = last_answer === null ? '' : `; last: ${last_answer}${last_at ? ` (${age(last_at, now)} ago)` : ''}`;
    const next = next_at === null ? '' : `; next ${utc(next_at)}`;
    const queue = state === 'waits for a worker' ? ` (no worker on ${task_queue} has taken it)` : '';
    return printable(`    ${what}, attempt ${attempt}${answer}${next}${queue}`);
  });
  return [`  Open: ${printable(workflow_id)}`, ...waits, ...attentionLines(workflow_id, attention)];
}

function attentionLines(workflowId: string, attention: string | null): string[] {
  if (attention === null) return [];
  const runbook = isAttention(attention) ? RUNBOOK[attention] : undefined;
  return [
    `    Needs a person: ${attention}. ${runbook?.happened ?? ''}`,
    ...(runbook ? [`    Look: ${runbook.look}`, `    Do: ${runbook.act}`] : []),
    ...operatorActions(workflowId)
      .filter(({ update }) => update !== 'cancel')
      .map(({ command }) => `      ${printable(command)}`),
  ];
}

/** The beginning and the end, and how many lines are left out between. */
function shortened(lines: readonly TimelineLine[]): (TimelineLine | number)[] {
  const left = lines.length - FIRST - LAST;
  return left <= 1 ? [...lines] : [...lines.slice(0, FIRST), left, ...lines.slice(-LAST)];
}

function timelineText(line: TimelineLine | number): string {
  if (typeof line === 'number') return `  … ${line} more (--all)`;
  const { time, what, text, by, of } = line;
  const where = of === 'payment' ? '' : ` [${of}]`;
  return printable(`  ${utc(time)}  ${what.padEnd(8)}  ${activityWords(text)}${by ? ` (${by})` : ''}${where}`);
}
