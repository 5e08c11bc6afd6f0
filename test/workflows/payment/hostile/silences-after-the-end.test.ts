/** The gateway is silent, or denies, after a payment has ended. */
import type { AfterSaleState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, outcomeNow, pay, sale, sell, tradeAt, world } from './attack-world';

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

test('after a silence, a denial is an answer: the reason is no silence any more', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(10 * MINUTE);
  world.gateway.trouble = '503';
  world.recheck();
  await world.pass(HOUR);
  world.gateway.trouble = 'no such order';
  await world.pass(30 * DAY);
  expect((await sale()).attention).not.toBe('no-answer');
});

test('an outage at the end of the watch of an order that was never made', async () => {
  await begin({ creations: ['lost before it arrived'] });
  world.gateway.trouble = undefined;
  world.pay();
  await world.pass(2 * SECOND);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  const until = Date.parse((await afterSale())?.watched_until ?? '');
  await world.pass(until - world.now - MINUTE);
  world.gateway.trouble = '503';
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(10 * DAY);
  expect((await sale()).attention).toBe(null);
});

test('a refund that is refused for the credentials, once mended', async () => {
  await begin({ refunds: ['unreachable'] });
  await sell();
  world.gateway.trouble = undefined;
  world.refund();
  await world.pass(1);
  await world.pass(100);
  await world.pass(HOUR);
});

test.each(['recheck', 'notification'])(
  'of an order that was sent twice, the second trade that a person settled stays settled (%s)',
  async (how) => {
    await begin({ creations: ['carried out late'], late_ms: 20 * MINUTE });
    await pay(5 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    await world.pass(HOUR);
    await resolveAfterSale({});
    await world.pass(MINUTE);

    if (how === 'recheck') world.recheck();
    else world.notify(tradeAt(1));
    await world.pass(HOUR);
    expect((await sale()).attention).toBe(null);
  },
);

test.each(['attention', 'refund'] as const)(
  'a person’s word on an order that was not made does not undo the sale of the next one (%s)',
  async (late) => {
    await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    world.pay();
    await world.pass(1 * SECOND);
    world.oddSignal('somethingElse', 1);
    await world.pass(5 * MINUTE);
    await resolveAfterSale({ outcome: 'CANCEL' });
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);

    const asked = world.payments
      .refund(world.out_trade_no, { refund_amount: '50.00', refund_currency: 'BRL', out_request_no: 'part' })
      .then(
        () => true,
        () => false,
      );
    await world.pass(HOUR);
    await asked;
    expect(world.gateway.givenBack.map(({ amount }) => amount)).toEqual(['50']);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test('promise 5: an order that was refused at its creation, and is paid within the method’s settling time, is known without a notification', async () => {
  await begin({ creations: ['created and refused'], method: 'Wallet' });
  await pay(10 * MINUTE);
  expect(await outcomeNow()).toBe('REFUSED');
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});
