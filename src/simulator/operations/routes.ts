import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Faults, FaultTarget, OperationName, Strike } from '../faults/faults';
import { magicFaults } from '../faults/magic';
import { type JsonObject, parseJsonObject, textAt, writeJson } from '../json';
import type { GatewayApp, Settings } from '../options';
import { isPending } from '../refunds/refund';
import { commonFields } from '../rules/fields';
import { check } from '../rules/rule';
import type { Store } from '../store';
import { isOpen } from '../trades/states';
import type { Trade } from '../trades/trade';
import { accountAsked, accountQuantity, cancelAccount, openAccount, queryAccount, unknownAccount } from './accounts';
import { appMismatch, appOf, invalidSignature } from './admission';
import { type Answer, type Refusal, type RefusalCode, refusals, refused } from './answers';
import { create, pay } from './create-trade';
import { bankList, installments, walletToken } from './lookups';
import type { Call, Gateway, Operation, Outcome } from './operation';
import { query, tradeAsked, unknownOrder } from './query';
import { refund } from './refund';
import { answered, type RequestLog } from './request-log';

/** An operation, where it is served. */
export interface Route {
  path: string;
  /** What faults call it. */
  name: OperationName;
  run: Operation;
}

// biome-ignore format: a table, read by columns
/** The operations of the interface, but for the wallet's client token, whose path is a setting. */
const operations: readonly Route[] = [
  { path: '/trade/pay',                     name: 'pay',              run: pay },
  { path: '/trade/create',                  name: 'create',           run: create },
  { path: '/trade/refund',                  name: 'refund',           run: refund },
  { path: '/trade/query',                   name: 'query',            run: query },
  { path: '/trade/bank-list',               name: 'bank-list',        run: bankList },
  { path: '/trade/installments',            name: 'installments',     run: installments },
  { path: '/virtual-account/spei/create',   name: 'account-create',   run: openAccount },
  { path: '/virtual-account/spei/cancel',   name: 'account-cancel',   run: cancelAccount },
  { path: '/virtual-account/spei/query',    name: 'account-query',    run: queryAccount },
  { path: '/virtual-account/spei/quantity', name: 'account-quantity', run: accountQuantity },
];

/** What the gateway's routes need. */
export interface GatewayParts {
  apps: readonly GatewayApp[];
  /** The settings can change from one call to the next. */
  gateway: () => Gateway;
  faults: Faults;
  requests: RequestLog;
  /** Delivers what a trade's merchant is about to hear; resolves when it was tried. */
  hurry: (trade: Trade) => Promise<void>;
  /** Ends the waiting of delayed answers when the simulator closes. */
  closing: AbortSignal;
}

/** A proxy's answer in place of the gateway's. */
const PROXY_PAGE =
  '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body>\r\n</html>\r\n';

/** All operations by the settings in force, the wallet's client token among them. */
export function routesOf({ walletTokenPath }: Settings): readonly Route[] {
  return [...operations, { path: walletTokenPath, name: 'wallet-token', run: walletToken }];
}

/** Serves the interface's operations. */
export function gatewayRoutes(server: FastifyInstance, parts: GatewayParts): void {
  for (const operation of operations) {
    server.post(operation.path, (request, reply) => answer(parts, operation, request, reply));
  }
  server.post('/*', async (request, reply) => {
    const path = request.url.split('?')[0];
    const operation = routesOf(parts.gateway().settings).find((route) => route.path === path);
    return operation ? answer(parts, operation, request, reply) : reply.callNotFound();
  });
}

