/** Attacks on the numbers of deposits: a second one under the number of another. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, World } from './world';

Error.stackTraceLimit = 0;
let world: World;
beforeEach(async () => {
  world = await World.create({ ...PLAIN, findsBy: 'trade_no alone', pick: () => 0 });
});
afterEach(() => world?.close());

test.each([
  ['after that one was counted', HOUR],
  ['while that one is pending', 0],
])(
  'a deposit of another trade under the number of an earlier one, notified %s, is before a person once',
  async (_, after_ms) => {
    const first = world.gateway.deposit('A1', '100.00');
    world.notify(first);
    await world.pass(after_ms);
    const second = { ...first, trade_no: 'T2', amount: '70.00' };
    world.gateway.deposits.push(second);
    world.notify(second, 'SUCCESS', { times: 3 });
    await world.pass(DAY);
    expect(await world.state('A1')).toMatchObject({
      attention: 'second-deposit',
      deposits: {
        ...{ count: 1, total: { MXN: '100.00' }, pending: 0 },
        set_aside: [{ out_trade_no: 'D1', trade_no: 'T2', amount: '70.00', because: 'second-deposit' }],
      },
    });
    expect(world.events.filter(({ type }) => type === 'deposit-set-aside')).toHaveLength(1);
    await world.resolve();
    world.notify(second);
    await world.pass(DAY);
    expect(await world.state('A1')).toMatchObject({ attention: null, deposits: { count: 1 } });
  },
);

test('a counted deposit that is notified again with another amount is before a person', async () => {
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  world.notify(deposit, 'SUCCESS', { amount: '100.0' });
  await world.pass(HOUR);
  expect(await world.state('A1')).toMatchObject({ attention: null, deposits: { set_aside: [] } });
  world.notify(deposit, 'SUCCESS', { amount: '250.00' });
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({
    attention: 'second-deposit',
    deposits: { total: { MXN: '100.00' } },
  });
});

test('a deposit whose amount was notified wrongly, each time in the same way, is counted as confirmed and not set aside', async () => {
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit, 'SUCCESS', { amount: '250.00' });
  await world.pass(HOUR);
  world.notify(deposit, 'SUCCESS', { amount: '250.00' });
  await world.pass(HOUR);
  expect(await world.state('A1')).toMatchObject({
    ...{ attention: 'amount-mismatch', deposits: { count: 1, total: { MXN: '100.00' }, set_aside: [] } },
  });
});

/** A deposit of A1 whose payment the webhook started, because no worker ran when it was notified as open. */
async function countedOfWebhook() {
  await world.leaveWithoutWorker(MINUTE);
  const deposit = world.gateway.deposit('A1', '100.00', 'PROCESSING');
  world.notify(deposit, 'PROCESSING');
  await world.pass(2 * MINUTE);
  world.gateway.move(deposit, 'SUCCESS');
  world.notify(deposit);
  await world.pass(HOUR);
  expect((await world.state('A1'))?.deposits).toMatchObject({ count: 1, total: { MXN: '100.00' } });
  return deposit;
}

test.each(['100.00', '70.00'])(
  'promise 4: a deposit of %s that the gateway denies is not counted with the money of another account’s, whose number it has',
  async (amount) => {
    const other = world.gateway.make('other');
    await countedOfWebhook();
    world.notify(world.gateway.deposit(other.account_id, amount, 'CANCEL', 'D1'), 'SUCCESS');
    await world.pass(DAY);
    expect(await world.state(other.account_id)).toMatchObject({
      attention: expect.any(String),
      deposits: { count: 0, pending: 0, set_aside: [{ out_trade_no: 'D1', trade_no: 'T2', amount }] },
    });
  },
);

test('promise 4: a trade that one account has counted is not counted by another one under a second number', async () => {
  await world.close();
  world = await World.create({ ...PLAIN, pick: () => 0 });
  const other = world.gateway.make('other');
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  world.notify({ ...deposit, account_id: other.account_id, out_trade_no: 'X-D1' });
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({ attention: null, deposits: { count: 1 } });
  expect(await world.state(other.account_id)).toMatchObject({
    attention: 'second-deposit',
    deposits: { count: 0, pending: 0, set_aside: [{ out_trade_no: 'X-D1', trade_no: 'T1' }] },
  });
});

test('promise 4: a deposit whose amount no query shows is not counted with the notified one, and is before a person', async () => {
  const post = world.gateway.post.bind(world.gateway);
  world.gateway.post = async (path, headers, text) => {
    const { status, body } = await post(path, headers, text);
    const shown = new TextDecoder().decode(body).replace('"order_amount":"10.00",', '');
    return { status, body: new TextEncoder().encode(shown) };
  };
  world.notify(world.gateway.deposit('A1', '10.00'), 'SUCCESS', { amount: '1000.00' });
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({
    attention: 'unconfirmed-deposit',
    deposits: { count: 0, total: {}, set_aside: [{ amount: '1000.00' }] },
  });
});
