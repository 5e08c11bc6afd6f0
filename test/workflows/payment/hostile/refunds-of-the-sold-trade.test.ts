/** Refunds are of the trade that was sold. */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, pay, tradeAt, world } from './attack-world';

const AFTER = 'after-sale:hostile:order-1';
afterEach(async () => end());
test('no more is refunded than was paid of the sold trade, whatever another one under the number was over', async () => {
  await begin({ method: 'Wallet' });
  const other = world.gateway.make(
    { out_trade_no: world.out_trade_no, amount: '1000.00' },
    'another system',
    'SUCCESS',
  );
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'answered the dispute' });
  if (asked) await world.temporal.answerTo(asked, MINUTE);
  await world.pass(20 * MINUTE);
  await pay(MINUTE);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  world.notify(tradeAt(1));
  await world.pass(20 * MINUTE);

  await world.pass(HOUR);
  expect(world.gateway.givenBack).toEqual([]);
});
