/** Promise 7: an end that the trade shows is given to no refund of ours unless nothing else can be true. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  amountGoneBack,
  ask,
  attention,
  chargeBackAndReverse,
  comesBack,
  DONE,
  decideAll,
  decideStuck,
  desk,
  giveUp,
  goneBack,
  happens,
  isMade,
  isTold,
  LONG,
  makes,
  move,
  nameElsewhere,
  notify,
  numbersMade,
  open,
  openWatched,
  REFUSED,
  REVOKED,
  refundOf,
  reset,
  resolve,
  SECOND,
  settle,
  tell,
  terminate,
  trouble,
  untilShown,
  works,
  world,
} from './acts';

const SLOW = { takes_ms: 20 * SECOND, ends: 'done' } as const;
const SLOWLY_REVOKED = { takes_ms: 20 * SECOND, ends: 'revoked' } as const;
const outcomeOf = async (number: string) => (await refundOf(number))?.outcome;
/** A person says what the dashboard shows of each refund that waits for one, and a day passes. Returns what nobody is asked about. */
async function answerAll() {
  await happens(decideStuck, decideStuck, decideStuck, DAY);
  const state = await world.state();
  return [state?.attention, state?.refunded_amount];
}

test('promise 7: a third part that waits behind a revoked one is not refused as beside a refund that we did not make', async () => {
  await open({ plans: [SLOW, SLOWLY_REVOKED, SLOW], tells_ms: SECOND });
  await happens(ask('50.00', 'a'), ask('50.00', 'b'), ask('50.00', 'c'), HOUR);
  expect([await outcomeOf('c'), await attention()]).toEqual(['REFUNDED', null]);
});

test('promise 7: a second refund that never arrived is not called REFUNDED without a person', async () => {
  await open({ plans: [DONE], mishaps: ['none', 'lost before it arrived'] });
  await happens(ask('100.00', 'a'), 10 * MINUTE, ask('50.00', 'b'), 20 * SECOND, desk('50.00', 0), DAY);
  expect([await outcomeOf('b'), await attention()]).not.toEqual(['REFUNDED', null]);
});

test.each([['50.00'], ['150.00']])(
  'a refund of %s that is revoked hours after REFUNDED, between two polls, is before a person, who frees its amount',
  async (amount) => {
    await open({ watchWindow: '3d' });
    await happens(ask(amount, 'a'), 5 * HOUR);
    expect(await world.state()).toMatchObject({ refunded_amount: amount, attention: null });
    await happens(move('REFUND_REVOKE'), 1_000, move('SUCCESS'), DAY);
    expect(await world.state()).toMatchObject({
      ...{ trade_status: 'SUCCESS', attention: 'unknown-refund', refunded_amount: '0.00', refunding_amount: amount },
    });
    await happens(resolve({ outcome: 'REFUND_REVOKE', out_request_no: 'a' }), HOUR, ask(amount, 'b'), 5 * HOUR);
    expect(await world.state()).toMatchObject({ attention: null, refunded_amount: amount, refunding_amount: '0.00' });
  },
);

test('a revoke seen while another refund was under way is before a person, although that refund ended without its after-sale', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'done' }], answersStatus: false });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('40.00', 'b'), 2 * MINUTE);
  await happens(move('REFUND_REVOKE'), untilShown('REFUND_REVOKE'), move('REFUND_PROCESSING'), MINUTE);
  await happens(terminate, 5 * HOUR, ask('40.00', 'b'), DAY);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunds: [{}, { outcome: null }] });
  await happens(resolve({ out_request_no: 'b', outcome: 'REFUNDED' }), MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunded_amount: '40.00' });
});

