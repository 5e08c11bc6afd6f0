/** Money of the last minutes, and what is asked then. */
import type { AfterSaleState, KnownOrder, PaymentEnd } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { fold, NOTHING_KNOWN } from '../../../../src/workflows/order/fold';
import { nextStep } from '../../../../src/workflows/order/next-step';
import { attentions, begin, end, pay, sale, tradeAt, world } from './attack-world';

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

test.each(['nobody', 'recheck', 'notification'])(
  'money of the last minutes is found, whoever asks during the last look (%s)',
  async (who) => {
    await begin({ method: 'Wallet', lag_ms: 5 * MINUTE });
    await pay(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'CANCEL');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    const until = Date.parse((await afterSale())?.watched_until ?? '');
    await world.pass(until - world.now - 2 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(2 * MINUTE + 30 * SECOND);
    if (who === 'recheck') world.recheck();
    if (who === 'notification') world.notify(tradeAt(0), 'CANCEL');
    await world.pass(HOUR);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test('a trade that was asked for is not asked for again at once, whatever the clocks of the workers say', async () => {
  await begin({});
  const at = world.now;
  const state = {
    app_id: 'hostile',
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: null,
    order_amount: '150.00',
    order_currency: 'BRL',
    method: 'Wallet',
    outcome: 'CANCEL',
    confirmed_by: 'operator',
    attention: null,
    expires_at: null,
    history: [],
    previous: null,
    payment_data: null,
    refused_because: null,
    other_trades: [],
  } as unknown as PaymentEnd['state'];
  const payment: PaymentEnd = {
    run_id: 'r',
    ended_at: at,
    state,
    reasons: [],
    watch_until: at + DAY,
    sent_again: false,
    made_here: true,
    repeats: false,
    asked: [],
  };
  const settings = { settling_ms: 30_000, late_payments: 'attention' as const };
  let order: KnownOrder = fold(NOTHING_KNOWN, { is: 'ended', at, payment, contradicted: [] }, settings);
  const t1 = {
    trade_no: 'T1',
    out_trade_no: 'order-1',
    trade_status: 'PROCESSING',
    order_amount: '150.00',
    order_currency: 'BRL',
    asked_at: at + 60_000,
  };
  order = fold(order, { is: 'queried', at, trade: t1, lasted_ms: 0, after: 0 }, settings);
  order = fold(order, { is: 'notified', at: at + 1_000, claim: { trade_no: 'T2', trade_status: 'CANCEL' } }, settings);
  const step = () =>
    nextStep(order, at + 2_000, { isAsked: false, watch_until: 0 }, { settling_ms: 30_000, refund_watch_ms: DAY });
  expect(step()).toEqual({ take: 'ask', other: 'T2' });
  order = fold(
    order,
    {
      is: 'asked',
      at: at + 2_000,
      other: 'T2',
      answer: 'answered',
      trade: { ...t1, trade_no: 'T2', trade_status: 'CANCEL', asked_at: at + 2_000 },
    },
    settings,
  );
  expect(step()).not.toEqual({ take: 'ask', other: 'T2' });
});

test('another amount than ordered, after a person has said SUCCESS of an order that ended without money', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  Object.assign(tradeAt(0), { amount: '15.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('late money whose refund waits is not refunded, and nobody is asked again, once a person has said SUCCESS', async () => {
  await begin({ late: 'refund', method: 'Wallet', refunds: Array(3).fill('unreachable') });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  for (let i = 0; i < 200 && (await afterSale())?.refunds.length === 0; i += 1) await world.pass(50);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  await world.pass(DAY);
  expect(world.gateway.givenBack).toEqual([]);
});
