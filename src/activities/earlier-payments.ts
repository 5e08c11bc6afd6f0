/** What the earlier runs under a payment's workflow id know of its order, and of what was sold under its number. */
import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import {
  type AdoptedPayment,
  answerToKeep,
  asNotified,
  type EarlierEnd,
  type EarlierRun,
  fieldsUnlikeKnown,
  isDuplicateOrderFailure,
  isNamedByItsCreation,
  knownIds,
  type NewPayment,
  type NotificationSignal,
  type OtherTrade,
  orderOf,
  type PaymentCarried,
  type PaymentInput,
  type PaymentState,
  type PreviousRun,
  QUERY,
  saysWithoutOrder,
} from '../contract';
import { earlierRuns, ifAnswered } from '../temporal/earlier-runs';
import { type ShownRun, wasTaken } from '../temporal/taken-run';
import { readStart, summarizeClosedRun } from '../temporal/workflow-history';
import { untakenNotifications } from './untaken-notifications';
import { readWithin } from './urgency';

type Order = Pick<NewPayment, 'kind' | 'request'>;

/** What a run made, or sold: an order of ours, nothing, or nothing because the gateway has an order of others. */
type Made = 'order' | 'nothing' | 'duplicate';

/** How a run ended: somebody ended it, it continued as another, or it came to its own end. */
type RunEnding = 'cut-off' | 'continued' | 'ended';

interface RunBefore {
  readonly run_id: string;
  readonly input: PaymentInput;
  readonly made: Made;
  /** Undefined where a trade was sold that others had made. */
  readonly order: Order | undefined;
  /** Null where the run cannot be asked any more. */
  readonly state: PaymentState | null;
  readonly ending: RunEnding;
  /** The run that this one is, or was reset from. */
  readonly original: string;
}

/**
 * What the earlier runs of a payment know; null where none may have made an order, has sold one, has seen one of others, or has left
 * a notification that it had not taken. `order` is what they are compared with; without it each is the same.
 */
export async function loadEarlierPayment(
  client: Client,
  workflowId: string,
  runId: string,
  order: Order | undefined,
): Promise<EarlierRun | null> {
  let latest: EarlierRun | null = null;
  let other: EarlierRun | null = null;
  const left: Left = { other_trades: [], untaken: [], watched: null };
  let isLeft = true;
  let isDuplicate = false;
  let { input: later } = await readStart(client, workflowId, runId);
  for await (const run of runsBefore(client, workflowId, runId)) {
    const { run_id, made, order: known, state, ending } = run;
    const isCutOff = ending === 'cut-off';
    const outcome = state?.outcome ?? null;
    if (isCutOff && isLeft) await takeLeft(left, client, workflowId, run);
    // A run that came to an end by itself had taken what those before it left: a person may have settled it.
    isLeft &&=
      isCutOff || (outcome === null && made !== 'duplicate' && !(ending === 'continued' && hasHandedOn(run_id, later)));
    later = run.input;
    const unproven = { run_id, ended: null, trade_no: null, is_proven: false, payment_data: null, ...left };
    if (made !== 'order') {
      takeWatched(left, state, isLeft);
      if (made === 'duplicate' || isCutOff) other ??= { ...unproven, is_same_order: false };
      isDuplicate ||= made === 'duplicate';
      continue;
    }
    const is_same_order = !order || fieldsUnlikeKnown(order, known, state).length === 0;
    latest ??= { ...unproven, is_same_order };
    if (is_same_order && state?.outcome === 'SUCCESS') return { ...latest, ...left, ended: endOf(state) };
    if (is_same_order && state && outcome !== null && latest.ended === null)
      latest = { ...latest, ended: endOf(state) };
    // A run that only found a trade does not prove whose it is.
    if (is_same_order && state && !latest.is_proven) latest = learn(latest, state);
  }
  // What somebody's end of a run has left names a trade, although no run has made one. A run that left nothing says nothing.
  const hasLeft = left.untaken.length > 0 || left.other_trades.length > 0 || (!order && left.watched !== null);
  const found = latest ?? (isDuplicate || hasLeft ? other : null);
  return found && { ...found, ...left };
}

/** Whether a run that continued as the later one did so at its own end. One that gave way names the run before it. */
const hasHandedOn = (run_id: string, later: PaymentInput) =>
  later.kind === 'adopt' && later.previous?.run_id === run_id;

