/** What happened to a payment, read from the history of a run: what was asked for, answered, notified and decided. */
import type { Client } from '@temporalio/client';
import type { SerializationContext } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { PayloadDecryptionError } from '../codec';
import { FAILURE, knownBy, SIGNAL } from '../contract';
import { firstArgument } from './history-events';
import { answerLine, askedLine, asSaid, orderLine, type Said } from './timeline-lines';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type Signal = temporal.api.history.v1.IWorkflowExecutionSignaledEventAttributes;

const SIGNAL_NAMES: readonly string[] = Object.values(SIGNAL);

/** An activity: its payloads are encrypted for it, by its id. */
interface Begun {
  type: string;
  activityId: string | undefined;
  isLocal?: boolean;
}

/** The marker of a local activity, as the SDK's core writes it: what it was, and its result. */
const LOCAL_ACTIVITY = 'core_local_activity';
const localActivity = z.object({ activity_type: z.string(), activity_id: z.string() });

/** One thing that happened. `by` is the person who decided it, or the process that Temporal names. */
export interface TimelineEntry {
  /** ISO 8601, UTC. */
  time: string;
  what: 'started' | 'answered' | 'notified' | 'asked' | 'decided' | 'ended' | 'unread';
  text: string;
  by?: string;
}

/** The entries of one run, in their order. However much our keys cannot read, it is one entry. Throws what Temporal's client throws. */
export async function timelineOf(client: Client, workflowId: string, runId: string): Promise<TimelineEntry[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const reader = new HistoryReader(client, workflowId);
  const refused = refusedUpdates(events ?? []);
  const entries: TimelineEntry[] = [];
  for (const event of events ?? []) {
    const said = await reader.read(event).catch(unreadLine);
    if (said?.what === 'unread' && entries.some(({ what }) => what === 'unread')) continue;
    if (said) entries.push({ time: timeOf(event), ...said, ...(isOfUpdate(event, refused) ? { what: 'asked' } : {}) });
  }
  return entries;
}

/** The updates that failed: a decision that was refused has decided nothing. */
export const refusedUpdates = (events: readonly HistoryEvent[]): ReadonlySet<string | null | undefined> =>
  new Set(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: one }) =>
      one?.outcome?.failure ? [one.meta?.updateId] : [],
    ),
  );

const isOfUpdate = (event: HistoryEvent, ids: ReadonlySet<string | null | undefined>): boolean => {
  const { meta } = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? {};
  return meta !== undefined && meta !== null && ids.has(meta.updateId);
};

type Line = Omit<TimelineEntry, 'time'> | undefined;

/** A person who asks why an order stands still must still see the rest of the history. */
function unreadLine(error: unknown): Line {
  if (!(error instanceof PayloadDecryptionError)) throw error;
  return { what: 'unread', text: error.message };
}

