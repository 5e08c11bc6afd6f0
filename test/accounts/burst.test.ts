/**
 * A burst of deposits, each told seven times in any order, into one account that continues as new all the while: counted
 * once each, to the cent. `npm run bench:deposits` is the same with thousands.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { APP, type Stack, startStack } from '../harness/stack';
import { burst, runsOf } from './deliveries';

const DEPOSITS = Number(process.env.BURST_DEPOSITS ?? 300);

let stack: Stack;
const heard = new Set<string>();
beforeAll(async () => {
  stack = await startStack({
    // So that some runs are needed; the server's own default is 4,096.
    temporal: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=400'],
    env: { GATEWAY_CALLS_PER_SECOND: '1000' },
    // Slower than deposits come, so that each run ends with some that were not told.
    onEvent: async ({ id, type }) => {
      if (type !== 'deposit') return;
      await delay(100);
      heard.add(id);
    },
  });
});
afterAll(() => stack?.close());

test(`${DEPOSITS} deposits, seven deliveries each, shuffled, over several runs`, async () => {
  const request = {
    customer: {
      buyer_id: 'buyer-1',
      email: 'sofia@example.com',
      identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    },
  };
  const { account_id } = await stack.payments.accounts.create(request);
  const { total, counted } = await burst({
    simulator: stack.simulator,
    accounts: stack.payments.accounts,
    webhookUrl: stack.webhookUrl,
    app: APP,
    account_id,
    deposits: DEPOSITS,
  });
  expect(counted).toMatchObject({ attention: null, deposits: { count: DEPOSITS, total: { MXN: total }, pending: 0 } });
  const runs = await runsOf(stack.temporal.client, `spei-account:${APP.app_id}:${account_id}`);
  expect(runs.length).toBeGreaterThan(2);
  for (const { events } of runs) expect(events).toBeLessThan(1_000);
  while (heard.size < DEPOSITS) await delay(100);
  // The key still leads to the account, whichever run it is in.
  const again = await stack.temporal.client.workflow.execute('createSpeiAccount', {
    workflowId: `create-spei-account:${APP.app_id}:${request.customer.buyer_id}`,
    taskQueue: stack.taskQueue,
    args: [{ app_id: APP.app_id, request }],
  });
  expect(again).toMatchObject({ account_id });
}, 240_000);
