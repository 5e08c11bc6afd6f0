/** Starts the traces of a process. OpenTelemetry's packages are imported by this call only. */
import type { Attributes, Span, SpanContext } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import { type SpanRef, spanIn, spanOfRun, traceparentOf, withSpan } from '../../contract';
import { tracesInLogs } from '../../process/log';
import { peer } from '../../process/peers';
import { CleanSpans } from './clean-spans';
import type { ActiveSpan, SpanReceiver, Telemetry, TracedRequest } from './telemetry';

export interface TelemetryOptions {
  spanProcessor: SpanReceiver;
  /** `service.name` of the spans, where OTEL_SERVICE_NAME names none. */
  service?: string;
}

export const needed = <T>(load: () => Promise<T>) => peer('OTEL_EXPORTER_OTLP_ENDPOINT and telemetry', load);

/**
 * Starts traces. Gives the process OpenTelemetry's usual context manager and propagator if it has none yet. Throws ConfigError
 * if a package is missing.
 *
 * @example
 * const telemetry = await startTelemetry({ spanProcessor: new BatchSpanProcessor(new OTLPTraceExporter()), service: 'shop' });
 * const { payments } = await connectPayments(process.env, undefined, { telemetry });
 */
export async function startTelemetry({ spanProcessor, service = 'payments' }: TelemetryOptions): Promise<Telemetry> {
  const [api, sdk, resources, { W3CTraceContextPropagator }, hooks, ofClient, ofWorker] = await Promise.all([
    needed(() => import('@opentelemetry/api')),
    needed(() => import('@opentelemetry/sdk-trace-base')),
    needed(() => import('@opentelemetry/resources')),
    needed(() => import('@opentelemetry/core')),
    needed(() => import('@opentelemetry/context-async-hooks')),
    needed(() => import('@temporalio/interceptors-opentelemetry/lib/client/index.js')),
    needed(() => import('@temporalio/interceptors-opentelemetry/lib/worker/index.js')),
  ]);
  const { context, propagation, trace, SpanKind, SpanStatusCode, TraceFlags } = api;
  // Where the application has its own, these change nothing.
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());

  const spans = new CleanSpans(spanProcessor);
  const resource = resources
    .resourceFromAttributes({ 'service.name': service })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [spans] });
  const tracer = provider.getTracer('temporal-payment-gateway');
  const active: ActiveSpan = () => refOf(trace.getActiveSpan()?.spanContext());

  async function inSpan<Answer extends { status: number }>(
    { name, ...request }: TracedRequest,
    kind: number,
    isFailed: (status: number) => boolean,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const options = { kind, attributes: attributesOf(name, request) };
    return tracer.startActiveSpan(name, options, async (span: Span) => {
      const failed = (why: string) => span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', why);
      try {
        const answer = await run();
        span.setAttribute('http.response.status_code', answer.status);
        if (isFailed(answer.status)) failed(String(answer.status));
        return answer;
      } catch (error) {
        failed(kindOf(error));
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Reads get no spans: a reconciliation alone describes thousands of workflows. */
  class Calls extends ofClient.OpenTelemetryWorkflowClientInterceptor {
    override query: NonNullable<WorkflowClientInterceptor['query']> = (input, next) => next(input);
    override describe: NonNullable<WorkflowClientInterceptor['describe']> = (input, next) => next(input);
  }
  const forget = tracesInLogs(() => active()?.trace_id);
  return {
    sends: (request, send) =>
      inSpan(
        request,
        SpanKind.CLIENT,
        (status) => status >= 400,
        () => {
          const span = active();
          return send(span ? { traceparent: traceparentOf(span) } : {});
        },
      ),
    // Within an application's own span of the request, ours is a part of it.
    answers: (request, answer) =>
      inSpan(request, trace.getActiveSpan() ? SpanKind.INTERNAL : SpanKind.SERVER, (status) => status >= 500, answer),
    headers: () => {
      const span = active();
      return span ? withSpan({}, span) : {};
    },
    ended({ workflowId, runId }, { name, span, above, link, started, ended, failed_by }) {
      const contextOf = ({ trace_id, span_id, sampled }: SpanRef): SpanContext => ({
        traceId: trace_id,
        spanId: span_id,
        traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      });
      const endTime = hrTime(ended);
      spans.onEnd({
        name,
        kind: SpanKind.INTERNAL,
        spanContext: () => contextOf(span),
        ...(above ? { parentSpanContext: contextOf(above) } : {}),
        ...{ startTime: hrTime(started), endTime, duration: hrTime(ended - started), ended: true },
        status: { code: failed_by === undefined ? SpanStatusCode.OK : SpanStatusCode.ERROR },
        attributes: { temporalWorkflowId: workflowId, run_id: runId },
        links: link ? [{ context: contextOf(link) }] : [],
        events:
          failed_by === undefined
            ? []
            : [{ name: 'exception', time: endTime, attributes: { 'exception.type': failed_by } }],
        ...{ resource, instrumentationScope: { name: 'temporal-payment-gateway' } },
        ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
      });
    },
    calls: [new Calls({ tracer }), carrying(active)],
    activities: [
      (of) => ({ inbound: new OfItsRun(of) }),
      (of) => ({
        inbound: new ofWorker.OpenTelemetryActivityInboundInterceptor(of, { tracer }),
        outbound: new ofWorker.OpenTelemetryActivityOutboundInterceptor(of),
      }),
    ],
    async close() {
      forget();
      await provider.shutdown();
    },
  };
}

const refOf = (of: SpanContext | undefined): SpanRef | undefined =>
  of && { trace_id: of.traceId, span_id: of.spanId, sampled: of.traceFlags % 2 === 1 };

/** An activity without a trace from its run gets the run's own trace. */
class OfItsRun {
  constructor(private readonly of: ActivityContext) {}

  execute<Input extends { readonly headers: Headers }>(input: Input, next: (input: Input) => Promise<unknown>) {
    const { runId } = this.of.info.workflowExecution ?? {};
    const run = runId === undefined || spanIn(input.headers) ? undefined : spanOfRun(runId, undefined);
    return next(run ? { ...input, headers: withSpan(input.headers, run) } : input);
  }
}

/** Runs inside Temporal's own interceptor, so that only ids go into a history, and nothing else that the application's propagators add. */
function carrying(active: ActiveSpan): WorkflowClientInterceptor {
  const carry = (headers: Headers) => {
    const span = active();
    return span ? withSpan(headers, span) : headers;
  };
  const carried = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: carry(input.headers),
  });
  return {
    start: (input, next) => next(carried(input)),
    startWithDetails: (input, next) => next(carried(input)),
    signal: (input, next) => next(carried(input)),
    signalWithStart: (input, next) => next(carried(input)),
    startUpdate: (input, next) => next(carried(input)),
    query: (input, next) => next(carried(input)),
    startUpdateWithStart: (input, next) =>
      next({
        ...input,
        workflowStartHeaders: carry(input.workflowStartHeaders),
        updateHeaders: carry(input.updateHeaders),
      }),
  };
}

/** As OpenTelemetry's conventions for HTTP name it. */
function attributesOf(
  name: string,
  { url, showsPath, route, workflowId, app_id }: Omit<TracedRequest, 'name'>,
): Attributes {
  const [method = ''] = name.split(' ', 1);
  const port = url && Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return {
    'http.request.method': method,
    ...(url ? { 'server.address': url.hostname, 'server.port': port, 'url.scheme': url.protocol.slice(0, -1) } : {}),
    ...(url && showsPath ? { 'url.full': `${url.origin}${url.pathname}` } : {}),
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(workflowId === undefined ? {} : { temporalWorkflowId: workflowId }),
    ...(app_id === undefined ? {} : { 'payment.app_id': app_id }),
  };
}

/** The kind of an error, as a code or a name: its text may quote an order. */
function kindOf(error: unknown): string {
  const { code, reason, name } =
    typeof error === 'object' && error !== null ? { code: '', reason: '', name: '', ...error } : {};
  const kinds = [code, reason, name, error instanceof Error ? error.constructor.name : ''];
  return kinds.find((kind): kind is string => typeof kind === 'string' && /^\w{1,60}$/.test(kind)) ?? '_OTHER';
}

/** Seconds and nanoseconds, as OpenTelemetry has times. */
const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
