/** Events of a payment: each once, and none is lost. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  begin,
  costs,
  decide,
  happens,
  move,
  pay,
  refund,
  reset,
  sell,
  startAgain,
  tell,
  trouble,
  works,
  world,
} from './acts';
import { SECOND } from './schedule';

/** The steps of which the merchant heard. */
const heard = () => world.events.flatMap((event) => (event.type === 'transition' ? [event.transition.to] : []));

test('the contract: a payment of another amount that a person calls SUCCESS is told once', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '1.00'), tell('T1', 'SUCCESS'), 10 * MINUTE, decide('SUCCESS'), HOUR);
  const told = world.events.flatMap((event) =>
    event.type === 'transition' && event.transition.to === 'SUCCESS' ? [event.id] : [],
  );
  expect(told).toHaveLength(1);
});

test('events: a merchant hears one SUCCESS where a trade of another amount was disputed before a person called it sold', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '100.00'), tell('T1', 'SUCCESS'), HOUR, tell('T1', 'DISPUTE'), HOUR);
  await happens(decide('SUCCESS'), HOUR);
  expect(heard().filter((to) => to === 'SUCCESS')).toHaveLength(1);
});

describe('events: of a payment whose money is asked back while it runs, the merchant hears', () => {
  test('one SUCCESS', async () => {
    await begin();
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), SECOND, refund, HOUR);
    expect(heard()).toEqual(['PROCESSING', 'SUCCESS', 'REFUNDED']);
  });

  test('one SUCCESS also where somebody starts the payment again, which repeats how it has ended', async () => {
    await begin();
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), SECOND, trouble('refunds unreachable'), refund, HOUR);
    await happens(startAgain, HOUR);
    expect(heard()).toEqual(['PROCESSING', 'SUCCESS']);
  });

  test.each([
    ['SUCCESS', ['PROCESSING', 'SUCCESS']],
    ['CANCEL', ['PROCESSING', 'CANCEL']],
  ] as const)('no SUCCESS of another amount before a person calls it %s', async (outcome, told) => {
    await begin();
    await happens(pay, MINUTE, costs('T1', '100.00'), tell('T1', 'SUCCESS'), MINUTE, refund, HOUR);
    expect(heard()).toEqual(['PROCESSING']);
    await happens(decide(outcome), HOUR);
    expect(heard()).toEqual(told);
  });
});

test('the contract: events that the merchant’s handler refused are told although somebody has canceled their relay', async () => {
  await begin({ deafFor: 40 });
  await sell();
  const relay = world.runs.find(({ start, isRunning }) => start.type === 'eventDelivery' && isRunning);
  expect(relay).toBeDefined();
  relay?.requestCancel('the button');
  await world.pass(DAY);
  expect(world.events.map(({ id }) => id)).toContainEqual(expect.stringContaining('SUCCESS'));
});

test('promise 8: an event that the handler does not take for days is before a person, and is told once that is mended', async () => {
  await begin({ deafFor: Number.POSITIVE_INFINITY });
  await sell();
  await world.pass(4 * DAY);
  const delivery = world.runs.find(({ start, isRunning }) => start.type === 'eventDelivery' && isRunning);
  const attention = () => delivery && world.temporal.attributesOf(delivery).PaymentAttention;
  expect([attention(), heard()]).toEqual(['undelivered-event', []]);
  world.mendHandler();
  await happens(
    () => world.within(async () => world.temporal.update(delivery?.start.workflowId ?? '', 'recheck')),
    HOUR,
  );
  expect([delivery?.isRunning, heard()]).toEqual([false, expect.arrayContaining(['SUCCESS'])]);
});

test('promise 8: after a reset the event SUCCESS has an id of its own', async () => {
  await begin();
  await happens(pay, MINUTE, trouble('credentials'), 10 * MINUTE, works, 10 * MINUTE, reset, 5 * MINUTE);
  await happens(tell('T1', 'SUCCESS'), HOUR);
  const heard = new Map<string, string>();
  for (const event of world.events) {
    const said = event.type === 'transition' ? event.transition.to : event.type;
    if (!heard.has(event.id)) heard.set(event.id, said);
  }
  expect([...heard.values()]).toContain('SUCCESS');
});
