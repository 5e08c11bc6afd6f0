/** What tests of whole lives have in common, whichever Temporal they run on: an order, and a worker's activities. */
import { randomUUID } from 'node:crypto';
import { eventActivity, gatewayActivities, type OnEvent, policyActivity } from '../../src/activities';
import { loadConfig } from '../../src/config';
import type { NewPayment } from '../../src/workflows';
import type { FakeGateway } from './fake-gateway';

export const APP = 'app';

export function order(request: Partial<NewPayment['request']> = {}): NewPayment {
  return {
    kind: 'direct',
    app_id: APP,
    request: {
      out_trade_no: `order-${randomUUID()}`,
      method: 'PIX',
      order_currency: 'BRL',
      order_amount: '150.00',
      subject: 'Order 1',
      buyer_id: 'buyer-1',
      timeout_express: '90m',
      customer: { name: 'Mariana Souza Lima' },
      ...request,
    },
  };
}

/** The activities of a worker that has the fake gateway, with the default settings unless told otherwise. */
export function paymentActivities(gateway: FakeGateway, settings: Record<string, string> = {}, onEvent?: OnEvent) {
  const fake = {
    pay: gateway.create.bind(gateway),
    createCheckout: gateway.create.bind(gateway),
    query: gateway.query.bind(gateway),
    refund: () => Promise.reject(new Error('no refunds here')),
  };
  return {
    ...gatewayActivities({
      gateways: new Map([[APP, fake]]),
      sealingKeys: () => [],
      notifyUrl: () => 'https://shop.example/ipn',
    }),
    ...policyActivity(loadConfig(settings), onEvent !== undefined),
    ...(onEvent ? eventActivity(onEvent) : {}),
  };
}
