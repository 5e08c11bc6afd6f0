/** Promise 7, where a later payment of the order names another trade as its own: each trade has its own refunds. */

import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { endedPayment } from '../../../harness/ended-payment';
import { answeringFirst } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import { refusal } from '../../hostile/gateway';
import {
  ask,
  comesLate,
  happens,
  numbersMade,
  open,
  openWatched,
  renameQueue,
  terminate,
  trouble,
  works,
  world,
} from './acts';
import { TRADE } from './world';

/** The gateway has a second trade, and the payment has ended with that. */
const another =
  (state: Partial<PaymentState> = {}, end: Partial<Parameters<typeof endedPayment>[2]> = {}) =>
  async (): Promise<void> => {
    world.gateway.trades.push({ ...world.sold, trade_no: 'T2', states: [{ at: world.now, status: 'SUCCESS' }] });
    const given = endedPayment({ app_id: APP, out_trade_no: TRADE.out_trade_no, trade_no: 'T2' }, state, {
      ended_at: world.now,
      watch_until: world.now + 5 * DAY,
      run_id: 'run of T2',
      ...end,
    });
    const handle = world.temporal.client.workflow.getHandle(world.workflowId);
    await world.within(() => handle.signal('payment', { end: given, claims: [], contradicted: [] }));
  };
const anotherIsSold = another();

const refunds = async () =>
  (await world.state())?.refunds.map(({ out_request_no, trade_no, outcome }) => [out_request_no, trade_no, outcome]);

test('a refund under a number that is free again is answered by its own end', async () => {
  await openWatched();
  answeringFirst(world.gateway, '/trade/refund', async () => refusal('refund-amount-exceeded'));
  await happens(ask('50.00', 'a'), HOUR, anotherIsSold, HOUR, ask('50.00', 'a'), HOUR);
  expect({ made: numbersMade(), told: world.told.at(-1) }).toMatchObject({ made: ['a'], told: { is: 'answer' } });
});

test.each([
  ['a part', 'attention', ask('100.00', 'a')],
  ['late money', 'refund', comesLate],
] as const)('what was asked for of the one before is not sent for it: %s', async (_what, late, asks) => {
  await open({ watchWindow: '3d', late });
  const expired = { outcome: 'EXPIRED', trade_status: 'EXPIRED', confirmed_by: 'query' } as const;
  const named = late === 'refund' ? another(expired, { made_here: false, ordered_here: true }) : anotherIsSold;
  await happens(trouble('refunds unreachable'), asks, HOUR, named, MINUTE, works, HOUR);
  expect(await refunds()).toEqual([[expect.any(String), null, 'NOT_CREATED']]);
  expect(numbersMade()).toEqual([]);
});

test('a search for the one before ends, and the gateway is asked for the one that is the order’s now', async () => {
  await openWatched();
  await happens(ask('50.00', 'a'), HOUR);
  world.gateway.trades.splice(0);
  void world.temporal.update(world.workflowId, 'recheck');
  await happens(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  await happens(anotherIsSold, HOUR);
  expect(await world.state()).toMatchObject({ attention: 'second-trade', trade_no: 'T2', trade_status: 'SUCCESS' });
});

test('what a run has sent that nobody can ask is of the trade that it was sent for', async () => {
  await openWatched();
  await happens(ask('50.00', 'a'), HOUR, anotherIsSold, HOUR, ask('20.00', 'b'), HOUR);
  await happens(terminate, renameQueue, ask('10.00', 'c'), HOUR);
  expect(await refunds()).toEqual([
    ['a', 'T1', null],
    ['b', 'T2', null],
  ]);
});
