/** What the earlier runs under a payment's workflow id know of its order, and of what was sold under its number. */
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleCarried,
  afterSaleWorkflowId,
  asNotified,
  type EarlierPayment,
  type EarlierPayments,
  hasSeenTrade,
  type KnownOrder,
  type NotedTrade,
  type NotificationSignal,
  namedByWorkflowId,
  type PaymentCarried,
  type PaymentInput,
  QUERY,
} from '../contract';
import { allRuns, earlierRuns, ifAnswered, ifExists, type ShownRun } from '../temporal/runs';
import { paymentInHistory, readStart } from '../temporal/workflow-history';
import { untakenNotifications } from './untaken-notifications';
import { readInTime } from './urgency';

/** How a run ended: somebody ended it, it continued as another, or it came to its own end. */
type RunEnding = 'cut-off' | 'continued' | 'ended';

interface RunBefore {
  readonly run: ShownRun;
  readonly input: PaymentInput;
  /** What the run answers or, if it no longer does, what its history says. */
  readonly payment: EarlierPayment;
  /** Null if the run no longer answers. */
  readonly carried: PaymentCarried | null;
}

type Left = Pick<EarlierPayments, 'other_trades' | 'untaken' | 'reasons'>;

/** What the runs before this one knew, and what terminated ones among them had not reported yet. */
export async function loadEarlierPayments(client: Client, workflowId: string, runId: string): Promise<EarlierPayments> {
  const own = await readStart(client, workflowId, runId);
  const runs: EarlierPayment[] = [];
  let left: Left = { other_trades: [], untaken: [], reasons: [] };
  let isLeft = true;
  const read = [runId];
  for (const run of await earlierRuns(client, workflowId, runId)) {
    const start = await ifExists(() => readStart(client, workflowId, run.runId), null);
    if (start === null) continue;
    read.push(run.runId);
    const { input, runId: original } = start;
    const handle = client.workflow.getHandle(run.workflowId, run.runId);
    const carried = await ifAnswers(() => handle.query<PaymentCarried>(QUERY.carried), null);
    const payment = carried?.payment ?? (await paymentInHistory(client, run, input));
    const { made, outcome, order, other_trades } = payment;
    const ending = endingOf(run.status.name);
    if (ending === 'cut-off' && isLeft) left = await withLeft(left, client, { run, input, payment, carried });
    // A run that ended with a result leaves nothing: it took in what the runs before it had left, or a person may have settled that.
    const isOver = ending === 'ended' && (outcome !== null || made === 'of others');
    isLeft &&= !isOver;
    if (isLeft && isOfOthers(payment)) left = withSecond(left, runs, payment);
    isLeft &&= carried?.has_read !== true;
    // If this run is a reset of a run that had reported nothing, it needs nothing from that run.
    const hasTold = outcome !== null || payment.payment_data !== null;
    if (original === own.runId && input.kind === 'adopt' && !order && !hasTold) continue;
    const known = { ...payment, other_trades: ending === 'cut-off' && outcome === null ? [] : other_trades };
    if (!runs.some((one) => isSame(one, known))) runs.push(known);
  }
  const after = await afterSaleOf(client, workflowId);
  const isMadeHere = runs.some(({ made }) => made === 'order');
  const ask = async () => (after === null || isMadeHere ? [] : soldBefore(client, workflowId, after, read));
  // A run that takes a trade on asks the gateway in any case, and must not wait for an after-sale that cannot answer.
  const forgotten = await (own.input.kind === 'adopt' ? ifAnswers(ask, []) : ask());
  return { runs: [...runs, ...forgotten], ...left, is_followed: after !== null, read_by: runId };
}

/** The latest run of the after-sale of this payment's order; null if there is none. */
export async function afterSaleOf(client: Client, workflowId: string): Promise<ShownRun | null> {
  const { app_id = '', out_trade_no } = namedByWorkflowId(workflowId) ?? {};
  const after = client.workflow.getHandle(afterSaleWorkflowId(app_id, out_trade_no ?? ''));
  return ifExists(() => after.describe(), null);
}

/**
 * Temporal forgets a payment before its after-sale, which still knows how an order of ours ended, or whose trade the number has. Throws a
 * retryable failure while the after-sale reads what it knew itself. `read`: the payment's runs that Temporal still has.
 */
async function soldBefore(
  client: Client,
  workflowId: string,
  after: ShownRun,
  read: readonly string[],
): Promise<EarlierPayment[]> {
  const sale = await saleKnownAfter(client, after, read);
  if (sale === null) return [];
  const { payment: end, seen, trade_no } = sale;
  // Nobody told it of a payment, and the gateway has shown it a trade.
  if (end === null) return seen === null ? [] : [seenUnder(workflowId, trade_no)];
  if (read.includes(end.run_id)) return [];
  const { state, run_id, sent_again, ordered_here, watch_until } = end;
  const mayBeMade = state.outcome === 'SUCCESS' || (ordered_here && (state.outcome !== null || watch_until > 0));
  if (!mayBeMade && !hasSeenTrade(state)) return [];
  const reached = mayBeMade ? (sent_again ? 2 : 1) : 0;
  const ended = { failed: state.outcome === null, withdrawn: false };
  return [{ ...state, ...ended, run_id, made: mayBeMade ? 'order' : 'of others', reached }];
}