test('a late notification of the end of a refund does not unsay that it was revoked since', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'done' }], answersStatus: false });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('40.00', 'b'));
  // It is done, comes back at once, and the trade shows that for ten seconds.
  await world.pass(20 * MINUTE);
  expect(world.sold.states.at(-1)).toMatchObject({ status: 'PARTIAL_REFUND', number: 'b' });
  await happens(giveUp('us', true), tell('REFUND_REVOKE', 'b'), 10_000, move('PARTIAL_REFUND'));
  // The gateway tells once more what was not acknowledged: older news.
  await happens(tell('PARTIAL_REFUND', 'b'), DAY);
  const { refunds = [] } = (await world.state()) ?? {};
  const b = refunds.find(({ out_request_no }) => out_request_no === 'b');
  // It was revoked, or is a person's to decide.
  expect([b?.outcome, b?.attention]).not.toEqual(['REFUNDED', null]);
});

test('promise 7: a refund with a lost answer is not paid twice because an earlier part came back meanwhile, by its number', async () => {
  await open({ plans: [DONE, LONG, DONE], mishaps: ['none', 'answer lost'], lag_ms: 45_000, watchWindow: '3d' });
  await happens(ask('50.00', 'a'), 10 * MINUTE, chargeBackAndReverse, ask('100.00', 'c'), MINUTE);
  await happens(comesBack('a'), tell('REFUND_REVOKE', 'a'), MINUTE, move('SUCCESS'), HOUR);
  expect([amountGoneBack(), numbersMade()]).toEqual([100, ['a', 'c']]);
});

test('promise 7: a refund that the gateway took in words that are not known is not called NOT_CREATED because of that', async () => {
  await open({ plans: [LONG], mishaps: ['refused in other words, and made'], lag_ms: 45_000 });
  await happens(ask('100.00', 'a'), MINUTE);
  await happens(makes('desk-1', '40.00', 'the desk', REVOKED), tell('REFUND_REVOKE', 'desk-1'), HOUR);
  const a = await refundOf('a');
  expect([a?.outcome, amountGoneBack()]).toEqual([null, 100]);
});

test('promise 7: a refund whose tries do not reach the gateway is not sent beside a chargeback that was told to a new after-sale', async () => {
  await open({ plans: [DONE], lag_ms: 4 * MINUTE });
  await happens(trouble('refunds unreachable'), ask('150.00', 'a'), MINUTE, terminate, 1_000);
  await happens(move('CHARGEBACK'), tell('CHARGEBACK'), 2 * MINUTE);
  const before = await world.state();
  await happens(works, 30 * MINUTE);
  expect([before?.attention, amountGoneBack()]).toEqual(['chargeback', 0]);
});

test('promise 7: a refund is not called refused because of one of the desk that was named as refused before it, on a copy four minutes behind', async () => {
  await open({ plans: [LONG, DONE], lag_ms: 4 * MINUTE });
  await happens(makes('desk-1', '40.00', 'the desk', REFUSED), tell('REFUND_REFUSED', 'desk-1'), 2 * MINUTE);
  await happens(nameElsewhere, 1_000, settle, 1_000, ask('100.00', 'a'), 190_000, ask('150.00', 'b'), 10 * MINUTE);
  const a = await refundOf('a');
  // The copy shows the end of the desk's after a person has named it: it may be one more, so nothing is sent.
  expect([a?.outcome, await attention(), amountGoneBack()]).toEqual(['NOT_CREATED', 'refund-elsewhere', 0]);
});

test('promise 7: a refund that was called refused is before a person once a notification names another as refused', async () => {
  await open({ plans: [LONG, DONE] });
  await happens(ask('100.00', 'a'), 2_000, makes('desk-1', '40.00', 'the desk', REFUSED), 10 * MINUTE);
  await happens(tell('REFUND_REFUSED', 'desk-1'), 10 * MINUTE);
  const a = await refundOf('a');
  await happens(nameElsewhere, MINUTE, ask('150.00', 'b'), 10 * MINUTE);
  expect([a?.attention, amountGoneBack()]).toEqual(['unknown-refund', 100]);
});

