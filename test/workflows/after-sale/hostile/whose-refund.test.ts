/** Promise 7: an end that the trade shows is given to no refund of ours unless nothing else can be true. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { amountGoneBack, DONE, LONG, numbersMade, open, REVOKED, refundOf, SECOND, tell, world } from './acts';

async function untilSentAgain(): Promise<void> {
  for (let i = 0; i < 1_200 && world.gateway.requests.length < 2; i += 1) await world.pass(SECOND);
  await world.pass(2 * SECOND);
}
const SLOW = { takes_ms: 20 * SECOND, ends: 'done' } as const;
const SLOWLY_REVOKED = { takes_ms: 20 * SECOND, ends: 'revoked' } as const;
async function parts(...numbers: string[]): Promise<void> {
  for (const number of numbers) {
    world.ask({ amount: '50.00', number });
    await world.pass(10 * MINUTE);
  }
}
const attention = async () => (await world.state())?.attention;
const outcomeOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number)?.outcome;
const REFUSED = { takes_ms: 0, ends: 'refused' } as const;
/** A person says what the dashboard shows of each refund that waits for one, and a day passes. Returns what nobody is asked about. */
async function answerAll() {
  for (let i = 0; i < 3; i += 1) {
    await world.readDashboard();
    world.resolveRefund();
    await world.pass(MINUTE);
  }
  await world.pass(DAY);
  const state = await world.state();
  return [state?.attention, state?.refunded_amount];
}
/** A person says of each refund that is asked about what the dashboard shows. */
async function decideAll(): Promise<void> {
  for (let i = 0; i < 4; i += 1) await decideStuck();
}
/** A person says what the dashboard shows of the refund that waits for one. */
async function decideStuck(): Promise<void> {
  await world.readDashboard();
  world.resolveRefund();
  await world.pass(MINUTE);
}
const isTold = (number: string) => world.told.some((one) => one.is === 'answer' && one.order.number === number);
const isMade = (number: string) => world.gateway.refunds.some((one) => one.number === number);
afterEach(() => world?.close());

describe('a request that is sent again under its number is a second try, too', () => {
  // Lag: three minutes.
  test('promise 7: a late word that the first request was revoked does not free the amount for another refund', async () => {
    await open({
      ...{ plans: [REVOKED, LONG, LONG], mishaps: ['answer lost'] },
      ...{ lag_ms: 3 * MINUTE, revokedFor_ms: 2 * SECOND },
    });
    world.ask({ amount: '150.00', number: 'a' });
    await untilSentAgain();
    tell('REFUND_REVOKE', 'a');
    await world.pass(80 * SECOND);
    world.settle();
    await world.pass(SECOND);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(MINUTE);
    expect(amountGoneBack()).toBe(150);
  });
});

describe('a plain story needs nobody', () => {
  test('promise 7: the second part is revoked by its number, and the trade shows the first one again', async () => {
    await open({ plans: [SLOW, SLOWLY_REVOKED], tells_ms: SECOND });
    await parts('a', 'b');
    await world.pass(HOUR);
    const { attention: asked, ledger_complete } = (await world.state()) ?? {};
    expect([asked, ledger_complete]).toEqual([null, true]);
  });

  test('promise 7: a third part that waits behind a revoked one is not refused as beside a refund that we did not make', async () => {
    await open({ plans: [SLOW, SLOWLY_REVOKED, SLOW], tells_ms: SECOND });
    for (const number of ['a', 'b', 'c']) world.ask({ amount: '50.00', number });
    await world.pass(HOUR);
    expect([await outcomeOf('c'), await attention()]).toEqual(['REFUNDED', null]);
  });

  test('promise 4: the first one is revoked, its notifications come two minutes later, and another one waits', async () => {
    await open({ plans: [SLOWLY_REVOKED, SLOW], tells_ms: 2 * MINUTE });
    for (const number of ['a', 'b']) world.ask({ amount: '50.00', number });
    await world.pass(HOUR);
    expect([await outcomeOf('b'), await attention()]).toEqual(['REFUNDED', null]);
  });

  // Notifications one minute late.
  test('promise 4: one is done, and its notification comes while the next one is under way', async () => {
    await open({ plans: [DONE, LONG], tells_ms: MINUTE });
    for (const number of ['a', 'b']) world.ask({ amount: '50.00', number });
    await world.pass(DAY);
    expect(await attention()).toBeNull();
  });
});

