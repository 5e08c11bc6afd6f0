/** What a worker's log warns of: doubts about an order, without its values, and that no notification arrives. */

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { gatewayActivities } from '../../src/activities';
import { Unnotified } from '../../src/activities/unnotified';
import type { GatewayActivities } from '../../src/contract';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { loadConfig } from '../../src/process/settings';
import { answerJson, edited, gateways, type Json, published } from '../gateway/support';
import { notingClient } from '../harness/noting-client';

const open = gateways();
const WRONG_CPF = '11144477734';
const order = edited(published('boleto'), { 'customer.identify.number': WRONG_CPF, order_amount: '12.00' });
const issue = 'customer.identify.number: not a CPF: 11 digits, of which the last two check the others';

/** The result and the log of one try to create an order by a plugin with these settings. */
async function create(request: Json, env: Record<string, string> = {}, attempt = 1) {
  const gateway = await open.http(answerJson({ code: '10000', trade_no: 't-1', trade_status: 'PROCESSING' }));
  const plugin = new PaymentGatewayPlugin(
    loadConfig({
      GATEWAY_BASE_URL: gateway.base_url,
      GATEWAY_APP_ID: 'app-1',
      GATEWAY_SECRET_KEY: 'sk-of-app-1',
      WEBHOOK_PUBLIC_URL: 'https://shop.example.com',
      PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
      ...env,
    }),
  );
  const logged: LogEntry[] = [];
  const logger = new DefaultLogger('TRACE', (entry) => logged.push(entry));
  const environment = new MockActivityEnvironment({ attempt }, { logger, client: notingClient() });
  const activities = plugin.configureWorker({ taskQueue: 'any' }).activities as GatewayActivities;
  const read_by = '00000000-0000-0000-0000-000000000000';
  const input = {
    kind: 'direct',
    app_id: 'app-1',
    request,
    send_before: Number.POSITIVE_INFINITY,
    read_by,
  } as Parameters<GatewayActivities['gateway.create']>[0];
  const outcome = await environment.run(activities['gateway.create'], input).catch((error: unknown) => error);
  return {
    outcome,
    received: gateway.received,
    warnings: logged.filter(({ message }) => message.startsWith('a request looks wrong')),
    logged,
  };
}

test('an order with a wrong identity number is sent, and field and rule are logged', async () => {
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

test('a second attempt logs nothing', async () => {
  const { outcome, warnings } = await create(order, {}, 2);
  expect(outcome).toMatchObject({ is: 'created' });
  expect(warnings).toEqual([]);
});

test('a correct order logs nothing', async () => {
  expect((await create(edited(order, { 'customer.identify.number': '11144477735' }))).warnings).toEqual([]);
});

test('with GATEWAY_STRICT_FORMATS=refuse the order is refused and not sent', async () => {
  const { outcome, received, warnings } = await create(order, { GATEWAY_STRICT_FORMATS: 'refuse' });
  expect(outcome).toBeInstanceOf(ApplicationFailure);
  expect(outcome).toMatchObject({ nonRetryable: true });
  expect(String(outcome)).toContain(issue);
  expect({ received, warnings }).toEqual({ received: [], warnings: [] });
});

test('a method named in the settings follows its rules', async () => {
  const voucher = edited(order, { method: 'Voucher', 'customer.name': undefined, 'customer.identify': undefined });
  expect(String((await create(voucher)).outcome)).toContain('customer.name: required');
  const { outcome } = await create(voucher, { GATEWAY_VOUCHER_METHODS: 'Voucher' });
  expect(outcome).toMatchObject({ is: 'created' });
});

test('five payments in a row that a poll finds paid are told once, by app, and not where a look has found one between', () => {
  const told: string[] = [];
  const unnotified = new Unnotified((message, { app_id }) => told.push(`${app_id}: ${message}`));
  const polls = (app_id: string, many: number, status = 'SUCCESS') => {
    for (let i = 0; i < many; i += 1) unnotified.byPoll(app_id, status);
  };
  polls('a', 4);
  polls('b', 4);
  polls('a', 9, 'CANCEL');
  unnotified.byLook('b', 'PROCESSING');
  unnotified.byLook('a', 'SUCCESS');
  polls('a', 4);
  expect(told).toEqual([]);
  polls('b', 9);
  expect(told).toEqual([expect.stringMatching(/^b: 5 payments in a row .* WEBHOOK_PUBLIC_URL/)]);
});

test('a worker’s own polls and looks count: its log has the warning after five payments, and not where a look came between', async () => {
  const warned: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message }) => void warned.push(message));
  const query = async () => ({ out_trade_no: '1', trade_no: 'T1', trade_status: 'SUCCESS' });
  const unasked = async (): Promise<never> => {
    throw new Error('It is only asked.');
  };
  const activities = gatewayActivities({
    gateways: new Map([['app-1', { pay: unasked, createCheckout: unasked, refund: unasked, query }]]),
    ...{ sealingKeys: () => [], notifyUrl: () => 'https://shop.example/ipn' },
  });
  const asked = { app_id: 'app-1', id: { out_trade_no: '1' }, read_by: '00000000-0000-0000-0000-000000000000' };
  const schedule = { poll_schedule_ms: [], poll_every_ms: 1_000 };
  const run = (activity: () => Promise<unknown>) =>
    new MockActivityEnvironment({ attempt: 2 }, { logger }).run(activity);
  const polls = async (many: number) => {
    for (let i = 0; i < many; i += 1)
      await run(() => activities['gateway.watch']({ ...asked, seen: 'PROCESSING', schedule }));
  };
  await polls(4);
  await run(() => activities['gateway.glance'](asked));
  await polls(4);
  expect(warned).toEqual([]);
  await polls(1);
  expect(warned).toEqual([expect.stringContaining('were found paid by a poll')]);
});
