/** Clocks of workers that are apart. */
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { openWatched, world } from './acts';

/** How far the clock of the worker that answers is ahead, in ms. */
let mockAhead_ms = 0;
let mockReadings = 0;
jest.mock('../../../../src/activities/time', () => {
  const real = jest.requireActual<typeof import('../../../../src/activities/time')>('../../../../src/activities/time');
  const currentTime = () => {
    mockReadings += 1;
    // Simulated time stands still for whoever asks without a pause.
    if (mockReadings > 500) throw new Error('asked without a pause');
    return real.currentTime() + mockAhead_ms;
  };
  return { ...real, currentTime };
});
afterEach(() => world?.close());

test('an after-sale does not ask without a pause where the worker that answers is behind the one that answered before', async () => {
  // Lost: the gateway's patience, and the workflow's history: it was asked as fast as a worker can, for a minute.
  await openWatched();
  mockAhead_ms = 50_000;
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(32_000);
  mockAhead_ms = 0;
  const asked = world.gateway.queries;
  world.desk('100.00', 0);
  world.deliver({ at: world.now, status: 'REFUNDED', number: 'b' });
  await world.pass(2 * MINUTE);
  expect(world.gateway.queries - asked).toBeLessThan(20);
  expect((await world.state())?.attention).toBe('refund-elsewhere');
});
