/** Promise 8: what needs a person says so, stays, and can always be settled. */

import type { RefundOutcome } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { latePaymentRefundNumber } from '../../../../src/workflows/shared/refund-numbers';
import { DONE, LONG, numbersMade, open, openWatched, REVOKED, tell, world } from './acts';
import { PLAIN } from './world';

/** Such as code that does not replay: every query of a run that is named fails. */
function silenceEarlierRuns(): void {
  const { workflow } = world.temporal.client;
  const handleOf = workflow.getHandle.bind(workflow);
  const query = () => Promise.reject(new Error('deadline exceeded'));
  jest
    .spyOn(workflow, 'getHandle')
    .mockImplementation((...of) => Object.assign(handleOf(...of), of[1] ? { query } : {}));
}
/** A refund is asked for while the gateway is silent: only a denial at once says that the number is nobody's. */
async function askInSilence(): Promise<void> {
  const { post } = world.gateway;
  world.gateway.post = async () => ({ status: 502, body: new TextEncoder().encode('<html>') });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.post = post;
}
/** The gateway denies the trade: an order number that a merchant mistyped, or a trade that it lost. */
const denyTheTrade = () => {
  const body = new TextEncoder().encode(
    JSON.stringify({ code: '40004', msg: 'Business Failed', sub_code: 'trade-not-exist' }),
  );
  world.gateway.post = async () => ({ status: 200, body });
};
async function parts(...numbers: string[]): Promise<void> {
  for (const number of numbers) {
    world.ask({ amount: '50.00', number });
    await world.pass(10 * MINUTE);
  }
}
/** A person says of each refund that is asked about what became of it, three times over, and that nothing went back elsewhere. */
async function answer(truth: Readonly<Record<string, Exclude<RefundOutcome, 'ACCEPTED'>>>): Promise<void> {
  world.resolve({ refunded_elsewhere: '0.00' });
  for (let i = 0; i < 3; i += 1)
    for (const [out_request_no, outcome] of Object.entries(truth)) {
      await world.pass(MINUTE);
      world.resolve({ out_request_no, outcome });
    }
  await world.pass(HOUR);
}
const attention = async () => (await world.state())?.attention;
afterEach(() => {
  jest.restoreAllMocks();
  return world?.close();
});
afterEach(() => world?.close());

test('promise 8: an after-sale whose earlier run answers no query says so to a person, and takes a person’s word', async () => {
  await open({ plans: [DONE] });
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  silenceEarlierRuns();
  world.terminate();
  await world.pass(MINUTE);
  world.resolve({});
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ ledger_complete: false, trade_status: 'DISPUTE', attention: 'dispute' });
  world.resolve({ refunded_elsewhere: '0.00' });
  await world.pass(DAY);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
  expect(await world.state()).toMatchObject({ ledger_complete: true });
});

test('promise 8: a person’s word finds room where a merchant has asked again for a pending refund for 17 hours, as it was told to', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' }, 2_100);
  await world.pass(MINUTE);
  await world.pass(18 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund' });
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ attention: null });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
});

test('promise 8: the refund of a late payment that is not sent, because another refund became known before its turn, is before a person', async () => {
  await open({ watchWindow: '3d', late: 'refund' });
  world.gateway.trouble = 'refunds unreachable';
  await world.comesLate();
  await world.pass(MINUTE);
  world.desk('50.00', 0);
  tell('PARTIAL_REFUND', 'desk-1');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.nameElsewhere();
  await world.pass(10 * DAY);
  // The buyer misses 100.00 of a payment that nobody delivers for, and the after-sale has ended.
  expect(world.gateway.requests).toEqual([]);
  expect(world.attentions.map(({ attention }) => attention)).toContain('late-payment');
});

test('promise 8: a request to cancel, which has no effect on payments and accounts, does not close an after-sale that needs a person', async () => {
  await open();
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  world.run?.requestCancel('the button');
  await world.pass(HOUR);
  expect(world.run?.isRunning).toBe(true);
  world.resolve({});
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'resolved' });
  expect([world.run?.status, (await world.state())?.attention]).toEqual(['COMPLETED', null]);
});

