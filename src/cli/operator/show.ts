/** `payment-gateway show ORDER`: what a person needs to understand a payment, in fewer than 30 lines. */
import type { Client } from '@temporalio/client';
import { PaymentNotFoundError } from '../../client';
import {
  type AfterSaleState,
  activityWords,
  afterSaleWorkflowId,
  afterTermination,
  commandOf,
  ENDED_FROM_OUTSIDE,
  goesBackWhole,
  isSettledByAskingAgain,
  isTemporalAttention,
  kindOfWorkflow,
  knownBy,
  mismatchLine,
  NOT_CREATED_YET,
  namedInCommands,
  type OperatorQuestion,
  operatorActions,
  type PaymentState,
  paymentWorkflowId,
  type RefundState,
  refundInQuestion,
  refundMeaningOf,
  refundSums,
  runbookEntry,
  secondTradesPaid,
  shownOf,
  stillPayable,
  timeText,
  unlessOwnWentBack,
  WORKFLOW,
} from '../../contract';
import { isMore, sumOf } from '../../gateway/pure/money';
import { appIdsOf } from '../../process/settings';
import { findInOtherApps } from '../../temporal/find';
import { EXIT } from '../exit-codes';
import { tellError } from '../failed';
import { printable, STANDINGS, say } from '../print';
import { elsewhereCommand, refundCommand } from '../send-back';
import { caseFound, moneyOwed, NOBODYS, type OrderCase, type OrderRun, readCase, type TimelineLine } from './case';
import { asOperator, type Operator, targetOf } from './connection';
import { beingSent, refundMoney, refundStanding } from './refunds';
import { age, timeLeft, utc } from './times';
import { uiPlace, workflowsLink } from './ui-links';
import { readWhy, whyText } from './why';

export interface ShowOptions {
  app?: string;
  json?: boolean;
  all?: boolean;
  why?: boolean;
}

interface CaseOptions extends ShowOptions {
  /** The link to the order in Temporal UI. */
  link?: string | undefined;
}

/** What a person sees at a glance. `--all` shows the rest. */
const MOST_LINES = 29;
/** How much of each is shown without `--all`. */
const MOST = { stakes: 2, trades: 2, page: 8, refunds: 3, waits: 2, others: 2, characters: 160 };
/** How many lines of the timeline's beginning are shown; the others are its latest. */
const FIRST = 3;

/** Ends the process: 0 for an order that Temporal knows, 1 for another. */
export function showOrder(order: string, options: ShowOptions): Promise<never> {
  return asOperator(async (operator) => {
    const target = await targetOf(order, options, operator, 'show');
    const named = await readCase(operator.client, target);
    const found = named.runs.length === 0 ? ((await caseFound(operator, target, options.app)) ?? named) : named;
    if (found.runs.length === 0) {
      tellError(
        new PaymentNotFoundError(
          printable(`Temporal has nothing of order ${order}${await whereElse(operator, order, options.app)}.`),
          order,
        ),
      );
      return EXIT.refused;
    }
    if (options.why) return sayWhy(operator.client, found, options);
    const place = uiPlace(operator);
    const link = place && workflowsLink(place, [...new Set(found.runs.map(({ workflow_id }) => workflow_id))]);
    say(options.json ? JSON.stringify(found) : caseText(found, { ...options, link }));
    return EXIT.ok;
  });
}

/** Which other apps have the number, as a part of a sentence: one client may have mistyped the app of its orders. */
async function whereElse({ client, config }: Operator, text: string, app: string | undefined): Promise<string> {
  const found = await findInOtherApps(client, { text, app_ids: app === undefined ? appIdsOf(config) : [app] });
  const commands = found.map(({ workflow_id }) => commandOf('show', workflow_id));
  return commands.length === 0
    ? ''
    : ` in ${app === undefined ? 'the apps of these settings' : `app ${app}`}. Another app has it: ${commands.join('; ')}`;
}

