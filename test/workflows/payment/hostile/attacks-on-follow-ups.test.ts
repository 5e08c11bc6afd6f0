/** Attacks on what goes on after a payment that ended while its gateway was silent. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, madeByAnother, stateNow, tradeAt, world } from './attack-world';
import { brokenIn, story } from './schedule';
import { AMOUNT } from './world';

afterEach(() => (world ? end() : undefined));

const open = () =>
  world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return run.isRunning && typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });

// — The follow-up of a sale that was read anew in an outage stays under `no-answer` when the gateway answers again —
// Lost: a person's time, who is sent to a gateway that answers; and what the gateway then says of the sale, which nobody reads.

/** The sale of an adopted trade is reset, and looks at its trade while the gateway is silent for an hour. */
async function resetInAnOutage(during: () => Promise<void> = async () => undefined): Promise<void> {
  await begin();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  world.gateway.trouble = 'unreachable';
  world.reset();
  await world.pass(HOUR);
  expect(open()).toEqual(['no-answer']);
  await during();
  world.gateway.trouble = undefined;
}

test('promise 8: no follow-up is under no-answer after a reset that came just as the gateway answers', async () => {
  const steps = [{ do: 'reset' }, { do: 'trouble', kind: 'unreachable', ms: HOUR }, { do: 'reset' }] as const;
  const before = { amount: AMOUNT, isPaid: true, isNotified: true };
  expect(await brokenIn(story(steps, { before, takesNumbersTwice: false }))).toEqual([]);
});

test('promise 8: the gateway’s answer settles the no-answer of a sale without a person', async () => {
  await resetInAnOutage();
  await world.pass(2 * HOUR);
  expect(open()).toEqual([]);
  expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
});

test('promise 8: a sale that the gateway calls canceled after its silence is before a person', async () => {
  await resetInAnOutage(async () => {
    world.gateway.move(tradeAt(0), 'CANCEL');
    await world.pass(HOUR);
  });
  await world.pass(DAY);
  expect(open()).toEqual(['unlisted-transition']);
});

test('promise 8: a sale that the gateway has forgotten after its silence is before a person', async () => {
  await resetInAnOutage(async () => {
    world.gateway.trades.length = 0;
  });
  await world.pass(DAY);
  expect(open()).toEqual(['unknown-trade']);
});

test('promise 8: a recheck after the end asks a gateway that was silent, and is told what it says', async () => {
  await resetInAnOutage();
  world.recheck();
  await world.pass(10 * MINUTE);
  expect(world.told.findLast(({ is }) => is === 'rechecked')).toMatchObject({ state: { attention: null } });
});

test('promise 8: a person settles the no-answer of a sale during the silence, and nothing is left open', async () => {
  await resetInAnOutage(async () => {
    await world.resolve('SUCCESS');
    await world.pass(MINUTE);
    expect(world.runs.filter(({ isRunning }) => isRunning)).toEqual([]);
  });
});
