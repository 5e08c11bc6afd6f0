/** What merchants are told while a payment is open. */
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, pay, world } from './attack-world';

afterEach(async () => end());

test('nobody is told SUCCESS of an order that nobody has paid', async () => {
  await begin({});
  await pay(MINUTE);
  world.gateway.trouble = '503';
  world.refund();
  await world.pass(20 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(20 * MINUTE);
  expect(world.events.filter((event) => 'payment' in event && event.payment.outcome === 'SUCCESS')).toEqual([]);
});
