/**
 * The simulator's field rules, its payment data and the life of an unpaid order, so that the fake gateway answers like the gateway of
 * `npm start`.
 */
import { parseLooseObject, textAt } from '../../simulator/json';
import { fieldsOf } from '../../simulator/operations/operation';
import { checkoutFields, directFields } from '../../simulator/rules/fields';
import { methodNamed, methodTable } from '../../simulator/rules/methods';
import { refundFields, refundWay } from '../../simulator/rules/refund';
import { businessRefusal, type RequestRefusal } from '../../simulator/rules/refusal';
import { type CheckedRequest, checkFields } from '../../simulator/rules/rule';
import { twoDecimals } from '../../simulator/rules/values';
import { defaultSettings } from '../../simulator/settings';
import { duration } from '../../simulator/time';
import { stateUnpaid } from '../../simulator/trades/lifecycle';
import { checkoutAddress, paymentDataOf } from '../../simulator/trades/payment-data';
import { DEFAULT_PLAN, type RefundPlan } from './fake-refunds';
import type { FakeTrade, StatusAt } from './fake-trade';

const PUBLIC_URL = 'https://pay.example';

export type Body = CheckedRequest['body'];
export type Kind = 'direct' | 'checkout';

/** The terms of an order: how the buyer pays, and its status while nobody pays. */
interface OrderTerms {
  readonly order_amount: string;
  readonly order_currency: string;
  readonly method: string;
  readonly channel: string | null;
  readonly unpaidAt: StatusAt;
}

/** The body as it arrives: its numbers have every digit. */
const arrived = (body: Body): Body => parseLooseObject(Buffer.from(JSON.stringify(body))) ?? {};

/** Why the gateway refuses an order; undefined if it takes it. */
export function orderRefusal(kind: Kind, body: Body, app_id: string, now: number): RequestRefusal | undefined {
  const fields = kind === 'direct' ? directFields : checkoutFields;
  return checkFields(fields(defaultSettings), { body: arrived(body), app: { app_id, secret_key: '' }, now });
}

/** Reads an order that the gateway takes. */
export function termsOf(kind: Kind, body: Body, created_at: number): OrderTerms {
  const { required, optional } = fieldsOf(body);
  const named = methodNamed(required('method'));
  const method = named ?? null;
  const channel = optional('channel');
  const [timeout_express, cancellation_express] = [optional('timeout_express'), optional('cancellation_express')];
  const order = { created_at, timeout_express, cancellation_express, method, channel };
  const first =
    kind === 'checkout' || named === undefined ? 'INITIAL' : methodTable[named][defaultSettings.directStatus];
  return {
    order_amount: twoDecimals(required('order_amount')),
    order_currency: required('order_currency'),
    method: method ?? '',
    channel,
    unpaidAt: (elapsed_ms) => stateUnpaid(order, first, created_at + elapsed_ms),
  };
}

/** The answer to a creation, besides the numbers of the order. `count`: a number that no other trade has. */
export function simulatedAnswer(kind: Kind, body: Body, app_id: string, trade: FakeTrade, count: number) {
  const { trade_no, order_amount, channel, created_at } = trade;
  if (kind === 'checkout') return { web_url: checkoutAddress(PUBLIC_URL, trade_no) };
  const method = methodNamed(trade.method);
  const { optional } = fieldsOf(body);
  const [timeout_express, cancellation_express] = [optional('timeout_express'), optional('cancellation_express')];
  const terms = { app_id, trade_no, order_amount, channel, created_at, timeout_express, cancellation_express };
  const data = method ? paymentDataOf(method, { trade: { ...terms, method }, count, publicUrl: PUBLIC_URL }) : {};
  return { trade_status: trade.statusAt(0), ...data };
}

/** Why the gateway refuses a refund; undefined if it takes it. */
export function refundRefusal(body: Body, app_id: string, trade: FakeTrade, now: number): RequestRefusal | undefined {
  if (!refundWay(trade.method)) return businessRefusal('refund-not-supported', `${trade.method} can not be refunded.`);
  return checkFields(refundFields(defaultSettings), { body, app: { app_id, secret_key: '' }, now, trade });
}

/** How a refund ends by default: it waits for the buyer if nobody has named the account that it goes to. */
export function usualPlan(body: Body, { method }: FakeTrade): RefundPlan {
  const isKnownWhereTo = refundWay(method)?.to === 'source' || textAt(body, 'bank_info.number') !== undefined;
  if (isKnownWhereTo) return DEFAULT_PLAN;
  return { takes_ms: duration(defaultSettings.refundConfirmWithin), ends: 'revoked', waits: true };
}