const NO_FACTS = '  Only payments and after-sales tell facts. Without --why, show has what is known of this.';

async function sayWhy(client: Client, found: OrderCase, { json }: ShowOptions): Promise<number> {
  const why = await readWhy(client, found.runs);
  say(
    json
      ? JSON.stringify(why)
      : [headline(found, new Date()), ...(why.length > 0 ? whyText(why) : [NO_FACTS])].join('\n'),
  );
  return EXIT.ok;
}

/** The case as text: fewer than 30 lines, unless all lines are wanted. */
export function caseText(found: OrderCase, { all = false, link }: CaseOptions, now = new Date()): string {
  const few: Few = (lines, most) => (all ? [...lines] : shortened(lines, most));
  const head = [
    ...heading(found, { few, now }),
    ...unansweredLine(found),
    ...buyerLine(found),
    ...few(pageLines(found), MOST.page),
    ...moneyLines(found, few),
    ...payableLine(found, now),
    ...answerLine(found, now),
    ...sendBackLines(found),
    ...openLines(found, { few, all, now }),
    ...(link === undefined ? [] : [`  In Temporal UI: ${link}`]),
    '',
    'What happened (UTC)',
  ];
  const timeline = found.timeline.map((line) => timelineText(line, all ? undefined : MOST.characters));
  const left = MOST_LINES - head.length;
  return [...head, ...(all || timeline.length <= left ? timeline : withoutMiddle(timeline, left))].join('\n');
}

/** Leaves out the lines beyond `most`, and says so. */
type Few = (lines: readonly string[], most: number) => string[];

function shortened(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `    … ${lines.length - most + 1} more (--all)`];
}

/** The beginning and the end, and how many lines are left out between. */
function withoutMiddle(lines: readonly string[], most: number): string[] {
  const last = Math.max(most - FIRST - 1, 1);
  return [...lines.slice(0, FIRST), `  … ${lines.length - FIRST - last} more (--all)`, ...lines.slice(-last)];
}

function heading(found: OrderCase, { few, now }: Pick<Shown, 'few' | 'now'>): string[] {
  const { payment, runs } = found;
  const first = headline(found, now);
  const stakes = waitingRuns(runs).flatMap((run) => runbookEntry(run.attention ?? '', run.workflow_id)?.loses ?? []);
  const lines = [first, ...[...new Set(stakes)].slice(0, MOST.stakes).map((loses) => `  At stake: ${loses}`)];
  if (!payment) return lines;
  const { trade_status, trade_no, expires_at, method } = payment;
  const expires = expires_at === null ? '' : `, expires ${timeText(expires_at)}`;
  const trades = payment.other_trades.map((one) =>
    printable(`  Another trade: ${one.trade_no} ${one.trade_status ?? '?'} ${one.order_amount ?? '?'}`),
  );
  return [
    ...lines,
    printable(
      `  ${method ?? 'method not chosen yet'}, ${trade_status ?? 'no status yet'}, trade ${trade_no ?? 'not known'}${expires}`,
    ),
    ...few(trades, MOST.trades),
  ];
}

/** The first line: what became of the order, the money, who is needed for what and since when, and the command; or what is open. */
function headline(found: OrderCase, now: Date): string {
  const { payment, after_sale, runs, app_id, out_trade_no } = found;
  const mismatch = payment && mismatchLine(payment);
  const money = payment?.order_amount && !mismatch ? ` of ${payment.order_amount} ${payment.order_currency ?? ''}` : '';
  const name = out_trade_no === null ? (runs[0]?.workflow_id ?? '') : `Order ${out_trade_no}${money} (app ${app_id})`;
  const sums = after_sale
    ? [...refundSums(after_sale), ...(after_sale.ledger_complete ? elsewhereOf(after_sale) : [])]
    : [];
  const gone = sums.length > 0 ? ` ${sums.join(', ')}.` : '';
  const waiting = waitingRuns(runs);
  // Of workflows that wait for the same, the one that has waited longest speaks.
  const speaking = waiting.filter((run) => waiting.find(({ attention }) => attention === run.attention) === run);
  const needs = speaking.map((run) => needOf(found, run, now)).join(' ');
  const [waits] = waiting.flatMap((run) => nextCommand(found, run) ?? []);
  const open = runs.filter(({ execution }) => execution === 'RUNNING').map(kindOfWorkflow);
  const back = moneyOwed(found);
  const rest = back
    ? `${back} came, and is to be sent back.`
    : open.length > 0
      ? `It needs nobody; open: ${[...new Set(open)].join(', ')}.`
      : 'Nothing of it is open.';
  const command = waits ?? (back ? refundOf(found) : undefined);
  return printable(
    `${name} ${standingOf(found)}.${mismatch ? ` ${mismatch}` : ''}${gone} ${needs || rest}${command === undefined ? '' : ` Next: ${command}`}`,
  );
}

