/** Notifications of payments that run or have ended, with a real Temporal, worker and simulated gateway. */
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { DirectPayment } from '../../../src/gateway';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { webhookServer } from '../../../src/webhook';
import type { AfterSaleState, PaymentState } from '../../../src/workflows';
import { eventually } from '../../harness/eventually';
import { publishedOrders } from '../../harness/orders';
import { ipn, post, sign } from '../../webhook/support';

let stack: Stack;
beforeAll(async () => {
  // The gateway sends nothing, so that every notification comes from the test.
  stack = await startStack({ simulator: { notifications: false } });
});
afterAll(() => stack?.close());

const pix = publishedOrders().find(({ name }) => name === 'pix');

function order(): DirectPayment {
  if (!pix) throw new Error('examples/orders has no pix.json');
  return { ...pix.request, out_trade_no: `order-${randomUUID()}` };
}

const handleOf = (out_trade_no: string, runId?: string) =>
  stack.temporal.client.workflow.getHandle(`payment:${APP.app_id}:${out_trade_no}`, runId);
const runOf = async (out_trade_no: string) => (await handleOf(out_trade_no).describe()).runId;

async function signalsOf(out_trade_no: string, runId: string): Promise<number> {
  const { events } = await handleOf(out_trade_no, runId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
}

/** Posts a notification of the trade, as the gateway would. */
function notify({ out_trade_no, trade_no }: PaymentState, trade_status: string, signedBy = APP) {
  const body = ipn({ app_id: APP.app_id, out_trade_no, trade_no, trade_status });
  const headers = { 'service-signature': sign(body, signedBy) };
  return post(stack.webhookUrl, body, { path: `/ipn/${APP.app_id}`, headers });
}

async function paidOrder(): Promise<PaymentState & { out_trade_no: string }> {
  const request = order();
  await stack.payments.pay(request);
  await stack.simulator.pay(request.out_trade_no);
  const state = await stack.payments.outcome(request.out_trade_no);
  expect(state.outcome).toBe('SUCCESS');
  return { ...state, out_trade_no: request.out_trade_no };
}

describe('a payment that has ended', () => {
  test('a late notification of the same state is acknowledged and starts no run', async () => {
    const state = await paidOrder();
    const runId = await runOf(state.out_trade_no);
    for (let i = 0; i < 2; i += 1)
      expect(await notify(state, 'SUCCESS')).toMatchObject({ status: 200, body: 'success' });
    expect(await runOf(state.out_trade_no)).toBe(runId);
    expect(await signalsOf(state.out_trade_no, runId)).toBe(0);
  });

  test('after a sale, a chargeback goes to the after-sale and not to the payment', async () => {
    const state = await paidOrder();
    const run = await runOf(state.out_trade_no);
    expect(await notify(state, 'CHARGEBACK')).toMatchObject({ status: 200, body: 'success' });
    expect(await runOf(state.out_trade_no)).toBe(run);
    const afterSale = stack.temporal.client.workflow.getHandle(`after-sale:${APP.app_id}:${state.out_trade_no}`);
    // Queries keep answering SUCCESS, and they count: the after-sale asks for a person's attention, and watches on.
    const unconfirmed = { trade_status: 'SUCCESS', attention: 'unconfirmed-notification', refunds: [] };
    await eventually('the chargeback is before a person', async () => {
      const { attention, claims } = await afterSale.query<AfterSaleState>('state');
      return attention === 'unconfirmed-notification' && claims.length === 0;
    });
    expect(await afterSale.query('state')).toMatchObject(unconfirmed);
    const { runId } = await afterSale.describe();
    // The same bytes again, as if the acknowledgement was lost: they change nothing.
    expect(await notify(state, 'CHARGEBACK')).toMatchObject({ status: 200, body: 'success' });
    expect((await afterSale.describe()).runId).toBe(runId);
  });

  test('after a cancellation, a SUCCESS goes to the after-sale, which knows how the payment ended', async () => {
    const request = order();
    await stack.payments.pay(request);
    const { out_trade_no } = request;
    await handleOf(out_trade_no).executeUpdate('resolve', {
      args: [{ outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' }],
    });
    const state = await stack.payments.outcome(out_trade_no);
    const run = await runOf(out_trade_no);
    await stack.simulator.pay(out_trade_no);
    expect(await notify(state, 'SUCCESS')).toMatchObject({ status: 200, body: 'success' });
    await eventually(
      'the money is known',
      async () => (await stack.payments.state(out_trade_no)).outcome === 'SUCCESS',
    );
    expect(await stack.payments.state(out_trade_no)).toMatchObject({
      ...{ attention: 'late-payment', trade_status: 'SUCCESS', payment_data: state.payment_data },
      previous: { run_id: run, outcome: 'CANCEL' },
    });
    expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
    const afterSale = stack.temporal.client.workflow.getHandle(`after-sale:${APP.app_id}:${out_trade_no}`);
    const { runId } = await afterSale.describe();
    // The same bytes again, as if the acknowledgement was lost: they change nothing.
    expect(await notify(state, 'SUCCESS')).toMatchObject({ status: 200, body: 'success' });
    expect([await runOf(out_trade_no), (await afterSale.describe()).runId]).toEqual([run, runId]);
  });
});

describe('old notifications with good signatures, sent again and again', () => {
  test('change nothing, and start no more runs than WEBHOOK_LIMIT_ADOPTIONS allows', async () => {
    const state = await paidOrder();
    const first = await runOf(state.out_trade_no);
    const server = webhookServer({
      client: stack.temporal.client,
      taskQueue: stack.taskQueue,
      apps: [APP],
      signature: { header: 'Service-Signature', scheme: 'hex' },
      log: pino({ level: 'silent' }),
      limits: { adoptions: 2 },
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const replay = async (trade_status: string) => {
      const { out_trade_no, trade_no } = state;
      const body = ipn({ app_id: APP.app_id, out_trade_no, trade_no, trade_status });
      const headers = { 'service-signature': sign(body, APP) };
      return (await post(url, body, { path: `/ipn/${APP.app_id}`, headers })).status;
    };

    // A state from before the sale is no news.
    expect([await replay('PROCESSING'), await runOf(state.out_trade_no)]).toEqual([200, first]);
    // States that cannot follow a sale: each starts an after-sale, which looks and finds the sale as it was. The same one again starts none.
    const statuses: number[] = [];
    const runs = new Set<string>();
    const afterSale = stack.temporal.client.workflow.getHandle(`after-sale:${APP.app_id}:${state.out_trade_no}`);
    for (const status of ['EXPIRED', 'CANCEL', 'EXPIRED', 'REFUSED', 'CANCEL']) {
      statuses.push(await replay(status));
      await afterSale.result();
      runs.add((await afterSale.describe()).runId);
      expect(await runOf(state.out_trade_no)).toBe(first);
      expect(await stack.payments.outcome(state.out_trade_no)).toMatchObject({
        outcome: 'SUCCESS',
        trade_status: 'SUCCESS',
      });
    }
    expect(runs.size).toBe(2);
    // Without room for another start, nobody looks which of them is known.
    expect(statuses).toEqual([200, 200, 503, 503, 503]);
    await server.close();
  });
});
