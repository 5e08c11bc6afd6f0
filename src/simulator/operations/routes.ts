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
import { appOf, invalidSignature, unreadableBody } from './admission';
import { faultEffects, sendAnswer } from './fault-effects';
import { type OperationAnswer, type OperationResult, refusedAnswer, type WireAnswer } from './operation';
import { tradeAsked } from './query';
import { type GatewayOperation, operationsOf } from './table';

/** Serves the operations of the interface. */
export function operationRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0];
    const operation = operationsOf(gateway.settings).find((one) => one.path === path);
    return operation ? answerRequest(gateway, operation, request, reply) : reply.callNotFound();
  };
  const fixed = operationsOf(gateway.settings).filter(({ name }) => name !== 'wallet-token');
  for (const { path } of fixed) server.post(path, serve);
  // The wallet's token is where the settings say, and they can change.
  server.post('/*', serve);
}

/** A request as far as it was read: its caller and its body, if it has them, and what it is about. */
interface ReadRequest {
  app: SimulatorApp | undefined;
  body: LooseObject | undefined;
  target: FaultTarget;
}

async function answerRequest(
  gateway: SimulatedGateway,
  operation: GatewayOperation,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { faults, settings, store } = gateway;
  const read = readRequest(request, gateway);
  const magicRefusal = settings.magicValues ? setTaggedFaults(faults, operation.name, read) : undefined;
  const fault = faults.onRequest(operation.name, read.target);
  const faulty = fault && { request, reply, fault, operation: operation.name, gateway };
  const effect = fault && faultEffects[fault.name];
  const log = (processed: boolean, result?: OperationResult, answer?: WireAnswer) =>
    gateway.logRequest({
      at: gateway.clock.now(),
      path: operation.path,
      fault: fault?.name ?? null,
      processed,
      ...loggedOf(read, result, answer),
    });

  if (faulty && effect?.instead) {
    log(false);
    return effect.instead(faulty);
  }
  if (faulty) await effect?.before?.(faulty);
  const result = carryOut(request, read, magicRefusal, operation, gateway);
  const changed = faulty && (await effect?.change?.(result, faulty));
  const answer = asAnswer(changed ?? result.answer, settings);
  // Save first: an answer must not be about something that a crash makes the gateway forget.
  if (result.created || result.changed) await store.save();
  log(true, result, answer);
  return faulty && effect?.send ? effect.send(faulty, answer) : sendAnswer(reply, answer);
}

/** Reads a request. Numbers that it gives are looked up only if its credentials are right. */
function readRequest({ headers, body: bytes }: FastifyRequest, { apps, store }: SimulatedGateway): ReadRequest {
  const app = appOf(headers.authorization, apps);
  const body = parseLooseObject(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  return { app, body, target: targetOf(app, body ?? {}, store) };
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
  { headers }: FastifyRequest,
  { app, body }: ReadRequest,
  magicRefusal: RequestRefusal | undefined,
  { fields, run }: GatewayOperation,
  gateway: SimulatedGateway,
): OperationResult {
  if (!app) return { answer: invalidSignature };
  if (!body) return { answer: unreadableBody(headers['content-type']) };
  const request = { body, app, now: gateway.clock.now() };
  const refusal = checkFields(commonFields, request) ?? magicRefusal ?? checkFields(fields(gateway.settings), request);
  return refusal ? { answer: refusal } : run({ app, body }, gateway);
}

function asAnswer(answer: OperationAnswer, settings: Settings): WireAnswer {
  if ('status' in answer) return answer;
  return refusedAnswer(answer, answer === invalidSignature ? settings.credentialsStatus : settings.refusalStatus);
}

/** What is logged of a request and its answer. */
function loggedOf({ app, body, target }: ReadRequest, result?: OperationResult, answer?: WireAnswer) {
  const answered = (name: string) => (answer && textAt(answer.body, name)) ?? null;
  return {
    app_id: app?.app_id ?? null,
    out_trade_no: result?.trade?.out_trade_no ?? target.out_trade_no ?? null,
    trade_no: result?.trade?.trade_no ?? null,
    out_request_no: (body && textAt(body, 'out_request_no')) ?? null,
    account_id: result?.account?.account_id ?? target.account_id ?? null,
    created: result?.created ?? false,
    http_status: answer?.status ?? null,
    code: answered('code'),
    sub_code: answered('sub_code'),
    trade_status: answered('trade_status'),
  };
}
