/** Money that comes after another end was told. */
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  end,
  listIsDown,
  madeByAnother,
  outcomeNow,
  paid,
  pay,
  sale,
  sell,
  stateNow,
  tradeAt,
  world,
} from './attack-world';

const SECOND = 1_000;
const AFTER = 'after-sale:hostile:order-1';
afterEach(async () => end());

async function resolveAfterSale(said: object): Promise<unknown> {
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'looked', ...said });
  if (!asked) return 'not running';
  return world.temporal.answerTo(asked, 10 * MINUTE).then(
    (a) => a,
    (e) => `${e} ${JSON.stringify(e)} ${e?.cause}`,
  );
}

async function endCancelled() {
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(await outcomeNow()).toBe('CANCEL');
}

test('late money is not refunded once a person has said SUCCESS', async () => {
  await begin({ late: 'refund', method: 'Wallet', refunds: Array(60).fill('unreachable') });
  await endCancelled();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * MINUTE);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  await world.pass(2 * DAY);
  expect(world.gateway.givenBack).toEqual([]);
});

test('a payment that hands itself over while the after-sale finds nobody is not lost', async () => {
  await begin({ creations: ['created and refused'] });
  world.gateway.trouble = 'unreachable';
  world.refund();
  await world.pass(2 * SECOND);
  world.gateway.trouble = 'no such order';
  await pay(3 * SECOND);
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect((await sale()).outcome).toBe('SUCCESS');
});

test('a refund that waited and was refused leaves no-answer', async () => {
  await begin({ refunds: [...Array(14).fill('unreachable'), 'refused'] });
  await sell();
  world.refund();
  await world.pass(2 * HOUR);
  await world.pass(3 * DAY);
  expect((await sale()).attention).toBe(null);
});

test('after a silence, a denial is an answer', async () => {
  await begin({});
  await endCancelled();
  world.gateway.trouble = '503';
  world.recheck();
  await world.pass(HOUR);
  world.gateway.trouble = 'no such order';
  await world.pass(3 * DAY);
  expect((await sale()).attention).not.toBe('no-answer');
});

test.each(['', '2'])('a second trade that a person has settled stays settled %s', async (again) => {
  await begin({});
  await sell();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect((await sale()).attention).toBe('second-trade');
  await resolveAfterSale({});
  await world.pass(MINUTE);
  expect((await sale()).attention).toBe(null);
  if (again) world.recheck();
  else world.notify(tradeAt(1));
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(null);
});

test('another amount after a person said SUCCESS to the payment', async () => {
  await begin({});
  await pay(MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(MINUTE);
  Object.assign(tradeAt(0), { amount: '15.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('an after-sale that is terminated before it has read leaves its hand-over to the next', async () => {
  await begin({});
  const mend = listIsDown();
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.temporal.latest(AFTER)?.terminate();
  mend();
  await world.pass(HOUR);
  world.refund();
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect((await sale()).outcome).toBe('SUCCESS');
});

test.each([
  { order_amount: 'abc' },
  { order_amount: 7 },
  { order_currency: 9 },
  { trade_status: 5 },
  { outcome: {} },
  { other_trades: [{}] },
  { other_trades: [{ trade_no: 5, trade_status: {} }] },
  { mismatch: 'x' },
  { payment_data: 'x' },
  { method: 9 },
  { history: ['x', null] },
])('a garbage payment %j does not stop the after-sale', async (odd) => {
  await begin({});
  await sell();
  const state = { ...(await stateNow()), ...odd };
  const given = {
    end: {
      run_id: 'x',
      ended_at: world.now,
      state,
      reasons: [],
      watch_until: 0,
      sent_again: false,
      made_here: true,
      repeats: false,
      asked: [],
    },
    claims: [],
    contradicted: [],
  };
  world.temporal.latest(AFTER)?.signal('payment', toPayloads(defaultPayloadConverter, given) ?? []);
  await world.pass(MINUTE);
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.length).toBe(1);
});

test('money that is notified after the gateway has denied a trade is known where a person cancels before it is asked again', async () => {
  await begin();
  world.gateway.trouble = 'no such order';
  const other = madeByAnother();
  world.notify(other);
  await world.pass(HOUR);
  expect(attentions()).toEqual(['unknown-trade']);
  paid(other);
  await world.pass(SECOND);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

test.each(['150,00', 'n/a', '1.5E+2'])(
  'late money whose amount nobody can read (%s) is before a person',
  async (amount) => {
    await begin({ late: 'refund', method: 'Wallet' });
    await endCancelled();
    Object.assign(tradeAt(0), { amount });
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(5 * DAY);
    expect((await stateNow()).attention).toBe('late-payment');
  },
);

test.each(['the first', 'the latest'] as const)(
  'of two trades of ours, the second is known once it is paid, although a person has seen both (the number shows %s)',
  async (shows) => {
    await begin({ method: 'Wallet', creations: ['carried out late'], late_ms: 5 * MINUTE, shows });
    await pay(6 * MINUTE);
    const { trade_no } = await stateNow();
    const [own, other] = trade_no === 'T1' ? [tradeAt(0), tradeAt(1)] : [tradeAt(1), tradeAt(0)];
    world.notify(other);
    paid(own);
    await world.pass(10 * MINUTE);
    await resolveAfterSale({});
    await world.pass(MINUTE);
    world.gateway.move(other, 'SUCCESS');
    await world.pass(3 * DAY);
    expect((await stateNow()).attention).toBe('second-trade');
  },
);
