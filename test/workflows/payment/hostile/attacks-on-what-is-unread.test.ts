/**
 * A run ended without taking the notification of a second trade, and the next one could not read that, because Temporal's list
 * of workflows was down. Whatever happens next: once everything is well again, somebody hears of the second trade. UNREAD_RUNS
 * plays more than the 15 stories of the suite.
 */
import fc from 'fast-check';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  begin,
  end,
  found,
  listIsDown,
  madeByAnother,
  pay,
  sell,
  startAgain,
  tradesKnown,
  world,
} from './attack-world';

afterEach(() => (world ? end() : undefined));

const SECOND = 1_000;
let mend: () => void = () => undefined;

/** What may happen next. */
const NEXT: Record<string, () => unknown> = {
  'the list is back': () => mend(),
  'the list is down': () => {
    mend();
    mend = listIsDown();
  },
  'an operator adopts the order again': () => world.adopt(),
  'the merchant asks for the order again': () => world.pay(),
  'the order is started again': () => startAgain(MINUTE),
  'a person settles whatever waits': () => world.resolve('CANCEL'),
  'the payment is terminated': () => world.terminate(),
  'the worker dies': () => world.killWorker(),
  'no worker is there': () => world.leaveWithoutWorker(10 * MINUTE),
  'the payment is asked to look': () => world.recheck(),
  'a minute passes': () => world.pass(MINUTE),
  'two hours pass': () => world.pass(2 * HOUR),
};

async function begunUnread(): Promise<void> {
  await begin();
  await sell();
  const other = madeByAnother('SUCCESS');
  await world.leaveWithoutWorker(MINUTE);
  world.adopt();
  await world.pass(SECOND);
  world.notify(other);
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
  mend = listIsDown();
  world.adopt();
}

test('promise 3: somebody hears of a second trade that an earlier run left, whatever happens while it is unread', async () => {
  const stories = fc.array(fc.constantFrom(...Object.keys(NEXT)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(stories, fc.constantFrom(SECOND, MINUTE, HOUR), async (names, first_ms) => {
      await begunUnread();
      const shown = new Set<string>();
      const look = () => {
        for (const attention of found()) shown.add(attention);
      };
      await world.pass(first_ms);
      for (const name of names) {
        await NEXT[name]?.();
        await world.pass(SECOND);
        look();
      }
      mend();
      await world.pass(HOUR);
      // Who terminates a run takes with it what it had, until the next run reads that.
      if (names.includes('the payment is terminated')) world.adopt();
      await world.pass(DAY);
      look();
      const known = await tradesKnown();
      await end();
      expect({ names, isKnown: known.includes('T2'), isShown: shown.has('second-trade') }).toEqual({
        names,
        isKnown: true,
        isShown: true,
      });
    }),
    { numRuns: Number(process.env.UNREAD_RUNS ?? 15), seed: 20261125 },
  );
});

test('promise 3: what a run under another workflow id left is known to the next run under that id', async () => {
  const other = 'a-merchant-s-own-id';
  const adopt = () =>
    world.start('ALLOW_DUPLICATE', other, [{ kind: 'adopt', app_id: 'hostile', out_trade_no: world.out_trade_no }]);
  const runOf = () => world.temporal.latest(other);
  await begin();
  await pay(MINUTE);
  await world.leaveWithoutWorker(MINUTE);
  adopt();
  await world.pass(SECOND);
  const { trade_no } = madeByAnother('SUCCESS');
  await world.temporal.client.workflow.getHandle(other).signal('notification', { trade_no, trade_status: 'SUCCESS' });
  runOf()?.terminate();
  await world.pass(5 * MINUTE);
  mend = listIsDown();
  adopt();
  await world.pass(HOUR);
  expect(runOf()?.isRunning).toBe(true);
  mend();
  await world.pass(10 * MINUTE);
  const known = await world.temporal.client.workflow.getHandle(other).query<PaymentState>('state');
  expect(known).toMatchObject({ trade_no, outcome: 'SUCCESS' });
});