test('promise 7: a second try under a number is not called refused on the notification of the first, on a copy two minutes behind', async () => {
  await open({ plans: [LONG], mishaps: ['refused for good'], lag_ms: 2 * MINUTE });
  await happens(ask('100.00', 'a'), 2_000, ask('100.00', 'a'), 2_000, tell('REFUND_REFUSED', 'a'), 75_000);
  const a = await refundOf('a');
  expect([a?.attempt, a?.outcome, amountGoneBack()]).toEqual([2, null, 100]);
});

test('promise 4: a refund that came back is asked about: the trade is SUCCESS after a part was given back, and the next refund is the first to see it', async () => {
  await open({ plans: [DONE, DONE], watchWindow: '3d' });
  await happens(ask('50.00', 'a'), 5 * HOUR, comesBack('a'), MINUTE, move('SUCCESS'), MINUTE);
  await happens(ask('100.00', 'c'), HOUR);
  expect(await answerAll()).not.toEqual([null, '150.00']);
});

// The same without the desk: 'still a part' counts after 30 s, and the copy is a minute behind.
test('promise 4: a refund that came back is asked about: a refund that a copy a minute behind let end as REFUNDED, and is refused while the next one is under way', async () => {
  await open({ plans: [DONE, { takes_ms: 90_000, ends: 'refused' }, LONG], lag_ms: MINUTE, answersStatus: false });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('50.00', 'b'), 40_000, ask('50.00', 'c'), 6 * HOUR);
  expect(await answerAll()).not.toEqual([null, '150.00']);
});

test('promise 7: a refund that was named as under way is not called revoked because an earlier part comes back, which no number says', async () => {
  await open({ plans: [DONE, REFUSED, LONG, DONE] });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('10.00', 'b'), 10 * MINUTE, decideAll, ask('100.00', 'c'), 2_000);
  await happens(tell('REFUND_PROCESSING', 'c'), 10 * MINUTE, comesBack('a'), untilShown('REFUND_REVOKE'), 2 * MINUTE);
  await happens(move('SUCCESS'), HOUR);
  const before = await world.state();
  await happens(ask('100.00', 'd'), 10 * MINUTE);
  expect([before?.attention, amountGoneBack()]).toEqual(['unknown-refund', 100]);
});

test('promise 7: a refund under way is not called revoked because a part of the desk, which a person has named, comes back', async () => {
  await open({ plans: [REFUSED, LONG, DONE] });
  await happens(desk('50.00', 0), notify('all'), 10 * MINUTE, nameElsewhere, 10 * MINUTE);
  await happens(ask('10.00', 'b'), 10 * MINUTE, decideAll, ask('100.00', 'c'), 10 * MINUTE);
  await happens(comesBack('desk-1'), untilShown('REFUND_REVOKE'), 2 * MINUTE, move('SUCCESS'), HOUR);
  const before = await world.state();
  const c = await refundOf('c');
  await happens(ask('100.00', 'd'), 10 * MINUTE);
  expect([c?.outcome === 'REFUND_REVOKE' && before?.attention === null, amountGoneBack()]).toEqual([false, 100]);
});

test('promise 7: a refund that never arrived is not called given back because the trade returns from a refusal to the part before it', async () => {
  await open({ plans: [DONE, REFUSED], mishaps: ['none', 'none', 'lost before it arrived'] });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('10.00', 'b'), 10 * MINUTE);
  await happens(decideStuck, ask('50.00', 'c'), 10 * MINUTE, move('PARTIAL_REFUND'), 5 * HOUR);
  const c = await refundOf('c');
  await happens(ask('50.00', 'c'), HOUR);
  expect([c?.outcome === 'REFUNDED' && c.attention === null, isTold('c'), isMade('c')]).toEqual([false, false, false]);
});

test('promise 7: a notification of another trade under the order’s number, whose refund has the same number, does not end ours', async () => {
  await open({ plans: [DONE, DONE, DONE], answersStatus: false });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('50.00', 'c'));
  for (let i = 0; i < 400 && world.gateway.requests.length < 2; i += 1) await world.pass(250);
  await world.pass(1_000);
  const other = { trade_no: 'T2', out_trade_no: 'order-1', trade_status: 'REFUND_REVOKE', out_request_no: 'c' };
  world.temporal.signal(world.workflowId, 'notification', other);
  await world.pass(HOUR);
  const c = await refundOf('c');
  await happens(ask('100.00', 'd'), HOUR);
  expect([c?.outcome, amountGoneBack()]).toEqual(['ACCEPTED', 100]);
});

