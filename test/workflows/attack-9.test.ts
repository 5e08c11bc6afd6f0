/**
 * Promise 1: a reset of an adoption by number "goes on by itself" (earlier-payments.ts leaves the run before it out), and finds whatever trade
 * the gateway shows under the number by then. The one that callers were answered with, and that the run before was watching, is forgotten.
 */
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { answers, begin, end, madeByAnother, pay, tradeAt, tradesKnown, world } from './payment/hostile/acts';

afterEach(end);

async function adoptedAndReset(): Promise<void> {
  await begin();
  madeByAnother();
  world.adopt();
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  madeByAnother();
  await world.pass(MINUTE);
  world.reset();
  await world.pass(10 * MINUTE);
}

test('an order that was answered with an adopted trade is answered so again after a reset, though another trade is there', async () => {
  await adoptedAndReset();
  await pay(MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('money of the trade that was adopted is known after a reset, though another trade is there and nobody notifies', async () => {
  await adoptedAndReset();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});