test('promise 8: a request to cancel an after-sale ends neither its refund nor the answer to who asked, and what is notified reaches the refund', async () => {
  await open({ plans: [{ takes_ms: HOUR, ends: 'refused' }] });
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(5_000);
  expect(world.told).toEqual([]);
  world.run?.requestCancel('the button');
  await world.pass(1_000);
  world.gateway.trouble = undefined;
  await world.pass(MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  await world.pass(HOUR);
  tell('REFUND_REFUSED', 'a');
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  expect(await world.state()).toMatchObject({
    attention: null,
    refunds: [{ outcome: 'REFUND_REFUSED' }, { outcome: 'REFUNDED' }],
  });
});

test('promise 8: an after-sale of an order that does not exist ends once a person has resolved unknown-trade, as the runbook says', async () => {
  await open();
  await askInSilence();
  denyTheTrade();
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  world.resolve({});
  await world.pass(30 * DAY);
  expect(world.run?.isRunning).toBe(false);
});

test('promise 8: a dispute of a trade that the gateway denies is not asked about for ever, and people read why it is', async () => {
  await open();
  denyTheTrade();
  tell('DISPUTE');
  for (let i = 0; i < 3; i += 1) {
    await world.pass(DAY);
    world.resolve({});
  }
  await world.pass(30 * DAY);
  const shown = new Set(world.attentions.map(({ attention }) => attention));
  expect([(await world.state())?.attention, ...shown]).not.toEqual(['dispute', 'dispute']);
});

describe('a person is not asked about the same for ever', () => {
  test('promise 8: where one part of three came back, and a person has said which', async () => {
    await open({ plans: [DONE, DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b', 'c');
    world.gateway.giveUp('us', false);
    tell('REFUND_REVOKE');
    await world.pass(HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED', c: 'REFUND_REVOKE' });
    const { attention: asked, refunded_amount } = (await world.state()) ?? {};
    expect([asked, refunded_amount]).toEqual([null, '100.00']);
  });

  test('promise 8: where it was one of the desk that came back, and both of ours were paid', async () => {
    await open({ plans: [DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b');
    world.desk('50.00', 0, 'revoked');
    tell('REFUND_REVOKE');
    await world.pass(HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED' });
    const { attention: asked, refunded_amount } = (await world.state()) ?? {};
    expect([asked, refunded_amount]).toEqual([null, '100.00']);
  });
});

describe('a person can say what is so', () => {
  test('promise 8: where a part of a full refund came back between two looks', async () => {
    await open({ plans: [DONE, DONE, DONE], watchWindow: '3d' });
    await parts('a', 'b', 'c');
    world.gateway.giveUp('us', false);
    await world.pass(2 * HOUR);
    await answer({ a: 'REFUNDED', b: 'REFUNDED', c: 'REFUND_REVOKE' });
    expect((await world.state())?.refunded_amount).toBe('100.00');
  });
});

describe('nothing stays open for ever in silence', () => {
  test('promise 8: a refund that does not reach the gateway for ten days is before a person', async () => {
    await open({ plans: [DONE] });
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(10 * DAY);
    expect(await attention()).not.toBeNull();
  });
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

describe('a refund that stays open is before a person', () => {
  test('promise 8: a refund under way of which the gateway does not answer for a month is before a person', async () => {
    await open({ plans: [LONG] });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.gateway.trouble = 'unreachable';
    await world.pass(30 * DAY);
    const state = await world.state();
    expect([state?.refunds[0]?.outcome, state?.attention]).not.toEqual([null, null]);
  });

  test('promise 8: a refund that waits for a month for a trade that stays REFUND_REVOKE is before a person', async () => {
    await open({ plans: [REVOKED, DONE], revokedFor_ms: 1_000 * DAY });
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(10 * MINUTE);
    world.ask({ amount: '50.00', number: 'c' });
    await world.pass(30 * DAY);
    const state = await world.state();
    expect([state?.refunds[1]?.outcome, state?.attention]).not.toEqual([null, null]);
  });
});

test('ten rechecks of a trade whose gateway is down leave room for a person’s word', async () => {
  await openWatched();
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.trouble = 'unreachable';
  for (let i = 0; i < 10; i += 1) world.temporal.update(world.workflowId, 'recheck');
  await world.pass(MINUTE);
  world.resolve({});
  await world.pass(MINUTE);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
});