async function answer(
  parts: GatewayParts,
  operation: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { apps, gateway: current, faults, requests, closing } = parts;
  const gateway = current();
  const { settings, store } = gateway;
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const body = parseJsonObject(bytes);
  const app = appOf(request.headers.authorization, apps);
  const target = targetOf(app, body ?? {}, store);
  const problem =
    app && body && settings.magicValues ? setMagic(operation.name, { app, body }, faults, target) : undefined;
  const fault = faults.onRequest(operation.name, target);

  const log = (processed: boolean, outcome?: Outcome, answer?: Answer) =>
    requests.add({
      at: gateway.clock.now(),
      path: operation.path,
      app_id: app?.app_id ?? null,
      out_trade_no: outcome?.trade?.out_trade_no ?? target.out_trade_no ?? null,
      trade_no: outcome?.trade?.trade_no ?? null,
      out_request_no: (body && textAt(body, 'out_request_no')) ?? null,
      account_id: outcome?.account?.account_id ?? target.account_id ?? null,
      processed,
      created: outcome?.created ?? false,
      http_status: answer?.status ?? null,
      code: answered(answer?.body.code),
      sub_code: answered(answer?.body.sub_code),
      trade_status: answered(answer?.body.trade_status),
      fault: fault?.name ?? null,
    });

  switch (fault?.name) {
    case 'reset-before':
      log(false);
      return cut(request, reply);
    case '5xx-before':
      log(false);
      return sendProxyPage(reply, fault);
    case 'answer-before':
      log(false);
      return sendAnyBody(reply, fault);
    case 'refuse': {
      const refusal = refusalOf(fault, '20000', '');
      log(false);
      return send(reply, refused(refusal, settings.refusalStatus));
    }
    case 'delay-before':
      await wait(fault.ms, undefined, { signal: closing });
      break;
    default:
  }

  const incoming = { app, body, problem, contentType: request.headers['content-type'] };
  const outcome = process(incoming, operation.run, gateway);
  if (fault?.name === 'not-found') outcome.answer = unknownOf(operation.name, settings);
  if (fault?.name === 'stale') outcome.answer = outcome.stale ?? outcome.answer;
  if (fault?.name === 'bank-refusal' && outcome.created && outcome.trade) {
    gateway.lifecycle.act(outcome.trade, 'refuse');
    outcome.answer = refusalOf(fault, '90001', '71012');
  }
  const given = asAnswer(outcome.answer, settings.refusalStatus, settings.credentialsStatus);
  if (fault?.name === 'early-ipn' && outcome.created && outcome.trade) await finishEarly(outcome.trade, parts, gateway);
  // Nobody hears of anything that a crash would make the gateway forget.
  if (outcome.created || outcome.changed) await store.save();
  log(true, outcome, given);

  switch (fault?.name) {
    case 'reset-after':
      return cut(request, reply);
    case '5xx-after':
      return sendProxyPage(reply, fault);
    case 'answer-after':
      return sendAnyBody(reply, fault);
    case 'malformed':
      return send(reply, given, (text) => text.slice(0, Math.ceil(text.length / 2)));
    case 'lost-response':
      reply.hijack();
      if (fault.ms > 0) void cutLater(request, fault.ms, closing);
      return reply;
    case 'delay':
      await wait(fault.ms, undefined, { signal: closing });
      break;
    default:
  }
  return send(reply, given);
}

/** Whom a request is about, as far as it says so; what it means by a number is looked up for who proves to be somebody. */
function targetOf(app: GatewayApp | undefined, body: JsonObject, store: Store): FaultTarget {
  const trade = app && tradeAsked({ app, body }, store);
  const account = app && accountAsked({ app, body }, store);
  const buyer = textAt(body, 'buyer_id') ?? textAt(body, 'customer.buyer_id');
  return {
    app_id: app?.app_id,
    out_trade_no: textAt(body, 'out_trade_no') ?? trade?.out_trade_no,
    account_id: textAt(body, 'account_id'),
    buyer_id: buyer ?? trade?.buyer_id ?? account?.buyer_id,
  };
}

/** Sets the faults that a request's tags ask for; answers with what is wrong with them. */
function setMagic(place: OperationName, call: Call, faults: Faults, target: FaultTarget): Refusal | undefined {
  const magic = magicFaults(place, call.body, target);
  if (!Array.isArray(magic)) return magic;
  for (const { key, order } of magic) faults.addOnce(key, order);
  return undefined;
}

// The buyer pays, or the refund is done, before the merchant's own answer is on its way.
async function finishEarly(trade: Trade, { hurry }: GatewayParts, gateway: Gateway): Promise<void> {
  const { lifecycle, refunds, store } = gateway;
  const refund = store.refundsOf(trade.trade_no).at(-1);
  if (isOpen(trade.trade_status)) lifecycle.act(trade, 'pay');
  else if (refund && isPending(refund.refund_status)) refunds.act(refund, 'approve');
  await hurry(trade);
}

function unknownOf(name: OperationName, settings: Settings): Refusal {
  return name === 'account-query' ? unknownAccount(settings) : unknownOrder(settings);
}

function refusalOf({ code, sub_code }: Strike<string>, usualCode: RefusalCode, usualSubCode: string): Refusal {
  const given = code ?? usualCode;
  return { code: given, sub_code: sub_code ?? usualSubCode, sub_msg: `${refusals[given]} (a fault of the simulator)` };
}

function send(reply: FastifyReply, { status, body }: Answer, change = (text: string) => text): FastifyReply {
  return reply
    .code(status)
    .type('application/json')
    .send(change(writeJson(body)));
}

function sendProxyPage(reply: FastifyReply, { http_status }: Strike<string>): FastifyReply {
  return reply
    .code(http_status ?? 502)
    .type('text/html')
    .send(PROXY_PAGE);
}

function sendAnyBody(reply: FastifyReply, { http_status, body }: Strike<string>): FastifyReply {
  return reply
    .code(http_status ?? 200)
    .type('application/json')
    .send(typeof body === 'string' ? body : writeJson(body));
}

interface Incoming {
  app: GatewayApp | undefined;
  body: JsonObject | undefined;
  contentType: string | undefined;
  /** What is wrong with the tags of the request. */
  problem: Refusal | undefined;
}

// The door, in the order in which a gateway looks: who calls, what is it, does it agree with itself.
function process({ app, body, contentType, problem }: Incoming, run: Operation, gateway: Gateway): Outcome {
  if (!app) return { answer: invalidSignature };
  if (!body) return { answer: unreadable(contentType) };
  const refusal =
    check(commonFields, { body, app, settings: gateway.settings, now: gateway.clock.now() }) ??
    appMismatch(body, app) ??
    problem;
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
