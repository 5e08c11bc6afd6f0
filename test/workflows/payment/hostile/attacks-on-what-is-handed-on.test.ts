/** Attacks on what a run hands on to the next, and on what it tells at its end. The comment before a group says what is lost. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  begin,
  end,
  found,
  listIsDown,
  madeByAnother,
  outcomeNow,
  pay,
  sell,
  startAgain,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './attack-world';

const SECOND = 1_000;
afterEach(() => (world ? end() : undefined));

/** The steps of which the merchant heard. */
const heard = () =>
  world.events.flatMap((event) => ('transition' in event && event.transition ? [event.transition.to] : []));

// — Money of another amount is called SUCCESS twice where the trade moved on before a person decided —

test('events: a merchant hears one SUCCESS where a trade of another amount was disputed before a person called it sold', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '100.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'DISPUTE');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  expect(heard().filter((to) => to === 'SUCCESS')).toHaveLength(1);
});

// — A refused start that continues as another —

test('promise 8: a second trade is put before a person once where a refused start goes on with the first', async () => {
  await begin({ takesNumbersTwice: false, shows: 'the first' });
  const first = madeByAnother();
  world.notify(first);
  await world.pass(MINUTE);
  world.notify(madeByAnother());
  await world.pass(5 * MINUTE);
  world.terminate();
  await world.leaveWithoutWorker(MINUTE);
  world.start('ALLOW_DUPLICATE');
  await world.pass(SECOND);
  world.notify(first);
  await world.pass(20 * MINUTE);
  const before = found({ open: true });
  await world.resolve('CANCEL');
  await world.pass(5 * MINUTE);
  const between = found({ open: true });
  world.notify(first, 'SUCCESS');
  await world.pass(20 * MINUTE);
  expect([before, between, found({ open: true }).filter((one) => one === 'second-trade')]).toEqual([
    ['second-trade'],
    [],
    [],
  ]);
});

// — A run that gives way withdraws what only a person settles —

test('promise 8: a signal that nobody knows, while a run waits for the list, stays before a person', async () => {
  await begin();
  await sell();
  const mend = listIsDown();
  world.adopt();
  await world.pass(5 * MINUTE);
  world.oddSignal('somethingElse');
  await world.pass(5 * MINUTE);
  expect(found({ open: true })).toContain('unexpected-signal');
  mend();
  await world.pass(HOUR);
  expect(found({ open: true })).toContain('unexpected-signal');
});

// — A signal without an argument that proves anything makes the order one of others —

test.each([
  ['an order', []],
  ['an order', [{}]],
  ['an adoption', []],
  ['an adoption', [{}]],
])(
  'the contract: an order is made after %s without a worker was terminated, with the signals %j',
  async (what, signals) => {
    await begin();
    await world.leaveWithoutWorker(MINUTE);
    if (what === 'an order') world.start('ALLOW_DUPLICATE');
    else world.adopt();
    await world.pass(SECOND);
    for (const one of signals) world.oddSignal('notification', one);
    await world.pass(SECOND);
    world.terminate();
    await world.pass(5 * MINUTE);
    await startAgain(10 * MINUTE);
    expect(world.gateway.trades).toHaveLength(1);
  },
);

// — A terminated adoption that names a trade says nothing —

