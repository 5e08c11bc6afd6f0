/**
 * The only way for spans to leave our processes. What a span may contain is listed here; everything else is dropped, whoever wrote it:
 * messages and stacks of errors, headers, bodies, queries of URLs, reasons that people typed.
 */
import type { Attributes, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { paymentBehind } from '../../contract';
import type { SpanReceiver } from './telemetry';

/** The attributes that a span may have. OpenTelemetry's names, Temporal's, and ours. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['temporalWorkflowId', 'temporalActivityId', 'temporalUpdateId', 'run_id'],
  ...['temporalNexusService', 'temporalNexusOperation', 'temporalNexusEndpoint'],
  ...['http.request.method', 'http.response.status_code', 'http.route', 'url.scheme', 'url.full'],
  ...['server.address', 'server.port', 'error.type', 'payment.workflow_id', 'payment.app_id'],
]);

/** A kind of error, and no text. */
const KIND = /^[\w.]{1,60}$/;

const ACTIVITY = 'RunActivity:';

const takesSpans = (one: SpanReceiver): one is SpanReceiver & SpanProcessor => typeof one.onEnd === 'function';

/** Passes on what may be shown, and drops an attempt that only found that nothing is new. */
export class CleanSpans implements SpanProcessor {
  readonly #to: SpanReceiver & SpanProcessor;
  /** For each running activity: the spans that ended within it, until its own end shows whether they are passed on. */
  readonly #within = new Map<string, ReadableSpan[]>();

  /** Throws a TypeError for anything that is not a SpanProcessor. */
  constructor(to: SpanReceiver) {
    if (!takesSpans(to)) throw new TypeError('telemetry needs a spanProcessor of @opentelemetry/sdk-trace-base 2');
    this.#to = to;
  }

  onStart(span: Pick<ReadableSpan, 'name' | 'spanContext'>): void {
    if (span.name.startsWith(ACTIVITY)) this.#within.set(span.spanContext().spanId, []);
  }

  onEnd(span: ReadableSpan): void {
    const { spanId } = span.spanContext();
    const within = this.#within.get(spanId) ?? [];
    this.#within.delete(spanId);
    // Temporal's interceptor leaves the status open if a failure is benign: a poll without news, or a call that was held back.
    const isQuiet = span.name.startsWith(ACTIVITY) && span.status.code === 0;
    const held = this.#within.get(span.parentSpanContext?.spanId ?? '');
    if (isQuiet) return;
    if (held) held.push(...within, span);
    else for (const one of [...within, span]) this.#to.onEnd(clean(one));
  }

  forceFlush(): Promise<void> {
    return this.#to.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#to.shutdown();
  }
}

/** The span with what is shown of it. */
function clean(span: ReadableSpan): ReadableSpan {
  const { name, kind, startTime, endTime, duration, ended, resource, instrumentationScope } = span;
  const parent = span.parentSpanContext;
  return {
    ...{ name, kind, startTime, endTime, duration, ended, resource, instrumentationScope },
    spanContext: () => ids(span.spanContext()),
    ...(parent ? { parentSpanContext: ids(parent) } : {}),
    status: { code: span.status.code },
    attributes: shownOf(span.attributes),
    links: span.links.map(({ context }) => ({ context: ids(context) })),
    events: span.events.flatMap(({ name, time, attributes }) => {
      const kind = attributes?.['exception.type'];
      return typeof kind === 'string' && KIND.test(kind)
        ? [{ name, time, attributes: { 'exception.type': kind } }]
        : [];
    }),
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

const ids = ({ traceId, spanId, traceFlags }: SpanContext): SpanContext => ({ traceId, spanId, traceFlags });

/** The attributes that are shown, and the payment of the span's order, by which all traces of an order are found. */
function shownOf(attributes: Attributes): Attributes {
  const { temporalWorkflowId } = attributes;
  const payment = typeof temporalWorkflowId === 'string' ? paymentBehind(temporalWorkflowId) : undefined;
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => SHOWN.has(name))),
    ...(payment === undefined ? {} : { 'payment.workflow_id': payment }),
  };
}