test.each([
  ['the trade shows a part again', 'PARTIAL_REFUND' as const],
  ['the gateway calls parts REFUNDED', 'REFUNDED' as const],
])(
  'promise 7: a part that came back between two looks is before a person once that is notified without a number: %s',
  async (_, partialStatus) => {
    await open({ plans: [DONE, DONE], partialStatus });
    await happens(ask('50.00', 'a'), 10 * MINUTE, ask('50.00', 'b'), 10 * MINUTE);
    if (partialStatus === 'REFUNDED') {
      // Nothing says that this gateway calls parts so.
      await happens(resolve({ refunded_elsewhere: '0.00' }), MINUTE, ask('50.00', 'b'), 10 * MINUTE);
    }
    await happens(giveUp('us', false), DAY, notify('all'), HOUR);
    expect(await refundOf('b')).toMatchObject({ attention: 'unknown-refund' });
  },
);

test('promise 7: a refund that the gateway has accepted, and carries out five minutes later, frees nothing where the trade shows only the refused one before', async () => {
  const late = { startsAfter_ms: 5 * MINUTE, takes_ms: HOUR, ends: 'done' } as const;
  await open({ plans: [{ takes_ms: 20_000, ends: 'refused' }, late, late] });
  await happens(ask('100.00', 'a'), 20 * MINUTE, decideAll, ask('100.00', 'b'), 2 * MINUTE);
  const b = await refundOf('b');
  await happens(ask('100.00', 'c'), DAY);
  expect([b?.outcome, isMade('c'), amountGoneBack()]).toEqual(['ACCEPTED', false, 100]);
});

test('promise 7: a first refund whose answer calls it refused keeps its amount until its number, or a person, says so', async () => {
  await open({ plans: [REFUSED, DONE] });
  await happens(ask('150.00', 'a'), MINUTE);
  const early = await refundOf('a');
  await world.pass(10 * MINUTE);
  expect([early?.outcome, (await refundOf('a'))?.attention]).toEqual([null, 'unknown-refund']);
  await decideStuck();
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUND_REFUSED', attention: null });
});

describe('promise 3: an end that a person knew and denied is no news when it comes again', () => {
  const late = { startsAfter_ms: 5 * DAY, takes_ms: 0, ends: 'done' } as const;
  const saidGone = (although: string) => happens(resolve({ outcome: 'REFUNDED', out_request_no: 'a', although }), HOUR);

  test('another end without money under the number of a refund that a person calls gone is before a person', async () => {
    await openWatched({ plans: [late, DONE] });
    await happens(ask('150.00', 'a'), MINUTE, tell('REFUND_REFUSED', 'a'), HOUR);
    await saidGone('REFUND_REFUSED');
    await happens(tell('REFUND_REVOKE', 'a'), HOUR, ask('150.00', 'b'), DAY);
    expect([(await refundOf('a'))?.attention, isMade('b')]).toEqual(['unknown-refund', false]);
  });
});

