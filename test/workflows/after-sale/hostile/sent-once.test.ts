/** Promise 7: a refund is sent once, whatever became of its answer, its run or a decision about it. */

import { AsyncResource } from 'node:async_hooks';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering, answeringFirst } from '../../hostile/answering';
import { said } from '../../hostile/gateway';
import {
  ask,
  comesLate,
  DONE,
  goneBack,
  happens,
  nameElsewhere,
  numbersMade,
  open,
  openWatched,
  queries,
  refundOf,
  renameQueue,
  resolve,
  SECOND,
  settle,
  terminate,
  trouble,
  works,
  world,
} from './acts';

/** Somebody ends the after-sale a moment after it has sent the refund. */
const terminateSoon = () => happens(SECOND, terminate, SECOND);
/** Does something so many ms after the gateway has been queried next. */
async function afterTheNextQuery(ms: number, act: () => void): Promise<void> {
  const outside = AsyncResource.bind(act);
  answeringFirst(world.gateway, '', ({ ask }) => {
    world.temporal.clock.in(ms, outside);
    return ask();
  });
  await world.pass(6 * HOUR);
}
test('a refund names the trade by the number under which the gateway has just shown it, where it denies the other one', async () => {
  await open({ findsBy: 'out_trade_no alone', plans: [DONE] });
  await happens(ask('150.00', 'a'), HOUR);
  expect(world.told).toMatchObject([{ is: 'answer', answer: { recovered: false } }]);
  expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '150.00' });
});

test('promise 8: the refund of a late payment that a terminated run may have sent is not sent again: the next run has it before a person, and merchants hear of it', async () => {
  await open({ watchWindow: '3d', late: 'refund' });
  await happens(trouble('refunds unreachable'), comesLate, MINUTE, terminate, works, ask('10.00', 'b'), HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunds: [{ outcome: null }] });
  const heard = world.events.flatMap((event) => ('payment' in event ? [[event.type, event.payment.attention]] : []));
  expect(heard).toContainEqual(['attention', 'unknown-refund']);
  expect(world.gateway.requests).toEqual([]);
});

test('a refund that a terminated after-sale made is not made again after a person has named what went back, and is counted once', async () => {
  await open({ watchWindow: '3d' });
  await happens(ask('40.00', 'a'), 10 * MINUTE, ask('40.00', 'b'), 35_000, terminate, HOUR);
  // No worker can answer for the terminated run any more: its history says what it has sent.
  await happens(renameQueue, ask('40.00', 'b'), HOUR, nameElsewhere, HOUR);
  // The merchant does what it was told: "ask again with the same request".
  await happens(ask('40.00', 'b'), HOUR);
  expect(numbersMade()).toEqual(['a', 'b']);
  expect(await world.state()).toMatchObject({
    attention: 'unknown-refund',
    refunds: [
      { out_request_no: 'a', attempt: 1, attention: 'unknown-refund' },
      { out_request_no: 'b', attempt: 1, attention: 'unknown-refund' },
    ],
  });
});

test.each([
  ['after another part', 1],
  ['as the first', 0],
])(
  'a refund whose number another trade has used is neither counted nor answered, where an answer was lost before: %s',
  async (_when, parts) => {
    const lost = 'temporary' as const;
    await open({ numbers: 'refused', usedInApp: true, mishaps: parts === 1 ? ['none', lost] : [lost] });
    if (parts === 1) world.ask({ amount: '50.00', number: 'a' });
    await happens(10 * MINUTE, ask('50.00', 'd'), HOUR, ask('50.00', 'd'), HOUR);
    expect(numbersMade()).toEqual(parts === 1 ? ['a'] : []);
    expect(await world.state()).toMatchObject({
      ...{ refunded_amount: parts === 1 ? '50.00' : '0.00', refunding_amount: '50.00', attention: 'unknown-refund' },
    });
    expect(world.told.filter(({ is }) => is === 'answer')).toHaveLength(parts);
  },
);

test.each([
  ['with a code', { code: '50300', msg: 'Service Unavailable' }],
  ['without one', { oops: true }],
])(
  'a refund that the gateway made, whose answer is a 503 %s, is not made again where its copies are 45 seconds behind',
  async (_which, words) => {
    await open({ lag_ms: 45_000 });
    answeringFirst(world.gateway, '/refund', async ({ ask }) => {
      await ask();
      return said(503, words);
    });
    await happens(ask('150.00', 'a'), 40_000);
    // The merchant was told that there is no refund, and asks once more.
    await happens(ask('150.00', 'a'), DAY);
    expect(numbersMade()).toEqual(['a']);
  },
);

