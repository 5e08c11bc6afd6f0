/** Stories that were random once: what the second run of an order did not look at, or answered too soon. */
import { HOUR } from '../../../../src/gateway/pure/durations';
import { brokenIn, notify, resolve, SECOND, story, wait } from './schedule';

const OTHER = { amount: '150.00', isPaid: true, isNotified: false };
const unreachable = Array<'unreachable'>(8).fill('unreachable');

test('promise 4: a trade that is named after a person called the order sold is asked for, also after a reset', async () => {
  const traits = { takesNumbersTwice: false, creations: ['none' as const, ...unreachable], before: OTHER };
  const told = story([resolve('SUCCESS'), notify, { do: 'reset' }], traits);
  expect(await brokenIn({ ...told, chance: 1682413212 })).toEqual([]);
});

test('promise 1: another trade that was named before the gateway refused our order is before a person', async () => {
  const creations = ['created and refused' as const, ...unreachable];
  const told = story([{ do: 'notify wrong amount' }], {
    ...{ creations, notifies_ms: 20 * SECOND, before: { ...OTHER, isPaid: false } },
  });
  expect(await brokenIn({ ...told, chance: 1514489598 })).toEqual([]);
});

test('promise 8: a recheck of a run that gives way to the order before it is not answered without a look', async () => {
  const steps = [wait(5 * SECOND), { do: 'ends' } as const, wait(10 * HOUR)];
  const told = story([...steps, { do: 'adopt by number' }, { do: 'recheck' }], {
    ...{ takesNumbersTwice: false, forgetsAfter_ms: 4 * HOUR },
  });
  expect(await brokenIn({ ...told, chance: 2098977636 })).toEqual([]);
});

test('promise 5: a late refund that its after-sale cannot take for a day adds little to its history', async () => {
  const traits = { findsBy: 'trade_no alone', notifies_ms: 2 * SECOND, late: 'refund', method: 'Wallet' } as const;
  const steps = [wait(2 * HOUR), { do: 'paid' }, { do: 'refund' }, { do: 'pay' }, { do: 'terminate' }] as const;
  const told = story(steps, { ...traits, takesNumbersTwice: false });
  expect(await brokenIn({ ...told, chance: 47222110 })).toEqual([]);
});
