/**
 * A merchant's own interceptor throws once, after the gateway has made an order, a refund or an account: Temporal makes
 * another attempt, which must not send. The simulated gateway would make a second one.
 */
import type { WorkerInterceptors } from '@temporalio/worker';
import { createSpeiAccountWorkflowId } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { eventually } from '../../harness/eventually';
import { publishedOrder } from '../../harness/orders';

let stack: Stack;
/** The activities that have failed, each once. */
const failed: string[] = [];
const SENDING = ['gateway.create', 'gateway.refund', 'gateway.create-account'];

const interceptors: WorkerInterceptors = {
  activity: [
    ({ info: { activityType } }) => ({
      inbound: {
        async execute(input, next) {
          const result: unknown = await next(input);
          if (!SENDING.includes(activityType) || failed.includes(activityType)) return result;
          failed.push(activityType);
          throw new Error('the merchant’s metrics are away');
        },
      },
    }),
  ],
};

beforeAll(async () => {
  stack = await startStack({ simulator: { duplicateOrders: 'accepted' }, worker: { interceptors } });
});
afterAll(() => stack?.close());

const sentTo = (path: string) => stack.simulator.requests({ path }).length;

test('an order and its refund are sent once, and both are found', async () => {
  const { payments, simulator } = stack;
  const order = publishedOrder('pix', { out_trade_no: 'once' });
  expect(await payments.pay(order)).toMatchObject({ out_trade_no: 'once', recovered: true });
  await simulator.pay('once');
  expect(await payments.outcome('once')).toMatchObject({ outcome: 'SUCCESS', attention: null });

  const user_info = { name: 'Mariana Souza', email: 'mariana@example.com', identify: { number: '11144477735' } };
  await payments.refund('once', { out_request_no: 'r-1', user_info });
  expect(simulator.ledger({ out_trade_no: 'once' })).toMatchObject([{ orders: 1, charges: 1, refunds: [{}] }]);
  expect([sentTo('/trade/pay'), sentTo('/trade/refund')]).toEqual([1, 1]);
  expect(failed).toEqual(['gateway.create', 'gateway.refund']);
});

test('a virtual account is created once, and a person is asked', async () => {
  const { payments, client } = stack;
  const identify = { number: 'HESO900101MDFRFF09', type: 'CURP' };
  const customer = { buyer_id: 'once', email: 'sofia@example.com', identify };
  payments.accounts.create({ customer }, { key: 'once' }).catch(() => undefined);
  const workflow = client.workflow.getHandle(createSpeiAccountWorkflowId(APP.app_id, 'once'));
  await eventually('a person is asked', async () => {
    const run = await workflow.describe().catch(() => undefined);
    if (!run) return false;
    const { attention } = await workflow.query<{ attention: string | null }>('state');
    return attention === 'unknown-outcome';
  });
  expect(sentTo('/virtual-account/spei/create')).toBe(1);
});
