import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'lossless-json';
import type { OperationName, RequestFault, Strike } from '../faults/faults';
import { isPendingRefund } from '../records';
import { type RefusalCode, type RequestRefusal, refusalCodes } from '../rules/refusal';
import type { SimulatedGateway } from '../simulated-gateway';
import { isOpen } from '../trades/steps';
import { unknownAccount } from './accounts';
import { type OperationAnswer, type OperationResult, refusedAnswer, type WireAnswer } from './operation';
import { unknownOrder } from './query';

/** A request that a fault strikes while it is being answered. */
interface FaultyExchange {
  fault: Strike<RequestFault>;
  operation: OperationName;
  request: FastifyRequest;
  reply: FastifyReply;
  gateway: SimulatedGateway;
}

type Reply = FastifyReply | Promise<FastifyReply>;

/** What a fault does at each step of an exchange. A step that is left out goes as without a fault. */
interface FaultEffect {
  /** Answers instead of the gateway, which then does nothing. */
  instead?: (exchange: FaultyExchange) => Reply;
  /** Comes before the gateway does what was asked. */
  before?: (exchange: FaultyExchange) => Promise<void>;
  /** Does more than was asked, or answers otherwise. Returns the answer. */
  change?: (result: OperationResult, exchange: FaultyExchange) => OperationAnswer | Promise<OperationAnswer>;
  /** Sends something else than the gateway's answer. */
  send?: (exchange: FaultyExchange, answer: WireAnswer) => Reply;
}

/** What each fault of a request does. */
export const faultEffects: Readonly<Record<RequestFault, FaultEffect>> = {
  'reset-before': { instead: cutConnection },
  '5xx-before': { instead: sendProxyPage },
  'answer-before': { instead: sendOtherBody },
  refuse: { instead: sendRefusal },
  'delay-before': { before: waitForFault },
  'not-found': { change: findNothing },
  stale: { change: ({ stale, answer }) => stale ?? answer },
  'bank-refusal': { change: refuseByBank },
  'early-ipn': { change: finishEarly },
  'reset-after': { send: cutConnection },
  '5xx-after': { send: sendProxyPage },
  'answer-after': { send: sendOtherBody },
  malformed: { send: ({ reply }, answer) => sendAnswer(reply, answer, firstHalf) },
  'lost-response': { send: sendNothing },
  delay: { send: (exchange, answer) => waitForFault(exchange).then(() => sendAnswer(exchange.reply, answer)) },
};

/** Sends an answer as JSON; `change` can spoil its text. */
export function sendAnswer(reply: FastifyReply, { status, body }: WireAnswer, change = (text: string) => text) {
  return sendText(reply, status, 'application/json', change(stringify(body) ?? ''));
}

function sendText(reply: FastifyReply, status: number, type: string, text: string): FastifyReply {
  return reply.code(status).type(type).send(text);
}

function waitForFault({ fault, gateway }: FaultyExchange): Promise<void> {
  return wait(fault.ms, undefined, { signal: gateway.closing.signal });
}

const firstHalf = (text: string) => text.slice(0, Math.ceil(text.length / 2));

function refuseByBank(
  { created, trade, answer }: OperationResult,
  { fault, gateway }: FaultyExchange,
): OperationAnswer {
  if (!created || !trade) return answer;
  gateway.lifecycle.act(trade, 'refuse');
  return refusalBy(fault, '90001', '71012');
}

// The buyer pays, or the refund is done, and the merchant is notified, all before the answer is sent.
async function finishEarly(
  { created, trade, answer }: OperationResult,
  { gateway }: FaultyExchange,
): Promise<OperationAnswer> {
  if (!created || !trade) return answer;
  const refund = gateway.store.refundsOf(trade.trade_no).at(-1);
  if (isOpen(trade.trade_status)) gateway.lifecycle.act(trade, 'pay');
  else if (refund && isPendingRefund(refund.refund_status)) gateway.refunds.act(refund, 'approve');
  await gateway.notifications.hurry(trade);
  return answer;
}

function findNothing(_result: OperationResult, { operation, gateway }: FaultyExchange): RequestRefusal {
  return operation === 'account-query' ? unknownAccount(gateway.settings) : unknownOrder(gateway.settings);
}

function refusalBy(fault: Strike, usualCode: RefusalCode, usualSubCode: string): RequestRefusal {
  const code = fault.code ?? usualCode;
  const sub_msg = `${refusalCodes[code]} (a fault of the simulator)`;
  return { code, sub_code: fault.sub_code ?? usualSubCode, sub_msg };
}

function sendRefusal({ fault, reply, gateway }: FaultyExchange): FastifyReply {
  return sendAnswer(reply, refusedAnswer(refusalBy(fault, '20000', ''), gateway.settings.refusalStatus));
}

/** The page of a proxy in front of the gateway. */
const PROXY_PAGE =
  '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body>\r\n</html>\r\n';

function sendProxyPage({ fault: { http_status }, reply }: FaultyExchange): FastifyReply {
  return sendText(reply, http_status ?? 502, 'text/html', PROXY_PAGE);
}

function sendOtherBody({ fault: { http_status, body }, reply }: FaultyExchange): FastifyReply {
  const text = typeof body === 'string' ? body : (stringify(body) ?? 'null');
  return sendText(reply, http_status ?? 200, 'application/json', text);
}

function cutConnection({ request, reply }: FaultyExchange): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

// The connection stays open, or is cut later.
function sendNothing(exchange: FaultyExchange): FastifyReply {
  const cut = () => exchange.request.raw.socket.destroy();
  if (exchange.fault.ms > 0) waitForFault(exchange).then(cut, cut);
  return exchange.reply.hijack();
}