describe('two states can look alike after another refund', () => {
  test('promise 7: a second refund that never arrived is not called REFUNDED without a person', async () => {
    await open({ plans: [DONE], mishaps: ['none', 'lost before it arrived'] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(20 * SECOND);
    world.desk('50.00', 0);
    await world.pass(DAY);
    expect([await outcomeOf('b'), await attention()]).not.toEqual(['REFUNDED', null]);
  });
});

test.each([['50.00'], ['150.00']])(
  'a refund of %s that is revoked hours after REFUNDED, between two polls, is before a person, who frees its amount',
  async (amount) => {
    await open({ watchWindow: '3d' });
    world.ask({ amount, number: 'a' });
    await world.pass(5 * HOUR);
    expect(await world.state()).toMatchObject({ refunded_amount: amount, attention: null });
    world.gateway.move('REFUND_REVOKE');
    await world.pass(1_000);
    world.gateway.move('SUCCESS');
    await world.pass(DAY);
    expect(await world.state()).toMatchObject({
      ...{ trade_status: 'SUCCESS', attention: 'unknown-refund', refunded_amount: '0.00', refunding_amount: amount },
    });
    world.resolve({ outcome: 'REFUND_REVOKE', out_request_no: 'a' });
    await world.pass(HOUR);
    world.ask({ amount, number: 'b' });
    await world.pass(5 * HOUR);
    expect(await world.state()).toMatchObject({ attention: null, refunded_amount: amount, refunding_amount: '0.00' });
  },
);

test('a revoke that the trade shows while another refund is under way is before a person, who says whose it is', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'done' }], answersStatus: false });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(2 * MINUTE);
  world.gateway.move('REFUND_REVOKE');
  await world.untilShown('REFUND_REVOKE');
  world.gateway.move('REFUND_PROCESSING');
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ refunds: [{}, { outcome: null, attention: 'unknown-refund' }] });
  world.resolve({ out_request_no: 'b', outcome: 'REFUNDED' });
  await world.pass(MINUTE);
  // So it was the first one that came back.
  expect(await world.state()).toMatchObject({
    ...{ attention: 'unknown-refund', refunded_amount: '40.00', refunding_amount: '50.00' },
    refunds: [{ attention: 'unknown-refund' }, { outcome: 'REFUNDED', attention: null }],
  });
});

test('a revoke of the refund that is under way, by its number, puts no earlier one before a person', async () => {
  await open({ plans: [DONE, { takes_ms: 5_000, ends: 'revoked' }], answersStatus: false, tells_ms: 500 });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({
    refunded_amount: '50.00',
    refunds: [
      { outcome: 'REFUNDED', attention: null },
      { outcome: 'REFUND_REVOKE', attention: null },
    ],
  });
});

test('a revoke that a later run finds puts our refund before a person, and no refund from elsewhere', async () => {
  await open({ revokedFor_ms: DAY });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.gateway.giveUp('us', true);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  world.gateway.move('SUCCESS');
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ ledger_complete: true, refunding_amount: '90.00' });
  expect((await world.state())?.refunds).toMatchObject([{ out_request_no: 'a', attention: 'unknown-refund' }, {}]);
});

test('a copy of the gateway that shows SUCCESS once more after a refund brings nobody', async () => {
  await open({ watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(5 * HOUR);
  world.gateway.move('SUCCESS');
  await world.untilShown('SUCCESS');
  world.gateway.move('PARTIAL_REFUND');
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({
    trade_status: 'PARTIAL_REFUND',
    attention: null,
    refunded_amount: '50.00',
  });
});

test.each([true, false])(
  'a second part that the gateway took needs nobody while it is under way (its answer says so: %s)',
  async (answersStatus) => {
    await open({ plans: [DONE, { takes_ms: 5 * HOUR, ends: 'done' }], answersStatus });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '40.00', number: 'b' });
    await world.pass(HOUR);
    // The gateway has taken it: it counts as gone.
    expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '90.00', refunding_amount: '0.00' });
    await world.pass(DAY);
    expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '90.00' });
  },
);

