/**
 * Traces, as workflows and processes both know them: the ids of W3C's Trace Context, and no package of OpenTelemetry. What a worker's
 * settings say of traces changes no header, no id and no order of anything in a workflow, so every history replays with them on and off.
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
  /** What it belongs to; none: it begins a trace. */
  readonly above?: SpanRef;
  /** The run that it is of, where that is in another trace. */
  readonly link?: SpanRef;
  /** In ms since the epoch. */
  readonly started: number;
  readonly ended: number;
  /** The kind of what it failed by, such as `NotCreated`; absent where it did not fail. */
  readonly failed_by?: string;
}

/** Sinks by name, as Temporal's SDK wants them. */
export type TraceSinks = { paymentTraces: { ended(span: WorkflowSpan): void } };

/** The span as W3C's header `traceparent` has it. */
export const traceparentOf = ({ trace_id, span_id, sampled }: SpanRef): string =>
  `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`;

/** Nothing else goes along: a tracestate or baggage may say anything of anybody, and a history keeps headers in clear text. */
export const withSpan = (headers: Headers, span: SpanRef): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent: traceparentOf(span) }),
});

/** The span that headers name; undefined where they name none that can be read. */
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
 * A run's own span (the first), and those of what it handles: from its id, so that every worker that has it, and every replay, means the
 * same one. Without a span above, the run begins a trace, which has its id. Undefined for a run whose id Temporal did not make.
 */
export function spanOfRun(runId: string, above: SpanRef | undefined, nth = 0): SpanRef | undefined {
  const hex = runId.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined;
  const span_id = BigInt.asUintN(64, BigInt(`0x${hex.slice(16)}`) + BigInt(nth))
    .toString(16)
    .padStart(16, '0');
  return { trace_id: above?.trace_id ?? hex, span_id, sampled: above?.sampled ?? true };
}
