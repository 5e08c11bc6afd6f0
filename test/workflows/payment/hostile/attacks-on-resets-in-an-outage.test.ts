/** Attacks on what goes on after a payment that ended while its gateway was silent. */
import { HOUR } from '../../../../src/gateway/pure/durations';
import { brokenIn, story } from './schedule';
import { AMOUNT } from './world';

test('promise 8: nothing is under no-answer after a reset that came just as the gateway answers', async () => {
  const steps = [{ do: 'reset' }, { do: 'trouble', kind: 'unreachable', ms: HOUR }, { do: 'reset' }] as const;
  const before = { amount: AMOUNT, isPaid: true, isNotified: true };
  expect(await brokenIn(story(steps, { before, takesNumbersTwice: false }))).toEqual([]);
});
