/** Trades of others under the order’s number, after its end. */
import type { AfterSaleState } from '../../../../src/contract';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, madeByAnother, pay, tradeAt, tradesKnown, world } from './attack-world';

const AFTER = 'after-sale:hostile:order-1';
afterEach(async () => end());

async function afterSale(): Promise<AfterSaleState | undefined> {
  const run = world.temporal.latest(AFTER);
  return run && world.within(() => world.temporal.query<AfterSaleState>(run, 'state'));
}

test('a refund is of the trade that was sold, and of no other system’s', async () => {
  await begin({ method: 'Wallet' });
  const other = madeByAnother('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  world.notify(tradeAt(1));
  await world.pass(10 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  world.notify(other);
  world.recheck();
  await world.pass(HOUR);
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.map(({ trade_no }) => trade_no)).not.toContain('T1');
});

test('the trade that the after-sale had before an end without money is a second trade', async () => {
  await begin({ method: 'Wallet' });
  const other = madeByAnother('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  await afterSale();
  expect(await tradesKnown()).toEqual(expect.arrayContaining(['T1', 'T2']));
});
