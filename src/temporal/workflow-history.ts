/** Reads the input and the result of a payment's run from its history, so that no worker is needed. */
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { PaymentEnd, PaymentInput, PaymentState, PaymentWorkflow, PreviousRun } from '../contract';
import { answerToKeep, isOfAnother, orderOf, saysWithoutOrder, whyForeign } from '../contract';
import { firstArgument } from './first-argument';
import { GRPC_STATUS, grpcCodeOf } from './grpc-status';
import { latestTakenRun } from './taken-run';

/** The input of a run, by default of the latest one. Throws WorkflowNotFoundError if Temporal no longer has it. */
export async function readStart(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: PaymentInput }> {
  const { input, ...of } = await inputOfRun(client, workflowId, runId);
  return { ...of, input: isInput(input) ? input : WITHOUT_ORDER };
}

/** The same of a workflow of any type; a ForeignInput where that was refused. */
async function inputOfRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: unknown }> {
  const { namespace, loadedDataConverter } = client.options;
  const request = { namespace, execution: { workflowId, runId: runId ?? '' }, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request).catch((error: unknown) => {
    if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
    throw new WorkflowNotFoundError('Temporal does not have this workflow (any more)', workflowId, runId);
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new WorkflowNotFoundError('the workflow has no history', workflowId, runId);
  const context = { type: 'workflow', namespace, workflowId } as const;
  const input = await firstArgument(loadedDataConverter, started.input?.payloads, context);
  return { runId: started.originalExecutionRunId ?? runId ?? '', input };
}

/**
 * What came to a closed run from outside, whether a worker had it or not: its input, its signals, and the updates that it took;
 * undefined for what nobody can read, such as clear text where keys are set. Throws WorkflowNotFoundError.
 */
export async function givenTo(client: Client, workflowId: string, runId: string): Promise<Given> {
  const { namespace, loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  const read = async (of: Arguments) => {
    const argument = await firstArgument(loadedDataConverter, of?.input?.payloads, context).catch(() => undefined);
    return whyForeign(argument) === undefined ? argument : undefined;
  };
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const signaled = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  const ended = new Map(
    (events ?? []).flatMap(({ workflowExecutionUpdateCompletedEventAttributes: one }) =>
      one ? [[one.meta?.updateId, one.outcome] as const] : [],
    ),
  );
  const accepted = (events ?? []).flatMap((event) => event.workflowExecutionUpdateAcceptedEventAttributes ?? []);
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
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

/** What a run has given its activities of this type, in turn. Throws WorkflowNotFoundError. */
export async function activityInputs(
  client: Client,
  workflowId: string,
  runId: string,
  type: string,
): Promise<unknown[]> {
  const { namespace, loadedDataConverter } = client.options;
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) =>
    one?.activityType?.name === type ? [one] : [],
  );
  return Promise.all(
    scheduled.map(({ activityId, input }) => {
      const context = {
        type: 'activity',
        namespace,
        workflowId,
        activityId: activityId ?? '',
        isLocal: false,
      } as const;
      return firstArgument(loadedDataConverter, input?.payloads, context).catch(() => undefined);
    }),
  );
}

/** A signal as a history has it. */
export interface GivenSignal {
  name: string | null | undefined;
  argument: unknown;
}

/** An update that a run has taken. */
export interface GivenUpdate {
  name: string | null | undefined;
  isDone: boolean;
  /** The type of its failure, where it failed. */
  failure: string | null;
}

/** What came to a run from outside. */
export interface Given {
  input: unknown;
  signals: GivenSignal[];
  updates: GivenUpdate[];
  /** Whether it is a reset of another run. */
  isReset: boolean;
}

/** What came to a run that Temporal has forgotten. */
export const NOTHING_GIVEN: Given = { input: undefined, signals: [], updates: [], isReset: false };

type Arguments = Pick<temporal.api.history.v1.IWorkflowExecutionSignaledEventAttributes, 'input'> | null | undefined;

/**
 * The run that created the order. Later runs only continue it, and each names the run before it. If Temporal has forgotten
 * the first run, returns the earliest that it has, which was given the order.
 */
export async function originalRun(client: Client, workflowId: string): Promise<{ runId: string; input: PaymentInput }> {
  const { runId } = await latestTakenRun(client, workflowId);
  let earliest = await readStart(client, workflowId, runId);
  for (;;) {
    const previous = earliest.input.kind === 'adopt' ? earliest.input.previous : undefined;
    if (previous === undefined || previous.order === null) return earliest;
    try {
      earliest = await readStart(client, workflowId, previous.run_id);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return earliest;
      throw error;
    }
  }
}

/**
 * Whether a payment is that of an order which was made here, so that its number is no deposit's. False where Temporal has no such
 * workflow, and where nobody can read what it was started with.
 */
export async function isOfOrder(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { input } = await originalRun(client, workflowId);
    return orderOf(input) !== undefined;
  } catch (error) {
    // Temporal has to answer before anything is decided.
    if (grpcCodeOf(error) !== undefined || error instanceof ApplicationFailure) throw error;
    return false;
  }
}

/** What the next run of a payment needs to know of a closed one. */
export async function summarizeClosedRun(client: Client, workflowId: string, runId: string): Promise<PreviousRun> {
  let isWithoutOrder = false;
  const [{ input }, state] = await Promise.all([
    readStart(client, workflowId, runId),
    // A run that failed or was terminated has no result. Perhaps there is no order at all.
    client.workflow
      .result<PaymentWorkflow>(workflowId, runId, { followRuns: false })
      .catch((error: unknown): PaymentState | undefined => {
        isWithoutOrder = error instanceof WorkflowFailedError && saysWithoutOrder(error.cause);
        return undefined;
      }),
  ]);
  const before = input.kind === 'adopt' ? input.previous : undefined;
  return {
    run_id: runId,
    outcome: state?.outcome ?? null,
    confirmed_by: state?.confirmed_by ?? null,
    order: isWithoutOrder || isOfAnother(input) ? null : orderOf(input),
    payment_data: before?.payment_data ?? (state && answerToKeep(state)) ?? null,
    trade_no: state?.trade_no ?? null,
    trade_status: state?.trade_status ?? null,
    order_amount: state?.order_amount ?? null,
    order_currency: state?.order_currency ?? null,
    other_trades: state?.other_trades ?? [],
    mismatch: state?.mismatch,
  };
}

/** How a payment ended that has completed; null for any other run. What may still be paid, it has handed over itself. */
export async function readPaymentEnd(client: Client, run: WorkflowExecutionDescription): Promise<PaymentEnd | null> {
  const { workflowId, runId: run_id, status, closeTime } = run;
  if (status.name !== 'COMPLETED') return null;
  const [{ input }, state] = await Promise.all([
    readStart(client, workflowId, run_id),
    client.workflow.result<PaymentWorkflow>(workflowId, run_id, { followRuns: false }),
  ]);
  const made_here = !isOfAnother(input);
  const end = { run_id, ended_at: closeTime?.getTime() ?? 0, state, made_here };
  const asked = state.other_trades.map(({ trade_no }) => trade_no);
  return { ...end, reasons: [], watch_until: 0, sent_again: false, asked, repeats: false, unread_run: null };
}

/** A start that no payment can be made of says nothing of an order. */
const WITHOUT_ORDER: PaymentInput = { kind: 'adopt', app_id: '' };

function isInput(value: unknown): value is PaymentInput {
  return typeof value === 'object' && value !== null && 'kind' in value && 'app_id' in value;
}
