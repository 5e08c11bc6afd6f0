/** Reads the input and the result of a payment's run from its history, so that no worker is needed. */
import {
  type Client,
  WorkflowContinuedAsNewError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Workflow, WorkflowResultType } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import {
  type AfterSaleCarried,
  afterSaleWorkflowId,
  answerToKeep,
  type EarlierPayment,
  isDuplicateOrderFailure,
  isForeignPayload,
  namedByWorkflowId,
  orderOf,
  PayloadDecryptionError,
  type PaymentEnd,
  type PaymentInput,
  type PaymentWorkflow,
  QUERY,
  saysWithdrawn,
  saysWithoutOrder,
  whyForeign,
} from '../contract';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';
import {
  creationIn,
  firstArgument,
  hasBegunCreation,
  historyEvents,
  NOTHING_CREATED,
  orForgotten,
} from './history-events';
import { ifExists, latestTakenRun, runsBefore, type ShownRun } from './runs';

/** The input of a run, by default of the latest one. Throws WorkflowNotFoundError if Temporal no longer has it. */
export async function readStart(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: PaymentInput }> {
  const { input, ...of } = await inputOfRun(client, workflowId, runId);
  return { ...of, input: isInput(input) ? input : WITHOUT_ORDER };
}

/** The same for a workflow of any type; a ForeignInput if the input was refused. */
async function inputOfRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: unknown }> {
  const { namespace, loadedDataConverter } = client.options;
  const request = { namespace, execution: { workflowId, runId: runId ?? '' }, maximumPageSize: 1 };
  const { history } = await client.workflowService
    .getWorkflowExecutionHistory(request)
    .catch(orForgotten(workflowId, runId));
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new WorkflowNotFoundError('the workflow has no history', workflowId, runId);
  const context = { type: 'workflow', namespace, workflowId } as const;
  const input = await firstArgument(loadedDataConverter, started.input?.payloads, context);
  return { runId: started.originalExecutionRunId ?? runId ?? '', input };
}

/**
 * What a closed run got from outside, whether a worker had it or not: its input, its signals, and the updates that it took. Undefined for an
 * argument that nobody will ever read, such as clear text where keys are set. Throws WorkflowNotFoundError, and if a key is missing.
 */
export async function givenTo(client: Client, workflowId: string, runId: string): Promise<Given> {
  const { namespace, loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  const read = async (of: Arguments) => {
    const argument = await firstArgument(loadedDataConverter, of?.input?.payloads, context);
    return whyForeign(argument) === undefined ? argument : undefined;
  };
  const events = await historyEvents(client, workflowId, runId);
  const signaled = events.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  const ended = new Map(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: one }) =>
      one ? [[one.meta?.updateId, one.outcome] as const] : [],
    ),
  );
  // Before the mark of a reset are the updates of the run that it resets; later ones that the server gave it anew come without a request.
  const own = events.slice(events.findLastIndex(isResetMark) + 1);
  const accepted = own.flatMap((event) => event.workflowExecutionUpdateAcceptedEventAttributes ?? []);
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  return {
    isReset: (started?.originalExecutionRunId ?? runId) !== runId,
    input: await read(started),
    signals: await Promise.all(signaled.map(async (one) => ({ name: one.signalName, argument: await read(one) }))),
    updates: accepted.map(({ acceptedRequest, protocolInstanceId }) => {
      const outcome = ended.get(acceptedRequest?.meta?.updateId ?? protocolInstanceId);
      const failure = outcome?.failure?.applicationFailureInfo?.type ?? null;
      return { name: acceptedRequest?.input?.name, isDone: Boolean(outcome?.success), failure };
    }),
  };
}

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW } = temporal.api.enums.v1.WorkflowTaskFailedCause;
const isResetMark = ({ workflowTaskFailedEventAttributes: failed }: temporal.api.history.v1.IHistoryEvent) =>
  failed?.cause === WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW;

export interface GivenSignal {
  name: string | null | undefined;
  argument: unknown;
}

/** An update that came to the run itself: of a reset, neither one that it kept nor one that it was given anew. */
export interface GivenUpdate {
  name: string | null | undefined;
  isDone: boolean;
  failure: string | null;
}

/** What came to a run from outside. */
export interface Given {
  input: unknown;
  signals: GivenSignal[];
  updates: GivenUpdate[];
  isReset: boolean;
}

/** What came to a run that Temporal has forgotten. */
export const NOTHING_GIVEN: Given = { input: undefined, signals: [], updates: [], isReset: false };

type Arguments = Pick<temporal.api.history.v1.IWorkflowExecutionSignaledEventAttributes, 'input'> | null | undefined;

