/** A payment hands itself over to an after-sale that has just found nobody. */
import { DAY, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, pay, sale, tradeAt, world } from './attack-world';

const SECOND = 1_000;
afterEach(async () => end());

test.each([200, 500, 1000, 1500, 2000, 3000, 4000, 5000])(
  'a payment that hands itself over while the after-sale finds nobody is not lost: %s',
  async (ms) => {
    await begin({ lag_ms: 30 * SECOND });
    world.gateway.trouble = 'unreachable';
    world.refund();
    await world.pass(ms);

    world.gateway.trouble = undefined;
    await pay(10);
    if (world.run) await world.resolveRun(world.run, 'CANCEL');
    await world.pass(10);

    await world.pass(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(3 * DAY);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);
