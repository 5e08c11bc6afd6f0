/**
 * A payment that a person resets to a later task than its first knows nothing of what came after that task. It asks, sends and tells nothing before
 * it has read what the runs before it know, as after a reset to its first task.
 */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  adopt,
  anotherMade,
  answers,
  attentions,
  begin,
  creations,
  decide,
  happens,
  move,
  notify,
  noWorker,
  outcome,
  pay,
  resetTo,
  running,
  sale,
  settle,
  startAgain,
  tell,
  terminate,
  world,
} from './acts';
import { refunding } from './schedule';

const TASKS: readonly [name: string, task: number][] = [
  ['first', 0],
  ['second', 1],
  ['last', -1],
];

/** What merchants heard of money: whether it had come after another end, and goes back. */
const moneyHeard = () =>
  world.events.flatMap((event) =>
    event.type === 'transition' && event.transition.to === 'SUCCESS'
      ? [{ ended: event.payment.previous?.outcome, isSentBack: event.payment.late_payment_refund !== undefined }]
      : [],
  );

const cancelled = () => happens(pay, MINUTE, tell('T1', 'CANCEL'), 10 * MINUTE);

test.each(TASKS)(
  'promise 6: what was told CANCEL stays so after a reset to its %s task, and late money goes back as that',
  async (_name, task) => {
    await begin(refunding);
    await happens(cancelled, HOUR, move('T1', 'SUCCESS'), resetTo(task), 2 * DAY);
    expect(world.gateway.refunds).toHaveLength(1);
    expect(moneyHeard()).toEqual([{ ended: 'CANCEL', isSentBack: true }]);
  },
);

test.each(TASKS)(
  'promise 8: money after CANCEL is before a person after a reset to its %s task',
  async (_name, task) => {
    await begin({ method: 'Wallet' });
    await happens(cancelled, HOUR, move('T1', 'SUCCESS'), resetTo(task), 2 * DAY);
    expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
    expect(moneyHeard()).toMatchObject([{ ended: 'CANCEL' }]);
  },
);

test('promise 6: money that is notified to a reset to its second task, before a worker takes that, is late where notifications are believed', async () => {
  await begin({ ...refunding, confirmByQuery: false });
  await happens(pay, MINUTE, move('T1', 'CANCEL'), 2 * HOUR, move('T1', 'SUCCESS'));
  await happens(noWorker(MINUTE), resetTo(1), notify('T1'), 2 * DAY);
  expect(moneyHeard()).toEqual([{ ended: 'CANCEL', isSentBack: true }]);
});

test.each(TASKS)(
  'promise 1: an order is made once where it is reset to its %s task, and its answer stays',
  async (_name, task) => {
    await begin();
    await happens(pay, MINUTE, resetTo(task), MINUTE, pay, MINUTE, tell('T1', 'SUCCESS'), HOUR);
    expect(creations()).toHaveLength(1);
    expect(answers()).toEqual(['T1', 'T1']);
    expect([await sale(), attentions()]).toEqual([{ outcome: 'SUCCESS', trade_no: 'T1', attention: null }, []]);
  },
);

test.each(TASKS)(
  'promise 6: what a later run has sold stays sold after a reset of the first, failed one to its %s task',
  async (_name, task) => {
    await begin({ creations: ['refused for good'] });
    await happens(pay, MINUTE, startAgain, MINUTE, tell('T1', 'SUCCESS'), HOUR);
    expect(await outcome()).toBe('SUCCESS');
    await happens(resetTo(task, 0), HOUR);
    expect(await outcome()).toBe('SUCCESS');
    // Whoever waits for the workflow itself hears the same.
    expect(world.run && world.temporal.resultOf(world.run)).toMatchObject({ outcome: 'SUCCESS' });
  },
);

test.each(TASKS)(
  'promise 1: an order of which callers were told that there is none is not sent by a reset to its %s task, but by a new start',
  async (_name, task) => {
    await begin({ creations: ['refused for good'] });
    await happens(pay, MINUTE, resetTo(task), 5 * MINUTE);
    expect([answers(), creations().length, running()]).toEqual([['NotCreatedError'], 1, []]);
    await happens(pay, MINUTE);
    expect([answers(), creations().length]).toEqual([['NotCreatedError', 'T1'], 2]);
  },
);

test.each(TASKS)(
  'promise 6: an order that was taken on again, and that a person called sold, stays sold after a reset to the %s task',
  async (_name, task) => {
    await begin(refunding);
    await happens(pay, MINUTE, terminate, HOUR, adopt, 10 * MINUTE, decide('SUCCESS'), HOUR, settle({}), MINUTE);
    await happens(resetTo(task), 8 * DAY, move('T1', 'SUCCESS'), 3 * DAY);
    expect([await outcome(), world.gateway.refunds]).toEqual(['SUCCESS', []]);
    expect(moneyHeard()).toMatchObject([{ isSentBack: false }]);
  },
);

test.each(TASKS)(
  'promise 6: a trade that was taken on and told as sold stays sold after a reset to the %s task',
  async (_name, task) => {
    await begin({ method: 'Wallet' });
    await happens(anotherMade(), adopt, 10 * MINUTE, decide('SUCCESS'), HOUR, settle({}), MINUTE);
    await happens(resetTo(task), 8 * DAY);
    expect(await outcome()).toBe('SUCCESS');
  },
);
