import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FaultTarget } from '../faults/faults';
import { setTaggedFaults } from '../faults/magic';
import { type LooseObject, parseLooseObject, textAt } from '../json';
import type { SimulatorApp } from '../options';
import { commonFields } from '../rules/fields';
import type { RequestRefusal } from '../rules/refusal';
import { checkFields } from '../rules/rule';
import type { Settings } from '../settings';
import type { SimulatedGateway } from '../simulated-gateway';
import type { Store } from '../store';
import { accountAsked } from './accounts';
import { appMismatch, appOf, invalidSignature, unreadableBody } from './admission';
import { faultEffects, sendAnswer } from './fault-effects';
import { type OperationAnswer, type OperationResult, refusedAnswer, type WireAnswer } from './operation';
import { tradeAsked } from './query';
import { fixedOperations, type GatewayOperation, operationsOf } from './table';

/** Serves the operations of the interface. `closing` ends delayed answers when the simulator closes. */
export function operationRoutes(server: FastifyInstance, gateway: SimulatedGateway, closing: AbortSignal): void {
  const answer = (operation: GatewayOperation, request: FastifyRequest, reply: FastifyReply) =>
    answerRequest(gateway, operation, { request, reply, closing });
  for (const operation of fixedOperations) {
    server.post(operation.path, (request, reply) => answer(operation, request, reply));
  }
  server.post('/*', async (request, reply) => {
    const path = request.url.split('?')[0];
    const operation = operationsOf(gateway.settings).find((one) => one.path === path);
    return operation ? answer(operation, request, reply) : reply.callNotFound();
  });
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  closing: AbortSignal;
}

/** A request as far as it was read: its caller and its body, if it has them, and what it is about. */
interface ReadRequest {
  app: SimulatorApp | undefined;
  body: LooseObject | undefined;
  contentType: string | undefined;
  target: FaultTarget;
}

async function answerRequest(gateway: SimulatedGateway, operation: GatewayOperation, exchange: Exchange) {
  const { faults, settings, store } = gateway;
  const read = readRequest(exchange.request, gateway);
  const magicRefusal = settings.magicValues ? setTaggedFaults(faults, operation.name, read) : undefined;
  const fault = faults.onRequest(operation.name, read.target);
  const faulty = fault && { ...exchange, fault, operation: operation.name, gateway };
  const effect = fault && faultEffects[fault.name];
  const log = (processed: boolean, result?: OperationResult, answer?: WireAnswer) =>
    gateway.logRequest({
      at: gateway.clock.now(),
      path: operation.path,
      fault: fault?.name ?? null,
      processed,
      ...subjectOf(read, result),
      ...answerFields(answer),
    });

  if (faulty && effect?.instead) {
    log(false);
    return effect.instead(faulty);
  }
  if (faulty) await effect?.before?.(faulty);
  const result = carryOut(read, magicRefusal, operation, gateway);
  const changed = faulty && (await effect?.change?.(result, faulty));
  const answer = asAnswer(changed ?? result.answer, settings);
  // Save first: an answer must not be about something that a crash makes the gateway forget.
  if (result.created || result.changed) await store.save();
  log(true, result, answer);
  return faulty && effect?.send ? effect.send(answer, faulty) : sendAnswer(exchange.reply, answer);
}

/** Reads a request. Numbers that it gives are looked up only if its credentials are right. */
function readRequest({ headers, body: bytes }: FastifyRequest, { apps, store }: SimulatedGateway): ReadRequest {
  const app = appOf(headers.authorization, apps);
  const body = parseLooseObject(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  const target = targetOf(app, body ?? {}, store);
  return { app, body, contentType: headers['content-type'], target };
}

function targetOf(app: SimulatorApp | undefined, body: LooseObject, store: Store): FaultTarget {
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

/** Checks a request in the order in which a gateway does: credentials, body, fields. Then carries it out. */
function carryOut(
  { app, body, contentType }: ReadRequest,
  magicRefusal: RequestRefusal | undefined,
  { fields, run }: GatewayOperation,
  gateway: SimulatedGateway,
): OperationResult {
  if (!app) return { answer: invalidSignature };
  if (!body) return { answer: unreadableBody(contentType) };
  const request = { body, app, now: gateway.clock.now() };
  const refusal =
    checkFields(commonFields, request) ??
    appMismatch(body, app) ??
    magicRefusal ??
    checkFields(fields(gateway.settings), request);
  return refusal ? { answer: refusal } : run({ app, body }, gateway);
}

function asAnswer(answer: OperationAnswer, settings: Settings): WireAnswer {
  if ('status' in answer) return answer;
  return refusedAnswer(answer, answer === invalidSignature ? settings.credentialsStatus : settings.refusalStatus);
}

function subjectOf({ app, body, target }: ReadRequest, result?: OperationResult) {
  return {
    app_id: app?.app_id ?? null,
    out_trade_no: result?.trade?.out_trade_no ?? target.out_trade_no ?? null,
    trade_no: result?.trade?.trade_no ?? null,
    out_request_no: (body && textAt(body, 'out_request_no')) ?? null,
    account_id: result?.account?.account_id ?? target.account_id ?? null,
    created: result?.created ?? false,
  };
}

function answerFields(answer: WireAnswer | undefined) {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const { code, sub_code, trade_status } = answer?.body ?? {};
  return {
    http_status: answer?.status ?? null,
    code: text(code),
    sub_code: text(sub_code),
    trade_status: text(trade_status),
  };
}
