/** Virtual accounts on the simulated Temporal, where years take moments. */
import { nameDigests } from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { FakeAccounts } from '../../../src/testing/fake-gateway/fake-accounts';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import type {
  CarriedAccount,
  CreatedSpeiAccount,
  CreateSpeiAccountInput,
  CreationResolution,
  MerchantEvent,
  SpeiAccountCreation,
  SpeiAccountInput,
  SpeiAccountState,
} from '../../../src/workflows';
import { order } from '../../harness/orders';

let env: SimulatedEnvironment;
let trades: FakeGateway;
let gateway: FakeAccounts;
beforeEach(async () => {
  env = await SimulatedEnvironment.create();
  trades = new FakeGateway(() => env.currentTimeMs());
  gateway = trades.accounts;
  work();
});
afterEach(() => env?.teardown());

const work = (settings: Record<string, string> = {}): void =>
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway: trades, env: settings }));

const request = {
  customer: {
    buyer_id: 'buyer-1',
    email: 'sofia@example.com',
    identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
  },
};

type Follow = (input: SpeiAccountInput) => Promise<void>;
type Create = (input: CreateSpeiAccountInput) => Promise<CreatedSpeiAccount>;

async function follow(account_id = 'A1', carried?: CarriedAccount) {
  gateway.statuses.set(account_id, 'ACTIVE');
  const workflowId = `spei-account:${APP.app_id}:${account_id}`;
  const input = { app_id: APP.app_id, account_id, carried };
  if (carried === undefined)
    await env.client.workflow.start<Follow>('speiAccount', { workflowId, taskQueue: 'simulated', args: [input] });
  else env.temporal.continueAs('speiAccount', workflowId, input);
  const handle = env.client.workflow.getHandle<Follow>(workflowId);
  await handle.executeUpdate('recheck');
  return handle;
}

async function create() {
  return env.client.workflow.start<Create>('createSpeiAccount', {
    workflowId: `create-spei-account:${APP.app_id}:buyer-1`,
    taskQueue: 'simulated',
    args: [{ app_id: APP.app_id, request }],
  });
}

type Handle = Awaited<ReturnType<typeof follow>>;
const stateOf = (handle: Handle) => handle.query<SpeiAccountState>('state');

/** Waits up to ten minutes for a value that passes, and returns it. */
async function eventually<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (let seconds = 0; seconds < 600; seconds += 1) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await env.sleep('1 second');
  }
  throw new Error('Not within ten minutes');
}

/** The account's state once no deposit is pending. */
const settled = (handle: Handle) =>
  eventually(
    () => stateOf(handle),
    ({ deposits }) => deposits.pending === 0,
  );

/** Returns when the creation has raised its attention. */
const unknown = (handle: Awaited<ReturnType<typeof create>>) =>
  eventually(
    () => handle.query<SpeiAccountCreation>('state'),
    ({ attention }) => attention === 'unknown-outcome',
  );

/** A trade that the gateway knows, and its notification. */
async function deposit(out_trade_no: string, order_amount = '10.00', more: object = {}) {
  const { statusAt = () => 'PROCESSING' } = trades;
  const trade = { order_amount, order_currency: 'MXN', method: 'SPEI', statusAt };
  const { trade_no } = await trades.addTrade(out_trade_no, trade);
  return {
    app_id: APP.app_id,
    out_trade_no,
    trade_no,
    trade_status: 'SUCCESS',
    amount: order_amount,
    currency: 'MXN',
    transfer_account: { account_id: 'A1' },
    ...more,
  };
}

describe('an account', () => {
  it('is queried once a day', async () => {
    await follow();
    await env.sleep(DAY / 2);
    const { queries } = gateway;
    await env.sleep(90 * DAY);
    expect(gateway.queries - queries).toBeGreaterThanOrEqual(89);
    expect(gateway.queries - queries).toBeLessThanOrEqual(91);
  });

  it('takes a deposit years later, after its cancellation', async () => {
    const handle = await follow();
    trades.statusAt = () => 'SUCCESS';
    await handle.executeUpdate('cancel');
    await env.sleep(800 * DAY);
    await handle.signal('deposit', await deposit('VA1', '12.34'));
    expect(await settled(handle)).toMatchObject({
      status: 'CANCELED',
      deposits: { count: 1, total: { MXN: '12.34' } },
    });
  });
});

