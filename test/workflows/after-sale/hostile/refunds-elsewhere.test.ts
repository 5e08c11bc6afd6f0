/** Promise 7: refunds that others made, or that nobody remembers, count as what has gone back. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  amountGoneBack,
  ask,
  attention,
  DONE,
  desk,
  goneBack,
  happens,
  LONG,
  move,
  nameElsewhere,
  notify,
  numbersMade,
  open,
  openWatched,
  refundOf,
  reset,
  resolve,
  SECOND,
  settle,
  tell,
  terminate,
  trouble,
  works,
  world,
} from './acts';

/** The gateway's desk tries a refund that ends without money. */
const deskInVain = (amount: string, ends: 'refused' | 'revoked' = 'refused') =>
  world.gateway.giveBack(world.sold, 'desk-in-vain', amount, 'the desk', { takes_ms: 0, ends });

test('promise 8: what a person names together with an outcome settles the question that asks for it', async () => {
  // The operator loses: the list goes on asking for what was named, and says of a complete ledger that it is not.
  await open({ watchWindow: '3d', tells_ms: 500, plans: [{ takes_ms: 10 * MINUTE, ends: 'refused' }] });
  await happens(ask('100.00', 'a'), 10 * MINUTE + 1_500, desk('50.00', 0), 5 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  await happens(resolve({ outcome: 'REFUND_REFUSED', out_request_no: 'a', refunded_elsewhere: '50.00' }), DAY);
  expect(await world.state()).toMatchObject({ ledger_complete: true, refunded_elsewhere: '50.00', attention: null });
});

describe('a sum that a person names as gone back elsewhere', () => {
  const named = (refunded_elsewhere: string) => {
    world.resolve({ refunded_elsewhere });
    return world.pass(MINUTE);
  };
  const deskGives = async (amount: string) => {
    await open({ tells_ms: 500, plans: [{ takes_ms: 10 * MINUTE, ends: 'done' }] });
    await happens(ask('20.00', 'a'), HOUR, desk(amount, 0), HOUR);
    expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', refunded_amount: '20.00' });
  };

  test('is refused with the figure where it is more than was paid', async () => {
    await deskGives('30.00');
    await named('999.00');
    expect(world.told.at(-1)).toMatchObject({
      is: 'not resolved',
      message: expect.stringMatching(/refunded_elsewhere: at most 150\.00: 150\.00 BRL was paid/),
    });
    expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
    await named('30.00');
    expect(await world.state()).toMatchObject({ attention: null, refunded_elsewhere: '30.00' });
  });

  test('is replaced by what a person says later, after the end, too, and both stay in the history', async () => {
    await deskGives('30.00');
    await named('130.00');
    await world.pass(DAY);
    expect(world.run?.isRunning).toBe(false);
    await named('30.00');
    await happens(HOUR, ask('100.00', 'b'), HOUR);
    const state = await world.state();
    expect(state).toMatchObject({ attention: null, refunded_elsewhere: '30.00', refunded_amount: '120.00' });
    expect(state?.history.flatMap((one) => one.refunded_elsewhere ?? [])).toEqual(['130.00', '30.00']);
    expect(world.gateway.gone().toFixed(2)).toBe('150.00');
  });
});

test('promise 7: the bank’s word is remembered for ten minutes, also by the next after-sale, where a person has settled it and the run before has ended', async () => {
  await open({ plans: [LONG], lag_ms: 10 * MINUTE });
  await happens(move('DISPUTE'), tell('DISPUTE'));
  while ((await attention()) !== 'unconfirmed-notification') await world.pass(SECOND);
  await happens(settle, 2 * SECOND, ask('150.00', 'a'), HOUR);
  expect(world.gateway.requests.map(({ status }) => status)).toEqual([]);
});

test('a refund that waits for its turn is not sent any more once one from elsewhere is known, and says so', async () => {
  await open({ watchWindow: '3d' });
  await happens(desk('150.00', 0), move('CHARGEBACK_REVERSED'), ask('100.00', 'a'), MINUTE, notify('all'), MINUTE);
  await happens(move('SUCCESS'), DAY);
  expect(numbersMade()).toEqual(['desk-1']);
  expect((await world.state())?.refunds).toMatchObject([{ outcome: 'NOT_CREATED', failure: { type: 'NotRefunded' } }]);
});

test('a refund that waits for another one is not sent where a person names meanwhile that too little is left', async () => {
  await open({ watchWindow: '3d', plans: [{ takes_ms: 2 * HOUR, ends: 'done' }], tells_ms: 500 });
  await happens(ask('50.00', 'a'), ask('100.00', 'b'), HOUR, desk('50.00', 6 * HOUR), MINUTE, nameElsewhere, DAY);
  expect(numbersMade()).toEqual(['a', 'desk-1']);
  expect((await world.state())?.refunds.at(-1)).toMatchObject({ out_request_no: 'b', outcome: 'NOT_CREATED' });
});

test('what a person named in an outage is known after the after-sale was terminated in it', async () => {
  await open();
  // What was paid is known before: no sum is taken beyond that.
  await happens(settle, MINUTE, desk('50.00', 0), trouble('503'), nameElsewhere, MINUTE);
  await happens(terminate, works, ask('150.00', 'a'), HOUR);
  expect(numbersMade()).toEqual(['desk-1']);
  expect(await world.state()).toMatchObject({ refunded_elsewhere: '50.00' });
});

test('a refund that was refused elsewhere hides one that was made there: ours is not sent until a person has named it', async () => {
  await openWatched();
  await happens(settle, 5 * HOUR, desk('100.00', 0), 1_000, () => deskInVain('50.00'), ask('100.00', 'a'), DAY);
  expect(goneBack()).toBe('100.00');
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
});

test('REFUNDED of a gateway that has called our parts PARTIAL_REFUND says that others gave the rest back', async () => {
  await openWatched();
  await happens(ask('50.00', 'a'), HOUR, ask('50.00', 'b'), 10_000, desk('50.00', 0), 3 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', refunded_amount: '100.00' });
  await happens(ask('50.00', 'c'), DAY);
  expect(goneBack()).toBe('150.00');
});

test('what the trade shows where a person says that ours was not made is from elsewhere', async () => {
  await openWatched({ mishaps: ['none', 'lost before it arrived'] });
  await happens(ask('50.00', 'a'), HOUR, ask('50.00', 'b'), 10 * MINUTE, desk('50.00', 5 * HOUR), 2 * HOUR);
  await happens(resolve({ outcome: 'NOT_CREATED', out_request_no: 'b' }), HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  await happens(12 * HOUR, ask('100.00', 'c'), DAY);
  expect(goneBack()).toBe('100.00');
});

test.each(['refused', 'revoked'] as const)(
  'a notification that another refund was %s does not end ours',
  async (ends) => {
    await openWatched({ tells_ms: 500, plans: [{ takes_ms: 5 * HOUR, ends: 'done' }] });
    await happens(ask('100.00', 'a'), 10 * MINUTE, () => deskInVain('50.00', ends), HOUR);
    await happens(resolve({ refunded_elsewhere: '0.00' }), MINUTE, ask('150.00', 'c'), DAY);
    expect(goneBack()).toBe('100.00');
    expect(await refundOf('a')).not.toMatchObject({ attention: null, outcome: expect.stringContaining('REFUND_RE') });
  },
);

test('promise 7: a reset does not send a refund that was refused, although its request would be granted now', async () => {
  await open({ plans: [DONE] });
  await happens(desk('50.00', 0), notify('all'), HOUR, ask('50.00', 'a'), HOUR);
  expect(await refundOf('a')).toBeUndefined();
  // So the desk gives it back by hand, and a person says so.
  await happens(desk('50.00', 0), notify('all'), HOUR, nameElsewhere, HOUR, reset, DAY);
  expect([goneBack(), numbersMade()]).toEqual(['100.00', ['desk-1', 'desk-2']]);
});

describe('a part from elsewhere is noticed, although ours, each done within a minute, brings the trade back to where it was a moment before:', () => {
  const quick = { takes_ms: MINUTE, ends: 'done' } as const;
  const quickParts = (...numbers: string[]) => numbers.flatMap((number) => [ask('10.00', number), HOUR]);
  const openQuick = () => openWatched({ plans: [quick, quick, quick, quick] });

  test.each([[['a']], [['a', 'b']], [['a', 'b', 'c']]])('promise 7: hours after %j', async (numbers) => {
    await openQuick();
    await happens(...quickParts(...numbers), desk('100.00', 5 * HOUR), DAY, ask('130.00', 'all'), HOUR);
    expect([await attention(), amountGoneBack()]).toEqual(['refund-elsewhere', 100 + 10 * numbers.length]);
  });

  test('promise 7: two minutes after the second was sent, and four after the first', async () => {
    await openQuick();
    await happens(ask('10.00', 'a'), 2 * MINUTE, ask('10.00', 'b'), 2 * MINUTE);
    await happens(desk('100.00', 5 * HOUR), DAY, ask('130.00', 'all'), HOUR);
    expect([await attention(), amountGoneBack()]).toEqual(['refund-elsewhere', 120]);
  });

  test('promise 7: hours after the second, which was done at once, as its number says', async () => {
    await openWatched({ plans: [DONE, DONE, DONE] });
    await happens(...quickParts('a', 'b'), tell('PARTIAL_REFUND', 'b'), HOUR);
    await happens(desk('100.00', 5 * HOUR), DAY, ask('130.00', 'all'), HOUR);
    expect([await attention(), amountGoneBack()]).toEqual(['refund-elsewhere', 120]);
  });
});

test('promise 7: a refund that only the trade’s status calls gone is asked about where a person names so much elsewhere that it would be too much', async () => {
  // The gateway has refused ours in words that say nothing, and the status was that of a refund at the desk.
  await open({ lag_ms: 10 * SECOND, partialStatus: 'REFUNDED', mishaps: ['refused in other words'] });
  await happens(ask('150.00', 'a'), desk('100.00', MINUTE), HOUR);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUNDED', confirmed_by: 'query' });
  await happens(resolve({ refunded_elsewhere: '100.00', although: 'REFUNDED' }), MINUTE);
  expect(await refundOf('a')).toMatchObject({ attention: 'unknown-refund' });
  await happens(resolve({ outcome: 'NOT_CREATED', out_request_no: 'a', although: 'REFUNDED' }), HOUR);
  expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '0.00', refunded_elsewhere: '100.00' });
});
