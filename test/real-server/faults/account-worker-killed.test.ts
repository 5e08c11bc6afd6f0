/**
 * The worker is killed (`kill -9`) at random while an account gets many deposits: each is counted once, to the cent.
 * It continues as new meanwhile, and each is delivered seven times in any order. `BENCH_KILLS=5 npm run bench:deposits` does the same with thousands.
 */
import { APP } from '../../../src/testing/stack';
import { type OutsideStack, outsideStack } from '../../harness/outside-worker';
import { runsOf } from '../../harness/runs';
import { burst } from '../accounts/deliveries';

const DEPOSITS = Number(process.env.BURST_DEPOSITS ?? 40);
const DELIVERIES = DEPOSITS * 7;
/** Numbers of deliveries after which the running worker is killed and another one started. */
const KILLS = [0.2, 0.6].map((part) => Math.floor((part + Math.random() * 0.15) * DELIVERIES));

let stack: OutsideStack;
beforeAll(async () => {
  stack = await outsideStack({
    extraArgs: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=100'],
    settings: { GATEWAY_CALLS_PER_SECOND: '1000' },
  });
});
afterAll(() => stack?.close());

test(`deposits are counted once when the worker is killed after ${KILLS.join(' and ')} of ${DELIVERIES} deliveries`, async () => {
  const { temporal, simulator, webhookUrl, workers, payments } = stack;
  const { accounts } = payments;
  await stack.startWorker();
  const { account_id } = await accounts.create({
    customer: {
      buyer_id: 'buyer-1',
      email: 'sofia@example.com',
      identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    },
  });
  let replacing: Promise<unknown> = Promise.resolve();
  const progress = (acknowledged: number) => {
    if (!KILLS.includes(acknowledged)) return;
    // One kill after the other: deliveries continue while a worker starts.
    replacing = replacing.then(async () => {
      await workers.at(-1)?.kill();
      await stack.startWorker();
    });
  };
  const { total, counted } = await burst({
    simulator,
    accounts,
    webhookUrl,
    app: APP,
    account_id,
    deposits: DEPOSITS,
    progress,
  });
  await replacing;
  expect(workers).toHaveLength(KILLS.length + 1);
  expect(counted).toMatchObject({ attention: null, deposits: { count: DEPOSITS, total: { MXN: total } } });
  await runsOf(temporal.client, `spei-account:${APP.app_id}:${account_id}`, 2);
});
