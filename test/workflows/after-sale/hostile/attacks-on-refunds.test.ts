/** Attacks on what comes after a sale: each once gave money back twice, or kept something from everybody. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const numbersMade = () => world.gateway.refunds.map(({ number }) => number);

test('a refund that a terminated after-sale made is not made again after a person has named what went back, and is counted once', async () => {
  await open({ watchWindow: '3d' });
  world.ask({ amount: '40.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(35_000);
  world.terminate();
  await world.pass(HOUR);
  // No worker can answer for the terminated run any more. The refund's own run has completed, and Temporal has its result.
  world.renameQueue();
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  world.nameElsewhere();
  await world.pass(HOUR);
  // The merchant does what it was told: "Ask again with the same request".
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a', 'b']);
  expect(await world.state()).toMatchObject({
    ...{ refunded_amount: '40.00', refunded_elsewhere: '40.00', ledger_complete: false, attention: 'refund-elsewhere' },
    refunds: [{ out_request_no: 'b', attempt: 1, outcome: 'REFUNDED' }],
  });
});

test('a refund that is asked for while the gateway is silent is said not to be taken, and is made once it is asked for again', async () => {
  await open();
  world.gateway.trouble = 'unreachable';
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  const isTold = { is: 'failure', type: 'PaymentPendingError', message: expect.stringContaining('was not taken') };
  expect(world.told).toMatchObject([isTold]);
  expect(numbersMade()).toEqual([]);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a']);
});
