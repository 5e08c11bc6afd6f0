/** Which orders a comparison asks for; with a gateway that does not answer, how long it waits, and what it says then. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { CallDeferredError } from '../../src/activities/failures';
import { reconciliationActivities } from '../../src/activities/reconcile';
import { afterSaleWorkflowId, paymentWorkflowId } from '../../src/contract';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { SimulatedEnvironment } from '../../src/testing';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { SUB_CODE } from '../../src/testing/fake-gateway/mishaps';
import { fakeWorkerActivities } from '../../src/testing/worker-activities';

/** What Temporal lists. */
const mockListed: object[] = [];
jest.mock('../../src/temporal/workflow-list', () => ({
  listWorkflows: async function* () {
    yield* mockListed;
  },
}));

const PERIOD = { app_id: 'shop', since: '2026-03-01T00:00:00.000Z', until: '2026-03-01T01:00:00.000Z' };

/** PAYMENTS_SETTLING, in ms. */
const SETTLING = 50;

const QUIET = new DefaultLogger('ERROR', () => undefined);

let env: SimulatedEnvironment;
let gateway: FakeGateway;
beforeEach(async () => {
  env = await SimulatedEnvironment.create();
  gateway = new FakeGateway(() => env.currentTimeMs());
});
afterEach(() => {
  mockListed.length = 0;
  return env.teardown();
});

/** One attempt of a comparison of the merchant's rows, which goes on where the heartbeat of the attempt before was. */
async function attempt(numbers: readonly string[], heartbeatDetails?: object) {
  let told: object | undefined;
  const environment = new MockActivityEnvironment({ heartbeatDetails }, { client: env.client, logger: QUIET });
  environment.on('heartbeat', (details: object) => {
    told = details;
  });
  const result = await environment.run(() => reconcileOrders(numbers)).catch((error: { type?: string }) => error.type);
  return { told, result };
}

async function reconcileOrders(numbers: readonly string[]) {
  const rows = numbers.map((out_trade_no) => ({ out_trade_no, order_amount: '150.00', status: 'paid' }));
  const { 'payments.reconcile': reconcile } = reconciliationActivities(
    new Map([['shop', gateway]]),
    [SUB_CODE.unknownTrade],
    SETTLING,
  );
  return (await reconcile({ ...PERIOD, period: PERIOD, rows, per_second: 1_000 })).told;
}

/** The heartbeat of an attempt that failed now, as if it had been so long ago. */
const longAgo = (told: object | undefined, ms: number) => ({ ...told, silent_since: Date.now() - ms });

const unanswered = (out_trade_no: string) => ({
  ...{ out_trade_no, kind: 'unanswered', between: 'here and gateway' },
  ...{ here: null, gateway: null, merchant: 'paid 150.00', adopted: false },
});

test('a single order is waited for while nobody has answered for it for less than an hour, and then is unanswered', async () => {
  gateway.isDown = true;
  const { told, result } = await attempt(['order-1']);
  expect(result).toBe('GatewayUnavailable');
  expect(told).toMatchObject({ silent_since: expect.any(Number) });
  expect((await attempt(['order-1'], longAgo(told, 59 * MINUTE))).result).toBe('GatewayUnavailable');
  expect((await attempt(['order-1'], longAgo(told, HOUR))).result).toEqual({
    checked: 1,
    open: 0,
    differences: [unanswered('order-1')],
    after: null,
  });
});

test('what follows an order that nobody answered for is not waited for, either, and its answers end the silence', async () => {
  gateway.isDown = true;
  const numbers = Array.from({ length: 25 }, (_, i) => `order-${100 + i}`);
  const { told } = await attempt(numbers);
  const { result } = await attempt(numbers, longAgo(told, HOUR));
  expect(result).toMatchObject({ checked: 25, after: null, differences: numbers.map(unanswered) });

  // The first batch is answered for, and then it is silent anew.
  gateway.isDown = false;
  const query = gateway.query.bind(gateway);
  gateway.query = (id) => {
    gateway.isDown = gateway.queries >= 10;
    return query(id);
  };
  const answered = await attempt(numbers, longAgo(told, HOUR));
  expect(answered).toMatchObject({ result: 'GatewayUnavailable', told: { after: 'order-109' } });
  expect((await attempt(numbers, answered.told)).result).toBe('GatewayUnavailable');
});

test('a comparison that is cancelled while its calls wait for their turn at the gateway leaves no wait behind', async () => {
  const environment = new MockActivityEnvironment({}, { client: env.client, logger: QUIET });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const asked = new Promise<void>((resolve) => {
    gateway.query = (): Promise<never> => {
      resolve();
      return Promise.reject(new CallDeferredError('It waits its turn.', 'query', MINUTE));
    };
  });
  const running = environment.run(() => reconcileOrders(['order-1']));
  await asked;
  environment.cancel('WORKER_SHUTDOWN');
  await expect(running).rejects.toThrow('WORKER_SHUTDOWN');
  expect(timers()).toBe(before);
});

