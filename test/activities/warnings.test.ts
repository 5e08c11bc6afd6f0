/** The rules' settings reach the activity, and what a gateway may not like of an order is logged without its value. */

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { loadConfig } from '../../src/config';
import { PaymentGatewayPlugin } from '../../src/plugin';
import type { GatewayActivities } from '../../src/workflows/activities';
import { answerJson, edited, gateways, type Json, published } from '../gateway/support';

const open = gateways();
const WRONG_CPF = '11144477734';
const order = edited(published('boleto'), { 'customer.identify.number': WRONG_CPF, order_amount: '12.00' });
const issue = 'customer.identify.number: not a CPF: 11 digits, of which the last two check the others';

/** What became of one try to create an order by a plugin with these settings, and what it logged. */
async function create(request: Json, env: Record<string, string> = {}, attempt = 1) {
  const gateway = await open.http(answerJson({ code: '10000', trade_no: 't-1', trade_status: 'PROCESSING' }));
  const plugin = new PaymentGatewayPlugin(
    loadConfig({
      GATEWAY_BASE_URL: gateway.base_url,
      GATEWAY_APP_ID: 'app-1',
      GATEWAY_SECRET_KEY: 'sk-1',
      WEBHOOK_PUBLIC_URL: 'https://shop.example.com',
      ...env,
    }),
  );
  const logged: LogEntry[] = [];
  const logger = new DefaultLogger('TRACE', (entry) => logged.push(entry));
  const environment = new MockActivityEnvironment({ attempt }, { logger });
  const activities = plugin.configureWorker({ taskQueue: 'any' }).activities as GatewayActivities;
  const input = { kind: 'direct', app_id: 'app-1', request } as Parameters<GatewayActivities['gateway.create']>[0];
  const outcome = await environment.run(activities['gateway.create'], input).catch((error: unknown) => error);
  return {
    outcome,
    received: gateway.received,
    warnings: logged.filter(({ message }) => message.startsWith('a request looks wrong')),
    logged,
  };
}

test('an order whose identity number checks wrong is sent, and field and rule are logged', async () => {
  const { outcome, received, warnings, logged } = await create(order);
  expect(outcome).toMatchObject({ is: 'created' });
  expect(received).toHaveLength(1);
  expect(warnings.map(({ meta }) => meta)).toEqual([
    expect.objectContaining({ operation: '/trade/pay', out_trade_no: order.out_trade_no, issues: [issue] }),
  ]);
  expect(
    JSON.stringify(logged, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain(WRONG_CPF);
});

test('the same try again logs nothing more', async () => {
  const { outcome, warnings } = await create(order, {}, 2);
  expect(outcome).toMatchObject({ is: 'created' });
  expect(warnings).toEqual([]);
});

test('an order that is right logs nothing', async () => {
  expect((await create(edited(order, { 'customer.identify.number': '11144477735' }))).warnings).toEqual([]);
});

test('GATEWAY_STRICT_FORMATS=refuse makes it an error, and nothing is sent', async () => {
  const { outcome, received, warnings } = await create(order, { GATEWAY_STRICT_FORMATS: 'refuse' });
  expect(outcome).toBeInstanceOf(ApplicationFailure);
  expect(outcome).toMatchObject({ nonRetryable: true });
  expect(String(outcome)).toContain(issue);
  expect({ received, warnings }).toEqual({ received: [], warnings: [] });
});

test('a method with a name of its own is known to the activity', async () => {
  const voucher = edited(order, { method: 'Voucher', 'customer.name': undefined, 'customer.identify': undefined });
  expect(String((await create(voucher)).outcome)).toContain('customer.name: required');
  const { outcome } = await create(voucher, { GATEWAY_VOUCHER_METHODS: 'Voucher' });
  expect(outcome).toMatchObject({ is: 'created' });
});