test('promise 1: a trade that an adoption names, terminated before its look, is no number for an order of ours', async () => {
  await begin();
  const other = madeByAnother('SUCCESS');
  const { out_trade_no, workflowId } = world;
  world.gateway.trouble = 'unreachable';
  world.start('ALLOW_DUPLICATE', workflowId, [
    { kind: 'adopt', app_id: 'hostile', out_trade_no, trade_no: other.trade_no },
  ]);
  await world.pass(5 * MINUTE);
  world.terminate();
  world.gateway.trouble = undefined;
  await world.pass(MINUTE);
  await startAgain(HOUR);
  expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

// — The list is down for long: what waits —

test('promise 8: late money is settled by a person while the list of workflows is down', async () => {
  await begin();
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(10 * MINUTE);
  const mend = listIsDown();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  const before = found({ open: true });
  await world.resolve('SUCCESS');
  await world.pass(DAY);
  mend();
  await world.pass(HOUR);
  expect([before.includes('late-payment'), found({ open: true })]).toEqual([true, []]);
});

test('promise 8: a second trade that a person has settled is not raised again by a terminated adoption', async () => {
  await begin();
  await sell();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  expect(found({ open: true })).toEqual([]);
  world.gateway.trouble = 'unreachable';
  world.adopt();
  await world.pass(MINUTE);
  world.terminate();
  world.gateway.trouble = undefined;
  await world.pass(MINUTE);
  world.adopt();
  await world.pass(HOUR);
  expect([found({ open: true }), (await stateNow()).outcome]).toEqual([[], 'SUCCESS']);
});

// — Candidates that are handed on as notifications lose their amount —

test('promise 4: another amount that was notified before a reset is before a person, where notifications are believed', async () => {
  await begin({ confirmByQuery: false, lag_ms: 20 * MINUTE, creations: ['answer lost'], takesNumbersTwice: false });
  await pay(SECOND);
  world.notify(tradeAt(0), 'SUCCESS', { amount: '1.00' });
  await world.pass(5 * MINUTE);
  world.reset();
  await world.pass(30 * MINUTE);
  expect(found({ open: true })).toContain('amount-mismatch');
});

// — What is read at the end: acknowledged money of ours, and of another —

test.each(['T1', 'T2'])(
  'promise 3: money of %s that a terminated run left is known after an end without the list',
  async (which) => {
    await begin();
    await pay(MINUTE);
    await world.resolve('CANCEL');
    await world.pass(10 * MINUTE);
    const other = madeByAnother();
    await world.leaveWithoutWorker(MINUTE);
    world.adopt();
    await world.pass(SECOND);
    const told = which === 'T1' ? tradeAt(0) : other;
    world.gateway.move(told, 'SUCCESS');
    world.notify(told);
    await world.pass(SECOND);
    world.terminate();
    await world.pass(SECOND);
    const mend = listIsDown();
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), which === 'T1' ? 'DISPUTE' : 'CANCEL');
    world.adopt();
    await world.pass(HOUR);
    mend();
    await world.pass(DAY);
    const { outcome, trade_no, other_trades } = await stateNow();
    const known = [trade_no, ...other_trades.map((one) => one.trade_no)];
    expect([known.includes(which), outcome, found({ open: true }).length > 0]).toEqual([
      true,
      which === 'T1' ? 'SUCCESS' : outcome,
      true,
    ]);
  },
);

// — Nobody who waits for the outcome waits for the list of workflows: a follow-up reads what was left —

/** Our trade was sold, another is notified to a run that is terminated, and the next one can read the list but once. */
async function leftUnread(): Promise<() => void> {
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
  const mend = listIsDown(1);
  world.adopt();
  await world.pass(HOUR);
  return mend;
}

test('promise 8: who waits for the outcome of a payment that went on without the list of workflows is told', async () => {
  const mend = await leftUnread();
  expect([await outcomeNow(), found({ open: true })]).toEqual(['SUCCESS', ['no-answer']]);
  mend();
  await world.pass(HOUR);
  expect([await tradesKnown(), found({ open: true })]).toEqual([['T1', 'T2'], ['second-trade']]);
});

test('promise 3: what earlier runs left is read once the list of workflows is back, whatever a person said meanwhile', async () => {
  const mend = await leftUnread();
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  mend();
  await world.pass(HOUR);
  expect([await tradesKnown(), found({ open: true })]).toEqual([['T1', 'T2'], ['second-trade']]);
});

// — The order is not made twice where the one that made it was terminated mid-call —

test('promise 1: no second order where the worker died in the call and the run was terminated', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 10 * MINUTE });
  await pay(0);
  await world.leaveWithoutWorker(MINUTE);
  world.terminate();
  await world.pass(2 * MINUTE);
  await startAgain(HOUR);
  expect(world.gateway.trades.length).toBeLessThanOrEqual(1);
});
