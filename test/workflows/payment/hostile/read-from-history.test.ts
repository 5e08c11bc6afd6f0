/**
 * What the runs before a payment's run knew, where no worker can answer for them: their task queue was renamed, or their code does not replay.
 * What they sent, and what the gateway answered, is in their histories.
 */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answers, begin, happens, pay, stateNow, tradeAt, world } from './acts';

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