/**
 * The order of the payment's latest run that may have made it. Null if orders were asked for and none was made, so that a trade under the
 * number is somebody else's; undefined if no order was asked for. Throws WorkflowNotFoundError.
 */
export async function orderUnder(client: Client, workflowId: string): Promise<EarlierPayment['order']> {
  const taken = await latestTakenRun(client, workflowId);
  const latest = taken.status.name === 'RUNNING' ? taken : await knowingRun(client, taken);
  const first = await readStart(client, workflowId, latest.runId);
  const { input } = first;
  // A caller that gives `first_start_id` knows that there was no run before.
  if (input.kind !== 'adopt' || input.first_start_id !== undefined) return orderOf(input);
  let order: EarlierPayment['order'];
  for (const run of [latest, ...(await runsBefore(client, latest))]) {
    const read = run === latest ? first : await ifExists(() => readStart(client, workflowId, run.runId), null);
    if (read?.input.kind === 'adopt' && read.input.may_be !== undefined) return read.input.may_be;
    const asked = read ? orderOf(read.input) : undefined;
    if (asked === undefined) {
      if (read?.input === WITHOUT_ORDER) await assertNothingSent(client, run);
      continue;
    }
    // A run that continued as new has given way, and a run that has begun no creation made nothing.
    const handle = client.workflow.getHandle(workflowId, run.runId);
    const mayBeMade = run.status.name !== 'CONTINUED_AS_NEW' && !saysWithoutOrder(await failureOf(handle));
    if (mayBeMade && (await creationIn(client, run, asked)).mayBeMade) return asked;
    order = null;
  }
  return order;
}

/**
 * Whether a payment is of an order that was asked for here, so that its number is not a deposit's. False if Temporal has nothing of the
 * payment. Throws if Temporal, a key or a worker is missing.
 */
export async function isOfOrder(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await orderUnder(client, workflowId)) != null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return ifExists(() => wasOrderedHere(client, workflowId), false);
    // An order was sent, whatever it was.
    if (error instanceof UnreadableOrderError) return true;
    throw error;
  }
}

const end = z.object({ ordered_here: z.boolean() });
const startedWith = z.object({
  payment: z.object({ end }).optional(),
  sale: z.object({ payment: end.nullable() }).optional(),
});

/** Temporal forgets a payment before its after-sale, which knows whether the payment was of an order. Throws WorkflowNotFoundError. */
async function wasOrderedHere(client: Client, paymentId: string): Promise<boolean> {
  const { app_id = '', out_trade_no } = namedByWorkflowId(paymentId) ?? {};
  const handle = client.workflow.getHandle(afterSaleWorkflowId(app_id, out_trade_no ?? ''));
  const { input } = await inputOfRun(client, handle.workflowId);
  const { payment, sale } = startedWith.safeParse(input).data ?? {};
  const known = sale?.payment ?? payment?.end;
  if (known) return known.ordered_here;
  // The after-sale was started for something else, and was told of the payment's end later, or has read it itself.
  const { sale: told, has_read } = await handle.query<AfterSaleCarried>(QUERY.carried);
  if (!has_read) throw new Error(`${handle.workflowId} still reads what earlier runs knew.`);
  return told?.payment?.ordered_here === true;
}

/** A run has sent an order that nobody can read any more, such as one in clear text where keys are set by now. */
class UnreadableOrderError extends Error {
  override readonly name = 'UnreadableOrderError';
}

/** For a run whose input cannot be read. Throws UnreadableOrderError if it began to send an order: it may have made that. */
async function assertNothingSent(
  client: Client,
  { workflowId, runId }: Pick<ShownRun, 'workflowId' | 'runId'>,
): Promise<void> {
  if (await hasBegunCreation(client, workflowId, runId))
    throw new UnreadableOrderError(`Run ${runId} of ${workflowId} has sent an order that cannot be read here.`);
}

/** What a run failed with; undefined if it did not fail. */
export async function failureOf(handle: Pick<WorkflowHandle, 'describe' | 'result'>): Promise<unknown> {
  // A list shows an end later than a start.
  const { status } = await handle.describe();
  if (status.name !== 'FAILED') return undefined;
  const failure: unknown = await handle.result().catch(asAnswer);
  return failure instanceof WorkflowFailedError ? failure.cause : undefined;
}

