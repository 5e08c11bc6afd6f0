/** Promise 8: what needs a person says so, stays, and can always be settled. */

import type { RefundOutcome } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { ExchangeError } from '../../../../src/gateway/transport';
import { answering } from '../../hostile/answering';
import { runsAreSilent } from '../../hostile/temporal-down';
import {
  ask,
  askInSilence,
  attention,
  cancel,
  comesLate,
  DONE,
  denyTheTrade,
  desk,
  giveUp,
  happens,
  LONG,
  move,
  nameElsewhere,
  notify,
  numbersMade,
  open,
  openWatched,
  parts,
  REVOKED,
  resolve,
  settle,
  tell,
  terminate,
  trouble,
  works,
  world,
} from './acts';
import { USER } from './world';

/** A person says of each refund that is asked about what became of it, three times over, and that nothing went back elsewhere. */
async function answer(truth: Readonly<Record<string, Exclude<RefundOutcome, 'ACCEPTED'>>>): Promise<void> {
  world.resolve({ refunded_elsewhere: '0.00' });
  for (let i = 0; i < 3; i += 1)
    for (const [out_request_no, outcome] of Object.entries(truth))
      await happens(MINUTE, resolve({ out_request_no, outcome }));
  await world.pass(HOUR);
}

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
  await happens(MINUTE, resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' }), DAY);
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

test('promise 8: a request to cancel an after-sale ends neither its refund nor the answer to who asked, and what is notified reaches the refund', async () => {
  await open({ plans: [{ takes_ms: HOUR, ends: 'refused' }] });
  await happens(trouble('refunds unreachable'), ask('50.00', 'a'), 5_000);
  expect(world.told).toEqual([]);
  await happens(cancel, 1_000, works, MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  await happens(HOUR, tell('REFUND_REFUSED', 'a'), MINUTE, ask('150.00', 'b'), HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  expect(await world.state()).toMatchObject({
    attention: null,
    refunds: [{ outcome: 'REFUND_REFUSED' }, { outcome: 'REFUNDED' }],
  });
});

test('promise 8: an after-sale of an order that does not exist ends once a person has resolved unknown-trade, as the runbook says', async () => {
  await open();
  await happens(askInSilence, denyTheTrade, HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  await happens(settle, 30 * DAY);
  expect(world.run?.isRunning).toBe(false);
});

test('promise 8: a dispute of a trade that the gateway denies is not asked about for ever, and people read why it is', async () => {
  await open();
  await happens(denyTheTrade, tell('DISPUTE'));
  for (let i = 0; i < 3; i += 1) await happens(DAY, settle);
  await world.pass(30 * DAY);
  const shown = new Set(world.attentions.map(({ attention }) => attention));
  expect([await attention(), ...shown]).not.toEqual(['dispute', 'dispute']);
});

test('promise 8: a person is not asked for ever where one part of three came back, and that person has said which', async () => {
  await open({ plans: [DONE, DONE, DONE], watchWindow: '3d' });
  await happens(parts('a', 'b', 'c'), giveUp('us', false), tell('REFUND_REVOKE'), HOUR);
  await answer({ a: 'REFUNDED', b: 'REFUNDED', c: 'REFUND_REVOKE' });
  const { attention: asked, refunded_amount } = (await world.state()) ?? {};
  expect([asked, refunded_amount]).toEqual([null, '100.00']);
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

test('promise 8: one that an outage keeps back for nine days is not said to wait for its turn, however often somebody asks', async () => {
  await open({ plans: [DONE] });
  await happens(trouble('refunds unreachable'), ask('50.00', 'a'), 8 * DAY);
  for (let i = 0; i < 3; i += 1) {
    world.temporal.update(world.workflowId, 'recheck');
    await happens(HOUR);
  }
  expect(await attention()).toBe('no-answer');
  await happens(works, DAY);
  const told = new Set(world.events.map((one) => ('payment' in one ? one.payment.attention : null)));
  expect([...told]).toEqual([null, 'no-answer']);
  expect(numbersMade()).toEqual(['a']);
});

test('promise 8: a refund that waits for a month for a trade that stays REFUND_REVOKE is before a person', async () => {
  await open({ plans: [REVOKED, DONE], revokedFor_ms: 1_000 * DAY });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('50.00', 'c'), 30 * DAY);
  const state = await world.state();
  expect([state?.refunds[1]?.outcome, state?.attention]).not.toEqual([null, null]);
});

test('ten rechecks of a trade whose gateway is down leave room for a person’s word', async () => {
  await openWatched();
  await happens(settle, HOUR, trouble('unreachable'));
  for (let i = 0; i < 10; i += 1) world.temporal.update(world.workflowId, 'recheck');
  await happens(MINUTE, settle, MINUTE);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
});

test('a trade that the gateway knows by the order’s number alone is not called unknown while that question has no answer', async () => {
  await open({ findsBy: 'out_trade_no alone', plans: [DONE] });
  await happens(ask('50.00', 'a'), HOUR);
  answering(world.gateway, ({ path, text, ask: answer }) => {
    if (path.endsWith('/query') && !text.includes('"trade_no"')) throw new ExchangeError(true, 'UND_ERR_SOCKET');
    return answer();
  });
  world.temporal.update(world.workflowId, 'recheck');
  await happens(DAY);
  expect(await attention()).toBe('no-answer');
});
