/** Orders for tests: a PIX order, and the published ones of examples/orders. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Checkout, DirectPayment } from '../../src/gateway';
import { parseExact } from '../../src/gateway/json';
import { APP } from '../../src/testing/stack';
import type { NewPayment } from '../../src/workflows';

export interface PublishedOrder {
  name: string;
  kind: 'direct' | 'checkout';
  /** Typed as what a merchant would write; the files of `invalid/` are not that, which is their point. */
  request: DirectPayment & Checkout;
  expect: { payment_data: string[]; refused: string[]; rule: string };
}

/** Every order of the folder, or of one inside it. */
export function publishedOrders(folder = '.'): PublishedOrder[] {
  const directory = join(__dirname, '../../examples/orders', folder);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      name: file.replace('.json', ''),
      ...(parseExact(readFileSync(join(directory, file), 'utf8')) as Omit<PublishedOrder, 'name'>),
    }));
}

/** Shown, paid and refunded in different ways; at the gateway, PSE and Efecty also begin in another state. */
const SORTS = ['boleto', 'checkout', 'credit-card', 'efecty', 'pix', 'pse', 'wallet-qr'];

/** One order of each sort, for what would cost too much with all; ORDERS_ENDS=all (`npm run test:full`) gives every one. */
export const ordersOfEachSort = () =>
  publishedOrders().filter(({ name }) => process.env.ORDERS_ENDS === 'all' || SORTS.includes(name));

/** A published order with a number of its own. */
export function publishedOrder(
  name: string,
  changes: Partial<DirectPayment & Checkout> = {},
): PublishedOrder['request'] {
  const found = publishedOrders().find((one) => one.name === name);
  if (!found) throw new Error(`examples/orders has no ${name}.json`);
  return { ...found.request, out_trade_no: `${name}-${randomUUID()}`, ...changes };
}

/** The input of a payment by PIX of 150.00 BRL that expires after 90 minutes. */
export function order(request: Partial<NewPayment['request']> = {}): NewPayment {
  return {
    kind: 'direct',
    app_id: APP.app_id,
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

/** Makes an order at a simulated gateway without us, as another program of the merchant's does. */
export async function orderElsewhere(gateway: string, request: object): Promise<void> {
  const answer = await fetch(`${gateway}/trade/pay`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${APP.app_id}:${APP.secret_key}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...request,
      app_id: APP.app_id,
      timestamp: new Date().toISOString().slice(0, 19).replace('T', ' '),
    }),
  });
  const { code } = z.looseObject({ code: z.string() }).parse(await answer.json());
  if (code !== '10000') throw new Error(`The gateway answers ${code}.`);
}