/** What earlier runs left to the next. Of what two of them knew, the later word counts. */
type Left = Pick<EarlierRun, 'other_trades' | 'untaken' | 'watched'>;

/** Takes over what a run that somebody ended had not told to the end. */
async function takeLeft(left: Left, client: Client, workflowId: string, run: RunBefore): Promise<void> {
  // Without a number of its own, one of those that it noted may be its own: the next run asks for them.
  const { trade_no: ours = null } = run.state ?? {};
  const other_trades = (run.state?.other_trades ?? []).filter((other) => !wasGiven(run.input, other));
  if (ours !== null) for (const other of other_trades) noteOther(left, other);
  const candidates = ours === null ? other_trades.map(asNotified) : [];
  const handle = client.workflow.getHandle(workflowId, run.run_id);
  const carried = await ifAnswers(() => handle.query<PaymentCarried>(QUERY.carried), null);
  const { input } = run;
  // One that nobody can ask has perhaps not taken what it was started with.
  const given = (input.kind === 'adopt' && input.pending_notifications) || [];
  const of = { workflowId, runId: run.run_id };
  const untaken = await untakenNotifications(client, of, carried?.taken ?? 0);
  left.untaken = [
    ...candidates,
    ...namedUnseen(run),
    ...(carried?.claims ?? given),
    // A notification without a trade and a status carries no news: it only requested a look.
    ...untaken.filter(({ trade_no, trade_status }) => trade_no || trade_status),
    ...left.untaken,
  ];
}

/** Whether this run got the trade from the run before it, which has already asked a person about it. */
function wasGiven(input: PaymentInput, { trade_no, trade_status }: OtherTrade): boolean {
  const given = (input.kind === 'adopt' && input.previous?.other_trades) || [];
  return given.some((one) => one.trade_no === trade_no && one.trade_status === trade_status);
}

/** The trade that somebody named to a run which had not seen it, and made no order. */
function namedUnseen({ input, made, state }: RunBefore): NotificationSignal[] {
  const isUnseen = input.kind === 'adopt' && made === 'nothing' && !hasSeen(state);
  return isUnseen && input.trade_no ? [{ trade_no: input.trade_no }] : [];
}

/** Takes over the trade that a run without an order of ours watched last; any other that such a run left is a second one. */
function takeWatched(left: Left, state: PaymentState | null, isLeft: boolean): void {
  if (!hasSeen(state)) return;
  const { outcome, trade_no, trade_status, order_amount } = state;
  if (left.watched === null) left.watched = { outcome, trade_no, trade_status, order_amount };
  else if (isLeft && trade_no !== null && trade_no !== left.watched.trade_no)
    noteOther(left, { trade_no, trade_status, order_amount });
}

function noteOther(left: Left, other: OtherTrade): void {
  if (!left.other_trades.some(({ trade_no }) => trade_no === other.trade_no))
    left.other_trades = [...left.other_trades, other];
}

/** Whether the gateway, or a person, has told the run of its trade. */
function hasSeen(state: PaymentState | null): state is PaymentState {
  return state !== null && (state.trade_status !== null || state.outcome !== null);
}

/**
 * The earlier run that this one goes on from: the latest that made an order, or sold one, or else the latest that watched a trade of
 * others; null where there is none.
 */
export async function runBefore(client: Client, workflowId: string, runId: string): Promise<AdoptedPayment | null> {
  const own = await readStart(client, workflowId, runId);
  let watcher: AdoptedPayment | null = null;
  for await (const run of runsBefore(client, workflowId, runId)) {
    if (run.made !== 'order') {
      // A reset of a run that has told nothing yet goes on by itself.
      const isNews = run.original !== own.runId || run.state?.outcome !== null;
      if (run.input.kind === 'adopt' && isNews) watcher ??= await watchedBy(client, workflowId, run);
      continue;
    }
    const { run_id, order, state } = run;
    const summary = await summarizeClosedRun(client, workflowId, run_id);
    const previous = state?.outcome === 'SUCCESS' ? { ...summary, ...endOf(state) } : summary;
    if (!previous.order && previous.outcome !== 'SUCCESS') continue;
    const out_trade_no = order?.request.out_trade_no ?? state?.out_trade_no ?? null;
    return adoptionAfter(run, previous, out_trade_no);
  }
  return watcher;
}

