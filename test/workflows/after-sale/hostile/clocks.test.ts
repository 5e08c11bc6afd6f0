/** Clocks of workers that are apart. */

import { MINUTE } from '../../../../src/gateway/pure/durations';
import { ask, attention, desk, happens, openWatched, queries, tell } from './acts';

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

test('an after-sale does not ask without a pause where the worker that answers is behind the one that answered before', async () => {
  // Lost: the gateway's patience, and the workflow's history: it was asked as fast as a worker can, for a minute.
  await openWatched();
  mockAhead_ms = 50_000;
  await happens(ask('50.00', 'a'), 32_000);
  mockAhead_ms = 0;
  const asked = queries();
  await happens(desk('100.00', 0), tell('REFUNDED', 'b'), 2 * MINUTE);
  expect(queries() - asked).toBeLessThan(20);
  expect(await attention()).toBe('refund-elsewhere');
});
