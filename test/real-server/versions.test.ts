/**
 * Worker versions on a real server: what stays with the version that started it, what goes on with the current one, and a deploy with its
 * rollback while orders are open and workers are killed. `npm run deploys` does the same with ten times as many orders, and kills in each part.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AccountPendingError, PaymentPendingError } from '../../src/client';
import { afterSaleWorkflowId, paymentWorkflowId, speiAccountWorkflowId } from '../../src/contract';
import { APP } from '../../src/testing/stack';
import { accountRequest } from '../harness/accounts';
import { changedBuilds, GATE } from '../harness/changed-build';
import { Commands } from '../harness/commands';
import { publishedOrder } from '../harness/orders';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { until } from '../harness/runs';
import { part, sold } from '../harness/sold';
import type { Terminal } from '../harness/terminal';

const DEPLOYMENT = 'payments';
const SIZE =
  process.env.DEPLOY_SIZE === 'large'
    ? { payments: 200, accounts: 20, refunds: 20, kills: 4 }
    : { payments: 20, accounts: 3, refunds: 3, kills: 2 };
/** How often the server looks whether a version is drained. */
const SOON_DRAINED = ['VersionDrainageStatusVisibilityGracePeriod', 'VersionDrainageStatusRefreshInterval'].flatMap(
  (name) => ['--dynamic-config-value', `matching.wv.${name}="1s"`],
);

let stack: OutsideStack;
let commands: Commands;
beforeAll(async () => {
  stack = await outsideStack({
    extraArgs: SOON_DRAINED,
    settings: {
      PAYMENTS_POLL_SCHEDULE: '500ms',
      PAYMENTS_POLL_EVERY: '5s',
      PAYMENTS_SETTLING: '1s',
      PAYMENTS_WATCH_WINDOW: '1h',
    },
    simulator: { refundTakes: 'manual' },
  });
  commands = new Commands(stack.folder);
});
afterAll(async () => {
  await commands?.end();
  await stack?.close();
});

/** The running worker of each version; '' is the one without. */
const workers = new Map<string, Terminal>();

async function startWorker(buildId: string, program?: string): Promise<void> {
  const version = { TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: buildId };
  workers.set(buildId, await stack.startWorker(buildId === '' ? {} : version, program));
}

/** What a command of `payment-gateway deploy` ends with. */
const deploy = (...args: string[]) =>
  commands.run(
    { TEMPORAL_ADDRESS: stack.temporal.address, PAYMENTS_TASK_QUEUE: stack.taskQueue },
    ...['deploy', ...args, '--deployment', DEPLOYMENT, '--json'],
  );

const status = z.object({
  current: z.string().nullable(),
  ramping: z.object({ build_id: z.string(), percent: z.number() }).nullable(),
  unversioned_runs: z.number(),
  stranded_runs: z.number(),
  unread_gates: z.array(z.string()),
  versions: z.array(
    z.object({
      build_id: z.string(),
      state: z.string(),
      gates: z.object({ release: z.string(), reads: z.array(z.string()), opens: z.array(z.string()) }).nullable(),
      open_runs: z.number(),
      pinned_runs: z.number(),
      may_stop: z.boolean(),
      why: z.string(),
    }),
  ),
});

async function statusNow() {
  const { code, output, printed } = await deploy('status');
  expect({ code, printed: code === 0 ? '' : printed }).toEqual({ code: 0, printed: '' });
  return status.parse(JSON.parse(output));
}

/** A version as the status has it, once that is as wanted. */
const version = (buildId: string, isSo: (seen: z.output<typeof status>['versions'][number]) => boolean) =>
  until(
    async () => (await statusNow()).versions.find(({ build_id }) => build_id === buildId),
    (seen) => seen !== undefined && isSo(seen),
    // The server looks as often, and a command costs half a second of CPU.
    1_000,
  );

/** Makes a version that has just started the current one. */
async function promote(buildId: string): Promise<void> {
  // The server learns of a version by its worker's first poll.
  const { code, printed } = await until(
    () => deploy('promote', '--build-id', buildId),
    ({ printed: said }) => !/has no (version|Worker Deployment)|polls for both/.test(said),
  );
  expect({ code, printed }).toMatchObject({ code: 0 });
}

async function described(workflowId: string) {
  const { raw } = await stack.temporal.client.workflow.getHandle(workflowId).describe();
  const { versioningInfo, priority } = raw.workflowExecutionInfo ?? {};
  return { build: versioningInfo?.deploymentVersion?.buildId, app: priority?.fairnessKey };
}

