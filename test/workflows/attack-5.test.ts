/**
 * Promise 8: a deposit of an amount that is no money, which the gateway shows as SUCCESS, is added to the account's total and told to the
 * merchant, before nobody. The interface's smallest amount is 0.01.
 */
import { DAY } from '../../src/gateway/pure/durations';
import { PLAIN, World } from './account/hostile/world';

let world: World;

beforeEach(async () => {
  world = await World.create({ ...PLAIN, pick: () => 0 });
});
afterEach(() => world?.close());

test.each(['-100.00', '0.00'])('a deposit of %s is before a person, and not counted', async (amount) => {
  world.notify(world.gateway.deposit('A1', '500.00'));
  await world.pass(DAY);
  world.notify(world.gateway.deposit('A1', amount));
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({
    attention: expect.any(String),
    deposits: { count: 1, total: { MXN: '500.00' } },
  });
});

test('a deposit whose amount is written as 1e300 does not make the total of its account unreadable', async () => {
  world.notify(world.gateway.deposit('A1', '500.00'));
  await world.pass(DAY);
  world.notify(world.gateway.deposit('A1', '1e300'));
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({
    attention: expect.any(String),
    deposits: { total: { MXN: '500.00' } },
  });
});
