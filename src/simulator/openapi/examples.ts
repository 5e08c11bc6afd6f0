import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { OperationName } from '../faults/faults';

// The package finds itself by its name, so moving this file does not break it.
const PACKAGE = require.resolve('temporal-payment-gateway/package.json');
const ORDERS = join(dirname(PACKAGE), 'examples/orders');

/** The version of the package. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(PACKAGE, 'utf8')));

const common = { app_id: 'test-app', timestamp: '2026-03-02 12:00:00' };
const notify_url = 'https://shop.example.com/ipn';
const user = { name: 'José Luis Hernández Gómez', email: 'jl.hernandez@example.com' };
const identify = { number: 'HEGL900101HDFRMS05', type: 'CURP' };

/** Example requests of the operations for which `examples/orders` has none. */
const others: Partial<Record<OperationName, object>> = {
  refund: {
    out_trade_no: '2026-0001-PIX',
    out_request_no: 'R-1',
    refund_currency: 'BRL',
    refund_amount: '50.00',
    user_info: { ...user, identify: { number: '11144477735', type: 'CPF' } },
  },
  query: { out_trade_no: '2026-0001-PIX' },
  'bank-list': { method: 'BankTransfer', type: '1' },
  installments: { currency: 'BRL', amount: '899.70' },
  'account-create': { notify_url, customer: { buyer_id: 'buyer-mx-005', ...user, identify } },
  'account-cancel': { account_id: '9F2C4B7A1D3E5F60' },
  'account-query': { account_id: '9F2C4B7A1D3E5F60' },
};

/** Example requests of an operation, by name. */
export function examplesOf(operation: OperationName): Record<string, { value: object }> {
  if (operation === 'pay') return publishedOrders('direct');
  if (operation === 'create') return publishedOrders('checkout');
  return { [operation]: { value: { ...common, ...others[operation] } } };
}

const published = z.object({ kind: z.enum(['direct', 'checkout']), request: z.record(z.string(), z.unknown()) });

/** The published orders of a kind; none if the folder is not there. */
function publishedOrders(kind: 'direct' | 'checkout'): Record<string, { value: object }> {
  const files = existsSync(ORDERS) ? readdirSync(ORDERS).filter((file) => file.endsWith('.json')) : [];
  const orders = files.sort().flatMap((file) => {
    const order = published.parse(JSON.parse(readFileSync(join(ORDERS, file), 'utf8')));
    const example = { value: { ...common, notify_url, ...order.request } };
    return order.kind === kind ? [[file.replace(/\.json$/, ''), example] as const] : [];
  });
  return Object.fromEntries(orders);
}
