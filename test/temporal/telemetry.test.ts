/** What a span may hold, which spans there are, and what of a trace goes into a history. */
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { defaultPayloadConverter } from '@temporalio/common';
import { paymentBehind, spanIn, spanOfRun, withSpan } from '../../src/contract';
import { createLogger } from '../../src/process/log';
import { ConfigError, loadConfig } from '../../src/process/settings';
import { CleanSpans } from '../../src/temporal/telemetry/clean-spans';
import { telemetryOf } from '../../src/temporal/telemetry/from-settings';
import { startTelemetry } from '../../src/temporal/telemetry/start';
import type { Telemetry } from '../../src/temporal/telemetry/telemetry';

const RUN = '01a2210b-6e7e-71fb-95a9-02dc9a12411c';
const SPAN = { trace_id: '8df6ea9be47f2de73075d6b30530e5a2', span_id: 'a7692587a3fdf3c1', sampled: true };

const exporter = new InMemorySpanExporter();
const finished = () => exporter.getFinishedSpans();
let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await startTelemetry({ spanProcessor: new SimpleSpanProcessor(exporter) });
});
afterEach(() => exporter.reset());
afterAll(() => telemetry.close());

const cleaned = () =>
  new BasicTracerProvider({ spanProcessors: [new CleanSpans(new SimpleSpanProcessor(exporter))] }).getTracer('test');

test('a span keeps listed attributes and the kinds of errors, and nothing else that anybody wrote into it', () => {
  const span = cleaned().startSpan('RunWorkflow:payment', {
    links: [
      {
        context: trace.wrapSpanContext({ traceId: SPAN.trace_id, spanId: SPAN.span_id, traceFlags: 1 }).spanContext(),
        attributes: { note: 'secret' },
      },
    ],
  });
  span.setAttributes({ 'http.request.method': 'POST', 'http.request.header.authorization': 'secret', memo: 'secret' });
  span.addEvent('secret', { text: 'secret' });
  span.recordException(new RangeError('secret'));
  span.recordException({ name: 'x', message: 'x', code: 'secret@example.com' });
  span.setStatus({ code: 2, message: 'secret' });
  span.end();
  const [kept] = finished();
  const { attributes, events, links, status, name } = kept ?? {};
  expect(JSON.stringify({ attributes, events, links, status, name })).not.toContain('secret');
  expect(attributes).toEqual({ 'http.request.method': 'POST' });
  expect(events?.map((event) => event.attributes)).toEqual([{ 'exception.type': 'RangeError' }]);
  expect(status).toEqual({ code: 2 });
  expect(links).toHaveLength(1);
});

test.each([
  ['that is benign, as of a poll without news, leaves neither span nor call', 0, []],
  ['that did its work shows its call and itself', 1, ['POST /trade/query', 'RunActivity:gateway.watch']],
  ['that failed shows its call and itself', 2, ['POST /trade/query', 'RunActivity:gateway.watch']],
])('the attempt of an activity %s', (_what, code, names) => {
  const tracer = cleaned();
  const attempt = tracer.startSpan('RunActivity:gateway.watch');
  tracer.startSpan('POST /trade/query', {}, trace.setSpan(context.active(), attempt)).end();
  expect(finished()).toEqual([]);
  attempt.setStatus({ code }).end();
  expect(finished().map(({ name }) => name)).toEqual(names);
});

test('a request to an address of the merchant shows its host and carries the trace; its path and query stay unseen', async () => {
  const url = new URL('https://hooks.example.com/T0/secret?token=secret');
  const answer = { status: 204 };
  const sent: object[] = [];
  const workflowId = 'event-delivery:0a1b2c:payment:shop:order-1';
  await telemetry.sends({ name: 'POST event', url, workflowId }, async (headers) => {
    sent.push(headers);
    return answer;
  });
  const [span] = finished();
  const { traceId, spanId } = span?.spanContext() ?? {};
  expect(sent).toEqual([{ traceparent: `00-${traceId}-${spanId}-01` }]);
  expect(span).toMatchObject({ name: 'POST event', kind: SpanKind.CLIENT });
  expect(span?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 204,
    'server.address': 'hooks.example.com',
    'server.port': 443,
    'url.scheme': 'https',
    temporalWorkflowId: workflowId,
    'payment.workflow_id': 'payment:shop:order-1',
  });
});

