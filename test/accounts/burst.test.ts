/**
 * A burst of deposits, each told seven times in any order, into one account that continues as new all the while: counted
 * once each, to the cent. `npm run bench:deposits` is the same with thousands.
 */

import { APP, type Stack, startStack } from '../harness/stack';
import { burst, runsOf } from './deliveries';

const DEPOSITS = Number(process.env.BURST_DEPOSITS ?? 300);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    // So that some runs are needed; the server's own default is 4,096.
    temporal: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=400'],
    env: { GATEWAY_CALLS_PER_SECOND: '1000' },
  });
});
afterAll(() => stack?.close());

test(`${DEPOSITS} deposits, seven deliveries each, shuffled, over several runs`, async () => {
  const { account_id } = await stack.payments.accounts.create({
    customer: {
      buyer_id: 'buyer-1',
      email: 'sofia@example.com',
      identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    },
  });
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
  for (const { events } of runs) expect(events).toBeLessThan(1_300);
}, 240_000);
