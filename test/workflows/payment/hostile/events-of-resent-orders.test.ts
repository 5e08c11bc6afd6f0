/** What an order costs that was sent more than once. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, pay, world } from './attack-world';

afterEach(async () => end());
test.each(['carried out late', 'none'] as const)(
  'events of an order whose creation was %s, and whose gateway could not be reached then',
  async (first) => {
    await begin({
      takesNumbersTwice: false,
      lag_ms: 120_000,
      shows: 'the first',
      creations: [first, ...Array(8).fill('unreachable')],
      late_ms: 300_000,
      notifies_ms: 20_000,
    });
    for (const ms of [5 * MINUTE, 2 * MINUTE, MINUTE, 2 * MINUTE, 20 * MINUTE, HOUR, 15 * HOUR, 5 * DAY]) {
      await (ms === 5 * MINUTE ? pay(ms) : world.pass(ms));
    }
  },
);