class HistoryReader {
  /** The activities that were begun, by the number of their event. */
  private readonly activities = new Map<string, Begun>();
  private readonly updates = new Map<string, string>();

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
  ) {}

  /** One event as an entry; undefined if it tells a person nothing. */
  async read(event: HistoryEvent): Promise<Line> {
    return (
      (await this.readActivity(event)) ??
      (await this.readMessage(event)) ??
      (await this.readUpdateEnd(event)) ??
      this.readEnd(event)
    );
  }

  private async readActivity(event: HistoryEvent): Promise<Line> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const type = scheduled.activityType?.name ?? '';
      const begun = { type, activityId: scheduled.activityId ?? undefined };
      this.activities.set(String(event.eventId), begun);
      return type === 'gateway.create' || type === 'gateway.refund'
        ? { what: 'asked', text: askedLine(type, await this.first(scheduled.input, begun)) }
        : undefined;
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const begun = this.begun(completed.scheduledEventId);
      const text = answerLine(begun.type, await this.first(completed.result, begun));
      return text === undefined ? undefined : { what: 'answered', text };
    }
    const failed = event.activityTaskFailedEventAttributes;
    if (failed)
      return { what: 'answered', text: await this.failure(failed.failure, this.begun(failed.scheduledEventId)) };
    const marker = event.markerRecordedEventAttributes;
    if (marker?.markerName === LOCAL_ACTIVITY) return this.readLocal(marker.details ?? {});
    const timedOut = event.activityTaskTimedOutEventAttributes;
    return timedOut
      ? { what: 'answered', text: `nothing: the worker ended during ${this.begun(timedOut.scheduledEventId).type}` }
      : undefined;
  }

  /** A look at the gateway within a workflow task: after a notification, it is mostly the answer that decides. */
  private async readLocal({ data, result }: Readonly<Record<string, Payloads>>): Promise<Line> {
    const { success, data: of } = localActivity.safeParse(readJson(data?.payloads?.[0]?.data));
    if (!success) return undefined;
    const begun = { type: of.activity_type, activityId: of.activity_id, isLocal: true };
    const text = answerLine(begun.type, await this.first(result, begun));
    return text === undefined ? undefined : { what: 'answered', text };
  }

  private async readMessage(event: HistoryEvent): Promise<Line> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) return { what: 'started', text: orderLine(await this.first(started.input)) };
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) return signalLine(signal, await this.first(signal.input));
    const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    if (!request) return undefined;
    const name = request.input?.name ?? '';
    this.updates.set(request.meta?.updateId ?? '', name);
    // Callers ask for payment data many times.
    if (name === 'created') return undefined;
    const said = await this.first(request.input?.args);
    const by = typeof said.by === 'string' ? said.by : (request.meta?.identity ?? undefined);
    return {
      what: name === 'resolve' || name === 'take' ? 'decided' : 'asked',
      text: askedLine(name, said),
      ...(by ? { by } : {}),
    };
  }

  private async readUpdateEnd(event: HistoryEvent): Promise<Line> {
    const { meta, outcome } = event.workflowExecutionUpdateCompletedEventAttributes ?? {};
    if (!outcome?.failure) return undefined;
    const name = this.updates.get(meta?.updateId ?? '');
    if (name === undefined || name === 'created') return undefined;
    // A refund that waits for the gateway goes on: it is not refused.
    const isPending = outcome.failure.applicationFailureInfo?.type === FAILURE.refundPending;
    return { what: 'answered', text: `${name}${isPending ? '' : ' refused'}: ${await this.failure(outcome.failure)}` };
  }

  private async readEnd(event: HistoryEvent): Promise<Line> {
    const canceled = event.workflowExecutionCancelRequestedEventAttributes;
    if (canceled) return { what: 'asked', text: 'to cancel the workflow', by: canceled.identity ?? '' };
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) {
      const { did, by, why } = terminationOf(terminated);
      return { what: 'ended', text: `${did === 'reset' ? 'reset' : 'terminated'}: ${why}`, by };
    }
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) return { what: 'ended', text: endLine(await this.first(completed.result)) };
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) return { what: 'ended', text: await this.failure(failed.failure) };
    return event.workflowExecutionContinuedAsNewEventAttributes
      ? { what: 'ended', text: 'goes on in another run' }
      : undefined;
  }

  private begun(eventId: unknown): Begun {
    return this.activities.get(String(eventId)) ?? { type: '', activityId: undefined };
  }

  private contextOf(begun: Begun | undefined): SerializationContext {
    const { namespace } = this.client.options;
    const { workflowId } = this;
    if (begun === undefined) return { type: 'workflow', namespace, workflowId };
    const { activityId, isLocal = false } = begun;
    return { type: 'activity', namespace, workflowId, isLocal, ...(activityId ? { activityId } : {}) };
  }

  /** The first payload as an object; empty if it is not one. */
  private async first(payloads: Payloads, begun?: Begun): Promise<Said> {
    const { loadedDataConverter } = this.client.options;
    const context = this.contextOf(begun);
    return asSaid(await firstArgument(loadedDataConverter, payloads?.payloads, context));
  }

  private async failure(failure: temporal.api.failure.v1.IFailure | null | undefined, begun?: Begun): Promise<string> {
    const { loadedDataConverter } = this.client.options;
    return innermost(await decodeOptionalFailureToOptionalError(loadedDataConverter, failure, this.contextOf(begun)));
  }
}

/** The message of the cause that began it, in one line. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason is known';
  if (error.cause instanceof Error) return innermost(error.cause);
  return error.message.split('\n')[0] ?? '';
}

const endLine = ({ outcome, confirmed_by, trade_status }: Said): string =>
  typeof outcome === 'string' ? `${outcome}, ${knownBy(confirmed_by)}` : String(trade_status ?? 'done');

/** A signal that nothing here handles is shown as such, with its sender. */
function signalLine({ signalName, identity }: Signal, said: Said): Line {
  const name = signalName ?? '';
  return SIGNAL_NAMES.includes(name)
    ? { what: 'notified', text: askedLine(name, said) }
    : { what: 'asked', text: `by a signal that nothing here handles: ${name}`, ...(identity ? { by: identity } : {}) };
}

/** What the SDK's core itself writes is in clear text, whatever the codec. */
function readJson(bytes: Uint8Array | null | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString());
  } catch {
    return undefined;
  }
}

type Terminated = temporal.api.history.v1.IWorkflowExecutionTerminatedEventAttributes;

/** Who ended a run, and why. Of a run that was reset, Temporal names its own resetter: the person stands in the reason, if at all. */
export function terminationOf({ identity, reason }: Terminated) {
  const why = reason ?? '';
  return identity === 'history-resetter'
    ? ({ did: 'reset', by: '', why } as const)
    : ({ did: 'terminate', by: identity ?? '', why } as const);
}

/** When an event was written: ISO 8601, UTC. */
export function timeOf({ eventTime }: HistoryEvent): string {
  return new Date(optionalTsToMs(eventTime) ?? 0).toISOString();
}
