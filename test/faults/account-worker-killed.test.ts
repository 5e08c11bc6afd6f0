/** `kill -9` of the worker at random while deposits pour into one account: each is counted once, to the cent. */
import { burst, runsOf } from '../accounts/deliveries';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { APP } from '../harness/stack';

const DEPOSITS = 150;
const DELIVERIES = DEPOSITS * 7;
/** After so many deliveries the worker that runs is killed and another one started. */
const KILLS = [0.15, 0.4, 0.7].map((part) => Math.floor((part + Math.random() * 0.15) * DELIVERIES));

let stack: OutsideStack;
beforeAll(async () => {
  stack = await outsideStack({
    extraArgs: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=400'],
    settings: { GATEWAY_CALLS_PER_SECOND: '1000' },
  });
});
afterAll(() => stack?.close());

test(`killed after ${KILLS.join(', ')} of ${DELIVERIES} deliveries`, async () => {
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
    // One after the other: deliveries go on while a worker starts.
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
  expect((await runsOf(temporal.client, `spei-account:${APP.app_id}:${account_id}`)).length).toBeGreaterThan(1);
}, 270_000);
