/**
 * A burst of deposits into one account, each delivered seven times in any order, while the account continues as new: each
 * is counted once, to the cent. `npm run bench:deposits` does the same with thousands.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { accountKeyOf } from '../../../src/client';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { runsOf } from '../../harness/runs';
import { burst } from './deliveries';

/** More than an account confirms at the same time, which is 50; BURST_DEPOSITS says how many. */
const DEPOSITS = Number(process.env.BURST_DEPOSITS ?? 120);

let stack: Stack;
const heard = new Set<string>();
beforeAll(async () => {
  stack = await startStack({
    // So that several runs are needed: the server's default is 4,096 events. Confirming 50 at once costs a run 310 before the first
    // answer, so with fewer each run of a busy machine ends before it counts one.
    temporal: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=350'],
    env: { GATEWAY_CALLS_PER_SECOND: '1000' },
    // Slower than the deposits, so that a run ends with events that are not delivered yet.
    onEvent: async ({ id, type }) => {
      if (type !== 'deposit') return;
      await delay(100);
      heard.add(id);
    },
  });
});
afterAll(() => stack?.close());

test(`${DEPOSITS} deposits that are delivered seven times each, shuffled, are counted once each over several runs`, async () => {
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
  const runs = await runsOf(stack.temporal.client, `spei-account:${APP.app_id}:${account_id}`, 2);
  for (const { events } of runs) expect(events).toBeLessThan(1_000);
  while (heard.size < DEPOSITS) await delay(100);
  // A creation with the same key still finds the account in a later run.
  const again = await stack.temporal.client.workflow.execute('createSpeiAccount', {
    workflowId: `create-spei-account:${APP.app_id}:${accountKeyOf(request.customer.buyer_id)}`,
    taskQueue: stack.taskQueue,
    args: [{ app_id: APP.app_id, request }],
  });
  expect(again).toMatchObject({ account_id });
});