/** What a closed run has returned; undefined if it did not complete, nobody can read it, or Temporal has forgotten it. */
export async function resultOfRun<Type extends Workflow>(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<WorkflowResultType<Type> | undefined> {
  const result = client.workflow.result<Type>(workflowId, runId, { followRuns: false });
  return result.catch((error: unknown) => void asAnswer(error));
}

/** Returns an error that says how a run has ended. Throws any other, as in an outage or without a key: ignoring it could hide a sale. */
function asAnswer(error: unknown): unknown {
  const isEnd = error instanceof WorkflowFailedError || error instanceof WorkflowContinuedAsNewError;
  const isGone = error instanceof WorkflowNotFoundError || grpcCodeOf(error) === GRPC_STATUS.NOT_FOUND;
  const isForeign = isForeignPayload(error) || (error instanceof PayloadDecryptionError && error.isForeign);
  if (isEnd || isGone || isForeign) return error;
  throw error;
}

/** A payment as the history of its run has it, if nobody can ask the run itself. */
export async function paymentInHistory(client: Client, run: ShownRun, input: PaymentInput): Promise<EarlierPayment> {
  const { workflowId, runId: run_id } = run;
  const asked = orderOf(input);
  if (input === WITHOUT_ORDER) await assertNothingSent(client, run);
  const [state, failure, creation] = await Promise.all([
    resultOfRun<PaymentWorkflow>(client, workflowId, run_id),
    // The failure may say that there is no order at all.
    failureOf(client.workflow.getHandle(workflowId, run_id)),
    asked ? creationIn(client, run, asked) : NOTHING_CREATED,
  ]);
  const order = asked && saysWithoutOrder(failure) ? null : asked;
  const { trade_status = null } = state ?? {};
  const isMade = (order && creation.mayBeMade) || state?.outcome === 'SUCCESS';
  const { payment_data, trade_no } = state ? { ...state, payment_data: answerToKeep(state) } : creation;
  const isOfOthers = isDuplicateOrderFailure(failure) || (asked === undefined && trade_status !== null);
  return {
    ...{ app_id: input.app_id, run_id, order, made: isMade ? 'order' : isOfOthers ? 'of others' : 'nothing' },
    ...{ reached: isMade ? 1 : 0, failed: saysWithoutOrder(failure), withdrawn: saysWithdrawn(failure) },
    out_trade_no: (input.kind === 'adopt' ? input.out_trade_no : asked?.request.out_trade_no) ?? null,
    ...{ trade_no, trade_status, method: state?.method ?? null, payment_data },
    ...{ order_amount: state?.order_amount ?? null, order_currency: state?.order_currency ?? null },
    ...{ outcome: state?.outcome ?? null, confirmed_by: state?.confirmed_by ?? null },
    refused_because: state?.refused_because ?? null,
    other_trades: state?.other_trades ?? [],
    ...(state?.mismatch ? { mismatch: state.mismatch } : {}),
  };
}

/**
 * This run if it completed; else an earlier run that sold the order, if there is one: what was sold stays sold, and a run that somebody ended
 * may not have read it.
 */
export async function knowingRun(
  client: Client,
  latest: WorkflowExecutionDescription,
): Promise<WorkflowExecutionDescription> {
  const { workflowId } = latest;
  if (latest.status.name === 'COMPLETED') return latest;
  for (const { runId, status } of await runsBefore(client, latest)) {
    const state =
      status.name === 'COMPLETED' ? await resultOfRun<PaymentWorkflow>(client, workflowId, runId) : undefined;
    if (state?.outcome === 'SUCCESS') return client.workflow.getHandle(workflowId, runId).describe();
  }
  return latest;
}

/** How a payment ended that has completed; null for any other run. What may still be paid, it has handed over itself. */
export async function readPaymentEnd(client: Client, run: WorkflowExecutionDescription): Promise<PaymentEnd | null> {
  const { workflowId, runId: run_id, status, closeTime } = run;
  if (status.name !== 'COMPLETED') return null;
  const [order, state] = await Promise.all([
    orderUnder(client, workflowId),
    client.workflow.result<PaymentWorkflow>(workflowId, run_id, { followRuns: false }),
  ]);
  const of = { made_here: order !== null, ordered_here: order != null };
  const end = { run_id, ended_at: closeTime?.getTime() ?? 0, state, ...of };
  const asked = state.other_trades.map(({ trade_no }) => trade_no);
  return { ...end, reasons: [], watch_until: 0, sent_again: false, asked, repeats: false };
}

/** An input that is not a payment's says nothing of an order. */
const WITHOUT_ORDER: PaymentInput = { kind: 'adopt', app_id: '' };

function isInput(value: unknown): value is PaymentInput {
  return typeof value === 'object' && value !== null && 'kind' in value && 'app_id' in value;
}
