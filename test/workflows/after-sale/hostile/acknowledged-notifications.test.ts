/** Promises 3 and 4: what was acknowledged for an order after its sale is known, whatever became of the run that had it. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { endedPayment } from '../../../harness/ended-payment';
import { APP } from '../../hostile/base-world';
import {
  ask,
  askInSilence,
  DONE,
  denyTheTrade,
  giveUp,
  happens,
  noWorker,
  open,
  openWatched,
  settle,
  tell,
  terminate,
  trouble,
  works,
  world,
} from './acts';
import { TRADE } from './world';

test('promise 3: a revoke that was acknowledged into a run which was terminated before it began is not lost: 90.00 are called given back where 50.00 are', async () => {
  await open({ plans: [DONE, DONE] });
  await happens(ask('50.00', 'a'), 10 * MINUTE, ask('40.00', 'b'), HOUR);
  await happens(noWorker(10 * MINUTE), giveUp('us', true), tell('REFUND_REVOKE', 'b'), 2 * MINUTE);
  expect(world.acknowledged).toHaveLength(1);
  await happens(terminate, HOUR, ask('40.00', 'b'), HOUR);
  expect(await world.state()).toMatchObject({
    refunded_amount: '50.00',
    refunds: [{ outcome: 'ACCEPTED' }, { outcome: 'REFUND_REVOKE' }],
  });
});

test('promise 3: a dispute that is notified while a denied trade is searched is not settled by a person’s word about what was known before', async () => {
  await open();
  await happens(askInSilence, denyTheTrade, HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  await happens(tell('DISPUTE'), 1_000, settle, MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'dispute', claims: [{ trade_status: 'DISPUTE' }] });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  await happens(settle, HOUR);
  expect([world.run?.status, (await world.state())?.attention]).toEqual(['COMPLETED', null]);
});

test('promise 3: a trade that the gateway knows after a person has resolved unknown-trade is found by the next request', async () => {
  await open();
  await happens(askInSilence);
  const mend = denyTheTrade();
  await happens(HOUR, settle, HOUR, mend, ask('150.00', 'a'), HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '150.00' });
});

test.each([
  ['has taken it', false],
  ['has not taken it', true],
])(
  'promise 3: what a payment hands over to an after-sale that %s, and is terminated then, is known',
  async (_how, isAway) => {
    await open({ watchWindow: '3d' });
    await happens(ask('10.00', 'a'), HOUR);
    if (isAway) await world.leaveWithoutWorker(10 * MINUTE);
    const { out_trade_no, trade_no, amount: order_amount } = TRADE;
    const end = endedPayment(
      { app_id: APP, out_trade_no, trade_no },
      { other_trades: [{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount }] },
      { ended_at: world.now, watch_until: world.now + 5 * DAY, reasons: ['second-trade'], sent_again: true },
    );
    const handle = world.temporal.client.workflow.getHandle(world.workflowId);
    await world.within(() => handle.signal('payment', { end, claims: [], contradicted: [] }));
    if (!isAway) await world.pass(MINUTE);
    await happens(terminate, HOUR, ask('10.00', 'a'), HOUR);
    expect(await world.state()).toMatchObject({ attention: 'second-trade', other_trades: [{ trade_no: 'T2' }] });
  },
);

test('another trade that is notified while the gateway takes no refunds is asked for at once', async () => {
  await openWatched();
  await happens(trouble('refunds unreachable'), ask('50.00', 'a'), HOUR);
  world.gateway.trades.push({ ...world.sold, trade_no: 'T2', states: [{ at: world.now, status: 'PARTIAL_REFUND' }] });
  await happens(() => world.tellOfAnotherTrade('PARTIAL_REFUND', 'x'), MINUTE);
  const asked = world.gateway.exchanges.filter(({ asked: { trade_no } }) => trade_no === 'T2');
  expect(asked).toMatchObject([{ answered: 'trade' }]);
  // The refund goes on.
  await happens(works, HOUR);
  expect(await world.state()).toMatchObject({ refunds: [{ outcome: 'ACCEPTED' }] });
});
