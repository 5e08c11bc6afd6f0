/** A collector of OpenTelemetry's traces, as a worker pushes them: OTLP over HTTP, in protobuf. */
import { createServer } from 'node:http';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { parse } from 'protobufjs';
import { z } from 'zod';
import { localServer } from './local-server';

/** The part of opentelemetry/proto/collector/trace/v1 that is read here. */
const { root } = parse(`syntax = "proto3";
  message Any { oneof value { string text = 1; bool flag = 2; int64 int = 3; double number = 4; } }
  message KeyValue { string key = 1; Any value = 2; }
  message Event { fixed64 time = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace = 1; bytes span = 2; }
  message Status { string message = 2; int32 code = 3; }
  message Span { bytes trace = 1; bytes span = 2; bytes parent = 4; string name = 5; int32 kind = 6; fixed64 start = 7; fixed64 end = 8;
    repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13; Status status = 15; }
  message ScopeSpans { repeated Span spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopes = 2; }
  message Request { repeated ResourceSpans resources = 1; }`);
const Request = root.lookupType('Request');

const hex = z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes).toString('hex'));
const ms = z.coerce.number().transform((nanoseconds) => nanoseconds / 1e6);
const value = z.looseObject({}).transform((one) => Object.values(one)[0]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map((one) => [one.key, one.value])));
const span = z.object({
  trace: hex,
  span: hex,
  parent: hex,
  name: z.string(),
  kind: z.number(),
  start: ms,
  end: ms,
  attributes,
  events: z.array(z.object({ name: z.string(), attributes })),
  links: z.array(z.object({ trace: hex, span: hex })),
  status: z.looseObject({ message: z.string().optional(), code: z.number().optional() }).nullish(),
});
const pushed = z.object({
  resources: z.array(
    z.object({ resource: z.object({ attributes }), scopes: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

/** A span with the process that it comes from. */
export type CollectedSpan = Omit<z.output<typeof span>, 'status'> & { service: string; failed: boolean };

/** A span of this process in the same form. */
export function collected(of: ReadableSpan): CollectedSpan {
  const at = ([seconds, nanoseconds]: ReadableSpan['startTime']) => seconds * 1_000 + nanoseconds / 1e6;
  return {
    service: String(of.resource.attributes['service.name']),
    failed: of.status.code === 2,
    trace: of.spanContext().traceId,
    span: of.spanContext().spanId,
    parent: of.parentSpanContext?.spanId ?? '',
    name: of.name,
    kind: of.kind,
    start: at(of.startTime),
    end: at(of.endTime),
    attributes: of.attributes,
    events: of.events.map(({ name, attributes = {} }) => ({ name, attributes })),
    links: of.links.map(({ context }) => ({ trace: context.traceId, span: context.spanId })),
  };
}

export type TraceCollector = Awaited<ReturnType<typeof traceCollector>>;

export async function traceCollector() {
  const spans: CollectedSpan[] = [];
  /** All bytes that came. */
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    bodies.push(body);
    const { resources } = pushed.parse(
      Request.toObject(Request.decode(body), { arrays: true, defaults: true, longs: Number }),
    );
    for (const { resource, scopes } of resources)
      for (const { status, ...one } of scopes.flatMap((scope) => scope.spans))
        spans.push({ ...one, service: String(resource.attributes['service.name']), failed: status?.code === 2 });
    response.end();
  });
  const { origin, close } = await localServer(server);
  return {
    url: origin,
    spans,
    bodies,
    close,
  };
}