describe('promise 7: what a person has freed against the gateway is not free once the gateway says so again', () => {
  const late = { startsAfter_ms: 2 * DAY, takes_ms: HOUR, ends: 'done' } as const;

  test('REFUND_PROCESSING of a refund that begins after a person has called it refused', async () => {
    await openWatched({ plans: [late, DONE], lag_ms: 30 * SECOND });
    await happens(ask('150.00', 'a'), MINUTE, tell('REFUND_PROCESSING', 'a'), HOUR);
    await happens(resolve({ outcome: 'REFUND_REFUSED', out_request_no: 'a' }), 2 * DAY);
    await happens(tell('REFUND_PROCESSING', 'a'), SECOND, ask('150.00', 'b'), HOUR);
    expect([(await refundOf('a'))?.attention, isMade('b')]).toEqual(['unknown-refund', false]);
  });

  test('REFUNDED of a refund that a person calls revoked', async () => {
    await openWatched({ plans: [{ ...late, startsAfter_ms: 5 * DAY }, DONE] });
    await happens(ask('150.00', 'a'), MINUTE, tell('REFUNDED', 'a'), HOUR);
    await happens(resolve({ outcome: 'REFUND_REVOKE', out_request_no: 'a' }), HOUR);
    await happens(tell('REFUNDED', 'a'), MINUTE, ask('150.00', 'b'), HOUR);
    expect([(await refundOf('a'))?.attention, isMade('b')]).toEqual(['unknown-refund', false]);
  });
});

test('promise 3: a person who says again that a refund is gone is not asked by the same notification, nor after a reset', async () => {
  await openWatched({ plans: [{ startsAfter_ms: 5 * DAY, takes_ms: 0, ends: 'done' }, DONE] });
  const isGone = (although?: string) =>
    resolve({ outcome: 'REFUNDED', out_request_no: 'a', ...(although ? { although } : {}) });
  await happens(ask('150.00', 'a'), HOUR, isGone(), HOUR, tell('REFUND_REFUSED', 'a'), MINUTE);
  expect((await refundOf('a'))?.attention).toBe('unknown-refund');
  await happens(isGone('REFUNDED REFUND_REFUSED'), HOUR, tell('REFUND_REFUSED', 'a'), MINUTE, reset, HOUR);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUNDED', attention: null });
  // Ours goes, and the other one's refusal comes once more.
  await happens(tell('REFUNDED', 'a'), MINUTE, tell('REFUND_REFUSED', 'a'), HOUR, ask('150.00', 'b'), HOUR);
  expect([await outcomeOf('a'), isMade('b')]).toEqual(['REFUNDED', false]);
});

test('promise 7: an end that was notified while a person said so is known when the person calls the refund gone after all', async () => {
  await openWatched({ plans: [{ startsAfter_ms: 5 * DAY, takes_ms: 0, ends: 'done' }, DONE] });
  const says = (outcome: 'REFUND_REFUSED' | 'REFUNDED', although?: string) =>
    resolve({ outcome, out_request_no: 'a', ...(although ? { although } : {}) });
  await happens(ask('150.00', 'a'), HOUR, says('REFUND_REFUSED'), HOUR, tell('REFUND_REVOKE', 'a'), HOUR);
  await happens(
    says('REFUNDED', 'REFUND_REFUSED'),
    HOUR,
    tell('REFUND_REVOKE', 'a'),
    HOUR,
    ask('150.00', 'b'),
    10 * DAY,
  );
  expect([await outcomeOf('a'), goneBack()]).toEqual(['REFUNDED', '150.00']);
});

test('a notification that agrees with a person asks nobody again', async () => {
  await openWatched({ plans: [REVOKED, DONE] });
  await happens(ask('50.00', 'a'), HOUR, tell('REFUND_REVOKE', 'a'), HOUR);
  await happens(resolve({ outcome: 'REFUNDED', out_request_no: 'a', although: 'REFUND_REVOKE' }), HOUR);
  await happens(tell('PARTIAL_REFUND', 'a'), HOUR);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUNDED', attention: null });
});

test('a late copy of a refund’s end does not settle whether that refund came back', async () => {
  await openWatched({ plans: [DONE] });
  await happens(ask('50.00', 'a'), HOUR, resolve({ outcome: 'REFUNDED', out_request_no: 'a' }), HOUR);
  await happens(comesBack('a'), DAY, makes('d1', '30.00', 'the desk', DONE), DAY);
  await happens(resolve({ refunded_elsewhere: '30.00' }), HOUR, tell('PARTIAL_REFUND', 'a'), DAY);
  expect((await refundOf('a'))?.attention).toBe('unknown-refund');
});
