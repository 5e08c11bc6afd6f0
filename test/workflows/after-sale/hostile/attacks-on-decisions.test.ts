/** Attacks on what a person's word and the ledger's reservations count for: each shows a promise that is broken. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { BEGIN } from '../../hostile/base-world';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const goneBack = () => world.gateway.gone().toFixed(2);
const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);

test('promise 7: a refund that runs, and has not answered a new after-sale, is not called NOT_CREATED and sent afterwards', async () => {
  // The merchant gives 300.00 back of 150.00: a person was told that `a` is ended, and its workflow was told nothing.
  await open({ lag_ms: 20_000, mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(390_000);
  world.terminate();
  await world.pass(1_000);
  world.resolve({});
  await world.pass(6 * MINUTE);
  await world.readDashboard();
  world.resolveRefund();
  await world.pass(10_000);
  await world.pass(BEGIN + 950_000 - world.now);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect(goneBack()).toBe('150.00');
});

test('promise 7: a decision that ours was refused does not explain money that others gave back', async () => {
  // The merchant gives 200.00 back of 150.00: PARTIAL_REFUND counts as explained by a refund that paid nothing.
  await open({ watchWindow: '3d', plans: [{ takes_ms: 10 * MINUTE, ends: 'refused' }] });
  world.ask({ amount: '100.00', number: 'a' });
  await world.pass(10 * MINUTE + 1);
  world.desk('50.00', 0);
  world.deliver({ at: world.now, status: 'REFUND_REFUSED', number: 'a' });
  await world.pass(5 * HOUR);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUND_REFUSED', attention: null });
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  world.ask({ amount: '150.00', number: 'c' });
  await world.pass(DAY);
  expect(goneBack()).toBe('50.00');
});

test('promise 3: an acknowledged CHARGEBACK is not answered by a DISPUTE that an older copy shows', async () => {
  // The merchant loses 150.00 and defends a dispute that is over: nobody was ever shown a chargeback.
  await open({ lag_ms: 4 * MINUTE });
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.move('DISPUTE');
  await world.pass(3 * MINUTE);
  world.gateway.move('CHARGEBACK');
  world.notify('the latest');
  await world.untilShown('DISPUTE');
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'chargeback' });
});

test('promise 8: naming what went back elsewhere does not settle a chargeback that came a moment before', async () => {
  // The merchant loses 150.00 to the bank, and the one who named 50.00 of something else has settled that unseen.
  await open();
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  world.desk('50.00', 0);
  world.notify('the latest');
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere' });
  world.gateway.move('CHARGEBACK');
  world.notify('the latest');
  await world.temporal.clock.pass(1_000);
  world.nameElsewhere();
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
});

test('promise 8: a person’s word about a dispute that is only notified does not settle what stood before it', async () => {
  // The buyer loses 150.00 of a late payment: its refund was refused, and the word about the dispute has settled that unseen.
  await open({ late: 'refund', mishaps: ['refused for good'] });
  await world.comesLate();
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'late-payment' });
  world.gateway.trouble = 'unreachable';
  world.gateway.move('DISPUTE');
  world.notify('all');
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'dispute' });
  world.resolve({});
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'dispute' });
  world.resolve({});
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ attention: 'late-payment' });
});

test('promise 8: what a person names together with an outcome settles the question that asks for it', async () => {
  // The operator loses: the list goes on asking for what was named, and says of a complete ledger that it is not.
  await open({ watchWindow: '3d', tells_ms: 500, plans: [{ takes_ms: 10 * MINUTE, ends: 'refused' }] });
  world.ask({ amount: '100.00', number: 'a' });
  await world.pass(10 * MINUTE + 1_500);
  world.desk('50.00', 0);
  await world.pass(5 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  world.resolve({ outcome: 'REFUND_REFUSED', out_request_no: 'a', refunded_elsewhere: '50.00' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ ledger_complete: true, refunded_elsewhere: '50.00', attention: null });
});

describe('a sum that a person names as gone back elsewhere', () => {
  const named = (refunded_elsewhere: string) => {
    world.resolve({ refunded_elsewhere });
    return world.pass(MINUTE);
  };
  const deskGives = async (amount: string) => {
    await open({ tells_ms: 500, plans: [{ takes_ms: 10 * MINUTE, ends: 'done' }] });
    world.ask({ amount: '20.00', number: 'a' });
    await world.pass(HOUR);
    world.desk(amount, 0);
    await world.pass(HOUR);
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
    await world.pass(HOUR);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(HOUR);
    const state = await world.state();
    expect(state).toMatchObject({ attention: null, refunded_elsewhere: '30.00', refunded_amount: '120.00' });
    expect(state?.history.flatMap((one) => one.refunded_elsewhere ?? [])).toEqual(['130.00', '30.00']);
    expect(world.gateway.gone().toFixed(2)).toBe('150.00');
  });
});