/** What has become of runs that were ended from outside. */
const CUT_OFF: Readonly<Record<string, string>> = {
  TERMINATED: 'was terminated',
  TIMED_OUT: 'ran out of its workflow’s time',
};

/** What has become of a run that ended without an outcome. */
function withoutOutcome({ execution, workflow_id, out_trade_no, status }: OrderRun): string {
  // A payment fails only if there is no order.
  if (execution === 'FAILED') return 'was not created';
  const cut = CUT_OFF[execution];
  if (cut === undefined) return `has ended (${execution.toLowerCase()})`;
  return `${cut}${out_trade_no === null ? '' : ' before its outcome was known'}: ${afterTermination(workflow_id, status).next}`;
}

/** What the bank has done since the sale: a person who reads only the first line must not deliver. */
const SINCE_PAID: Readonly<Record<string, string>> = {
  DISPUTE: 'was paid, and the buyer disputes it',
  CHARGEBACK: 'was paid, and the bank has taken the money back',
};

/** What has become of the money of a sale; undefined while the merchant has some of it. */
function sincePaid({ trade_status, order_amount, ledger_complete, ...gone }: AfterSaleState): string | undefined {
  const byBank = SINCE_PAID[trade_status ?? ''];
  if (byBank !== undefined) return byBank;
  // A gateway may call a part REFUNDED: its word counts only while our ledger has none.
  if (!ledger_complete)
    return refundMeaningOf(trade_status) === 'done' ? `was paid, and the gateway calls it ${trade_status}` : undefined;
  const back = sumOf([gone.refunded_amount, gone.refunded_elsewhere]);
  return order_amount === null || isMore(order_amount, back) ? undefined : 'was paid, and nothing of it is left';
}

/** The end after which more news of the payment came. */
function afterEnd({ outcome, previous }: PaymentState): string {
  if (previous === null || previous.outcome === outcome) return '';
  return previous.outcome === null
    ? ', after somebody had ended its workflow'
    : `, after it had ended as ${previous.outcome}`;
}

function standingOf({ payment, after_sale, runs }: OrderCase): string {
  if (payment?.outcome) {
    const since = payment.outcome === 'SUCCESS' && after_sale ? sincePaid(after_sale) : undefined;
    const known = payment.confirmed_by ? `, ${knownBy(payment.confirmed_by)}` : '';
    return since ?? `${STANDINGS[payment.outcome]}${afterEnd(payment)}${known}`;
  }
  const run = runs.find(({ type }) => type === WORKFLOW.payment) ?? runs[0];
  const status = run?.status ?? null;
  const said =
    status === null
      ? ''
      : status === NOT_CREATED_YET
        ? ', and the gateway has not answered yet'
        : `, and the gateway said ${status} last`;
  if (run?.execution === 'RUNNING')
    return payment || run.type === WORKFLOW.payment ? `is under way${payment ? '' : said}` : 'is open';
  // Somebody has asked for a refund of an unknown number: that does not make it an order.
  if (!payment && after_sale?.trade_status === null && run?.execution === 'COMPLETED') return NOBODYS;
  return run ? withoutOutcome(run) : 'has ended (unknown)';
}

