/** Attacks on what the contract says of waiting: `refund` is answered within about 30 seconds, whatever it waits for first. */
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, World } from './world';

const SECOND = 1_000;

let world: World;
beforeEach(async () => {
  world = await World.create({ ...PLAIN, pick: () => 0 });
  world.gateway.trouble = 'unreachable';
  world.ask({ amount: '50.00', number: 'a' });
});
afterEach(() => world?.close());

const answers = () =>
  world.told.map((one) => ('message' in one ? [one.message.split('.')[0], one.at - one.asked <= 31 * SECOND] : one));

test('where nobody knows what was paid, nobody has the request', async () => {
  await world.pass(2 * MINUTE);
  expect(answers()).toEqual([[expect.stringMatching(/so the refund was not taken/), true]]);
});

test('where what was paid is known late, and the refund’s answer is lost, the refund goes on', async () => {
  await world.pass(14 * SECOND);
  world.gateway.trouble = 'refunds unreachable';
  await world.pass(2 * MINUTE);
  expect(answers()).toEqual([[expect.stringMatching(/^The refund goes on by itself/), true]]);
});