test('a log line that is written within a span has its trace, and no other line has one', async () => {
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line) => lines.push(line) });
  log.info('before');
  await telemetry.answers({ name: 'POST /ipn/{app_id}' }, async () => {
    log.info('within');
    return { status: 200 };
  });
  const [before, within] = lines.map((line) => JSON.parse(line));
  expect(before).not.toHaveProperty('trace_id');
  expect(within.trace_id).toBe(finished()[0]?.spanContext().traceId);
});

test('a request that fails shows how, without its text', async () => {
  const url = new URL('https://gateway.example.com/v1/trade/pay');
  const failure = Object.assign(new Error('secret'), { code: 'ECONNRESET' });
  const sending = telemetry.sends({ name: 'POST /trade/pay', url, showsPath: true }, () => Promise.reject(failure));
  await expect(sending).rejects.toBe(failure);
  expect(finished()[0]).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'ECONNRESET', 'url.full': 'https://gateway.example.com/v1/trade/pay' },
  });
});

test('of what an application carries along, only the ids of the trace go into a history', async () => {
  const baggage = {
    _tracer: 1,
    '_tracer-data': defaultPayloadConverter.toPayload({ baggage: 'user=secret', tracestate: 'v=secret' }),
  };
  const taken: unknown[] = [];
  const within = telemetry.calls[1]?.start;
  await telemetry.answers({ name: 'POST /ipn/{app_id}', route: '/ipn/{app_id}' }, async () => {
    const { _tracer, ...headers } = baggage;
    await within?.(
      { workflowType: 'payment', headers, options: { workflowId: 'x', taskQueue: 'x', args: [] } },
      async (input) => {
        taken.push(defaultPayloadConverter.fromPayload(input.headers['_tracer-data'] ?? {}));
        return RUN;
      },
    );
    return { status: 200 };
  });
  expect(taken).toEqual([{ traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) }]);
  expect(propagation.fields()).not.toContain('baggage');
});

test('a run has the same spans on every worker, and without a trace above it begins one of its own id', () => {
  expect(spanOfRun(RUN, undefined)).toEqual({
    trace_id: '01a2210b6e7e71fb95a902dc9a12411c',
    span_id: '95a902dc9a12411c',
    sampled: true,
  });
  expect(spanOfRun(RUN, { ...SPAN, sampled: false }, 2)).toEqual({
    trace_id: SPAN.trace_id,
    span_id: '95a902dc9a12411e',
    sampled: false,
  });
  expect(spanOfRun('not-a-uuid', undefined)).toBeUndefined();
});

test('a header that is no trace is none, whatever stands in it', () => {
  expect(spanIn(withSpan({}, SPAN))).toEqual(SPAN);
  for (const strange of ['text', 7, null, {}, { traceparent: '00-short-01' }, { traceparent: 7 }])
    expect(spanIn({ '_tracer-data': defaultPayloadConverter.toPayload(strange) ?? {} })).toBeUndefined();
  expect(spanIn({ '_tracer-data': { metadata: { encoding: Buffer.from('binary/encrypted') } } })).toBeUndefined();
});

test.each([
  ['payment:shop:order:1', 'payment:shop:order:1'],
  ['after-sale:shop:order-1', 'payment:shop:order-1'],
  ['event-delivery:handler:payment:shop:order:1', 'payment:shop:order:1'],
  [`event-delivery:handler:spei-account:shop:acc-1:${RUN}`, undefined],
  ['event-delivery:0a1b2c:payment:shop:order-1', 'payment:shop:order-1'],
  ['spei-account:shop:acc-1', undefined],
  ['stuck-sweep', undefined],
  ['of-a-merchant', undefined],
])('the payment behind %s is %s', (workflowId, payment) => expect(paymentBehind(workflowId)).toBe(payment));

test.each([
  ['collector:4317', /must be an address such as http:\/\/collector:4318/],
  ['http://collector.example.com:4318', /must begin with https:\/\//],
])('OTEL_EXPORTER_OTLP_ENDPOINT=%s is refused by a program with traces, and by no other', async (endpoint, words) => {
  const config = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await expect(telemetryOf('payments-worker', config)).rejects.toThrow(words);
  await expect(telemetryOf('payments-worker', config)).rejects.toThrow(ConfigError);
});

test('a program without OTEL_EXPORTER_OTLP_ENDPOINT has no traces', async () => {
  expect(await telemetryOf('payments-worker', loadConfig({}))).toBeUndefined();
});
