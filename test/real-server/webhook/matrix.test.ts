/** Lost, old, reordered and too many notifications, on a real server with a worker that polls only once an hour. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentState } from '../../../src/workflows';
import { publishedOrder } from '../../harness/orders';
import { waitsForAPerson } from '../../harness/sold';
import { ipn, post, sign } from '../../webhook/support';

/** Temporal's default limit is 10,000. */
const SIGNALS_A_RUN = 20;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' },
    temporal: ['--dynamic-config-value', `history.maximumSignalsPerExecution=${SIGNALS_A_RUN}`],
  });
});
afterAll(() => stack?.close());

async function pay(): Promise<string> {
  const order = publishedOrder('pix');
  await stack.payments.pay(order);
  return order.out_trade_no;
}

/** Posts a notification of the trade, as the gateway would. */
async function notify(out_trade_no: string, trade_status: string, changes: Record<string, unknown> = {}) {
  const { trade_no } = stack.simulator.trade(out_trade_no);
  const body = ipn({ app_id: APP.app_id, out_trade_no, trade_no, trade_status, ...changes });
  const headers = { 'service-signature': sign(body, APP) };
  return (await post(stack.webhookUrl, body, { path: `/ipn/${APP.app_id}`, headers })).status;
}

const paymentOf = (out_trade_no: string) =>
  stack.client.workflow.getHandle<() => Promise<PaymentState>>(`payment:${APP.app_id}:${out_trade_no}`);

test('a notification whose first six attempts are lost arrives with the last one, after 14 hours', async () => {
  const out_trade_no = await pay();
  stack.simulator.addFault({ on: 'ipn', fault: 'drop', out_trade_no, times: 6 });
  await stack.simulator.pay(out_trade_no);
  await stack.simulator.advance('839m');
  expect(await stack.payments.state(out_trade_no)).toMatchObject({ outcome: null, trade_status: 'PROCESSING' });
  await stack.simulator.advance('1m');
  expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
  const [{ attempts, acknowledged } = { attempts: [], acknowledged: false }] = stack.simulator.notifications({
    out_trade_no,
  });
  expect({ attempts: attempts.length, acknowledged }).toEqual({ attempts: 7, acknowledged: true });
});

test('an old SUCCESS that is sent again after a chargeback changes no state', async () => {
  const out_trade_no = await pay();
  await stack.simulator.setNotifications(out_trade_no, false);
  await stack.simulator.pay(out_trade_no);
  expect(await notify(out_trade_no, 'SUCCESS')).toBe(200);
  await stack.payments.outcome(out_trade_no);
  const { runId } = await paymentOf(out_trade_no).describe();
  await stack.simulator.act(out_trade_no, 'chargeback');
  expect(await notify(out_trade_no, 'CHARGEBACK')).toBe(200);
  const charged = { trade_status: 'CHARGEBACK', attention: 'chargeback' };
  expect(await waitsForAPerson(stack, out_trade_no, 'chargeback')).toMatchObject(charged);

  for (const again of [{}, { timestamp: 'written anew' }])
    expect(await notify(out_trade_no, 'SUCCESS', again)).toBe(200);
  expect((await paymentOf(out_trade_no).describe()).runId).toBe(runId);
  expect(await waitsForAPerson(stack, out_trade_no, 'chargeback')).toMatchObject(charged);
});

test('a chargeback that arrives before its SUCCESS ends in the state that the gateway’s query gives', async () => {
  const out_trade_no = await pay();
  await stack.simulator.setNotifications(out_trade_no, false);
  await stack.simulator.pay(out_trade_no);
  await stack.simulator.act(out_trade_no, 'chargeback');
  const ended = { outcome: 'SUCCESS', trade_status: 'CHARGEBACK', confirmed_by: 'query' };
  for (const trade_status of ['CHARGEBACK', 'SUCCESS']) {
    expect(await notify(out_trade_no, trade_status)).toBe(200);
    expect(await paymentOf(out_trade_no).result()).toMatchObject(ended);
  }
});

test('notifications above Temporal’s limit of signals are answered 503, and the payment still ends', async () => {
  const out_trade_no = await pay();
  const statuses: number[] = [];
  for (let i = 0; i < SIGNALS_A_RUN + 5; i += 1) {
    statuses.push(await notify(out_trade_no, 'PROCESSING', { timestamp: String(i) }));
  }
  expect(statuses).toEqual([...Array<number>(SIGNALS_A_RUN).fill(200), ...Array<number>(5).fill(503)]);
  await stack.simulator.setNotifications(out_trade_no, false);
  await stack.simulator.pay(out_trade_no);
  const recheck = paymentOf(out_trade_no).executeUpdate('recheck');
  // A poll may have been faster.
  await recheck.catch((error: unknown) => expect(error).toBeInstanceOf(WorkflowNotFoundError));
  expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
});
