/** Promise 8: what needs a person says so, and stays until a person or the facts have settled it. */

import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  adopt,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  costs,
  decide,
  happens,
  listIsDown,
  madeByAnother,
  move,
  notify,
  noWorker,
  oddSignal,
  open,
  openUpdates,
  outcome,
  outcomeNow,
  pay,
  recheck,
  reset,
  sale,
  say,
  settle,
  startAgain,
  startWith,
  stateNow,
  tell,
  terminate,
  trouble,
  withdraw,
  works,
  world,
} from './acts';
import { SECOND } from './schedule';
import { AMOUNT } from './world';

const isTaken = async (resolution: object) => {
  const asked = world.temporal.update(world.workflowId, 'resolve', { by: 'ana', reason: 'looked', ...resolution });
  await world.pass(MINUTE);
  return asked?.outcome !== undefined && 'completed' in asked.outcome;
};

test.each([
  ['its run was reset', reset],
  ['its number was adopted once more', adopt],
])(
  'promise 8: money of an adopted trade that a person has ended as CANCEL is told as late where %s',
  async (_how, act) => {
    await begin();
    await happens(anotherMade(), notify('T1'), 10 * MINUTE, decide('CANCEL'), MINUTE);
    expect(await outcomeNow()).toBe('CANCEL');
    await happens(act, 5 * MINUTE, tell('T1', 'SUCCESS'), 10 * HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(attentions()).toContain('late-payment');
  },
);

test.each(['recheck', 'created', 'cancel'])(
  'promise 8: an attention before and after which 2,500 calls of %s came can be settled',
  async (name) => {
    await begin();
    await happens(pay, MINUTE);
    const call = async () => {
      for (let i = 0; i < 1_250; i += 1) world.temporal.update(world.workflowId, name);
      await world.pass(MINUTE);
    };
    await call();
    await happens(costs('T1', '1.00'), tell('T1', 'SUCCESS'), 10 * MINUTE);
    await call();
    expect(attentions()).toEqual(['amount-mismatch']);
    // By a client: only for a client does Temporal count the updates of a run.
    const said: string[] = [];
    const args: [object] = [{ outcome: 'SUCCESS', by: 'ana', reason: 'looked' }];
    const person = world.temporal.client.workflow.getHandle(world.workflowId);
    person.executeUpdate('resolve', { args }).then(
      () => said.push('taken'),
      (error: Error) => said.push(String(error.cause ?? error)),
    );
    await world.pass(2 * MINUTE);
    expect(said).toEqual(['taken']);
    expect(await outcome()).toBe('SUCCESS');
  },
);

test('a cancellation that comes too late is refused with the reason however often it comes, and adds nothing to the history', async () => {
  await begin();
  await happens(pay, MINUTE);
  const before = world.temporal.latest(world.workflowId)?.events;
  const said = new Set<string>();
  for (let i = 0; i < 20; i += 1) {
    world.payments.cancel(world.out_trade_no).catch((error: Error) => said.add(error.name));
    await world.pass(2_000);
  }
  expect([...said]).toEqual(['PaymentNotCanceledError']);
  expect(world.temporal.latest(world.workflowId)?.events).toBe(before);
});

test.each(['second-trade', 'unexpected-signal'])(
  'promise 8: %s that a person has taken care of is settled without an outcome, and the payment goes on to its own',
  async (reason) => {
    await begin();
    await happens(pay, MINUTE);
    if (reason === 'second-trade') world.notify(madeByAnother());
    else world.temporal.signal(world.workflowId, 'odd-signal', {});
    await world.pass(10 * MINUTE);
    expect(await stateNow()).toMatchObject({ outcome: null, attention: reason });
    expect(await isTaken({})).toBe(true);
    expect(await stateNow()).toMatchObject({ outcome: null, attention: null });
    expect((await stateNow())?.history.at(-1)).toMatchObject({ source: 'operator', by: 'ana', reason: 'looked' });
    await happens(tell('T1', 'SUCCESS'), HOUR);
    expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
  },
);

test('a decision without an outcome does not settle another amount that is paid: the payment waits for its outcome', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '1.00'), tell('T1', 'SUCCESS'), 10 * MINUTE);
  expect(await isTaken({})).toBe(false);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'amount-mismatch' });
});

