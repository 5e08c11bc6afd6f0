/** Gateways forget orders that have ended. */
import { DAY, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, found, pay, tradeAt, world } from './attack-world';

afterEach(async () => end());
test('a gateway that forgets orders that have ended needs no person for each order that was not paid', async () => {
  await begin({ method: 'Wallet', forgetsAfter_ms: 2 * DAY });
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(10 * DAY);
  expect(found({ open: true })).toEqual([]);
});
