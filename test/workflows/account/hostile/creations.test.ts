/** Promises 1 and 2: an account is made once, whatever became of the answer or of the run. */
import { accountActivities, accountPolicyActivity } from '../../../../src/activities';
import { createSpeiAccountWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import { APP } from '../../hostile/base-world';
import { PLAIN, type Traits, World } from './world';

const open = async (traits: Partial<Traits>) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
let world: World;
const end = (how: 'terminated' | 'canceled' | 'reset') =>
  world.within(async () => {
    const run = world.temporal.latest(CREATION);
    if (how === 'canceled') run?.requestCancel('the button');
    else if (how === 'reset' && run) world.temporal.reset(run);
    else run?.terminate();
  });
const made = () => world.gateway.accounts.filter(({ buyer_id }) => buyer_id === 'k1');
const attentionOfCreation = () => {
  const run = world.temporal.latest(CREATION);
  return run && world.temporal.attributesOf(run).PaymentAttention;
};
const answers = () => world.told.flatMap((one) => (one.is === 'account' ? [one.account_id] : []));
/** A worker whose setting has an account of unknown outcome created once more. */
async function openToCreateAgain(): Promise<void> {
  await open({ creations: ['answer lost'] });
  const again = accountPolicyActivity(loadConfig({ PAYMENTS_ACCOUNT_UNKNOWN: 'again' }), true);
  Object.assign(world.temporal.activities.functions, again);
}
const LEFT = JSON.stringify({ code: '10000', msg: 'Success', available_quantity: 100 });
/** The gateway says for certain that it has made none. */
const noneLeft = () => {
  const refusal = { code: '40002', msg: 'Business Failed', sub_code: 'account-pool-run-out', sub_msg: 'none is left' };
  return { status: 200, body: new TextEncoder().encode(JSON.stringify(refusal)) };
};
const CREATION = createSpeiAccountWorkflowId(APP, 'k1');
Error.stackTraceLimit = 0;
afterEach(() => world?.close());

test.each([
  ['terminated', HOUR],
  ['terminated', 200],
  ['canceled', HOUR],
  ['canceled', 200],
  ['reset', HOUR],
  ['reset', 200],
] as const)(
  'promise 1: a creation whose outcome is unknown, %s after %i ms, does not send again before a person has looked',
  async (how, ms) => {
    await open({ creations: ['answer lost'] });
    world.create('k1');
    await world.pass(ms);
    await end(how);
    await world.pass(MINUTE);
    world.create('k1');
    await world.pass(HOUR);
    expect(made().length).toBeLessThanOrEqual(1);
    if (made().length === 0) throw new Error('the first try has sent nothing');
    expect(attentionOfCreation()).toBe('unknown-outcome');
    await world.resolve();
    await world.pass(HOUR);
    world.create('k1');
    await world.pass(HOUR);
    expect(made()).toHaveLength(1);
    expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
  },
);

test('promise 1: an account is asked for once where an interceptor fails after the request, and no worker takes the next attempt', async () => {
  await open({});
  const { functions } = world.temporal.activities;
  const own = functions['gateway.create-account'];
  const failing = async (...args: unknown[]) => {
    if (typeof own !== 'function') throw new Error('no such activity');
    await own.apply(functions, args);
    world.temporal.leaveWithoutWorker(DAY);
    throw new Error('the metrics are away');
  };
  Object.assign(functions, { 'gateway.create-account': failing });
  world.create('k1');
  await world.pass(HOUR);
  Object.assign(functions, { 'gateway.create-account': own });
  await world.pass(2 * DAY);
  expect(made()).toHaveLength(1);
  expect(attentionOfCreation()).toBe('unknown-outcome');
});

test('promise 1: a creation that a person has made again is not sent twice by a reset while its request is under way', async () => {
  await open({ creations: ['lost before it arrived', 'answer lost'] });
  world.create('k1');
  await world.pass(HOUR);
  await world.resolve();
  await world.pass(MINUTE);
  expect(made()).toHaveLength(1);
  await end('reset');
  await world.pass(HOUR);
  expect(made()).toHaveLength(1);
  expect(attentionOfCreation()).toBe('unknown-outcome');
});

test('promise 1: a creation that is reset to after its look at earlier runs does not send again', async () => {
  await open({ creations: ['answer lost'] });
  const look = accountActivities({ gateways: new Map(), notifyUrl: undefined })['payments.account-of-creation'];
  // The first two looks have one result: it is in the history that the reset keeps.
  const looks: Promise<unknown>[] = [];
  const lookOnce = (input: Parameters<typeof look>[0]) => {
    looks.push(looks.length === 1 && looks[0] ? looks[0] : look(input));
    return looks.at(-1);
  };
  Object.assign(world.temporal.activities.functions, { 'payments.account-of-creation': lookOnce });
  world.create('k1');
  await world.pass(HOUR);
  await end('reset');
  await world.pass(HOUR);
  expect(made()).toHaveLength(1);
  expect(attentionOfCreation()).toBe('unknown-outcome');
});

test.each([
  ['never', 'first'],
  ['before it alone', 'second'],
])(
  'promise 2: a creation of unknown outcome is not repeated where the number of accounts left can be read %s',
  async (_title, unread_from) => {
    await openToCreateAgain();
    const post = world.gateway.post.bind(world.gateway);
    world.gateway.post = async (path, headers, text) => {
      const isUnread = path.endsWith('/quantity') && (unread_from === 'first' || made().length > 0);
      return isUnread ? { status: 503, body: new TextEncoder().encode('{}') } : post(path, headers, text);
    };
    world.create('k1');
    await world.pass(HOUR);
    expect(made()).toHaveLength(1);
    expect(attentionOfCreation()).toBe('unknown-outcome');
  },
);

test('promise 2: a refusal after a try of unknown outcome does not say that there is no account', async () => {
  await openToCreateAgain();
  const post = world.gateway.post.bind(world.gateway);
  world.gateway.post = async (path, headers, text) => {
    // Another account was canceled at the same moment.
    if (path.endsWith('/quantity')) return { status: 200, body: new TextEncoder().encode(LEFT) };
    return path.endsWith('/create') && made().length > 0 ? noneLeft() : post(path, headers, text);
  };
  world.create('k1');
  await world.pass(HOUR);
  expect(made()).toHaveLength(1);
  expect(world.temporal.latest(CREATION)?.isRunning).toBe(true);
  expect(attentionOfCreation()).toBe('unknown-outcome');
  await world.resolve();
  world.create('k1');
  await world.pass(HOUR);
  expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
});

test('a creation that the gateway has refused for certain is made by the next one, and needs nobody', async () => {
  await open({});
  const post = world.gateway.post.bind(world.gateway);
  world.gateway.post = async (path, headers, text) =>
    path.endsWith('/create') ? noneLeft() : post(path, headers, text);
  world.create('k1');
  await world.pass(HOUR);
  expect(world.temporal.latest(CREATION)?.status).toBe('FAILED');
  world.gateway.post = post;
  world.create('k1');
  await world.pass(HOUR);
  expect(answers()).toEqual([made()[0]?.account_id]);
  expect(world.attentions).toEqual([]);
});

test('a canceled creation leaves the watch of the accounts that are left running', async () => {
  await open({ creations: ['answer lost'] });
  world.create('k1');
  await world.pass(HOUR);
  await end('canceled');
  await world.pass(HOUR);
  expect(world.temporal.latest(`spei-account-quantity:${APP}`)?.isRunning).toBe(true);
});