test.each(['NOT_CREATED', 'REFUND_REFUSED'] as const)(
  'promise 7: %s of a refund whose after-sale was terminated does not count while its request may be on its way',
  async (outcome) => {
    // The merchant gives 300.00 back of 150.00: the dashboard shows no refund, because it comes 20 s later.
    await open({ mishaps: ['carried out late'] });
    await happens(ask('150.00', 'a'), terminateSoon, resolve({ outcome, out_request_no: 'a' }), 5_000);
    await happens(ask('150.00', 'b'), HOUR);
    expect(goneBack()).toBe('150.00');
    expect(world.told.find(({ is }) => is === 'not resolved')).toMatchObject({
      message: expect.stringContaining('less than two minutes ago'),
    });
    // Later the dashboard shows it, and that is believed.
    await happens(resolve({ outcome: 'REFUNDED', out_request_no: 'a' }), HOUR);
    expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
  },
);

test('promise 8: NOT_CREATED of a refund whose after-sale was terminated counts once no request of it can be on its way', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  await happens(ask('150.00', 'a'), terminateSoon, 2 * MINUTE);
  await happens(resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' }), MINUTE, ask('150.00', 'b'), DAY);
  expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
});

test('promise 8: who is refused by Temporal, because so many ask at once, is told to ask again', async () => {
  await open();
  world.temporal.leaveWithoutWorker(HOUR);
  for (let i = 0; i < 12; i += 1) await happens(ask('1.00', `n${i}`));
  await world.pass(10 * MINUTE);
  expect(world.told.map((one) => 'type' in one && one.type)).toEqual(Array(12).fill('PaymentPendingError'));
});

test.each([
  ['trade_no', 'T9'],
  ['out_trade_no', 'order-9'],
])('a refund whose body has another order’s %s is refused, and nothing is sent', async (field, value) => {
  await openWatched();
  const user_info = { name: 'Mariana Souza Lima', email: 'mariana@example.com', identify: { number: '12345678909' } };
  const order = { amount: '50.00', out_request_no: 'a', user_info, [field]: value };
  const refused = expect(world.payments.refund('order-1', order)).rejects.toThrow(`${field}: not allowed`);
  await world.pass(HOUR);
  await refused;
  expect([world.gateway.requests, world.neighbour.refunds]).toEqual([[], []]);
});

test('a decision that no refund was made counts only where none has been sent since: at each moment around the request', async () => {
  const told: unknown[] = [];
  for (let i = 0; i < 24; i += 1) {
    const offset_ms = (i % 8) * 8;
    let seed = (1 + Math.floor(i / 8)) * 7919 + offset_ms;
    const pick = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * n);
    };
    await openWatched({ pick });
    await happens(settle, HOUR, trouble('unreachable'), ask('100.00', 'a'), 6 * HOUR);
    expect(await world.state()).toMatchObject({ attention: 'no-answer' });
    world.gateway.trouble = undefined;
    await afterTheNextQuery(offset_ms, resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' }));
    const { outcome } = (await refundOf('a')) ?? {};
    told.push([world.told.findLast(({ is }) => is.endsWith('resolved'))?.is, outcome, world.gateway.refunds.length]);
    await world.close();
  }
  const wrong = told.filter(
    (one) =>
      JSON.stringify(one) !== JSON.stringify(['resolved', 'NOT_CREATED', 0]) &&
      JSON.stringify(one) !== JSON.stringify(['not resolved', 'REFUNDED', 1]) &&
      JSON.stringify(one) !== JSON.stringify(['not resolved', 'ACCEPTED', 1]),
  );
  expect(wrong).toEqual([]);
});

test('the rest is refunded after a part that the gateway has begun a day late', async () => {
  await openWatched({ plans: [{ startsAfter_ms: 26 * HOUR, takes_ms: 0, ends: 'done' }] });
  await happens(ask('50.00', 'a'), 30 * HOUR);
  expect(await world.state()).toMatchObject({ trade_status: 'PARTIAL_REFUND', attention: null });
  const before = queries();
  // Called off and sent anew without a pause, it would never end in simulated time.
  answering(world.gateway, async ({ ask: on }) => {
    if (queries() - before === 60) world.run?.terminate();
    return on();
  });
  await happens(ask('100.00', 'b'), 10 * MINUTE);
  expect(queries() - before).toBeLessThan(40);
  expect([numbersMade(), (await refundOf('b'))?.outcome]).toEqual([['a', 'b'], 'REFUNDED']);
});
