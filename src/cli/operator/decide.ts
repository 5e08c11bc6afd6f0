/** `recheck` and `resolve`: send a person's decision to the workflow of an order that waits for it. */
import { WithStartWorkflowOperation, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import {
  type AfterSaleState,
  type AfterSaleWorkflow,
  type Attention,
  afterSaleWorkflowId,
  type GoneMoney,
  isSilence,
  moneyToSendBack,
  namedByWorkflowId,
  type PaidMoney,
  paymentWorkflowId,
  priorityOf,
  type Source,
  secondTradesPaid,
  startSummary,
  stillPayable,
  type TradesBeside,
  takesUpdate,
  UPDATE,
  unlessOwnWentBack,
  WORKFLOW,
} from '../../contract';
import { UserError } from '../../process/user-error';
import { isTaskFailing, isUnreachable, isUnreadable, isWithoutAnswer } from '../../temporal/call-errors';
import { innermost } from '../../temporal/timeline';
import { EXIT } from '../exit-codes';
import { tellError } from '../failed';
import { isWrongInput, withOptions } from '../option-words';
import { printable, say } from '../print';
import { elsewhereCommand, refundCommand } from '../send-back';
import { descriptionOf, type OrderCase, type OrderRun, readCase } from './case';
import { asOperator, type Operator, targetOf } from './connection';
import { elsewhereLine } from './elsewhere';
import { insteadOf } from './not-taken';

export interface DecideOptions {
  app?: string;
  json?: boolean;
}

export interface ResolveOptions extends DecideOptions {
  by: string;
  reason: string;
  outcome?: string;
  refund?: string;
  elsewhere?: string;
  although?: string;
  seen?: string;
  account?: string;
  allEvents?: boolean;
}

export interface TakeOptions extends DecideOptions {
  by: string;
  note?: string;
}

/** How long an update may wait, in ms: a look at the gateway may take ten minutes, and nobody waits that long. */
export const UPDATE_TIMEOUT_MS = 30_000;

/** Whether the order has ended with an outcome. There is nothing to ask about an order that was not created or was terminated. */
const hasEnded = ({ out_trade_no, runs }: OrderCase): boolean =>
  out_trade_no !== null &&
  [WORKFLOW.payment, WORKFLOW.afterSale].some(
    (main) => runs.find(({ type }) => type === main)?.execution === 'COMPLETED',
  );

/** The workflows that note who takes care of them. */
const TAKEN_ON = ['payment', 'after-sale', 'spei-account', 'create-spei-account', 'spei-account-quantity'];

const kindOf = (workflowId: string): string => namedByWorkflowId(workflowId)?.kind ?? '';

/** The decision was not delivered: the message says why. */
class NotDeliveredError extends UserError {
  override readonly name = 'NotDeliveredError';
}

/** The fields of a decision, by the option that says each. */
export const DECISION_FIELDS = [
  ['by', 'by'],
  ['reason', 'reason'],
  ['outcome', 'outcome'],
  ['refund', 'out_request_no'],
  ['elsewhere', 'refunded_elsewhere'],
  ['although', 'although'],
  ['seen', 'seen'],
  ['account', 'account_id'],
] as const;
/** Statuses, which people type in any case. */
const STATUSES: readonly string[] = ['outcome', 'although'];

/** The input of the update `resolve`. */
export function resolutionOf(options: ResolveOptions): object {
  const said = DECISION_FIELDS.flatMap(([option, field]) => {
    const value = options[option];
    return value === undefined ? [] : [[field, STATUSES.includes(field) ? value.toUpperCase() : value] as const];
  });
  return { ...Object.fromEntries(said), ...(options.allEvents ? { all: true } : {}) };
}

/** Ends the process: 0 if the workflow has taken it, 1 if it refuses, 2 if there is none or the input is wrong, 3 if no answer came in time. */
export function resolveOrder(order: string, options: ResolveOptions): Promise<never> {
  return asOperator(async (operator) => {
    const { outcome, refund, elsewhere } = options;
    const input = resolutionOf(options);
    // A decision about a refund, or about refunds elsewhere, can be corrected: the after-sale takes it, even if it has ended.
    const decision = { update: UPDATE.resolve, input };
    if (elsewhere !== undefined || refund !== undefined) return tellAfterSale(operator, order, decision, options);
    const runs = await runsToTell(operator, order, options);
    const open = runs.filter(isOpen);
    const isOver = !open.some(({ type, attention }) => type === WORKFLOW.payment || attention !== null);
    // The end of an order can be corrected, too.
    if (outcome !== undefined && isOver) return tellAfterSale(operator, order, decision, options);
    const run = theOneToResolve(runs, options, order);
    if (options.allEvents && kindOf(run.workflow_id) !== 'event-delivery')
      throw new NotDeliveredError(
        `${printable(run.workflow_id)} delivers no events: leave out --all-events, or name the delivery by its workflow id.`,
      );
    return tell(operator, run.workflow_id, { update: UPDATE.resolve, input, settles: run.attention }, options);
  });
}

/** Takes on what of the order waits for a person. Ends the process as {@link resolveOrder} does. */
export function takeOrder(order: string, { by, note, ...options }: TakeOptions): Promise<never> {
  return asOperator(async (operator) => {
    const run = theOneToResolve(await runsToTell(operator, order, options), {}, order);
    if (!TAKEN_ON.includes(kindOf(run.workflow_id)))
      throw new NotDeliveredError(
        `${printable(run.workflow_id)} does not note who takes care of it: payments, after-sales and virtual accounts do. show says what settles it.`,
      );
    const input = { by, ...(note === undefined ? {} : { note }) };
    return tell(operator, run.workflow_id, { update: UPDATE.take, input }, options);
  });
}

/** Asks the gateway now, for every open workflow of the order. Ends the process as {@link resolveOrder} does. */
export function recheckOrder(order: string, options: DecideOptions): Promise<never> {
  return asOperator(async (operator) => {
    const found = await caseToChange(operator, order, options);
    const asked = openRuns(found).filter(({ workflow_id }) => takesUpdate(UPDATE.recheck, workflow_id));
    // An order that has ended may have been charged back since: its after-sale asks. A delivery does not ask the gateway.
    const isOver = asked.every(({ type }) => type === WORKFLOW.eventDelivery);
    const asksAfterSale = isOver && hasEnded(found);
    if (asked.length === 0 && !asksAfterSale) {
      const instead = insteadOf(UPDATE.recheck, found.runs);
      throw new NotDeliveredError(instead || `Nothing of ${printable(order)} is open, so nothing can be asked.`);
    }
    const codes: number[] = [];
    if (asksAfterSale) codes.push(await tellAfterSale(operator, order, { update: UPDATE.recheck }, options));
    for (const { workflow_id } of asked)
      codes.push(await tell(operator, workflow_id, { update: UPDATE.recheck }, options));
    return Math.max(...codes);
  });
}

async function caseToChange(operator: Operator, order: string, options: DecideOptions): Promise<OrderCase> {
  const found = await readCase(operator.client, await targetOf(order, options, operator, 'change'));
  if (found.runs.length === 0) throw nothingOf(order);
  return found;
}

const isOpen = ({ execution }: OrderRun) => execution === 'RUNNING';
const openRuns = ({ runs }: OrderCase) => runs.filter(isOpen);

const nothingOf = (order: string) =>
  new NotDeliveredError(
    `Temporal has nothing of order ${printable(order)}. Is the number right? payment-gateway find finds it. A number is meant with --app, a workflow’s id without.`,
  );

/** The workflows that a decision on the order may be for: no event delivery, unless it is named by its id. */
async function runsToTell(operator: Operator, order: string, options: DecideOptions): Promise<OrderRun[]> {
  const { runs } = await caseToChange(operator, order, options);
  return runs.filter(({ type, workflow_id }) => type !== WORKFLOW.eventDelivery || workflow_id === order);
}

/** The workflow that waits for a person; without one, the open payment, which an outcome ends. */
function theOneToResolve(runs: readonly OrderRun[], { outcome }: { outcome?: string }, order: string): OrderRun {
  const open = runs.filter(isOpen);
  const waiting = open.filter(({ attention }) => attention !== null);
  const candidates =
    waiting.length > 0 || outcome === undefined ? waiting : open.filter(({ type }) => type === 'payment');
  const [one, ...others] = candidates;
  if (one && others.length === 0) return one;
  if (!one) {
    const ended = insteadOf(UPDATE.resolve, runs);
    const rest = open.length > 0 ? 'What is open goes on by itself.' : 'Nothing of it is open.';
    throw new NotDeliveredError(ended || `Nothing of ${printable(order)} waits for a person. ${rest}`);
  }
  const names = candidates.map(({ workflow_id, attention }) => printable(`  ${workflow_id} (${attention})`));
  throw new NotDeliveredError(
    `Several workflows wait for a person. Name one in the order’s place, without --app:\n${names.join('\n')}`,
  );
}

/** Sends an update to the order's after-sale. Starts the after-sale if it has ended, or if there is none because nothing was left to do. */
async function tellAfterSale(
  operator: Operator,
  order: string,
  { update: name, input }: { update: string; input?: object },
  options: DecideOptions,
): Promise<number> {
  const { app_id, out_trade_no } = await targetOf(order, options, operator, 'change');
  const { client } = operator;
  const workflowId = afterSaleWorkflowId(app_id, out_trade_no ?? '');
  const payment = await descriptionOf(client, paymentWorkflowId(app_id, out_trade_no ?? ''));
  const last = (await descriptionOf(client, workflowId)) ?? payment;
  if (!last) throw nothingOf(order);
  if (last === payment && payment.status.name === 'RUNNING')
    throw new NotDeliveredError(
      `The payment of ${printable(order)} is open, so nothing of it has gone back. End it first, with resolve --outcome.`,
    );
  const startOperation = () =>
    new WithStartWorkflowOperation<AfterSaleWorkflow>(WORKFLOW.afterSale, {
      workflowId,
      taskQueue: last.taskQueue,
      args: [{ app_id, out_trade_no: out_trade_no ?? '' }],
      staticSummary: startSummary({ out_trade_no }),
      priority: priorityOf(workflowId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  const update = (name: string, args: [] | [object]) =>
    client.workflow.executeUpdateWithStart<AfterSaleWorkflow, AfterSaleState, [] | [object]>(name, {
      args,
      startWorkflowOperation: startOperation(),
    });
  let state: AfterSaleState | undefined;
  const send = async () => {
    state = await update(name, input === undefined ? [] : [input]);
    return state;
  };
  // A new run may not have asked yet what was paid: a decision would be refused, or contradicted later. So it asks first.
  const asksFirst = last.status.name !== 'RUNNING' && input !== undefined;
  const before = asksFirst ? () => update(UPDATE.recheck, []) : null;
  const code = await answered(operator, { workflowId, update: name, settles: null, before, send }, options);
  const elsewhere = state && elsewhereLine(state);
  if (elsewhere !== undefined && !options.json) say(printable(elsewhere));
  return code;
}

/** Sends an update and prints the state that it answers with. `settles`: the reason for which the workflow waited. */
function tell(
  operator: Operator,
  workflowId: string,
  { update, input, settles = null }: { update: string; input?: object; settles?: string | null },
  options: DecideOptions,
): Promise<number> {
  const handle = operator.client.workflow.getHandle(workflowId);
  const send = () =>
    input === undefined
      ? handle.executeUpdate<object, []>(update)
      : handle.executeUpdate<object, [object]>(update, { args: [input] });
  return answered(operator, { workflowId, update, settles, before: null, send }, options);
}

interface Told {
  workflowId: string;
  update: string;
  settles: string | null;
  /** The `recheck` without which the update is not sent. */
  before: (() => Promise<object>) | null;
  send: () => Promise<object>;
}

/** Waits for the answer and prints it. */
export async function answered(
  { client }: Pick<Operator, 'client'>,
  { workflowId, update, settles, before, send }: Told,
  { json }: DecideOptions,
): Promise<number> {
  const end = Date.now() + UPDATE_TIMEOUT_MS;
  let step = before ? UPDATE.recheck : update;
  try {
    if (before) await client.withDeadline(end, before);
    step = update;
    const state = await client.withDeadline(end, send);
    say(json ? JSON.stringify({ workflow_id: workflowId, state }) : doneText(workflowId, update, state, settles));
    return isWithoutNews(update, state) ? EXIT.pending : EXIT.ok;
  } catch (error) {
    return exitCodeAfter(error, { workflowId, update, step });
  }
}

/** Whether a look at the gateway has brought nothing: the state is as it was. */
const isWithoutNews = (update: string, state: { attention?: unknown }): boolean =>
  update === UPDATE.recheck && isSilence(state.attention);

/** What a state says of an order. */
interface Known extends PaidMoney, GoneMoney {
  out_trade_no: string | null;
  method: string | null;
  payment: (PaidMoney & TradesBeside & { method?: string | null; confirmed_by?: Source | null }) | null;
  confirmed_by: Source | null;
  watched_until: string | null;
  refunds: AfterSaleState['refunds'];
  taken: object | null;
}

const NOTHING: Known = {
  out_trade_no: null,
  method: null,
  trade_status: null,
  order_amount: null,
  order_currency: null,
  refunded_amount: '0.00',
  refunding_amount: '0.00',
  refunded_elsewhere: '0.00',
  outcome: null,
  payment: null,
  confirmed_by: null,
  watched_until: null,
  refunds: [],
  attention: null,
  taken: null,
};

/** The result of an update, in a line: the state of its order, and what is left to do. `settles`: the reason for which the workflow waited. */
export function doneText(
  workflowId: string,
  update: string,
  state: object,
  settles: string | null = null,
  at = Date.now(),
): string {
  const known: Known = { ...NOTHING, ...state };
  const { out_trade_no, attention, taken } = known;
  const { app_id = '' } = namedByWorkflowId(workflowId) ?? {};
  const trade_status = known.trade_status ?? known.payment?.trade_status ?? null;
  const outcome = known.outcome ?? known.payment?.outcome ?? null;
  const name = out_trade_no === null ? workflowId : `Order ${out_trade_no} (app ${app_id})`;
  const standing = outcome === null ? 'is open' : `ended as ${outcome}`;
  const said = trade_status === null ? 'the gateway has shown no trade yet' : `the gateway says ${trade_status}`;
  const has = update === UPDATE.take && taken !== null ? ' It is taken.' : '';
  const method = known.method ?? known.payment?.method ?? null;
  const back = known.payment ? moneyToSendBack(known.payment, known) : moneyToSendBack(known, null);
  const left = secondTradesLeft(state, settles);
  const twice = left && ` ${left}`;
  const confirmed_by = known.confirmed_by ?? known.payment?.confirmed_by ?? null;
  const may = stillPayable({ outcome, trade_status, confirmed_by }, known.payment && known, at);
  const rest = back
    ? ` ${back} came, and is to be sent back: ${refundCommand(workflowId, method, known.refunds)}. Where it goes back another way, say so: ${elsewhereCommand(afterSaleWorkflowId(app_id, out_trade_no ?? ''))}.`
    : (twice ?? ` It needs nobody.${may ? ` ${may}` : ''}`);
  // A delivery answers before its receiver does.
  const isPosted = update === UPDATE.recheck && kindOf(workflowId) === 'event-delivery';
  const waits = isPosted
    ? ' Its event is posted now: look with show in a moment.'
    : ` It still needs a person: ${attention}.${twice ?? ''}`;
  // What comes of a decision on a creation of an account may take longer than its answer.
  const isGoingOn = 'account' in state && state.account === null;
  const needs = attention !== null ? waits : isGoingOn ? ' It goes on by itself: look with show in a moment.' : rest;
  const now = 'trade_status' in state ? ` ${standing}; ${said}.` : ':';
  const done = isWithoutNews(update, known) ? `${update}: the gateway has given no answer.` : `Done: ${update}.`;
  return printable(`${done} ${name}${now}${has}${needs}`);
}

/**
 * The money of other trades, in a sentence, once the reason is settled under which the lists had it: nothing else names it after that.
 * `settles`: the reason for which the workflow waited.
 */
export function secondTradesLeft(state: object, settles: string | null): string | undefined {
  const known: Known = { ...NOTHING, ...state };
  const reason: Attention = 'second-trade';
  const { attention, payment } = known;
  const twice = settles === reason && attention !== reason && payment ? secondTradesPaid(payment) : undefined;
  return (
    twice &&
    `${twice} is to be sent back in the gateway’s dashboard, where that is not done yet${unlessOwnWentBack(known)}: no list has it any more.`
  );
}

/** Says why the update failed, or the `step` before it, and gives the exit code. Throws errors that are not an answer of Temporal. */
function exitCodeAfter(
  error: unknown,
  { workflowId, update, step }: Pick<Told, 'workflowId' | 'update'> & { step: string },
): number {
  const isDecided = step === update;
  const what = isDecided ? workflowId : `Nothing was decided: before ${update}, ${step} of ${workflowId}`;
  const open = whyOpen(error, isDecided);
  if (open !== undefined) {
    tellError(new NotDeliveredError(`${isDecided ? `${update} of ` : ''}${what} ${open}`));
    return EXIT.pending;
  }
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) {
    tellError(new NotDeliveredError(`${what}: ${withOptions(DECISION_FIELDS, innermost(error))}`));
    return isWrongInput(error) ? EXIT.wrongInput : EXIT.refused;
  }
  throw error;
}

/** Why nobody knows yet what became of a step; undefined after an answer. `isDecided`: it was the decision itself. */
function whyOpen(error: unknown, isDecided: boolean): string | undefined {
  const next = isDecided ? 'It may still be: look with show before you repeat it.' : 'Decide again.';
  if (isTaskFailing(error) || isUnreadable(error))
    return `was not taken: the worker cannot read this workflow, or not run its code, and its task fails again and again. Has the worker the same PAYMENTS_ENCRYPTION_KEYS as this process? show has its last words. Send it again once that is mended: docs/runbook.md#failing-tasks.`;
  if (isUnreachable(error)) return `has no answer: Temporal could not be reached, or broke off the call. ${next}`;
  if (isWithoutAnswer(error)) return `is not answered yet. ${next} Is a worker running, and does the gateway answer?`;
  return undefined;
}