/** The run that goes on from one that watched a trade of others; null where it has seen none. */
async function watchedBy(client: Client, workflowId: string, run: RunBefore): Promise<AdoptedPayment | null> {
  const { run_id, state } = run;
  if (!hasSeen(state)) return null;
  const { outcome, confirmed_by, trade_no, trade_status, order_amount, order_currency, other_trades, mismatch } = state;
  const seen = { outcome, confirmed_by, trade_no, trade_status, order_amount, order_currency, other_trades, mismatch };
  const previous = { ...(await summarizeClosedRun(client, workflowId, run_id)), ...seen };
  return adoptionAfter(run, previous, state.out_trade_no);
}

function adoptionAfter({ input }: RunBefore, previous: PreviousRun, out_trade_no: string | null): AdoptedPayment {
  const { app_id } = input;
  return { kind: 'adopt', app_id, ...knownIds({ out_trade_no, trade_no: previous.trade_no ?? null }), previous };
}

/** The earlier runs, the latest first. */
async function* runsBefore(client: Client, workflowId: string, runId: string): AsyncGenerator<RunBefore> {
  for (const { runId: run_id, status } of await earlierRuns(client, workflowId, runId)) {
    const { input, runId: original } = await readStart(client, workflowId, run_id);
    const handle = client.workflow.getHandle(workflowId, run_id);
    const state = await ifAnswers(() => handle.query<PaymentState>(QUERY.state), null);
    const order = orderOf(input);
    yield {
      run_id,
      input,
      order,
      state,
      made: await madeBy(client, { workflowId, runId: run_id, status }, order, state),
      ending: endingOf(status.name),
      original,
    };
  }
}

function endingOf(status: string): RunEnding {
  if (status === 'CONTINUED_AS_NEW') return 'continued';
  return status === 'COMPLETED' || status === 'FAILED' ? 'ended' : 'cut-off';
}

/** A run that never reached its creation made no order. One that cannot be asked may have. */
async function madeBy(
  client: Client,
  run: ShownRun,
  order: Order | undefined,
  state: PaymentState | null,
): Promise<Made> {
  if (state?.outcome === 'SUCCESS') return 'order';
  // The gateway has shown a trade of others under the number.
  if (!order) return state?.trade_status ? 'duplicate' : 'nothing';
  const handle = client.workflow.getHandle(run.workflowId, run.runId);
  const failure = await failureOf(handle);
  if (isDuplicateOrderFailure(failure)) return 'duplicate';
  if (saysWithoutOrder(failure)) return 'nothing';
  const isAsked = await ifAnswers(() => handle.query<boolean>(QUERY.creationAsked), null);
  return (isAsked ?? (await wasTaken(client, run))) ? 'order' : 'nothing';
}

/** So long the code of an earlier run may fail to answer, such as after a deploy that cannot replay it. */
const PATIENCE_MS = 10 * 60_000;

/** What a run answers; `otherwise` where it cannot be asked, or has not answered for long: no money waits for it. */
async function ifAnswers<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  return readWithin(PATIENCE_MS, () => ifAnswered(ask, otherwise), otherwise);
}

/** What a run failed with; undefined where it did not fail. */
export async function failureOf(handle: Pick<WorkflowHandle, 'describe' | 'result'>): Promise<unknown> {
  const { status } = await handle.describe();
  if (status.name !== 'FAILED') return undefined;
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  return failure instanceof WorkflowFailedError ? failure.cause : undefined;
}

/** What an earlier run adds. One that ended right after its start knows nothing. */
function learn(latest: EarlierRun, state: PaymentState): EarlierRun {
  const { trade_no } = state;
  const payment_data = answerToKeep(state);
  if (isNamedByItsCreation(state, trade_no)) return { ...latest, trade_no, payment_data, is_proven: true };
  return {
    ...latest,
    trade_no: latest.trade_no ?? trade_no,
    payment_data: latest.payment_data ?? payment_data,
  };
}

function endOf(state: PaymentState): EarlierEnd {
  const { outcome, confirmed_by, trade_no, trade_status, order_amount, payment_data, refused_because } = state;
  const { other_trades, mismatch } = state;
  const end = { outcome, confirmed_by, trade_no, trade_status, order_amount, payment_data, refused_because };
  return { ...end, other_trades, ...(mismatch ? { mismatch } : {}) };
}
