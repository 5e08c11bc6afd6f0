/** Attacks on what a terminated after-sale leaves behind, on revokes that nobody numbers, and on reasons that hide each other. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { latePaymentRefundNumber } from '../../../../src/workflows/shared/refund-numbers';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;
const numbersMade = () => world.gateway.refunds.map(({ number }) => number);

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

test('a number that the gateway has used for a refund of the desk stops all others, although the after-sale was terminated meanwhile', async () => {
  await open({ numbers: 'refused', plans: [DONE] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.gateway.make('b', '50.00', 'the desk', DONE);
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(10_000);
  world.terminate();
  await world.pass(1_000);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['a', 'b']);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund' });
});

test('the refund of a late payment that the gateway refuses is before a person, although the after-sale was terminated meanwhile', async () => {
  const number = latePaymentRefundNumber({ out_trade_no: PLAIN.out_trade_no, trade_no: null });
  await open({ mishaps: ['refused for good'] });
  world.gateway.trouble = 'refunds unreachable';
  // The payment asks so, and has its answer after 30 seconds: the refund goes on by itself.
  world.ask({ amount: '150.00', number });
  await world.pass(40_000);
  expect(world.told).toMatchObject([{ is: 'failure', type: 'PaymentPendingError' }]);
  world.terminate();
  await world.pass(1_000);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  // Any request or notification starts the next one.
  world.ask({ amount: '10.00', number: 'z' });
  await world.pass(10 * MINUTE);
  expect(numbersMade()).not.toContain(number);
  // Nobody knows whether the terminated run had sent it.
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund' });
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

test('nothing is refunded beside a chargeback that was notified, whatever else needs a person', async () => {
  await open({ lag_ms: 20 * MINUTE, watchWindow: '3d' });
  world.resolve({});
  await world.pass(MINUTE);
  world.temporal.signal(world.workflowId, 'a name that nobody handles', {});
  await world.pass(MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'unexpected-signal' });
  world.gateway.move('CHARGEBACK');
  world.notify('all');
  await world.pass(5 * MINUTE);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  expect(numbersMade()).toEqual([]);
});

test('a refund whose number another trade has used is not counted, where the merchant numbers its refunds as we do', async () => {
  await open({ numbers: 'refused', plans: [DONE], mishaps: ['none', 'temporary'] });
  const number = 'R2026010500001';
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  // Another order of the app has had it: this trade shows nothing of it.
  world.gateway.refunds.push({
    number,
    amount: '0.00',
    by: 'the desk',
    at: world.now,
    endsAt: world.now,
    ends: 'done',
  });
  world.ask({ amount: '50.00', number });
  await world.pass(HOUR);
  expect(world.gateway.refunds.filter(({ by }) => by === 'us')).toHaveLength(1);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunded_amount: '50.00' });
});

test('a revoke that was acknowledged while no worker ran is known after the after-sale was terminated before it took it', async () => {
  await open({ plans: [DONE, DONE], watchWindow: '3d' });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  await world.leaveWithoutWorker(10 * MINUTE);
  world.gateway.giveUp('us', true);
  world.notify('all');
  await world.pass(2 * MINUTE);
  expect(world.acknowledged).toContainEqual(expect.objectContaining({ status: 'REFUND_REVOKE', number: 'b' }));
  world.terminate();
  await world.pass(HOUR);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ refunds: [{}, { outcome: 'REFUND_REVOKE' }], refunded_amount: '50.00' });
});

test('a refund of the desk that was shown while one of ours could not be sent is not forgotten by a terminated after-sale', async () => {
  await open();
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(MINUTE);
  world.desk('100.00', 0);
  world.deliver({ at: world.now, status: 'PARTIAL_REFUND', number: undefined });
  await world.pass(500);
  expect(await world.state()).toMatchObject({ trade_status: 'PARTIAL_REFUND' });
  world.terminate();
  await world.pass(10 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.ask({ amount: '150.00', number: 'c' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['desk-1']);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
});

test.each([
  ['with a code', { code: '50300', msg: 'Service Unavailable' }],
  ['without one', { oops: true }],
])(
  'a refund that the gateway made, whose answer is a 503 %s, is not made again where its copies are 45 seconds behind',
  async (_which, said) => {
    await open({ lag_ms: 45_000 });
    const post = world.gateway.post.bind(world.gateway);
    let isFirst = true;
    world.gateway.post = async (path, headers, text) => {
      const answer = await post(path, headers, text);
      if (path !== '/trade/refund' || !isFirst) return answer;
      isFirst = false;
      return { status: 503, body: new TextEncoder().encode(JSON.stringify(said)) };
    };
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(40_000);
    // The merchant was told that there is no refund, and asks once more.
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(DAY);
    expect(numbersMade()).toEqual(['a']);
  },
);

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

test('an after-sale whose notification was not confirmed ends with its watch window once a person has looked', async () => {
  await open({ watchWindow: '3d' });
  world.gateway.move('CHARGEBACK');
  world.notify('all');
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unconfirmed-notification' });
  world.resolve({});
  await world.pass(4 * DAY);
  expect(world.run?.isRunning).toBe(false);
});
