/** Promise 8: what needs a person says so, stays, and can always be settled. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering } from '../../hostile/answering';
import { refusal } from '../../hostile/gateway';
import { runsAreSilent } from '../../hostile/temporal-down';
import {
  ask,
  attention,
  cancel,
  comesLate,
  DONE,
  denyTheTrade,
  desk,
  happens,
  LONG,
  move,
  nameElsewhere,
  notify,
  open,
  openWatched,
  REFUSED,
  resolve,
  settle,
  tell,
  terminate,
  trouble,
  works,
  world,
} from './acts';
import { USER } from './world';

test('promise 8: an after-sale whose earlier run answers no query says so to a person, and takes a person’s word', async () => {
  await open({ plans: [DONE] });
  await happens(move('DISPUTE'), tell('DISPUTE'), HOUR, () => runsAreSilent(world.temporal.client), terminate, MINUTE);
  // What is decided before anything is shown is refused.
  await happens(settle, HOUR);
  expect(await world.state()).toMatchObject({ ledger_complete: false, trade_status: 'DISPUTE', attention: 'dispute' });
  await happens(resolve({ refunded_elsewhere: '0.00' }), DAY);
  expect(world.told.map(({ is }) => is)).toEqual(['not resolved', 'resolved']);
  expect(await world.state()).toMatchObject({ ledger_complete: true });
});

test('promise 8: a person’s word finds room where a merchant has asked 2,100 times for a refund whose answer was lost', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  await happens(ask('150.00', 'a'), HOUR);
  expect(await attention()).toBe('unknown-refund');
  // More calls than Temporal takes in a run, all at once: 17 hours of a merchant who asks again as often as it is told to.
  const refund = { amount: '150.00', out_request_no: 'a', user_info: USER };
  for (let i = 0; i < 2_100; i += 1) world.temporal.update(world.workflowId, 'refund', refund);
  await world.pass(MINUTE);
  // Temporal takes 2,000 updates in a run.
  const counted = world.temporal.runs(world.workflowId).map(({ countedUpdates }) => countedUpdates);
  expect(Math.max(...counted)).toBeLessThan(2_000);
  await happens(resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' }), DAY);
  expect(await attention()).toBe(null);
  await happens(ask('150.00', 'a'), HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
});

test('promise 8: the refund of a late payment that is not sent, because another refund became known before its turn, is before a person', async () => {
  await open({ watchWindow: '3d', late: 'refund' });
  await happens(trouble('refunds unreachable'), comesLate, MINUTE);
  await happens(desk('50.00', 0), tell('PARTIAL_REFUND', 'desk-1'), MINUTE, works, HOUR, nameElsewhere, 10 * DAY);
  // The buyer misses 100.00 of a payment that nobody delivers for, and the after-sale has ended.
  expect(world.gateway.requests).toEqual([]);
  expect(world.attentions.map(({ attention }) => attention)).toContain('late-payment');
});

test('promise 8: a request to cancel, which has no effect on payments and accounts, does not close an after-sale that needs a person', async () => {
  await open();
  await happens(move('DISPUTE'), tell('DISPUTE'), HOUR, cancel, HOUR);
  expect(world.run?.isRunning).toBe(true);
  await happens(settle, HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'resolved' });
  await happens(move('SUCCESS'), 2 * HOUR);
  expect([world.run?.status, (await world.state())?.attention]).toEqual(['COMPLETED', null]);
});

test('an after-sale whose notification was not confirmed ends with its watch window once a person has looked', async () => {
  await open({ watchWindow: '3d' });
  await happens(move('CHARGEBACK'), notify('all'), move('SUCCESS'), HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unconfirmed-notification' });
  await happens(settle, 4 * DAY);
  expect(world.run?.isRunning).toBe(false);
});

test('promise 8: a refund under way of which the gateway does not answer for a month is before a person', async () => {
  await open({ plans: [LONG] });
  await happens(ask('50.00', 'a'), 10 * MINUTE, trouble('unreachable'), 30 * DAY);
  const state = await world.state();
  expect([state?.refunds[0]?.outcome, state?.attention]).not.toEqual([null, null]);
});

test('ten rechecks of a trade whose gateway is down leave room for a person’s word', async () => {
  await openWatched();
  await happens(settle, HOUR, trouble('unreachable'));
  for (let i = 0; i < 10; i += 1) world.temporal.update(world.workflowId, 'recheck');
  await happens(MINUTE, settle, MINUTE);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
});

test.each([
  ['denies', () => denyTheTrade()],
  ['says nothing of', trouble('429')],
] as const)(
  'promise 8: a refund that has waited a week is before a person also while the gateway %s the trade',
  async (_does, act) => {
    await open({ mishaps: ['answer lost'], plans: [REFUSED] });
    await happens(ask('50.00', 'a'), HOUR, ask('20.00', 'b'), 5 * MINUTE, act, 8 * DAY);
    const reasons = (await world.state())?.refunds.map((one) => one.attention);
    expect(reasons).toEqual(['unknown-refund', 'waiting-refund']);
  },
);

test('promise 8: a chargeback that is notified of a trade that the gateway shows no more can be settled', async () => {
  await open({ plans: [DONE] });
  await happens(ask('50.00', 'a'), DAY, () => denyTheTrade(), tell('CHARGEBACK'), DAY);
  const shown = [await attention()];
  await happens(settle, MINUTE);
  shown.push(await attention());
  await happens(settle, MINUTE);
  expect([...shown, await attention()]).toEqual(['chargeback', 'unknown-trade', null]);
});

test('a search that a person has ended is over, whatever else needs a person', async () => {
  await open();
  let asked = 0;
  answering(world.gateway, () => {
    asked += 1;
    return refusal('trade-not-exist', '40004');
  });
  await happens(tell('REFUNDED'), DAY, () => world.run?.signal('of-nobody', []), MINUTE);
  const before = await attention();
  await happens(settle, HOUR);
  const [next, until] = [await attention(), asked];
  await happens(3 * DAY);
  expect([before, next, asked - until]).toEqual(['unknown-trade', 'unexpected-signal', 0]);
});
