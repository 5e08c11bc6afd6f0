/** What the earlier runs under a payment's workflow id know of its order, and of what was sold under its number. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import {
  type AdoptedPayment,
  answerToKeep,
  type EarlierRun,
  fieldsUnlikeKnown,
  isNamedByItsCreation,
  knownIds,
  type NewPayment,
  orderOf,
  type PaymentInput,
  type PaymentState,
  QUERY,
  type Sale,
  saysWithoutOrder,
} from '../contract';
import { earlierRuns, ifAnswered } from '../temporal/earlier-runs';
import { readStart, summarizeClosedRun } from '../temporal/workflow-history';

type Order = Pick<NewPayment, 'kind' | 'request'>;

interface RunWithOrder {
  readonly run_id: string;
  readonly input: PaymentInput;
  /** Undefined where a trade was sold that others had made. */
  readonly order: Order | undefined;
  /** Null where the run cannot be asked any more. */
  readonly state: PaymentState | null;
}

/**
 * What the earlier runs of a payment know; null where none may have made an order, or has sold one. `order` is what they are
 * compared with; without it each is the same.
 */
export async function loadEarlierPayment(
  client: Client,
  workflowId: string,
  runId: string,
  order: Order | undefined,
): Promise<EarlierRun | null> {
  let latest: EarlierRun | null = null;
  for await (const { run_id, order: made, state } of runsWithOrder(client, workflowId, runId)) {
    const is_same_order = !order || fieldsUnlikeKnown(order, made, state).length === 0;
    latest ??= { run_id, is_same_order, sale: null, trade_no: null, is_proven: false, payment_data: null };
    if (is_same_order && state?.outcome === 'SUCCESS') return { ...latest, sale: saleOf(state) };
    // A run that only found a trade does not prove whose it is.
    if (is_same_order && state && !latest.is_proven) latest = learn(latest, state);
  }
  return latest;
}

/** The latest earlier run that made an order, or sold one, as the run that takes it on needs it; null where there is none. */
export async function orderBefore(client: Client, workflowId: string, runId: string): Promise<AdoptedPayment | null> {
  for await (const { run_id, input, order, state } of runsWithOrder(client, workflowId, runId)) {
    const summary = await summarizeClosedRun(client, workflowId, run_id);
    const previous = state?.outcome === 'SUCCESS' ? { ...summary, ...saleOf(state), outcome: state.outcome } : summary;
    if (!previous.order && previous.outcome !== 'SUCCESS') continue;
    const out_trade_no = order?.request.out_trade_no ?? state?.out_trade_no ?? null;
    const { app_id } = input;
    return { kind: 'adopt', app_id, ...knownIds({ out_trade_no, trade_no: previous.trade_no ?? null }), previous };
  }
  return null;
}

/** The earlier runs that may have made an order, or have sold a trade, the latest first. */
async function* runsWithOrder(client: Client, workflowId: string, runId: string): AsyncGenerator<RunWithOrder> {
  for (const { runId: run_id } of await earlierRuns(client, workflowId, runId)) {
    const { input } = await readStart(client, workflowId, run_id);
    const handle = client.workflow.getHandle(workflowId, run_id);
    const state = await ifAnswered(() => handle.query<PaymentState>(QUERY.state), null);
    const order = orderOf(input);
    const isSold = state?.outcome === 'SUCCESS';
    if (isSold || (order && (await mayHaveMade(client, workflowId, run_id)))) yield { run_id, input, order, state };
  }
}

/** A run that never reached its creation made no order. One that cannot be asked may have. */
async function mayHaveMade(client: Client, workflowId: string, run_id: string): Promise<boolean> {
  if (await endedWithoutOrder(client, workflowId, run_id)) return false;
  const handle = client.workflow.getHandle(workflowId, run_id);
  return ifAnswered(() => handle.query<boolean>(QUERY.creationAsked), true);
}

/** Whether a run failed because there is no order of ours. */
async function endedWithoutOrder(client: Client, workflowId: string, run_id: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId, run_id).describe();
  if (status.name !== 'FAILED') return false;
  const failure: unknown = await client.workflow.result(workflowId, run_id).catch((error: unknown) => error);
  return failure instanceof WorkflowFailedError && saysWithoutOrder(failure.cause);
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

function saleOf(state: PaymentState): Sale {
  const { trade_no, trade_status, order_amount, payment_data, confirmed_by, other_trades } = state;
  return { trade_no, trade_status, order_amount, payment_data, confirmed_by, other_trades };
}
