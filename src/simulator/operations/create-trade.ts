import { type LooseObject, textAt } from '../json';
import type { TradeRecord } from '../records';
import { methodNamed, methodTable } from '../rules/methods';
import { businessRefusal } from '../rules/refusal';
import { twoDecimals } from '../rules/values';
import type { SimulatedGateway } from '../simulated-gateway';
import type { NewOrder } from '../trades/lifecycle';
import { checkoutAddress } from '../trades/payment-data';
import { fieldsOf, type OperationCall, type OperationHandler, success } from './operation';

/** `/trade/pay`: creates a trade in one method. The answer has what the buyer needs to pay. */
export const createDirect = creation('direct', ({ trade_status, payment_data }) => ({ trade_status, ...payment_data }));

/** `/trade/create`: creates a trade that the buyer pays on the checkout page. */
export const createCheckout = creation('checkout', ({ trade_no }, { publicUrl }) => ({
  web_url: checkoutAddress(publicUrl, trade_no),
}));

function creation(
  kind: 'direct' | 'checkout',
  fieldsFor: (trade: TradeRecord, gateway: SimulatedGateway) => LooseObject,
): OperationHandler {
  return (call, gateway) => {
    const used = gateway.store.tradeOfMerchant(call.app.app_id, textAt(call.body, 'out_trade_no') ?? '');
    if (used && gateway.settings.duplicateOrders === 'refused') {
      return { answer: businessRefusal('duplicate-out_trade_no', 'out_trade_no is duplicate') };
    }
    const trade = gateway.lifecycle.create(orderOf(call, kind, gateway));
    const { out_trade_no, trade_no } = trade;
    return { answer: success({ out_trade_no, trade_no, ...fieldsFor(trade, gateway) }), trade, created: true };
  };
}

function orderOf({ app, body }: OperationCall, kind: NewOrder['kind'], { settings }: SimulatedGateway): NewOrder {
  const { required, optional, user } = fieldsOf(body);
  const method = methodNamed(required('method')) ?? null;
  return {
    app_id: app.app_id,
    kind,
    trade_status: kind === 'checkout' || method === null ? 'INITIAL' : methodTable[method][settings.directStatus],
    out_trade_no: required('out_trade_no'),
    order_amount: twoDecimals(required('order_amount')),
    order_currency: required('order_currency'),
    method,
    channel: optional('channel'),
    subject: required('subject'),
    content: optional('content'),
    buyer_id: required('buyer_id'),
    notify_url: required('notify_url'),
    return_url: optional('return_url'),
    timeout_express: optional('timeout_express'),
    cancellation_express: optional('cancellation_express'),
    user,
    notifications: true,
  };
}