describe('an after-sale that only watches', () => {
  const quiet = {
    ...{ type: 'afterSale', execution: 'RUNNING', started_at: '2026-02-01T12:00:00.000Z' },
    ...{ status: 'SUCCESS', outcome: 'SUCCESS', attention: null },
  };
  const DAY_1 = Date.parse('2026-03-02T00:00:00.000Z');

  /** How many of the listed orders a comparison of so many days asks for, and which. */
  async function askedOn(first: number, days = 1): Promise<string[]> {
    const asked: string[] = [];
    gateway.query = async (id) => {
      asked.push('out_trade_no' in id ? (id.out_trade_no ?? '') : '');
      return { trade_no: 'T1', out_trade_no: '', trade_status: 'SUCCESS' };
    };
    const [since = '', until = ''] = [first, first + days].map((day) =>
      new Date(DAY_1 + day * 24 * HOUR).toISOString(),
    );
    const period = { since, until };
    const environment = new MockActivityEnvironment({}, { client: env.client, logger: QUIET });
    const { 'payments.reconcile': reconcile } = reconciliationActivities(new Map([['shop', gateway]]), [], 0);
    await environment.run(async () => reconcile({ app_id: 'shop', since, until, period, per_second: 100_000 }));
    return [...new Set(asked)];
  }

  test('is asked for on one day of seven, each day has as many, and a week asks for all', async () => {
    const numbers = Array.from({ length: 140 }, (_, i) => `order-${100 + i}`);
    mockListed.push(...numbers.map((out_trade_no) => ({ ...quiet, out_trade_no })));
    const week: string[][] = [];
    for (let day = 0; day < 7; day += 1) week.push(await askedOn(day));
    expect(week.flat().sort()).toEqual(numbers);
    for (const asked of week) expect(asked.length).toBeLessThan(40);
    expect((await askedOn(0, 7)).sort()).toEqual(numbers);
    expect(await askedOn(7)).toEqual(week[0]);
  });

  test.each([
    ['one whose trade has moved', { status: 'PARTIAL_REFUND' }],
    ['one that waits for a person', { attention: 'dispute' }],
    ['one that began on that day', { started_at: '2026-03-03T00:00:00.000Z' }],
    ['one that has ended', { execution: 'COMPLETED' }],
    ['a payment', { type: 'payment' }],
  ])('is not %s: that is asked for each day', async (_, of) => {
    mockListed.push({ ...quiet, ...of, out_trade_no: 'order-1' });
    expect([await askedOn(0), await askedOn(1)]).toEqual([['order-1'], ['order-1']]);
  });
});

/** A sale of January under the number order-1, which is watched still. */
async function soldHere(): Promise<void> {
  await gateway.addTrade('order-1', { method: 'CreditCard' });
  env.work(fakeWorkerActivities({ app_id: 'shop', gateway }));
  const start = { taskQueue: 'simulated', args: [{ kind: 'adopt', app_id: 'shop', out_trade_no: 'order-1' }] };
  await env.client.workflow.execute('payment', { workflowId: paymentWorkflowId('shop', 'order-1'), ...start });
  const sale = { workflowId: afterSaleWorkflowId('shop', 'order-1'), taskQueue: 'simulated' };
  await env.client.workflow.start('afterSale', {
    ...{ ...sale, args: [{ app_id: 'shop', out_trade_no: 'order-1' }], workflowIdConflictPolicy: 'USE_EXISTING' },
  });
}

describe('an order of which Temporal has forgotten the payment, and not the after-sale', () => {
  beforeEach(async () => {
    await soldHere();
    await env.sleep('31 days');
    await env.temporal.forget(paymentWorkflowId('shop', 'order-1'));
    const ofSale = { type: 'afterSale', execution: 'RUNNING', status: 'SUCCESS', outcome: 'SUCCESS', attention: null };
    mockListed.push({ ...ofSale, started_at: PERIOD.since, out_trade_no: 'order-1' });
  });

  test('is known here, because the after-sale has the payment', async () => {
    expect((await attempt(['order-1'])).result).toMatchObject({ checked: 1, differences: [] });
  });

  test('was begun before the period, so that a list of the period need not have it', async () => {
    expect((await attempt([])).result).toMatchObject({ checked: 1, differences: [] });
  });
});

describe('a difference is told once it has lasted for PAYMENTS_SETTLING', () => {
  /** Compares order-1, for which the gateway answers so, then so, and then as it is; and when it was asked. */
  async function comparedWith(...statuses: readonly string[]) {
    const query = gateway.query.bind(gateway);
    const asked: number[] = [];
    gateway.query = async (id) => {
      const trade_status = statuses[asked.push(performance.now()) - 1];
      if (trade_status === 'none') throw new Error('No answer');
      return { ...(await query(id)), ...(trade_status === undefined ? {} : { trade_status }) };
    };
    return { asked, ...(await attempt(['order-1'])) };
  }
  beforeEach(soldHere);

  test('and not if the gateway only answered from before', async () => {
    const { result, asked } = await comparedWith('PROCESSING');
    expect(result).toMatchObject({ checked: 1, differences: [] });
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(SETTLING);
  });

  test('with what is so then', async () => {
    const { result } = await comparedWith('PROCESSING', 'CANCEL');
    const said = { out_trade_no: 'order-1', kind: 'state', gateway: 'CANCEL 150.00 BRL' };
    expect(result).toMatchObject({ differences: [{ ...said, here: expect.any(String) }, said] });
  });

  test('and stays if nobody answers then', async () => {
    const { result } = await comparedWith('CANCEL', 'none');
    expect(result).toMatchObject({ differences: [{ kind: 'state' }, { kind: 'state' }] });
  });

  test('and where nothing differs, nothing is asked twice', async () => {
    expect((await comparedWith()).asked).toHaveLength(1);
  });
});