/** A run of which nothing is known but the trade of others that the gateway has shown. */
function seenUnder(workflowId: string, trade_no: string | null): EarlierPayment {
  const { app_id = '', out_trade_no = null } = namedByWorkflowId(workflowId) ?? {};
  return {
    ...{ app_id, out_trade_no, run_id: '', made: 'of others', trade_no, trade_status: null },
    ...{ order_amount: null, order_currency: null, method: null, outcome: null, confirmed_by: null },
    ...{ payment_data: null, refused_because: null, other_trades: [], failed: false, withdrawn: false, reached: 0 },
  };
}

/** The order as the latest run of its after-sale knows it that was told of an end, or has read what the runs before it knew. */
async function saleKnownAfter(
  client: Client,
  { workflowId, runId: latest }: ShownRun,
  read: readonly string[],
): Promise<KnownOrder | null> {
  for (const { runId, status } of await allRuns(client, workflowId, latest)) {
    const ask = () => client.workflow.getHandle(workflowId, runId).query<AfterSaleCarried>(QUERY.carried);
    const { sale = null, has_read = false } = (await ifExists(ask, null)) ?? {};
    // If it was told of a run that Temporal still has, that one is asked itself.
    const isTold = sale?.payment && (status.name !== 'RUNNING' || read.includes(sale.payment.run_id));
    if (has_read || isTold) return sale;
    if (status.name === 'RUNNING') throw ApplicationFailure.retryable('The after-sale reads what earlier runs knew.');
  }
  return null;
}

function endingOf(status: string): RunEnding {
  if (status === 'CONTINUED_AS_NEW') return 'continued';
  return status === 'COMPLETED' || status === 'FAILED' ? 'ended' : 'cut-off';
}

/** Adds what a run that somebody ended had not finished reporting. Where two runs know the same trade, the later run counts. */
async function withLeft(left: Left, client: Client, { run, input, payment, carried }: RunBefore): Promise<Left> {
  // If the run did not know its trade number, a trade that it noted may be its own: the next run asks the gateway for each.
  const { other_trades = [], claims } = carried ?? {};
  const reasons = carried?.reasons ?? (input.kind === 'adopt' ? input.reasons : undefined) ?? [];
  const isKnown = payment.trade_no !== null;
  // A run that cannot be asked may not have taken the notifications in its input.
  const given = (input.kind === 'adopt' && input.pending_notifications) || [];
  const untaken = await untakenNotifications(client, run, carried?.taken ?? 0);
  return {
    other_trades: isKnown ? other_trades.reduce(withOther, left.other_trades) : left.other_trades,
    untaken: [
      ...(isKnown ? [] : other_trades.map(asNotified)),
      ...namedUnseen(input, payment),
      ...(claims ?? given),
      // A notification without a trade and a status carries no news: it only requested a look.
      ...untaken.filter(({ trade_no, trade_status }) => trade_no || trade_status),
      ...left.untaken,
    ],
    reasons: [...new Set([...reasons, ...left.reasons])],
  };
}

const withOther = (others: readonly NotedTrade[], other: NotedTrade): readonly NotedTrade[] =>
  others.some(({ trade_no }) => trade_no === other.trade_no) ? others : [...others, other];

/** The trade that the input named, if the run had not seen it and made no order. */
function namedUnseen(input: PaymentInput, payment: EarlierPayment): NotificationSignal[] {
  const isUnseen = input.kind === 'adopt' && payment.made === 'nothing' && !hasSeenTrade(payment);
  return isUnseen && input.trade_no ? [{ trade_no: input.trade_no }] : [];
}

/** For runs without an order of ours: a trade other than the one that the latest of these runs watched is a second trade. */
function withSecond(left: Left, later: readonly EarlierPayment[], payment: EarlierPayment): Left {
  const { trade_no, trade_status, order_amount } = payment;
  const watched = later.find(isOfOthers);
  if (watched === undefined || trade_no === null || trade_no === watched.trade_no) return left;
  const other = { trade_no, trade_status, order_amount, asked: 'answered' } as const;
  return { ...left, other_trades: withOther(left.other_trades, other) };
}

/** An order may be started many times: what a later run also knew is not handed on twice. */
const isSame = (one: EarlierPayment, { run_id: _, ...other }: EarlierPayment) =>
  isDeepStrictEqual({ ...one, run_id: undefined }, { ...other, run_id: undefined });

const isOfOthers = (payment: EarlierPayment) => payment.made !== 'order' && hasSeenTrade(payment);

/** What a run answers; `otherwise` if it cannot be asked or has not answered in time: no money waits for it. */
const ifAnswers = <T>(ask: () => Promise<T>, otherwise: T): Promise<T> =>
  readInTime(() => ifAnswered(ask, otherwise), otherwise);
