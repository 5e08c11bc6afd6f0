/** Attacks on the numbers of deposits: a second one under the number of another. */
import { DAY, HOUR } from '../../../../src/gateway/pure/durations';
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