/** Asks again where there was no answer in time, as callers do: a worker was killed. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PaymentPendingError || error instanceof AccountPendingError)) throw error;
    }
  }
}

async function order(): Promise<string> {
  const request = publishedOrder('pix', { out_trade_no: `version-${randomUUID()}` });
  await stack.payments.pay(request);
  return request.out_trade_no;
}

test('a payment that began without versions ends after the switch to versions', async () => {
  await startWorker('');
  const before = await order();
  await startWorker('one');
  await promote('one');
  await workers.get('')?.kill();
  await stack.simulator.pay(before);
  expect(await stack.payments.outcome(before)).toMatchObject({ outcome: 'SUCCESS' });
  expect(await described(paymentWorkflowId(APP.app_id, before))).toEqual({ build: 'one', app: APP.app_id });
});

test('after a deploy a payment ends on the version that started it, its after-sale and new orders go on with the next', async () => {
  const [before, sold] = [await order(), await order()];
  await stack.simulator.pay(sold);
  await stack.payments.outcome(sold);
  const [afterSale, open] = [afterSaleWorkflowId(APP.app_id, sold), paymentWorkflowId(APP.app_id, before)];
  await until(
    () => described(afterSale).catch(() => undefined),
    (info) => info?.build === 'one',
  );

  await startWorker('two');
  await promote('two');
  const after = await order();
  expect(await described(paymentWorkflowId(APP.app_id, after))).toEqual({ build: 'two', app: APP.app_id });
  const bank_info = { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' };
  const identify = { number: '71493180072', type: 'CPF' } as const;
  const user_info = { identify, name: 'Mariana Souza Lima', email: 'm@example.com' };
  await stack.payments.refund(sold, { amount: '1.00', user_info, bank_info });
  expect(await described(afterSale)).toEqual({ build: 'two', app: APP.app_id });
  expect(await version('one', ({ pinned_runs }) => pinned_runs === 1)).toMatchObject({ may_stop: false });

  await stack.simulator.pay(before);
  expect(await stack.payments.outcome(before)).toMatchObject({ outcome: 'SUCCESS' });
  expect(await described(open)).toEqual({ build: 'one', app: APP.app_id });
  expect(await version('one', ({ state }) => state === 'drained')).toMatchObject({ may_stop: true });
});

test(`a deploy, its rollback and the deploy again with ${SIZE.payments} open payments, ${SIZE.accounts} accounts and ${SIZE.refunds} refunds, workers killed meanwhile, lose, double and stop nothing`, async () => {
  const { payments, simulator } = stack;
  const programs = await changedBuilds(stack.folder);
  let kills = 0;
  /** In the first parts, one of each version: what waits for a worker that was killed waits for seconds. */
  const kill = async (buildId: 'closes' | 'opens') => {
    kills += 1;
    if (kills > SIZE.kills) return;
    await workers.get(buildId)?.kill();
    await startWorker(buildId, programs[buildId]);
  };
  const runsBehindTheGate = async (more = '') =>
    (await stack.temporal.client.workflow.count(`TemporalChangeVersion = '${GATE}'${more}`)).count;

  await startWorker('closes', programs.closes);
  await promote('closes');
  const accounts = await Promise.all(
    Array.from({ length: SIZE.accounts }, async () => (await payments.accounts.create(accountRequest())).account_id),
  );
  const sales = await Promise.all(Array.from({ length: SIZE.refunds }, () => sold(stack, 'wallet-qr')));
  const orders: string[] = [];
  const asked: Promise<unknown>[] = [];
  let deposits = 0;
  /** Told again at once where a busy webhook did not take it: the gateway's own next try is ten minutes later. */
  const deposited = async (account: string) => {
    const { out_trade_no } = await simulator.deposit(account, '2.00');
    await until(
      () => simulator.notify(out_trade_no),
      ({ attempts }) => attempts.at(-1)?.acknowledged === true,
    );
  };
  /** What happens in each part of the deploy: orders, refunds that wait for the gateway, and of each account a deposit and a query. */
  const shop = (share: number) => {
    const many = Math.ceil(SIZE.payments * share);
    for (let i = 0; i < many && orders.length < SIZE.payments; i += 1) {
      const request = publishedOrder('pix', { out_trade_no: `deploy-${randomUUID()}` });
      orders.push(request.out_trade_no);
      asked.push(answered(() => payments.pay(request)));
    }
    for (const { out_trade_no } of sales.splice(0, Math.ceil(SIZE.refunds * share))) {
      refunded.push(out_trade_no);
      asked.push(answered(() => payments.refund(out_trade_no, part('1.00', 'one'))));
    }
    deposits += 1;
    for (const account of accounts) {
      asked.push(deposited(account));
      asked.push(answered(() => payments.accounts.recheck(account)));
    }
  };
  const refunded: string[] = [];
  const counted = () =>
    Promise.all(
      accounts.map((account) =>
        until(
          () => answered(() => payments.accounts.get(account)),
          (state) => state.deposits.count === deposits,
        ),
      ),
    );

  shop(0.4);
  await Promise.all(asked);
  await counted();
  expect(await runsBehindTheGate()).toBe(0);

  await startWorker('opens', programs.opens);
  await version('opens', ({ gates }) => gates !== null);
  expect(await deploy('ramp', '50')).toMatchObject({ code: 0 });
  shop(0.2);
  await kill('closes');
  await Promise.all(asked);
  await counted();
  expect(await statusNow()).toMatchObject({ current: 'closes', ramping: { build_id: 'opens', percent: 50 } });

  expect(await deploy('promote')).toMatchObject({ code: 0 });
  shop(0.2);
  await kill('opens');
  await Promise.all(asked);
  await counted();
  const passed = await until(
    () => runsBehindTheGate(` AND WorkflowType = 'speiAccount'`),
    (count) => count === SIZE.accounts,
  );

  // A version that does not know the gate could not go on with them.
  const refused = await deploy('promote', '--build-id', 'two');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.output).toMatch(new RegExp(`Nothing was changed: \\d+ open runs have passed ${GATE}, which two`));
  expect(Number(/(\d+) open runs/.exec(refused.output)?.[1])).toBeGreaterThanOrEqual(passed);

  expect(await deploy('rollback')).toMatchObject({ code: 0 });
  shop(0.1);
  await kill('closes');
  await Promise.all(asked);
  await counted();
  expect(await statusNow()).toMatchObject({ current: 'closes', ramping: null, stranded_runs: 0 });
  // The version before the change goes on with what has passed the gate.
  const builds = await Promise.all(accounts.map((id) => described(speiAccountWorkflowId(APP.app_id, id))));
  expect(new Set(builds.map(({ build }) => build))).toEqual(new Set(['closes']));

  // New work was taken from it: without its name it gets none again.
  expect(await deploy('promote')).toMatchObject({ code: 2, output: expect.stringContaining('--build-id opens') });
  expect(await deploy('promote', '--build-id', 'opens')).toMatchObject({ code: 0 });
  shop(0.1);
  await kill('opens');
  await Promise.all(asked);
  await counted();

  // Each fifth order is refused.
  const outcomes = Object.fromEntries(orders.map((number, i) => [number, i % 5 === 4 ? 'REFUSED' : 'SUCCESS']));
  for (const [number, outcome] of Object.entries(outcomes))
    await simulator.act(number, outcome === 'SUCCESS' ? 'pay' : 'refuse');
  const ends = await Promise.all(orders.map(async (number) => [number, (await payments.outcome(number)).outcome]));
  expect(Object.fromEntries(ends)).toEqual(outcomes);
  const createdOnce = orders.map((out_trade_no) => simulator.requests({ path: '/trade/pay', out_trade_no }).length);
  expect(createdOnce).toEqual(orders.map(() => 1));
  const charges = orders.map((out_trade_no) => simulator.ledger({ out_trade_no }));
  expect(charges).toMatchObject(
    orders.map((number) => [{ orders: 1, charges: outcomes[number] === 'SUCCESS' ? 1 : 0 }]),
  );

  expect(refunded).toHaveLength(SIZE.refunds);
  for (const number of refunded) await simulator.actOnRefund(number, 'approve');
  for (const number of refunded) {
    const { refunds } = await until(
      () => answered(() => payments.refunds(number)),
      (state) => state.refunds.every(({ outcome }) => outcome !== null && outcome !== 'ACCEPTED'),
    );
    expect(refunds).toMatchObject([{ out_request_no: 'one', outcome: 'REFUNDED', attention: null }]);
    expect(simulator.requests({ path: '/trade/refund', out_trade_no: number })).toHaveLength(1);
  }

  for (const state of await counted())
    expect(state).toMatchObject({
      attention: null,
      deposits: { count: deposits, total: { MXN: `${deposits * 2}.00` }, pending: 0 },
    });
  const troubled = await stack.temporal.client.workflow.count(
    `ExecutionStatus = 'Running' AND (TemporalReportedProblems IS NOT NULL OR PaymentAttention IS NOT NULL)`,
  );
  expect(troubled.count).toBe(0);
  expect(await version('closes', ({ state }) => state === 'drained')).toMatchObject({ pinned_runs: 0, may_stop: true });
}, 1_200_000);