describe('a deposit', () => {
  it('that was notified as paid and is not is set aside under attention, and counted when the gateway confirms it', async () => {
    const handle = await follow();
    trades.statusAt = () => 'REFUSED';
    const notification = await deposit('VA1');
    await handle.signal('deposit', notification);
    expect(await settled(handle)).toMatchObject({
      attention: 'unconfirmed-deposit',
      deposits: {
        count: 0,
        total: {},
        pending: 0,
        set_aside: [{ out_trade_no: 'VA1', amount: '10.00', because: 'unconfirmed-deposit' }],
      },
    });
    for (const trade of trades.trades.values()) trade.statusAt = () => 'SUCCESS';
    await handle.signal('deposit', { ...notification, timestamp: 'another' });
    expect(await settled(handle)).toMatchObject({ deposits: { count: 1, total: { MXN: '10.00' }, set_aside: [] } });
  });

  it('is none where an order has its number: the order goes on, and nothing is counted', async () => {
    const handle = await follow();
    const customer = { name: 'Sofía Hernández', email: 'sofia@example.com', phone: '5215512345678' };
    const money = { method: 'SPEI', order_currency: 'MXN', order_amount: '10.00' };
    const payment = order({ out_trade_no: 'VA1', ...money, customer });
    trades.statusAt = (elapsed) => (elapsed < HOUR ? 'PROCESSING' : 'SUCCESS');
    const run = await env.client.workflow.start('payment', {
      ...{ workflowId: `payment:${APP.app_id}:VA1`, taskQueue: 'simulated', args: [payment] },
    });
    await env.sleep(MINUTE);
    const { trade_no } = trades.trades.get('VA1') ?? {};
    const notification = { ...(await deposit('VA2')), out_trade_no: 'VA1', trade_no };
    await handle.signal('deposit', notification);
    // Longer than a deposit may wait before a person is told.
    await env.sleep(30 * MINUTE);
    expect(await stateOf(handle)).toMatchObject({ attention: null, deposits: { count: 0, pending: 0 } });
    expect(await run.result()).toMatchObject({ outcome: 'SUCCESS', attention: null });
    await handle.signal('deposit', { ...notification, timestamp: 'another' });
    expect(await settled(handle)).toMatchObject({ attention: null, deposits: { count: 0, set_aside: [] } });
  });

  it('that is set aside after a person was shown another one stays before a person', async () => {
    const handle = await follow();
    trades.statusAt = () => 'REFUSED';
    const say = (more: object) =>
      handle.executeUpdate<SpeiAccountState, [object]>('resolve', {
        args: [{ by: 'ana', reason: 'credited', ...more }],
      });
    await handle.signal('deposit', await deposit('VA1'));
    await settled(handle);
    await handle.signal('deposit', await deposit('VA2', '500.00'));
    const of = (out_trade_no: string) => ({ because: 'unconfirmed-deposit', deposit: { out_trade_no } });
    expect(await settled(handle)).toMatchObject({
      unseen: [
        { no: 1, ...of('VA1') },
        { no: 2, ...of('VA2') },
      ],
    });
    await expect(say({})).rejects.toMatchObject({
      cause: {
        message: expect.stringMatching(/seen: what waits now is “unconfirmed-deposit:2” .*VA1.*VA2.*500.00 MXN/),
      },
    });
    // She types it again, where no answer came.
    for (let tries = 0; tries < 2; tries += 1)
      expect(await say({ seen: 'unconfirmed-deposit:1' })).toMatchObject({
        attention: 'unconfirmed-deposit',
        unseen: [{ no: 2, ...of('VA2') }],
      });
    await handle.signal('odd-signal');
    expect(await say({ seen: 'unconfirmed-deposit:2' })).toMatchObject({ attention: 'unexpected-signal' });
    await expect(say({ seen: 'unconfirmed-deposit:2' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('what waits now is “unexpected-signal:3”') },
    });
    expect(await say({ seen: 'unexpected-signal:3' })).toMatchObject({ attention: null, unseen: [] });
  });

  it('that is notified as paid later is queried then, and not at the next poll', async () => {
    const handle = await follow();
    trades.statusAt = (elapsed) => (elapsed < 5 * HOUR ? 'PROCESSING' : 'SUCCESS');
    const notification = await deposit('VA1', '10.00', { trade_status: 'PROCESSING' });
    await handle.signal('deposit', notification);
    await env.sleep(5 * HOUR + MINUTE);
    expect(await stateOf(handle)).toMatchObject({ deposits: { count: 0, pending: 1 } });
    await handle.signal('deposit', { ...notification, trade_status: 'SUCCESS' });
    await env.sleep(MINUTE);
    expect(await stateOf(handle)).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
  });
});