test('the end of a refund that paid nothing, which a copy still shows, proves no later one whose answer was lost', async () => {
  await open({
    ...{ lag_ms: 45_000, mishaps: ['none', 'lost before it arrived'], asksAgain: 1 },
    plans: [{ takes_ms: 0, ends: 'revoked' }],
  });
  world.ask({ amount: '100.00', number: 'a' });
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(HOUR);
  const isTold = world.told.some((one) => one.is === 'answer' && one.order.number === 'b');
  expect([numbersMade().includes('b'), isTold]).not.toEqual([false, true]);
});

test('the states of an earlier part, which other copies still show, prove no later one whose answer was lost', async () => {
  await open({ lag_ms: 45_000, copies: 'several', mishaps: ['none', 'lost before it arrived'], answersStatus: false });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10_000);
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(HOUR);
  const isTold = (number: string) => world.told.some((one) => one.is === 'answer' && one.order.number === number);
  expect([numbersMade().includes('b'), isTold('b')]).not.toEqual([false, true]);
});

test('a revoke between two polls is before a person, although the after-sale is terminated while it settles', async () => {
  await open({ watchWindow: '3d' });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(5 * HOUR);
  world.gateway.move('REFUND_REVOKE');
  await world.pass(1_000);
  world.gateway.move('SUCCESS');
  await world.untilShown('SUCCESS');
  world.terminate();
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunded_amount: '0.00' });
});

test('a revoke seen while another refund was under way is before a person, although that refund ended without its after-sale', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'done' }], answersStatus: false });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(2 * MINUTE);
  world.gateway.move('REFUND_REVOKE');
  await world.untilShown('REFUND_REVOKE');
  world.gateway.move('REFUND_PROCESSING');
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(5 * HOUR);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunds: [{}, { outcome: null }] });
  world.resolve({ out_request_no: 'b', outcome: 'REFUNDED' });
  await world.pass(MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunded_amount: '40.00' });
});

test('a revoke that is seen while another refund cannot be sent, which is refused then, is before a person', async () => {
  await open({ plans: [DONE, DONE], mishaps: ['none', 'none', 'refused for good'] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(10 * MINUTE);
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '10.00', number: 'c' });
  await world.pass(5 * MINUTE);
  world.gateway.move('REFUND_REVOKE');
  world.deliver({ at: world.now, status: 'REFUND_REVOKE', number: undefined });
  await world.pass(2_000);
  world.gateway.move('PARTIAL_REFUND');
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  expect((await world.state())?.attention).not.toBeNull();
});

test('a late notification of the end of a refund does not unsay that it was revoked since', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'done' }], answersStatus: false });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  // It is done, comes back at once, and the trade shows that for ten seconds.
  await world.pass(20 * MINUTE);
  expect(world.gateway.steps.at(-1)).toMatchObject({ status: 'PARTIAL_REFUND', number: 'b' });
  world.gateway.giveUp('us', true);
  world.deliver({ at: world.now, status: 'REFUND_REVOKE', number: 'b' });
  await world.pass(10_000);
  world.gateway.move('PARTIAL_REFUND');
  // The gateway tells once more what was not acknowledged: older news.
  world.deliver({ at: world.now, status: 'PARTIAL_REFUND', number: 'b' });
  await world.pass(DAY);
  const { refunds = [] } = (await world.state()) ?? {};
  const b = refunds.find(({ out_request_no }) => out_request_no === 'b');
  // It was revoked, or is a person's to decide.
  expect([b?.outcome, b?.attention]).not.toEqual(['REFUNDED', null]);
});

