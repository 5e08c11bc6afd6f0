/** A gateway that makes an order and refuses its payment: the order itself is asked for before the merchant hears of a refusal. */

import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { answers, begin, happens, move, notify, outcomeNow, pay, stateNow, world } from './hostile/acts';
import { changeBodies, hide } from './hostile/changed-answers';

const SECOND = 1_000;

const queries = () => world.gateway.exchanges.filter(({ is }) => is === 'query').length;

/** The gateway makes the order, which stays as it is, and answers that the bank was busy. */
const refusesWhatItMakes = () =>
  changeBodies('/trade/pay', { answer: () => ({ code: '40002', msg: 'Business Failed', sub_code: 'bank-side-busy' }) });

test('an order that the bank charges although it was refused is sold without a notification, and a person says whose trade it is', async () => {
  await begin();
  refusesWhatItMakes();
  await happens(pay, 30 * SECOND);
  expect(answers()).toEqual(['T1']);
  await happens(move('T1', 'SUCCESS'), 2 * HOUR);
  expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: 'unproven-trade' });
});

test('an order that is paid by the time of the query is sold, whatever the creation was answered', async () => {
  await begin();
  refusesWhatItMakes();
  const { gateway } = world;
  const { make } = gateway;
  gateway.make = (...order: Parameters<typeof make>) => make.call(gateway, order[0], order[1], 'SUCCESS');
  await happens(pay, MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test('an order that is refused and over ends as refused after one query', async () => {
  await begin({ creations: ['created and refused'] });
  await happens(pay, 30 * SECOND);
  expect(await stateNow()).toMatchObject({ outcome: 'REFUSED', trade_no: 'T1', attention: null });
  expect(queries()).toBe(1);
  // What is notified of it then is of the order's own trade.
  await happens(notify('T1', 'REFUSED'), MINUTE);
  expect(await stateNow()).toMatchObject({ trade_no: 'T1', other_trades: [], attention: null });
});

test.each([
  ['has no answer', 'silent'],
  ['does not show it yet', 'denied'],
] as const)(
  'an order whose query %s ends as refused within the caller’s time, and is watched: its late money is found',
  async (_what, how) => {
    await begin();
    refusesWhatItMakes();
    const mend = hide(['order-1'], how);
    await happens(pay, 30 * SECOND);
    expect(await stateNow()).toMatchObject({ outcome: 'REFUSED', attention: null });
    await happens(mend, move('T1', 'SUCCESS'), 2 * HOUR);
    expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
  },
);
