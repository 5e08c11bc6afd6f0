/**
 * Promise 3, "a deposit is counted once": which account has counted a deposit is known by its payment's workflow alone. Where Temporal has
 * forgotten that after its retention, the same deposit that is notified once more under another account is counted again, before nobody.
 */
import { paymentWorkflowId } from '../../src/contract';
import { DAY } from '../../src/gateway/pure/durations';
import { PLAIN, World } from './account/hostile/world';
import { APP } from './hostile/base-world';

let world: World;

beforeEach(async () => {
  world = await World.create({ ...PLAIN, pick: () => 0 });
});
afterEach(() => world?.close());

test('a deposit that one account has counted is before a person where it is notified under another one after the retention', async () => {
  const other = world.gateway.make('other');
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(31 * DAY);
  expect(await world.state('A1')).toMatchObject({ deposits: { count: 1 } });
  await world.temporal.forget(paymentWorkflowId(APP, deposit.out_trade_no));
  world.notify({ ...deposit, account_id: other.account_id });
  await world.pass(DAY);
  expect(await world.state(other.account_id)).toMatchObject({ attention: expect.any(String), deposits: { count: 0 } });
});