test('a refund that is revoked hours after REFUNDED, and that a poll sees, is one that a person can free', async () => {
  await open({ watchWindow: '3d', revokedFor_ms: 2 * HOUR });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(5 * HOUR);
  expect(await world.state()).toMatchObject({ refunded_amount: '150.00', attention: null });
  world.gateway.giveUp('us', true);
  await world.untilShown('REFUND_REVOKE');
  await world.untilShown('SUCCESS');
  // The person does what the runbook says, for either reason.
  world.nameElsewhere();
  await world.pass(MINUTE);
  world.resolve({ outcome: 'REFUND_REVOKE', out_request_no: 'a' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ refunded_amount: '0.00', refunded_elsewhere: '0.00', attention: null });
});

describe('SUCCESS does not mean “no refund” where another one may have brought the trade back there', () => {
  test('promise 7: a refund with a lost answer is not paid twice because an earlier part came back meanwhile, by its number', async () => {
    await open({ plans: [DONE, LONG, DONE], mishaps: ['none', 'answer lost'], lag_ms: 45_000, watchWindow: '3d' });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    await world.chargeBackAndReverse();
    world.ask({ amount: '100.00', number: 'c' });
    await world.pass(MINUTE);
    world.gateway.comesBack('a');
    tell('REFUND_REVOKE', 'a');
    await world.pass(MINUTE);
    world.gateway.move('SUCCESS');
    await world.pass(HOUR);
    expect([amountGoneBack(), world.gateway.refunds.map(({ number }) => number)]).toEqual([100, ['a', 'c']]);
  });

  test('promise 7: a refund with a lost answer is not paid twice because one of the desk was revoked meanwhile, by its number', async () => {
    await open({ plans: [LONG, DONE], mishaps: ['answer lost'], lag_ms: 45_000 });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(MINUTE);
    world.gateway.make('desk-1', '40.00', 'the desk', REVOKED);
    tell('REFUND_REVOKE', 'desk-1');
    await world.pass(HOUR);
    expect([amountGoneBack(), world.gateway.refunds.map(({ number }) => number)]).toEqual([100, ['a', 'desk-1']]);
  });

  test('promise 7: a refund that the gateway took in words that are not known is not called NOT_CREATED because of that', async () => {
    await open({ plans: [LONG], mishaps: ['refused in other words, and made'], lag_ms: 45_000 });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(MINUTE);
    world.gateway.make('desk-1', '40.00', 'the desk', REVOKED);
    tell('REFUND_REVOKE', 'desk-1');
    await world.pass(HOUR);
    const a = await refundOf('a');
    expect([a?.outcome, amountGoneBack()]).toEqual([null, 100]);
  });
});

describe('what is notified before a new after-sale follows the refund is told to it', () => {
  test('promise 7: a first refund under way is not called refused because one of the desk was, which a notification names to a new after-sale', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.terminate();
    await world.pass(1_000);
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(HOUR);
    const a = await refundOf('a');
    world.nameElsewhere();
    await world.pass(MINUTE);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.outcome, amountGoneBack()]).toEqual([null, 100]);
  });

  test('promise 7: a first refund under way is not called revoked because a chargeback was reversed, of which a new after-sale hears', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(40 * MINUTE);
    world.terminate();
    await world.pass(1_000);
    for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']) world.gateway.move(status);
    tell('CHARGEBACK_REVERSED');
    await world.pass(HOUR);
    const a = await refundOf('a');
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.outcome, amountGoneBack()]).toEqual([null, 100]);
  });

  test('promise 7: a refund whose tries do not reach the gateway is not sent beside a chargeback that was told to a new after-sale', async () => {
    await open({ plans: [DONE], lag_ms: 4 * MINUTE });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(MINUTE);
    world.terminate();
    await world.pass(1_000);
    world.gateway.move('CHARGEBACK');
    tell('CHARGEBACK');
    await world.pass(2 * MINUTE);
    const before = await world.state();
    world.gateway.trouble = undefined;
    await world.pass(30 * MINUTE);
    expect([before?.attention, amountGoneBack()]).toEqual(['chargeback', 0]);
  });
});

