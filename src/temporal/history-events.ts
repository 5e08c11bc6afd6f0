/** What a run's history has: its events, what the run was given, its activities, and the creation of its order. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  arrayFromPayloads,
  type LoadedDataConverter,
  type Payload,
  type SerializationContext,
} from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import {
  dataOfCreation,
  type EarlierPayment,
  FOREIGN_PAYLOAD,
  type ForeignInput,
  fieldsUnlikeKnown,
  type Order,
  PayloadDecryptionError,
} from '../contract';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';
import type { ShownRun } from './runs';

/** Throws WorkflowNotFoundError if Temporal does not have the run (any more). */
export async function historyEvents(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<readonly temporal.api.history.v1.IHistoryEvent[]> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const { events } = await handle.fetchHistory().catch(orForgotten(workflowId, runId));
  return events ?? [];
}

/** The SDK's client reports a history that is gone like an outage; this turns the former into a WorkflowNotFoundError. */
export const orForgotten = (workflowId: string, runId: string | undefined) => (error: unknown) => {
  if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
  throw new WorkflowNotFoundError('Temporal does not have this workflow (any more)', workflowId, runId);
};

/**
 * The first argument, the only one that our workflows take. A ForeignInput if it is foreign, as the workflow itself gets it: readers of
 * histories ignore it. Undefined if nobody will ever read it. Throws if other keys, another codec or a later attempt may read it: unread is
 * not absent.
 */
export async function firstArgument(
  { payloadCodecs, payloadConverter }: LoadedDataConverter,
  payloads: Payload[] | null | undefined,
  context: SerializationContext,
): Promise<unknown> {
  if (!payloads) return undefined;
  try {
    const decoded = await decode(payloadCodecs, payloads, context);
    const foreign = decoded.find(({ metadata }) => metadata?.[FOREIGN_PAYLOAD]);
    if (foreign) return JSON.parse(Buffer.from(foreign.data ?? []).toString());
    return arrayFromPayloads(payloadConverter, decoded, context)[0];
  } catch (error) {
    if (error instanceof PayloadDecryptionError && error.isForeign) {
      const told: ForeignInput = { foreign_input: error.message };
      return told;
    }
    if (isOfConverter(error) && payloads.every(isUncoded)) return undefined;
    throw error;
  }
}

/** What converters throw for bytes that are not JSON, and for an encoding that they do not know. A codec may throw the same. */
const isOfConverter = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'SyntaxError' || error.name === 'ValueError');

/** Whether no codec has made it: if the converter does not read it, nobody will. Our own marks are in no history, unless somebody writes them. */
const isUncoded = ({ metadata }: Payload): boolean =>
  /^(json|binary)\/(plain|null|protobuf)$|^refused/.test(Buffer.from(metadata?.encoding ?? []).toString());

/** The input and the result of an activity, each undefined if nobody can read it; the result also if the activity did not complete. */
export interface RecordedActivity {
  type: string;
  input: unknown;
  result: unknown;
}

/** The activities of these types that a run has begun, in their order. No worker is needed. Throws WorkflowNotFoundError. */
export async function activitiesIn(
  client: Client,
  { workflowId, runId }: Pick<ShownRun, 'workflowId' | 'runId'>,
  ...types: readonly string[]
): Promise<RecordedActivity[]> {
  const { namespace, loadedDataConverter } = client.options;
  const events = await historyEvents(client, workflowId, runId);
  const results = new Map(
    events.flatMap(({ activityTaskCompletedEventAttributes: one }) =>
      one ? [[String(one.scheduledEventId), one.result] as const] : [],
    ),
  );
  const begun = events.flatMap(({ eventId, activityTaskScheduledEventAttributes: one }) => {
    const type = one?.activityType?.name ?? '';
    return one && types.includes(type) ? [{ ...one, type, result: results.get(String(eventId)) }] : [];
  });
  return Promise.all(
    begun.map(async ({ type, activityId, input, result }) => {
      const of = { type: 'activity', namespace, workflowId, activityId: activityId ?? '', isLocal: false } as const;
      const read = (given: Payloads) => firstArgument(loadedDataConverter, given?.payloads, of);
      return { type, input: await read(input), result: await read(result) };
    }),
  );
}

type Payloads = { payloads?: Payload[] | null } | null | undefined;

// — The creation of its order: what the run has sent, and what the earlier runs that it has read had sent —

const CREATE = 'gateway.create';
const READ = 'payments.earlierRuns';

const created = z.object({ is: z.literal('created'), answer: z.looseObject({}) });

const text = z.string().optional();
const request = z.looseObject({
  ...{ out_trade_no: z.string(), order_amount: z.string(), order_currency: z.string() },
  ...{ method: text, timeout_express: text, cancellation_express: text },
});
const earlier = z.object({
  made: z.literal('order'),
  order: z.object({ kind: z.enum(['direct', 'checkout']), request }),
  payment_data: z.looseObject({ recovered: z.boolean() }).nullable(),
});
const told = z.object({ is: z.literal('told'), told: z.object({ runs: z.array(z.unknown()) }) });

export interface CreationInHistory extends Pick<EarlierPayment, 'payment_data' | 'trade_no'> {
  mayBeMade: boolean;
}

export const NOTHING_CREATED: CreationInHistory = { mayBeMade: false, payment_data: null, trade_no: null };

/** Whether a run has begun to send an order. Needs no key. Throws WorkflowNotFoundError. */
export async function hasBegunCreation(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const events = await historyEvents(client, workflowId, runId);
  return events.some((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === CREATE);
}

/** The answer is that of the run's own creation, or else of the earlier creation that it continues. Throws WorkflowNotFoundError. */
export async function creationIn(
  client: Client,
  run: Pick<ShownRun, 'workflowId' | 'runId'>,
  order: Order,
): Promise<CreationInHistory> {
  const begun = await activitiesIn(client, run, CREATE, READ);
  const sent = begun.filter(({ type }) => type === CREATE);
  const before = begun
    .flatMap(({ result }) => told.safeParse(result).data?.told.runs ?? [])
    .flatMap((one) => earlier.safeParse(one).data ?? [])
    .filter((one) => fieldsUnlikeKnown(order, one.order, null).length === 0);
  const answers = sent.flatMap(({ result }) => created.safeParse(result).data ?? []);
  const [payment_data = null] = [
    ...answers.map(({ answer }) => dataOfCreation(answer)),
    ...before.flatMap((one) => one.payment_data ?? []),
  ];
  const trade_no = z.string().min(1).safeParse(payment_data?.trade_no).data ?? null;
  return { mayBeMade: sent.length + before.length > 0, payment_data, trade_no };
}
