/** Attacks on promise 7: whose end the trade shows, and whose money it is, where no number says so. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;
const REFUSED = { takes_ms: 0, ends: 'refused' } as const;
const LONG = { takes_ms: 5 * HOUR, ends: 'done' } as const;
const goneBack = () => Number(world.gateway.gone().toFixed(2));
const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);
/** A person says what the dashboard shows of the refund that waits for one. */
async function decideStuck(): Promise<void> {
  await world.readDashboard();
  world.resolveRefund();
  await world.pass(MINUTE);
}
/** A person says of each refund that is asked about what the dashboard shows. */
async function decideAll(): Promise<void> {
  for (let i = 0; i < 4; i += 1) await decideStuck();
}
const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });

const isTold = (number: string) => world.told.some((one) => one.is === 'answer' && one.order.number === number);
const isMade = (number: string) => world.gateway.refunds.some((one) => one.number === number);

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
  expect([a?.outcome, goneBack()]).toEqual([null, 150]);
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
  expect([a?.outcome, goneBack()]).toEqual([null, 100]);
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
  expect([a?.outcome, goneBack()]).toEqual(['ACCEPTED', 150]);
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
  expect([before?.attention, goneBack()]).toEqual(['unknown-refund', 100]);
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
  expect([before?.attention, goneBack()]).toEqual(['unknown-refund', 100]);
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
  expect(goneBack()).toBe(100);
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
  expect([c?.outcome === 'REFUND_REVOKE' && c.attention === null, goneBack()]).toEqual([false, 100]);
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
  expect([c?.outcome === 'REFUND_REVOKE' && before?.attention === null, goneBack()]).toEqual([false, 100]);
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
  expect([c?.outcome === 'REFUND_REVOKE' && before?.attention === null, goneBack()]).toEqual([false, 100]);
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
  expect([c?.outcome === 'REFUND_REFUSED' && before?.attention === null, goneBack()]).toEqual([false, 150]);
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

test('promise 7: a refund beside one from elsewhere stays before a person, although the after-sale was terminated after that was named', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(40_000);
  world.desk('50.00', 2 * HOUR);
  await world.pass(30 * MINUTE);
  world.notify('all');
  await world.pass(10 * MINUTE);
  world.resolve({ refunded_elsewhere: '50.00' });
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(1_000);
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(5 * HOUR);
  const c = await refundOf('c');
  expect([c?.outcome === 'REFUNDED' && c.attention === null, isMade('c')]).toEqual([false, false]);
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
  expect([c?.outcome, goneBack()]).toEqual(['ACCEPTED', 100]);
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
    expect([b?.outcome, isMade('c'), goneBack(), (await world.state())?.refunded_amount]).toEqual([
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