describe('what is named of others before a refund begins, or after its end, counts', () => {
  test('promise 7: a refund is not called refused because of one of the desk that was named as refused before it, on a copy four minutes behind', async () => {
    await open({ plans: [LONG, DONE], lag_ms: 4 * MINUTE });
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(2 * MINUTE);
    world.nameElsewhere();
    await world.pass(1_000);
    world.settle();
    await world.pass(1_000);
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(190_000);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    const a = await refundOf('a');
    // The copy shows the end of the desk's after a person has named it: it may be one more, so nothing is sent.
    expect([a?.outcome, (await world.state())?.attention, amountGoneBack()]).toEqual([
      'NOT_CREATED',
      'refund-elsewhere',
      0,
    ]);
  });

  test('promise 7: a refund that was called refused is before a person once a notification names another as refused', async () => {
    await open({ plans: [LONG, DONE] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    world.gateway.make('desk-1', '40.00', 'the desk', REFUSED);
    await world.pass(10 * MINUTE);
    tell('REFUND_REFUSED', 'desk-1');
    await world.pass(10 * MINUTE);
    const a = await refundOf('a');
    world.nameElsewhere();
    await world.pass(MINUTE);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(10 * MINUTE);
    expect([a?.attention, amountGoneBack()]).toEqual(['unknown-refund', 100]);
  });

  test('promise 7: a second try under a number is not called refused on the notification of the first, on a copy two minutes behind', async () => {
    await open({ plans: [LONG], mishaps: ['refused for good'], lag_ms: 2 * MINUTE });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(2_000);
    tell('REFUND_REFUSED', 'a');
    await world.pass(75_000);
    const a = await refundOf('a');
    expect([a?.attempt, a?.outcome, amountGoneBack()]).toEqual([2, null, 100]);
  });

  test('promise 7: nor, on no copy that is behind, because an earlier part came back while it was under way', async () => {
    await open({ plans: [DONE, LONG, DONE], mishaps: ['none', 'refused for good'] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(2_000);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(2_000);
    tell('REFUND_REFUSED', 'b');
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a');
    await world.pass(HOUR);
    const b = await refundOf('b');
    world.gateway.move('SUCCESS');
    await world.pass(10 * MINUTE);
    world.settle();
    await world.pass(MINUTE);
    world.ask({ amount: '100.00', number: 'd' });
    await world.pass(10 * MINUTE);
    expect([b?.attempt, b?.outcome, amountGoneBack()]).toEqual([2, null, 100]);
  });

  test('promise 7: a refund that never arrived is not called given back because a copy a minute behind shows the one before it as under way', async () => {
    const [slow, lost] = [{ takes_ms: 2 * MINUTE, ends: 'done' }, 'lost before it arrived'] as const;
    await open({ plans: [DONE, slow], mishaps: ['none', 'none', lost], lag_ms: MINUTE, answersStatus: false });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(40_000);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(6 * HOUR);
    const c = await refundOf('c');
    const isMade = world.gateway.refunds.some(({ number }) => number === 'c');
    expect([c?.outcome === 'REFUNDED' && c.attention === null, isMade]).toEqual([false, false]);
  });
});

describe('an earlier refund that came back while a later one is under way is asked about', () => {
  test('promise 4: the trade is SUCCESS after a part was given back, and the next refund is the first to see it', async () => {
    await open({ plans: [DONE, DONE], watchWindow: '3d' });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(5 * HOUR);
    world.gateway.comesBack('a');
    await world.pass(MINUTE);
    world.gateway.move('SUCCESS');
    await world.pass(MINUTE);
    world.ask({ amount: '100.00', number: 'c' });
    await world.pass(HOUR);
    expect(await answerAll()).not.toEqual([null, '150.00']);
  });

  test('promise 4: the trade is SUCCESS for hours while the next refund is under way', async () => {
    await open({ plans: [DONE, LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a', 'SUCCESS');
    await world.pass(6 * HOUR);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });

  // Nor is REFUND_REFUSED of one that a part of the desk, which was named, let end as REFUNDED.
  test('promise 4: a refund that was called REFUNDED because of a part of the desk, and is refused while the next one is under way', async () => {
    await open({ plans: [{ takes_ms: HOUR, ends: 'refused' }, LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.desk('30.00', 0);
    tell('PARTIAL_REFUND', 'desk-1');
    await world.pass(10 * MINUTE);
    world.resolve({ refunded_elsewhere: '30.00' });
    await world.pass(MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(7 * HOUR);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });

  // The same without the desk: 'still a part' counts after 30 s, and the copy is a minute behind.
  test('promise 4: a refund that a copy a minute behind let end as REFUNDED, and is refused while the next one is under way', async () => {
    await open({ plans: [DONE, { takes_ms: 90_000, ends: 'refused' }, LONG], lag_ms: MINUTE, answersStatus: false });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(40_000);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(6 * HOUR);
    expect(await answerAll()).not.toEqual([null, '150.00']);
  });

  test('promise 4: a revoke that the after-sale saw while a refund was under way, and which a person decides', async () => {
    await open({ plans: [DONE, { takes_ms: HOUR, ends: 'done' }] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(10 * MINUTE);
    world.gateway.comesBack('a');
    tell('REFUND_REVOKE');
    await world.untilShown('REFUND_REVOKE');
    world.gateway.move('REFUND_PROCESSING');
    await world.pass(2 * HOUR);
    tell('PARTIAL_REFUND', 'c');
    await world.pass(MINUTE);
    expect(await answerAll()).not.toEqual([null, '100.00']);
  });
});

test('promise 7: a first refund that is under way while a chargeback is reversed is not called revoked', async () => {
  await open({ plans: [LONG, DONE], tells_ms: 500 });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(10 * MINUTE);
  for (const status of ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']) {
    world.gateway.move(status);
    await world.pass(10 * MINUTE);
  }
  await world.pass(5 * MINUTE);
  world.resolve({});
  await world.pass(HOUR);
  const a = await refundOf('a');
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect([a?.outcome, amountGoneBack()]).toEqual([null, 150]);
});

test('promise 7: a first refund that is under way while a dispute is closed is not called revoked', async () => {
  await open({ plans: [LONG, DONE], watchWindow: '3d' });
  world.ask({ amount: '100.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(10 * MINUTE);
  world.resolve({});
  await world.pass(MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(2 * HOUR);
  const a = await refundOf('a');
  world.ask({ amount: '100.00', number: 'b' });
  await world.pass(DAY);
  expect([a?.outcome, amountGoneBack()]).toEqual([null, 100]);
});

test('promise 7: a refund under way is not called revoked on the word of a copy that is 45 s behind', async () => {
  let mode = 1;
  await open({ plans: [LONG, DONE], lag_ms: 45_000, copies: 'several', pick: (n) => (n === 2 ? mode : 0) });
  world.ask({ amount: '150.00', number: 'a' });
  for (let i = 0; i < 40 && world.gateway.requests.length === 0; i += 1) await world.pass(250);
  await world.pass(1_000);
  mode = 0;
  // Somebody looks.
  world.temporal.update(world.workflowId, 'recheck');
  await world.pass(33_000);
  const a = await refundOf('a');
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(HOUR);
  expect([a?.outcome, amountGoneBack()]).toEqual(['ACCEPTED', 150]);
});

test('promise 7: a refund that was named as under way is not called revoked because an earlier part comes back, which no number says', async () => {
  await open({ plans: [DONE, REFUSED, LONG, DONE] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '10.00', number: 'b' });
  await world.pass(10 * MINUTE);
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(2_000);
  tell('REFUND_PROCESSING', 'c');
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('a');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const before = await world.state();
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([before?.attention, amountGoneBack()]).toEqual(['unknown-refund', 100]);
});

test('promise 7: a refund under way is not called revoked because an earlier part comes back after a chargeback was reversed', async () => {
  await open({ plans: [DONE, LONG, DONE], watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  await world.chargeBackAndReverse();
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(2_000);
  tell('REFUND_PROCESSING', 'c');
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('a');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const before = await world.state();
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([before?.attention, amountGoneBack()]).toEqual(['unknown-refund', 100]);
});

test('promise 7: a refund under way is not called revoked because an earlier part comes back, which its number says ten minutes late', async () => {
  await open({ plans: [DONE, LONG, DONE], watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  await world.chargeBackAndReverse();
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(2_000);
  tell('REFUND_PROCESSING', 'c');
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('a');
  const { now: at } = world;
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(10 * MINUTE);
  world.deliver({ at, status: 'REFUND_REVOKE', number: 'a' });
  await world.pass(HOUR);
  for (let i = 0; i < 3; i += 1) await decideStuck();
  world.resolve({});
  await world.pass(HOUR);
  world.ask({ amount: '150.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect(amountGoneBack()).toBe(100);
});

test('promise 7: a part that was named as under way, and was revoked unnamed, is not called given back while an earlier one is doubted in its place', async () => {
  await open({ plans: [DONE, { takes_ms: 20 * MINUTE, ends: 'revoked' }], revokedFor_ms: 20 * MINUTE });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(2_000);
  tell('REFUND_PROCESSING', 'b');
  await world.pass(HOUR);
  await world.pass(2 * HOUR);
  // A person answers all that is asked.
  for (let i = 0; i < 4; i += 1) {
    await world.readDashboard();
    world.resolveRefund();
    await world.pass(MINUTE);
  }
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ refunded_amount: '50.00', attention: null });
});

test('promise 7: a refund under way is not called revoked because a part that is before a person already comes back', async () => {
  await open({ plans: [DONE, DONE, LONG, DONE] });
  world.ask({ amount: '25.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '25.00', number: 'b' });
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('a');
  tell('REFUND_REVOKE');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(MINUTE);
  world.gateway.move('SUCCESS');
  await world.untilShown('SUCCESS');
  await world.pass(10 * MINUTE);
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('b');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const c = await refundOf('c');
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([c?.outcome === 'REFUND_REVOKE' && c.attention === null, amountGoneBack()]).toEqual([false, 100]);
});

test('promise 7: a refund under way is not called revoked because a part of the desk, which a person has named, comes back', async () => {
  await open({ plans: [REFUSED, LONG, DONE] });
  world.desk('50.00', 0);
  world.notify('all');
  await world.pass(10 * MINUTE);
  world.nameElsewhere();
  await world.pass(10 * MINUTE);
  world.ask({ amount: '10.00', number: 'b' });
  await world.pass(10 * MINUTE);
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('desk-1');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const before = await world.state();
  const c = await refundOf('c');
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([c?.outcome === 'REFUND_REVOKE' && before?.attention === null, amountGoneBack()]).toEqual([false, 100]);
});

test('promise 7: a refund under way is not called revoked because a part of the desk comes back after the bank moved the trade to SUCCESS', async () => {
  await open({ plans: [LONG, DONE], watchWindow: '3d' });
  world.desk('50.00', 0);
  world.notify('all');
  await world.pass(10 * MINUTE);
  world.nameElsewhere();
  await world.pass(10 * MINUTE);
  await world.chargeBackAndReverse();
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(10 * MINUTE);
  world.gateway.comesBack('desk-1');
  await world.untilShown('REFUND_REVOKE');
  await world.pass(2 * MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const before = await world.state();
  const c = await refundOf('c');
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([c?.outcome === 'REFUND_REVOKE' && before?.attention === null, amountGoneBack()]).toEqual([false, 100]);
});

test('promise 7: a later part under way is not called refused because one of the desk was refused, after the bank moved the trade to SUCCESS', async () => {
  await open({ plans: [DONE, LONG, DONE], watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  await world.chargeBackAndReverse();
  await decideAll();
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(10 * MINUTE);
  world.gateway.make('desk-in-vain', '40.00', 'the desk', REFUSED);
  await world.pass(2 * HOUR);
  const before = await world.state();
  const c = await refundOf('c');
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(10 * MINUTE);
  expect([c?.outcome === 'REFUND_REFUSED' && before?.attention === null, amountGoneBack()]).toEqual([false, 150]);
});

test('promise 7: a refund that never arrived is not called given back because the trade returns from a refusal to the part before it', async () => {
  await open({ plans: [DONE, REFUSED], mishaps: ['none', 'none', 'lost before it arrived'] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '10.00', number: 'b' });
  await world.pass(10 * MINUTE);
  await decideStuck();
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(10 * MINUTE);
  world.gateway.move('PARTIAL_REFUND');
  await world.pass(5 * HOUR);
  const c = await refundOf('c');
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(HOUR);
  expect([c?.outcome === 'REFUNDED' && c.attention === null, isTold('c'), isMade('c')]).toEqual([false, false, false]);
});

test('promise 7: a refund that never arrived is not called given back because the trade returns to the part after a chargeback was reversed', async () => {
  await open({ plans: [DONE], mishaps: ['none', 'lost before it arrived'], watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  await world.chargeBackAndReverse();
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(2 * MINUTE);
  world.gateway.move('PARTIAL_REFUND');
  await world.pass(5 * HOUR);
  const c = await refundOf('c');
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(HOUR);
  expect([c?.outcome === 'REFUNDED' && c.attention === null, isTold('c'), isMade('c')]).toEqual([false, false, false]);
});

test('promise 7: a notification of another trade under the order’s number, whose refund has the same number, does not end ours', async () => {
  await open({ plans: [DONE, DONE, DONE], answersStatus: false });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '50.00', number: 'c' });
  for (let i = 0; i < 400 && world.gateway.requests.length < 2; i += 1) await world.pass(250);
  await world.pass(1_000);
  const other = { trade_no: 'T2', out_trade_no: 'order-1', trade_status: 'REFUND_REVOKE', out_request_no: 'c' };
  world.temporal.signal(world.workflowId, 'notification', other);
  await world.pass(HOUR);
  const c = await refundOf('c');
  world.ask({ amount: '100.00', number: 'd' });
  await world.pass(HOUR);
  expect([c?.outcome, amountGoneBack()]).toEqual(['ACCEPTED', 100]);
});

test.each([
  ['the trade shows a part again', 'PARTIAL_REFUND' as const],
  ['the gateway calls parts REFUNDED', 'REFUNDED' as const],
])(
  'promise 7: a part that came back between two looks is before a person once that is notified without a number: %s',
  async (_, partialStatus) => {
    await open({ plans: [DONE, DONE], partialStatus });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(10 * MINUTE);
    if (partialStatus === 'REFUNDED') {
      // Nothing says that this gateway calls parts so.
      world.resolve({ refunded_elsewhere: '0.00' });
      await world.pass(MINUTE);
      world.ask({ amount: '50.00', number: 'b' });
      await world.pass(10 * MINUTE);
    }
    world.gateway.giveUp('us', false);
    await world.pass(DAY);
    world.notify('all');
    await world.pass(HOUR);
    expect(await refundOf('b')).toMatchObject({ attention: 'unknown-refund' });
  },
);

test.each([
  ['repeats the trade’s status from before', true],
  ['names no status', false],
])(
  'promise 7: a refund that the gateway has accepted, and carries out five minutes later, frees nothing where its answer %s',
  async (_title, answersStatus) => {
    const late = { startsAfter_ms: 5 * MINUTE, takes_ms: HOUR, ends: 'done' } as const;
    await open({ plans: [{ takes_ms: 20_000, ends: 'refused' }, late, late], answersStatus });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(20 * MINUTE);
    await decideAll();
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(2 * MINUTE);
    const b = await refundOf('b');
    world.ask({ amount: '100.00', number: 'c' });
    await world.pass(DAY);
    expect([b?.outcome, isMade('c'), amountGoneBack(), (await world.state())?.refunded_amount]).toEqual([
      ...['ACCEPTED', false, 100, '100.00'],
    ]);
  },
);

test('promise 7: a first refund whose answer calls it refused keeps its amount until its number, or a person, says so', async () => {
  await open({ plans: [REFUSED, DONE] });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  const early = await refundOf('a');
  await world.pass(10 * MINUTE);
  expect([early?.outcome, (await refundOf('a'))?.attention]).toEqual([null, 'unknown-refund']);
  await decideStuck();
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUND_REFUSED', attention: null });
});
