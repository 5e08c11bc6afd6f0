/** Attacks on what a run that somebody ended had read, and had not told to the end. */
import { DAY, MINUTE } from '../../../../src/gateway/pure/durations';
import { attentions, begin, end, pay, startAgain, stateNow, tradeAt, world } from './attack-world';

afterEach(async () => end());

const open = () =>
  world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return run.isRunning && typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });

for (const isTerminated of [false, true])
  test(`promise 4: a SUCCESS that a look had contradicted ends before a person${isTerminated ? ', although its run was terminated' : ''}`, async () => {
    await begin({});
    await pay(MINUTE);
    world.notify(tradeAt(0), 'SUCCESS');
    await world.pass(20 * MINUTE);
    if (isTerminated) {
      world.terminate();
      await world.pass(MINUTE);
      await startAgain(MINUTE);
    }
    world.gateway.move(tradeAt(0), 'CANCEL');
    await world.pass(2 * DAY);
    const { outcome } = await stateNow();
    expect([outcome, attentions(), open()]).not.toEqual(['CANCEL', [], []]);
  });