describe('a creation', () => {
  it('that certainly failed is repeated, and its account is followed from then on', async () => {
    gateway.mishaps = ['unreachable', 'unreachable'];
    expect(await (await create()).result()).toEqual({ account_id: 'A1' });
    const handle = env.client.workflow.getHandle(`spei-account:${APP.app_id}:A1`);
    expect(await handle.query<SpeiAccountState>('state')).toMatchObject({
      status: 'ACTIVE',
      account: { account_number: gateway.account_number, buyer_id: 'buyer-1' },
    });
    expect(gateway.created).toBe(1);
  });

  it.each(['lost before', 'lost after'] as const)(
    'whose answer was %s is never made again by itself',
    async (mishap) => {
      gateway.mishaps = [mishap];
      const handle = await create();
      await unknown(handle);
      await env.sleep(30 * DAY);
      const left = mishap === 'lost after' ? 49 : 50;
      expect(await handle.query<SpeiAccountCreation>('state')).toMatchObject({
        ...{ attention: 'unknown-outcome', buyer_id: 'buyer-1' },
        unknown_tries: [{ quantity_before: 50, quantity_after: left }],
      });
      expect(gateway.created).toBe(mishap === 'lost after' ? 1 : 0);
      const decision = {
        by: 'ana',
        reason: 'the dashboard',
        ...(mishap === 'lost after' ? { account_id: 'A1' } : {}),
      };
      await handle.executeUpdate<SpeiAccountCreation, [CreationResolution]>('resolve', { args: [decision] });
      expect(await handle.result()).toEqual({ account_id: 'A1' });
      expect(gateway.created).toBe(1);
    },
  );

  it('whose outcome is unknown is found by its buyer, and by the account’s number once a person has named it', async () => {
    gateway.mishaps = ['lost after'];
    const handle = await create();
    await unknown(handle);
    const names = () => {
      const run = env.temporal.latest(handle.workflowId);
      return run && env.temporal.attributesOf(run).PaymentNames;
    };
    expect(names()).toEqual(nameDigests([['buyer', 'buyer-1']]));
    const name = (account_id: string) =>
      handle.executeUpdate<SpeiAccountCreation, [CreationResolution]>('resolve', {
        args: [{ by: 'ana', reason: 'the dashboard', account_id }],
      });
    // The person who has mistyped it is told at once.
    expect(await name('ZZZZ')).toMatchObject({ account: null, attention: 'unknown-outcome' });
    expect(await name('A1')).toMatchObject({ account: { account_id: 'A1' }, attention: null });
    expect(names() ?? null).toBeNull();
  });

  it('is repeated once where the setting says so and the number of accounts left has not fallen', async () => {
    gateway.mishaps = ['lost before'];
    work({ PAYMENTS_ACCOUNT_UNKNOWN: 'again' });
    await (await create()).result();
    expect(gateway.created).toBe(1);
  });
});

test('an account that was made before anybody listened tells what happens once somebody does', async () => {
  const account = await follow();
  const heard: MerchantEvent[] = [];
  const onEvent = (event: MerchantEvent) => void heard.push(event);
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway: trades, onEvent }));
  gateway.statuses.set('A1', 'CANCELED');
  await account.executeUpdate('recheck');
  await env.sleep(MINUTE);
  expect(heard).toMatchObject([{ type: 'account-status', account: { status: 'CANCELED' } }]);
  expect(heard[0]?.id).toMatch(/:CANCELED:1$/);
});
