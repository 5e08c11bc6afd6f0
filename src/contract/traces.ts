/**
 * Traces, as both workflows and processes know them: the ids of W3C's Trace Context, without a package of OpenTelemetry. A worker's trace
 * settings change no header, id or order in a workflow, so every history replays with traces on and off.
 */
import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Where Temporal's own interceptors keep the trace of a call. */
const TRACE_HEADER = '_tracer-data';

/** A span, as others refer to it. */
export interface SpanRef {
  readonly trace_id: string;
  readonly span_id: string;
  readonly sampled: boolean;
}

/** A span that a workflow has ended. */
export interface WorkflowSpan {
  readonly name: string;
  readonly span: SpanRef;
  /** Its parent; absent: it begins a trace. */
  readonly above?: SpanRef;
  /** The span of its run, if that is in another trace. */
  readonly link?: SpanRef;
  /** In ms since the epoch. */
  readonly started: number;
  readonly ended: number;
  /** The type of its failure, such as `NotCreated`; absent if it did not fail. */
  readonly failed_by?: string;
}

/** Sinks by name, as Temporal's SDK wants them. */
export type TraceSinks = { paymentTraces: { ended(span: WorkflowSpan): void } };

/** The span as W3C's header `traceparent` has it. */
export const traceparentOf = ({ trace_id, span_id, sampled }: SpanRef): string =>
  `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`;

/** Only the traceparent: a tracestate or baggage may hold personal data, and a history keeps headers in clear text. */
export const withSpan = (headers: Headers, span: SpanRef): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent: traceparentOf(span) }),
});

/** The span that headers name; undefined if they name none that can be read. */
export function spanIn({ [TRACE_HEADER]: payload }: Headers): SpanRef | undefined {
  if (payload === undefined) return undefined;
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(payload);
    if (typeof carrier !== 'object' || carrier === null || !('traceparent' in carrier)) return undefined;
    const [, trace_id, span_id, flags] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]([0-9a-f])$/.exec(String(carrier.traceparent)) ?? [];
    if (trace_id === undefined || span_id === undefined) return undefined;
    return { trace_id, span_id, sampled: Number.parseInt(flags ?? '0', 16) % 2 === 1 };
  } catch {
    return undefined;
  }
}

/**
 * A run's own span (`nth` 0), and the spans of the signals and updates that it handles, made from its id: every worker and every replay gets
 * the same. Without a parent (`above`) the run begins a trace, which has the run's id. Undefined for a run id that Temporal did not make.
 */
export function spanOfRun(runId: string, above: SpanRef | undefined, nth = 0): SpanRef | undefined {
  const hex = runId.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined;
  const span_id = BigInt.asUintN(64, BigInt(`0x${hex.slice(16)}`) + BigInt(nth))
    .toString(16)
    .padStart(16, '0');
  return { trace_id: above?.trace_id ?? hex, span_id, sampled: above?.sampled ?? true };
}
