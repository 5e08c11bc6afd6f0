/** An order that nobody has paid is no sale. */
import type { AfterSaleState } from '../../../../src/contract';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, madeByAnother, pay, sale, world } from './attack-world';

const AFTER = 'after-sale:hostile:order-1';
afterEach(async () => end());

async function afterSale(): Promise<AfterSaleState | undefined> {
  const run = world.temporal.latest(AFTER);
  return run && world.within(() => world.temporal.query<AfterSaleState>(run, 'state'));
}
test.each(['attention', 'accept', 'refund'] as const)(
  'an order that nobody has paid is no sale, although the after-sale had another trade (%s)',
  async (late) => {
    await begin({ method: 'Wallet', late });
    const other = madeByAnother('SUCCESS');
    await world.pass(MINUTE);
    world.gateway.move(other, 'DISPUTE');
    world.notify(other);
    await world.pass(10 * MINUTE);
    const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'answered the dispute' });
    if (asked) await world.temporal.answerTo(asked, MINUTE);
    await world.pass(10 * MINUTE);
    await pay(MINUTE);
    world.awaitOutcome();
    if (world.run) await world.resolveRun(world.run, 'CANCEL');
    for (const ms of [MINUTE, 10 * MINUTE, HOUR]) {
      await world.pass(ms);
      await afterSale();
    }
    expect((await sale()).outcome).toBe('CANCEL');
  },
);
