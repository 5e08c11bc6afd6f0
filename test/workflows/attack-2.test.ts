/**
 * Promises 1 and 5: what the gateway answered to a creation stands in the history of the run that asked, and the run that follows it reads
 * it only by a query of that run. Where no worker can answer one (its task queue was renamed, its code does not replay), the QR code and the
 * trade's number are lost, although docs/operations.md says "What has ended there is read from its history".
 */
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { APP } from './hostile/base-world';
import { answers, begin, end, listIsDown, pay, sell, stateNow, tradeAt, world } from './payment/hostile/acts';

afterEach(end);

/** What each call of `pay` was answered: the trade and its QR code. */
const codes = () =>
  world.told.flatMap((one) => (one.is === 'payment data' ? [`${one.data.trade_no} ${one.data.qr_code}`] : []));

/** The payment is ended in the way that is named, and its old task queue has no worker. */
const ENDINGS: [how: string, end: () => Promise<void>][] = [
  [
    'reset',
    async () => {
      world.temporal.renameTaskQueue();
      world.reset();
    },
  ],
  [
    'terminated, and started again',
    async () => {
      world.terminate();
      await world.pass(MINUTE);
      world.temporal.renameTaskQueue();
      world.start('ALLOW_DUPLICATE');
    },
  ],
];

test.each(ENDINGS)(
  'promise 1: an order whose payment was %s on a new task queue gets the same answer',
  async (_how, act) => {
    await begin();
    await pay(MINUTE);
    // A while, so that the queue is another one by then.
    await world.pass(MINUTE);
    await act();
    await world.pass(HOUR);
    await pay(HOUR);
    expect(codes()).toEqual(['T1 000201-T1', 'T1 000201-T1']);
  },
);

test.each(ENDINGS)(
  'promise 5: money of a trade that the creation named, and no order number finds, is found where its payment was %s on a new task queue',
  async (_how, act) => {
    await begin({ findsBy: 'trade_no alone', takesNumbersTwice: false });
    await pay(MINUTE);
    await world.pass(MINUTE);
    await act();
    await world.pass(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(DAY);
    expect([answers()[0], (await stateNow()).outcome]).toEqual(['T1', 'SUCCESS']);
  },
);

test('promise 6: a sale stays where another order under its number, which was never sent, was terminated on the old task queue', async () => {
  await begin();
  await sell();
  const mend = listIsDown();
  const request = { ...world.order('151.00') };
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: APP, request }]);
  await world.pass(MINUTE);
  world.terminate();
  mend();
  await world.pass(MINUTE);
  world.temporal.renameTaskQueue();
  world.adopt();
  await world.pass(HOUR);
  const { outcome, trade_no, order_amount, attention } = await stateNow();
  expect({ outcome, trade_no, order_amount, attention }).toEqual({
    ...{ outcome: 'SUCCESS', trade_no: 'T1', order_amount: '150.00', attention: null },
  });
});
