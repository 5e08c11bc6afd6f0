import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultPlace, Faults } from '../faults/faults';
import { type JsonObject, parseJsonObject, textAt, writeJson } from '../json';
import type { GatewayApp } from '../options';
import { commonFields } from '../rules/fields';
import { check } from '../rules/rule';
import { appMismatch, appOf, invalidSignature } from './admission';
import { type Answer, type Refusal, refused } from './answers';
import { create, pay } from './create-trade';
import type { Gateway, Operation, Outcome } from './operation';
import { query, tradeAnswer, tradeAsked, unknownOrder } from './query';
import { answered, type RequestLog } from './request-log';

interface Route {
  path: string;
  /** What faults call it. */
  name: Exclude<FaultPlace, 'ipn'>;
  run: Operation;
}

/** The operations of the interface. */
const operations: readonly Route[] = [
  { path: '/trade/pay', name: 'pay', run: pay },
  { path: '/trade/create', name: 'create', run: create },
  { path: '/trade/query', name: 'query', run: query },
];

/** What the gateway's routes need. */
export interface GatewayParts {
  apps: readonly GatewayApp[];
  /** The settings can change from one call to the next. */
  gateway: () => Gateway;
  faults: Faults;
  requests: RequestLog;
  /** Ends the waiting of delayed answers when the simulator closes. */
  closing: AbortSignal;
}

/** A proxy's answer in place of the gateway's. */
const PROXY_PAGE =
  '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body>\r\n</html>\r\n';

/** Serves the interface's operations. */
export function gatewayRoutes(server: FastifyInstance, parts: GatewayParts): void {
  for (const operation of operations) {
    server.post(operation.path, (request, reply) => answer(parts, operation, request, reply));
  }
}

async function answer(
  { apps, gateway: current, faults, requests, closing }: GatewayParts,
  operation: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gateway = current();
  const { settings, store } = gateway;
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const body = parseJsonObject(bytes);
  const app = appOf(request.headers.authorization, apps);
  const outTradeNo = body && (textAt(body, 'out_trade_no') ?? (app && tradeAsked({ app, body }, store)?.out_trade_no));
  const fault = faults.onRequest(operation.name, outTradeNo);

  const log = (processed: boolean, outcome?: Outcome, answer?: Answer) =>
    requests.add({
      at: gateway.clock.now(),
      path: operation.path,
      app_id: app?.app_id ?? null,
      out_trade_no: outcome?.trade?.out_trade_no ?? outTradeNo ?? null,
      trade_no: outcome?.trade?.trade_no ?? null,
      processed,
      created: outcome?.created ?? false,
      http_status: answer?.status ?? null,
      code: answered(answer?.body.code),
      sub_code: answered(answer?.body.sub_code),
      trade_status: answered(answer?.body.trade_status),
      fault: fault?.name ?? null,
    });

  if (fault?.name === 'reset-before') {
    log(false);
    return cut(request, reply);
  }
  if (fault?.name === '5xx-before') {
    log(false);
    return reply.code(fault.http_status).type('text/html').send(PROXY_PAGE);
  }
  if (fault?.name === 'delay-before') await wait(fault.ms, undefined, { signal: closing });

  const outcome = process({ app, body, contentType: request.headers['content-type'] }, operation.run, gateway);
  if (fault?.name === 'not-found') outcome.answer = unknownOrder(settings);
  if (fault?.name === 'stale' && outcome.trade) {
    const before = outcome.trade.history.at(-1)?.from ?? outcome.trade.trade_status;
    outcome.answer = tradeAnswer(outcome.trade, before, settings);
  }
  // Nobody hears of a trade that a crash would make the gateway forget.
  if (outcome.created) await store.save();
  const given = asAnswer(outcome.answer, settings.refusalStatus, settings.credentialsStatus);
  log(true, outcome, given);

  const text = writeJson(given.body);
  switch (fault?.name) {
    case 'reset-after':
      return cut(request, reply);
    case '5xx-after':
      return reply.code(fault.http_status).type('text/html').send(PROXY_PAGE);
    case 'malformed':
      return reply
        .code(given.status)
        .type('application/json')
        .send(text.slice(0, Math.ceil(text.length / 2)));
    case 'lost-response':
      reply.hijack();
      if (fault.ms > 0) void cutLater(request, fault.ms, closing);
      return reply;
    case 'delay':
      await wait(fault.ms, undefined, { signal: closing });
      break;
    default:
  }
  return reply.code(given.status).type('application/json').send(text);
}

interface Incoming {
  app: GatewayApp | undefined;
  body: JsonObject | undefined;
  contentType: string | undefined;
}

// The door, in the order in which a gateway looks: who calls, what is it, does it agree with itself.
function process({ app, body, contentType }: Incoming, run: Operation, gateway: Gateway): Outcome {
  if (!app) return { answer: invalidSignature };
  if (!body) return { answer: unreadable(contentType) };
  const refusal =
    check(commonFields, { body, app, settings: gateway.settings, now: gateway.clock.now() }) ?? appMismatch(body, app);
  return refusal ? { answer: refusal } : run({ app, body }, gateway);
}

// The content type is only recommended, so it matters only where the body is no JSON.
function unreadable(contentType: string | undefined): Refusal {
  const isJson = contentType === undefined || /^application\/json\b/i.test(contentType);
  return isJson
    ? { code: '40001', sub_code: 'body', sub_msg: 'The body is not a JSON object in UTF-8.' }
    : { code: '40005', sub_code: 'content-type', sub_msg: 'The body must be JSON.' };
}

function asAnswer(answer: Answer | Refusal, refusalStatus: number, credentialsStatus: number): Answer {
  if ('status' in answer) return answer;
  return refused(answer, answer === invalidSignature ? credentialsStatus : refusalStatus);
}

async function cutLater(request: FastifyRequest, ms: number, closing: AbortSignal): Promise<void> {
  // A closing simulator ends all connections itself.
  await wait(ms, undefined, { signal: closing }).catch(() => undefined);
  request.raw.socket.destroy();
}

function cut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}
