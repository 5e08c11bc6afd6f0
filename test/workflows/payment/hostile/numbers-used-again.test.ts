/** A number is used again after an order that was not made. */
import type { AfterSaleState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answers, begin, end, pay, sale, tradeAt, world } from './attack-world';

const SECOND = 1_000;
const AFTER = 'after-sale:hostile:order-1';
afterEach(async () => end());
async function resolveAfterSale(said: object): Promise<unknown> {
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'looked', ...said });
  if (!asked) return 'not running';
  return world.temporal.answerTo(asked, 10 * MINUTE).then(
    (a) => JSON.stringify(a).slice(0, 100),
    (e) => `${e} ${e?.cause}`,
  );
}

async function afterSale(): Promise<AfterSaleState | undefined> {
  const run = world.temporal.latest(AFTER);
  return run && world.within(() => world.temporal.query<AfterSaleState>(run, 'state'));
}
async function notMade() {
  world.pay();
  await world.pass(1 * SECOND);
  world.oddSignal('somethingElse', 1);
  await world.pass(5 * MINUTE);
  expect(answers()).toEqual(['NotCreatedError']);
  expect((await afterSale())?.attention).toBe('unexpected-signal');
}

test.each([false, true])(
  'the state of an order that was made at the second try is that of the second (a person has looked: %s)',
  async (looked) => {
    await begin({ method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    await notMade();
    if (looked) await resolveAfterSale({});
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test.each(['attention', 'refund', 'accept'] as const)(
  'a CANCEL of an order that was not made does not make the next sale late money (%s)',
  async (late) => {
    await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    await notMade();
    await resolveAfterSale({ outcome: 'CANCEL' });
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    const one = await sale();
    world.gateway.move(tradeAt(0), 'DISPUTE');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), 'CHARGEBACK');
    world.gateway.move(tradeAt(0), 'CHARGEBACK_REVERSED');
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(DAY);
    await afterSale();
    expect(one.outcome).toBe('SUCCESS');
    expect(world.gateway.givenBack).toEqual([]);
  },
);

test.each(['refund'] as const)('… where the second order has something to hand over (%s)', async (late) => {
  await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
  await notMade();
  await resolveAfterSale({ outcome: 'CANCEL' });
  await world.pass(5 * MINUTE);
  await pay(MINUTE);
  world.oddSignal('somethingElse', 1);
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  const one = await sale();
  world.recheck();
  await world.pass(HOUR);
  await afterSale();
  expect(world.gateway.givenBack).toEqual([]);
  expect(one.outcome).toBe('SUCCESS');
});