test('promise 8: another amount of a trade that is not paid is settled without an outcome, and asked about again only where it is paid', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '165.30'), recheck, MINUTE);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'amount-mismatch' });
  expect(await isTaken({})).toBe(true);
  await happens(recheck, MINUTE);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: null });
  await happens(tell('T1', 'SUCCESS'), MINUTE);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'amount-mismatch' });
});

test.each([
  ['CANCEL', '100.00', 'that amount is paid', '100.00', 'SUCCESS', 'amount-mismatch'],
  ['CANCEL', '150,00', 'what was ordered is paid', AMOUNT, 'SUCCESS', 'late-payment'],
  ['SUCCESS', '100.00', 'it is never paid', AMOUNT, 'CANCEL', 'unlisted-transition'],
] as const)(
  'promise 8: a person’s %s after a notification of %s, while nothing is paid, is no word on money: where %s, a person is asked',
  async (said, amount, _what, paid, status, reason) => {
    await begin({ method: 'Wallet' });
    await happens(pay, MINUTE, notify('T1', 'PROCESSING', { amount }), MINUTE, decide(said), MINUTE);
    await happens(costs('T1', paid), move('T1', status), 3 * HOUR);
    expect(open()).toContain(reason);
  },
);

test('promise 8: a recheck hears the next answer of the gateway, also while an order whose creation was lost is looked for', async () => {
  await begin({ creations: ['lost before it arrived', 'lost before it arrived', 'lost before it arrived'] });
  // The first look, whose answer has to last.
  await happens(pay, 10 * SECOND, recheck, 5 * SECOND);
  const rechecked = () => world.told.filter((one) => one.is === 'rechecked').length;
  expect(rechecked()).toBe(1);
  // Before a person, while the order rests before it is sent again.
  await world.pass(2 * MINUTE);
  expect((await sale()).attention).toBe('unknown-outcome');
  await happens(recheck, 5 * SECOND);
  expect(rechecked()).toBe(2);
});

