/** Attacks on what comes after a sale: each once gave money back twice, or kept something from everybody. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;

const numbersMade = () => world.gateway.refunds.map(({ number }) => number);

test('a refund that a terminated after-sale made is not made again after a person has named what went back, and is counted once', async () => {
  await open({ watchWindow: '3d' });
  world.ask({ amount: '40.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(35_000);
  world.terminate();
  await world.pass(HOUR);
  // No worker can answer for the terminated run any more: its history says what it has sent.
  world.renameQueue();
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  world.nameElsewhere();
  await world.pass(HOUR);
  // The merchant does what it was told: "Ask again with the same request".
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a', 'b']);
  expect(await world.state()).toMatchObject({
    attention: 'unknown-refund',
    refunds: [
      { out_request_no: 'a', attempt: 1, attention: 'unknown-refund' },
      { out_request_no: 'b', attempt: 1, attention: 'unknown-refund' },
    ],
  });
});

test('a refund that is asked for while the gateway is silent is said not to be taken, and is made once it is asked for again', async () => {
  await open();
  world.gateway.trouble = 'unreachable';
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  const isTold = { is: 'failure', type: 'PaymentPendingError', message: expect.stringContaining('was not taken') };
  expect(world.told).toMatchObject([isTold]);
  expect(numbersMade()).toEqual([]);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a']);
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

test.each([
  ['after another part', 1],
  ['as the first', 0],
])(
  'a refund whose number another trade has used is neither counted nor answered, where an answer was lost before: %s',
  async (_when, parts) => {
    const lost = 'temporary' as const;
    await open({ numbers: 'refused', usedInApp: true, mishaps: parts === 1 ? ['none', lost] : [lost] });
    if (parts === 1) world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'd' });
    await world.pass(HOUR);
    world.ask({ amount: '50.00', number: 'd' });
    await world.pass(HOUR);
    expect(numbersMade()).toEqual(parts === 1 ? ['a'] : []);
    expect(await world.state()).toMatchObject({
      ...{ refunded_amount: parts === 1 ? '50.00' : '0.00', refunding_amount: '50.00', attention: 'unknown-refund' },
    });
    expect(world.told.filter(({ is }) => is === 'answer')).toHaveLength(parts);
  },
);

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

test('no refund is sent on the word of a copy that is behind, where another one has just shown a chargeback', async () => {
  await open({ watchWindow: '3d' });
  world.gateway.move('CHARGEBACK');
  world.notify('all');
  await world.untilShown('CHARGEBACK');
  world.gateway.move('SUCCESS');
  world.ask({ amount: '40.00', number: 'a' });
  await world.pass(5 * MINUTE);
  expect(numbersMade()).toEqual([]);
  expect((await world.state())?.refunds).toMatchObject([
    { outcome: 'NOT_CREATED', failure: { message: expect.stringContaining('CHARGEBACK') } },
  ]);
  // It lasts: the chargeback is over.
  await world.pass(HOUR);
  world.ask({ amount: '40.00', number: 'a' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a']);
});

test('a refund that waits for its turn is not sent any more once one from elsewhere is known, and says so', async () => {
  await open({ watchWindow: '3d' });
  world.desk('150.00', 0);
  world.gateway.move('CHARGEBACK_REVERSED');
  world.ask({ amount: '100.00', number: 'a' });
  await world.pass(MINUTE);
  world.notify('all');
  await world.pass(MINUTE);
  world.gateway.move('SUCCESS');
  await world.pass(DAY);
  expect(numbersMade()).toEqual(['desk-1']);
  expect((await world.state())?.refunds).toMatchObject([{ outcome: 'NOT_CREATED', failure: { type: 'NotRefunded' } }]);
});

test('a refund that waits for another one is not sent where a person names meanwhile that too little is left', async () => {
  await open({ watchWindow: '3d', plans: [{ takes_ms: 2 * HOUR, ends: 'done' }], tells_ms: 500 });
  world.ask({ amount: '50.00', number: 'a' });
  world.ask({ amount: '100.00', number: 'b' });
  await world.pass(HOUR);
  world.desk('50.00', 6 * HOUR);
  await world.pass(MINUTE);
  world.nameElsewhere();
  await world.pass(DAY);
  expect(numbersMade()).toEqual(['a', 'desk-1']);
  expect((await world.state())?.refunds.at(-1)).toMatchObject({ out_request_no: 'b', outcome: 'NOT_CREATED' });
});

test('a chargeback that queries contradict forbids refunds until a person has looked, also behind another reason', async () => {
  await open({ watchWindow: '3d' });
  for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']) {
    world.gateway.move(status);
    world.notify('all');
    await world.untilShown(status);
  }
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'chargeback-reversed' });
  world.gateway.move('CHARGEBACK');
  world.notify('all');
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  const ask = async (number: string) => {
    world.ask({ amount: '40.00', number });
    await world.pass(HOUR);
    return numbersMade();
  };
  expect(await ask('a')).toEqual([]);
  world.resolve({});
  expect(await ask('b')).toEqual([]);
  expect(await world.state()).toMatchObject({ attention: 'unconfirmed-notification' });
  world.resolve({});
  expect(await ask('c')).toEqual(['c']);
});

test('what a person named in an outage is known after the after-sale was terminated in it', async () => {
  await open();
  // What was paid is known before: no sum is taken beyond that.
  world.settle();
  await world.pass(MINUTE);
  world.desk('50.00', 0);
  world.gateway.trouble = '503';
  world.nameElsewhere();
  await world.pass(MINUTE);
  world.terminate();
  world.gateway.trouble = undefined;
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['desk-1']);
  expect(await world.state()).toMatchObject({ refunded_elsewhere: '50.00' });
});

test('a dispute that was notified in an outage is shown on after the after-sale was terminated in it', async () => {
  await open();
  world.gateway.trouble = '503';
  world.gateway.move('DISPUTE');
  world.notify('all');
  await world.pass(MINUTE);
  world.terminate();
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  expect(await world.state()).toMatchObject({ claims: [{ trade_status: 'DISPUTE' }], attention: 'dispute' });
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