/** What waits for a person: open runs, and runs that somebody ended too early. The longest wait comes first. */
const waitingRuns = (runs: readonly OrderRun[]): OrderRun[] =>
  runs
    .filter(
      ({ execution, attention }) => attention !== null && (execution === 'RUNNING' || attention === ENDED_FROM_OUTSIDE),
    )
    .sort((one, other) => (one.waits_since ?? '').localeCompare(other.waits_since ?? ''));

/** Since when a person is needed, why, and who has taken it. */
function needOf({ payment, after_sale }: OrderCase, run: OrderRun, now: Date): string {
  const { attention, waits_since, taken_by } = run;
  const needs = waits_since === null ? 'needs a person' : `has needed a person for ${age(waits_since, now)}`;
  const taken = run.type === WORKFLOW.payment ? payment?.taken : after_sale?.taken;
  const by = taken_by === null ? '' : `; ${taken_by} has it${taken?.note ? `: ${taken.note}` : ''}`;
  return `It ${needs}: ${attention}${by}.`;
}

/** What a person does before they resolve it: no list shows it after that. */
const BEFORE_RESOLVE: Readonly<Record<string, (found: OrderCase, question: OperatorQuestion) => string>> = {
  // Without an outcome it counts as sold: the shop would deliver what is refunded.
  'late-payment': (_found, { all_goes_back }) =>
    all_goes_back
      ? 'do not deliver it, all of the money goes back; then, with CANCEL, '
      : 'deliver it (to send it back, say CANCEL first, by the outcome below, and refund then); then ',
  credentials: () => 'correct the credentials and restart the worker; then ',
  dispute: () => 'answer it in the gateway’s dashboard; then ',
  'second-trade': ({ payment, after_sale }) => {
    const twice = payment && secondTradesPaid(payment);
    return twice
      ? `send ${twice} back in the gateway’s dashboard${unlessOwnWentBack(after_sale)}; then `
      : 'look at both trades in the gateway’s dashboard; then ';
  },
};

/** The next command: without an answer of the gateway it asks again, and everything else is for a person to decide. */
function nextCommand(found: OrderCase, run: OrderRun): string | undefined {
  const question = questionOf(run, found);
  // None of our decisions settles Temporal's own reasons.
  if (question === undefined || isTemporalAttention(question.attention)) return undefined;
  const actions = operatorActions(run.workflow_id, question);
  const update = isSettledByAskingAgain(question.attention) ? 'recheck' : 'resolve';
  const command = (actions.find((one) => one.update === update) ?? actions[0])?.command;
  return command && `${BEFORE_RESOLVE[question.attention]?.(found, question) ?? ''}${command}`;
}

/**
 * The lines of the page beside the reason for attention and its actions, which have lines of their own here. For an order only what it waits
 * for, because its state gives the rest.
 */
