import { type JsonObject, textAt } from '../json';
import { twoDecimals } from '../rules/amount';
import { checkoutFields, directFields } from '../rules/fields';
import { methodNamed, methods } from '../rules/methods';
import { check, type Field } from '../rules/rule';
import { pageAddress } from '../trades/payment-data';
import type { Trade } from '../trades/trade';
import { businessFailure, type Refusal, success } from './answers';
import type { Call, Gateway, Operation } from './operation';

/** `/trade/pay`: creates a trade in one method and answers with what the buyer needs to pay. */
export const pay: Operation = (call, gateway) => {
  const refusal = refusalOf(call, gateway, directFields);
  if (refusal) return { answer: refusal };
  const trade = gateway.lifecycle.create(orderOf(call, 'direct', startOf(call.body, gateway)));
  const { out_trade_no, trade_no, trade_status, payment_data } = trade;
  return { answer: success({ out_trade_no, trade_no, trade_status, ...payment_data }), trade, created: true };
};

/** `/trade/create`: creates a trade that the buyer finishes on the checkout page. */
export const create: Operation = (call, gateway) => {
  const refusal = refusalOf(call, gateway, checkoutFields);
  if (refusal) return { answer: refusal };
  const trade = gateway.lifecycle.create(orderOf(call, 'checkout', 'INITIAL'));
  const { out_trade_no, trade_no } = trade;
  const web_url = pageAddress(gateway.publicUrl, trade_no);
  return { answer: success({ out_trade_no, trade_no, web_url }), trade, created: true };
};

function refusalOf({ app, body }: Call, gateway: Gateway, fields: readonly Field[]): Refusal | undefined {
  const { settings, clock, store } = gateway;
  const broken = check(fields, { body, app, settings, now: clock.now() });
  if (broken) return broken;
  if (settings.duplicateOrders === 'accepted') return undefined;
  const exists = store.tradeOfMerchant(app.app_id, textAt(body, 'out_trade_no') ?? '');
  return exists && businessFailure('duplicate-out_trade_no', 'out_trade_no is duplicate');
}

function startOf(body: JsonObject, { settings }: Gateway): 'INITIAL' | 'PROCESSING' {
  const method = methodNamed(textAt(body, 'method') ?? '');
  return method === undefined ? 'INITIAL' : methods[method].starts[settings.directStatus];
}

function orderOf({ app, body }: Call, kind: Trade['kind'], trade_status: 'INITIAL' | 'PROCESSING') {
  const required = (path: string) => textAt(body, path) ?? '';
  const optional = (path: string) => textAt(body, path) ?? null;
  const number = optional('customer.identify.number');
  return {
    app_id: app.app_id,
    kind,
    trade_status,
    out_trade_no: required('out_trade_no'),
    order_amount: twoDecimals(required('order_amount')),
    order_currency: required('order_currency'),
    method: methodNamed(required('method')) ?? null,
    channel: optional('channel'),
    subject: required('subject'),
    content: optional('content'),
    buyer_id: required('buyer_id'),
    notify_url: required('notify_url'),
    return_url: optional('return_url'),
    timeout_express: optional('timeout_express'),
    cancellation_express: optional('cancellation_express'),
    user: {
      name: optional('customer.name'),
      email: optional('customer.email'),
      phone: optional('customer.phone'),
      ip: optional('ip'),
      identify: number === null ? null : { number, type: required('customer.identify.type') },
    },
  };
}