test('promise 8: a cancel of an order whose earlier runs cannot be read is answered, and a person can resolve it after ten of them', async () => {
  await begin();
  listIsDown();
  world.start('REJECT_DUPLICATE');
  await world.pass(30 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  for (let i = 0; i < 10; i += 1) {
    await happens(withdraw, 2 * MINUTE);
  }
  const failures = world.told.flatMap((one) =>
    one.is === 'failure' ? [[one.type, one.message.includes('is not withdrawn yet')]] : [],
  );
  expect(failures).toEqual(Array(10).fill(['PaymentPendingError', true]));
  expect(openUpdates()).toBe(0);
  expect(await isTaken({ outcome: 'CANCEL' })).toBe(true);
});

test('promise 8: the merchant is told of another amount that is notified while the payment closes', async () => {
  await begin({ childStarts_ms: HOUR });
  await happens(pay, MINUTE, anotherTold('PROCESSING'), MINUTE, tell('T1', 'SUCCESS'), 10 * MINUTE);
  await happens(notify('T1', 'SUCCESS', { amount: '300.00' }), DAY);
  expect(attentions()).toContain('amount-mismatch');
  const told = world.events.flatMap((event) => (event.type === 'attention' ? [event.payment.attention] : []));
  expect(told).toContain('amount-mismatch');
});

test('promise 8: a second trade that a person has settled after a refused start is not raised again', async () => {
  await begin({ takesNumbersTwice: false, shows: 'the first' });
  await happens(anotherMade(), notify('T1'), MINUTE, anotherTold(), 5 * MINUTE, terminate, MINUTE);
  await happens(startAgain, 10 * MINUTE);
  expect([await outcomeNow(), open()]).toEqual(['DuplicateOrderError', ['second-trade']]);
  await happens(decide('CANCEL'), MINUTE);
  expect(open()).toEqual([]);
  await happens(notify('T1'), 10 * MINUTE);
  expect(open()).toEqual([]);
});

test('promise 8: a second trade that a person has seen is not before them again because it is notified once more', async () => {
  await begin();
  await happens(pay, MINUTE, anotherMade('SUCCESS'), notify('T2'), 20 * MINUTE);
  await happens(() => isTaken({}), notify('T2'), 10 * MINUTE);
  expect((await stateNow()).attention).toBe(null);
});

test('promise 8: a status that no table has, and that a person has seen, is not before them again at each look', async () => {
  await begin();
  await happens(pay, MINUTE, tell('T1', 'SUCCESS'), MINUTE, tell('T1', 'CANCEL'), HOUR);
  const { attention } = await stateNow();
  await happens(settle({}), recheck, HOUR);
  expect([attention, (await stateNow()).attention]).toEqual(['unlisted-transition', null]);
});

test('a person decides on a trade that is taken on only once its earlier runs are read: what those tell would overtake it', async () => {
  await begin();
  await happens(pay, MINUTE, terminate, MINUTE);
  const mend = listIsDown();
  await happens(adopt, 40 * MINUTE);
  expect(open()).toEqual(['no-answer']);
  await happens(decide('CANCEL'), MINUTE, mend, HOUR, pay, MINUTE);
  expect(world.told.filter(({ is }) => is === 'resolved')).toEqual([]);
  expect([answers(), (await stateNow()).outcome]).toEqual([['T1', 'T1'], null]);
});

test('promise 8: where nobody was asked, SUCCESS of an order that the gateway has ended unpaid is taken only from who says to know it', async () => {
  await begin({ method: 'Wallet' });
  await happens(pay, MINUTE, tell('T1', 'CANCEL'), HOUR, settle({ outcome: 'SUCCESS' }), HOUR);
  expect(await sale()).toMatchObject({ outcome: 'CANCEL', attention: null });
  await happens(settle({ outcome: 'SUCCESS', although: 'CANCEL' }), MINUTE);
  expect((await sale()).outcome).toBe('SUCCESS');
});

describe('promise 8: a reason that only a person settles', () => {
  const deposit = { out_trade_no: 'order-1', trade_no: 'T1', reasons: ['deposit-without-account'] };
  const started = startWith([{ kind: 'adopt', app_id: 'hostile', ...deposit }]);

  test('goes on in the run that a notification starts after a termination', async () => {
    await begin({ method: 'Wallet' });
    await happens(anotherMade('SUCCESS'), trouble('429'), started, HOUR, terminate, HOUR, works);
    await happens(notify('T1', 'SUCCESS'), DAY);
    expect([await outcomeNow(), open()]).toEqual(['SUCCESS', ['deposit-without-account']]);
  });

  test('goes on also where no worker had the run that was terminated', async () => {
    await begin({ method: 'Wallet' });
    await happens(anotherMade('SUCCESS'), noWorker(10 * MINUTE), MINUTE, started, MINUTE, terminate, HOUR);
    await happens(notify('T1', 'SUCCESS'), DAY);
    expect([await outcomeNow(), open()]).toEqual(['SUCCESS', ['deposit-without-account']]);
  });

  test('and that a person has settled is not asked again when the earlier runs are read again', async () => {
    await begin({ method: 'Wallet' });
    await happens(adopt, MINUTE, oddSignal('somethingElse', 1), MINUTE, terminate, HOUR);
    await happens(trouble('429'), startAgain, 20 * MINUTE);
    await happens(say({ seen: 'unexpected-signal' }), MINUTE, recheck, HOUR);
    expect(open()).not.toContain('unexpected-signal');
  });
});

test('a trade of another order, taken on under a wrong id, ends that run once, whatever is notified to it', async () => {
  await begin({ method: 'Wallet' });
  const id = 'payment:hostile:order-X';
  const signalled = () =>
    world.temporal.latest(id)?.signal('notification', toPayloads(defaultPayloadConverter, { trade_no: 'T1' }) ?? []);
  const takeOn = () => world.start('ALLOW_DUPLICATE', id, [{ kind: 'adopt', app_id: 'hostile', trade_no: 'T1' }]);
  await happens(pay, MINUTE, noWorker(5 * SECOND), takeOn, SECOND, signalled, HOUR);
  expect([world.temporal.runs(id).length, world.temporal.latest(id)?.isRunning]).toEqual([1, false]);
});