function pageLines({ page, out_trade_no }: OrderCase): string[] {
  if (out_trade_no !== null)
    return page
      .filter((line) => line.startsWith('Waits for '))
      .map((line) => printable(`  ${cut(line, MOST.characters)}`));
  const begins = page.findLastIndex((line) => line.startsWith('- To ') || line.trim() === '```') + 1;
  return page.slice(begins).map((line) => printable(`  ${line.replace(/[*`]/g, '')}`));
}

/** The page has nothing of a person, and a person looks for the buyer in the gateway's dashboard. */
const buyerLine = ({ creation }: OrderCase): string[] =>
  creation?.buyer_id ? [printable(`  For the buyer ${creation.buyer_id}`)] : [];

function unansweredLine({ unanswered, runs }: OrderCase): string[] {
  // If its task fails, the line about what it waits for says so.
  const isFailing = (id: string) =>
    runs.some((run) => run.workflow_id === id && run.waits_for.some(({ state }) => state === 'fails each time'));
  if (unanswered.every(isFailing)) return [];
  return [`  No worker has answered for ${printable(unanswered.join(', '))}. Is one running?`];
}

function moneyLines({ after_sale, payment, runs }: OrderCase, few: Few): string[] {
  const late = payment?.late_payment_refund;
  const sending = beingSent({ after_sale, runs });
  const refunds = (after_sale?.refunds ?? []).map((one) => printable(`    ${refundLine(one, sending)}`));
  return [
    ...(late
      ? [printable(`  Late payment: refund ${late.out_request_no}, ${late.reason ?? late.refund_status ?? 'asked'}`)]
      : []),
    ...(after_sale ? [`  After the sale: ${after_sale.trade_status ?? 'no status yet'}; ${sumsOf(after_sale)}`] : []),
    // The latest first: a person usually asks about that one.
    ...few(refunds.reverse(), MOST.refunds),
  ];
}

/** A refund with the attempts under its number, and why there is no refund. */
function refundLine(one: RefundState, sending: RefundState | undefined): string {
  const attempt = one.attempt === 1 ? '' : ` (attempt ${one.attempt})`;
  const needs = one.attention ? `, needs a person: ${one.attention}` : '';
  const why = one.failure ? `: ${cut(one.failure.message, MOST.characters)}` : '';
  return `${one.out_request_no}${attempt}: ${refundMoney(one)}, ${refundStanding(one, sending)}${why}${needs}`;
}

/** What may still come of an order that a person, or a deadline, has ended before the gateway did. */
function payableLine({ payment, after_sale, unanswered }: OrderCase, now: Date): string[] {
  const may = unanswered.length === 0 && payment && stillPayable(payment, after_sale, now.getTime());
  return may ? [`  ${may}`] : [];
}

/** Until when a dispute has to be answered. */
function answerLine({ after_sale }: OrderCase, now: Date): string[] {
  const { answer_by = null } = after_sale ?? {};
  return answer_by === null
    ? []
    : [
        `  Answer it by ${timeText(answer_by)} (${timeLeft(answer_by, now)}), with your evidence, in the gateway’s dashboard.`,
      ];
}

const refundOf = ({ app_id, out_trade_no, payment, after_sale }: OrderCase) =>
  refundCommand(paymentWorkflowId(app_id, out_trade_no ?? ''), payment?.method ?? null, after_sale?.refunds);

/** Money that came for an unsold order and is still there. */
function sendBackLines(found: OrderCase): string[] {
  const { app_id, out_trade_no } = found;
  const back = moneyOwed(found);
  if (!back) return [];
  return [
    printable(`  To send back: ${back}. Nothing does so by itself:`),
    printable(`      ${refundOf(found)}`),
    printable(
      `      ${elsewhereCommand(afterSaleWorkflowId(app_id, out_trade_no ?? ''))}   (where it went back another way)`,
    ),
  ];
}

const sumsOf = (sale: AfterSaleState): string =>
  [...refundSums(sale), ...elsewhereOf(sale)].join(', ') || 'nothing refunded';

function elsewhereOf({ ledger_complete, refunded_elsewhere }: AfterSaleState): string[] {
  const elsewhere = ledger_complete ? refunded_elsewhere : 'nobody knows how much';
  return elsewhere === '0.00' ? [] : [`${elsewhere} went back by refunds that are not in our list`];
}

interface Shown {
  few: Few;
  all: boolean;
  now: Date;
}

/** What is open: in full what needs a person first, the others in one line each. */
function openLines(found: OrderCase, { few, all, now }: Shown): string[] {
  const { runs } = found;
  const isEnded = ({ attention }: OrderRun) => attention === ENDED_FROM_OUTSIDE;
  const open = runs.filter((run) => run.execution === 'RUNNING' || isEnded(run));
  // What needs a person, then the order itself, then its events.
  const urgency = ({ attention, type }: OrderRun) => (attention !== null ? 0 : type === WORKFLOW.eventDelivery ? 2 : 1);
  const [first, ...others] = open.sort((one, other) => urgency(one) - urgency(other));
  const inFull = (run: OrderRun) => [
    `  ${isEnded(run) ? 'Ended' : 'Open'}: ${printable(run.workflow_id)}`,
    ...few(waitLines(run, all, now), MOST.waits),
    ...attentionLines(run, questionOf(run, found)),
  ];
  if (!first || all) return open.flatMap(inFull);
  return [...inFull(first), ...few(others.map(alsoOpen), MOST.others)];
}

function alsoOpen({ workflow_id, attention, waits_for: [work] }: OrderRun): string {
  const does = work ? `: ${work.what}, attempt ${work.attempt} (--all)` : '';
  return printable(`  Open too: ${workflow_id}${attention === null ? does : `, needs a person: ${attention} (--all)`}`);
}

/** Why an attempt is not made. */
const HELD_UP: Readonly<Record<string, (task_queue: string) => string>> = {
  'waits for a worker': (task_queue) => ` (no worker on ${task_queue} has taken it)`,
  'is paused': () => ' (somebody has paused it)',
  'fails each time': (task_queue) => ` (it fails each time on the worker of ${task_queue})`,
};

/** What an open workflow waits for. */
function waitLines({ waits_for, task_queue }: OrderRun, all: boolean, now: Date): string[] {
  return waits_for.map(({ what, attempt, last_answer, last_at, next_at, state }) => {
    // The next attempt is shown separately.
    const said = cut((last_answer ?? '').replace(/; next check .*$/, ''), all ? undefined : MOST.characters);
    const answer = said === '' ? '' : `; last: ${said}${last_at ? ` (${age(last_at, now)} ago)` : ''}`;
    const next = next_at === null ? '' : `; next ${utc(next_at)}`;
    const held = HELD_UP[state]?.(task_queue) ?? '';
    return printable(`    ${what}, attempt ${attempt}${answer}${next}${held}`);
  });
}

/** Why the run waits for a person; undefined if it does not. */
function questionOf(
  { attention, type }: OrderRun,
  { payment, after_sale, account }: Pick<OrderCase, 'payment' | 'after_sale' | 'account'>,
): OperatorQuestion | undefined {
  if (attention === null) return undefined;
  const refunds = type === WORKFLOW.afterSale ? (after_sale?.refunds ?? []) : [];
  const shown = type === WORKFLOW.speiAccount ? shownOf(account?.unseen ?? []) : undefined;
  return {
    attention,
    out_request_no: refundInQuestion({ attention, refunds }),
    trade_status: payment?.trade_status,
    shown,
    all_goes_back: after_sale !== null && goesBackWhole(after_sale),
  };
}

function attentionLines({ workflow_id, waits_for }: OrderRun, question: OperatorQuestion | undefined): string[] {
  if (question === undefined) return [];
  const entry = runbookEntry(question.attention, workflow_id);
  const paused = waits_for.find(({ state }) => state === 'is paused')?.activity_id;
  return [
    `    Needs a person: ${question.attention}. ${entry?.happened ?? ''}`.trimEnd(),
    ...(entry
      ? [`    Look: ${entry.look}`, `    Do: ${printable(namedInCommands(entry.act, workflow_id, paused))}`]
      : []),
    ...(isTemporalAttention(question.attention) ? [] : operatorActions(workflow_id, question))
      .filter(({ update }) => update !== 'cancel')
      .map(({ command }) => `      ${printable(command)}`),
  ];
}

/** The text, or its beginning if it is longer than `most` characters. */
const cut = (text: string, most = Number.POSITIVE_INFINITY) =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

function timelineText({ time, what, text, by, of }: TimelineLine, most?: number): string {
  const where = of === 'payment' ? '' : ` [${of}]`;
  return printable(
    `  ${utc(time)}  ${what.padEnd(8)}  ${cut(activityWords(text), most)}${by ? ` (${by})` : ''}${where}`,
  );
}
