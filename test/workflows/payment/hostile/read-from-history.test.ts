/**
 * What the runs before a payment's run knew, where no worker can answer for them: their task queue was renamed, or their code does not replay.
 * What they sent, and what the gateway answered, is in their histories.
 */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { answers, begin, happens, listIsDown, pay, sell, stateNow, tradeAt, world } from './acts';

/** What each call of `pay` was answered: the trade and its QR code. */
const codes = () =>
  world.told.flatMap((one) => (one.is === 'payment data' ? [`${one.data.trade_no} ${one.data.qr_code}`] : []));

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
    await happens(pay, MINUTE);
    // A while, so that the queue is another one by then.
    await world.pass(MINUTE);
    await act();
    await world.pass(HOUR);
    await happens(pay, HOUR);
    expect(codes()).toEqual(['T1 000201-T1', 'T1 000201-T1']);
  },
);

test.each(ENDINGS)(
  'promise 5: money of a trade that the creation named, and no order number finds, is found where its payment was %s on a new task queue',
  async (_how, act) => {
    await begin({ findsBy: 'trade_no alone', takesNumbersTwice: false });
    await happens(pay, MINUTE);
    await world.pass(MINUTE);
    await act();
    await world.pass(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(DAY);
    expect([answers()[0], (await stateNow()).outcome]).toEqual(['T1', 'SUCCESS']);
  },
);

/** Another order under the number of a sale is started, and terminated before it was sent. Then somebody adopts the number. */
async function anotherNeverSent(meanwhile: () => void): Promise<void> {
  await sell();
  const mend = listIsDown();
  const request = { ...world.order('151.00') };
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: APP, request }]);
  await world.pass(MINUTE);
  world.terminate();
  mend();
  await world.pass(MINUTE);
  meanwhile();
  world.adopt();
  await world.pass(HOUR);
}

test('promise 6: a sale stays where another order under its number, which was never sent, was terminated on the old task queue', async () => {
  await begin();
  await anotherNeverSent(() => world.temporal.renameTaskQueue());
  const { outcome, trade_no, order_amount, attention } = await stateNow();
  expect({ outcome, trade_no, order_amount, attention }).toEqual({
    ...{ outcome: 'SUCCESS', trade_no: 'T1', order_amount: '150.00', attention: null },
  });
});

test('promise 1: an order that was sold gets its answer where another one under its number was never sent, and terminated', async () => {
  await begin();
  await anotherNeverSent(() => undefined);
  await happens(pay, HOUR);
  expect(codes()).toEqual(['T1 000201-T1', 'T1 000201-T1']);
});
