/**
 * An after-sale that a person resets to a later task than its first knows nothing of what came after that task. It sends nothing, decides
 * nothing, and the next run reads what was known.
 */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import {
  ask,
  attention,
  cancel,
  happens,
  numbersMade,
  open,
  recheck,
  refundOf,
  resetToLast,
  resolve,
  SECOND,
  tell,
  terminate,
  trouble,
  works,
  world,
} from './acts';
import { TRADE, type Traits } from './world';

/** The gateway takes the refund, and the trade shows nothing of it for days. */
const SHOWN_LATE = { startsAfter_ms: 3 * DAY, takes_ms: 0, ends: 'done' } as const;
const begin = (traits: Partial<Traits> = {}) => open({ plans: [SHOWN_LATE, SHOWN_LATE], ...traits });

/** The gateway is asked what it has of the trade, and nothing else. */
const start = () =>
  void world.temporal.start('afterSale', world.workflowId, { app_id: APP, out_trade_no: TRADE.out_trade_no });
const oddSignal = () => world.temporal.signal(world.workflowId, 'odd', {});
const statuses = () => world.temporal.runs(world.workflowId).map(({ status }) => status);
const untilItEnds = async () => {
  for (let hours = 0; world.run?.isRunning; hours += 1) {
    if (hours > 30 * 24) throw new Error('it does not end');
    await world.pass(HOUR);
  }
};
/** Of two runs, the first one has closed, and the second one has sent a refund. */
const sentByTheSecond = () => happens(start, MINUTE, untilItEnds, ask('50.00', 'a'), HOUR);

test('promise 7: a refund that a later run has sent is not sent again after a reset of an earlier one, and its answer is known', async () => {
  await begin();
  await happens(sentByTheSecond, resetToLast(0), HOUR, ask('50.00', 'a'), HOUR);
  expect(numbersMade()).toEqual(['a']);
  expect(world.told).toMatchObject([{ is: 'answer' }, { is: 'answer' }]);
  expect(await refundOf('a')).toMatchObject({ outcome: 'ACCEPTED', attention: null });
});

test.each([
  ['an earlier run', () => happens(start, MINUTE, untilItEnds, start, MINUTE, resetToLast(0), HOUR)],
  ['a run that was terminated', () => happens(start, MINUTE, terminate, resetToLast(), HOUR)],
  ['a run', () => happens(start, MINUTE, resetToLast(), HOUR)],
  ['a reset', () => happens(start, MINUTE, resetToLast(0), HOUR, resetToLast(1), HOUR)],
])('promise 8: a refund is sent after a reset of %s to its last task', async (_run, resetIt) => {
  await begin({ watchWindow: '3d' });
  await happens(resetIt, ask('60.00', 'b'), HOUR);
  expect(numbersMade()).toContain('b');
  expect(await refundOf('b')).toMatchObject({ outcome: 'ACCEPTED', attention: null });
  expect(await attention()).toBeNull();
});

test('promise 7: what was sent after the task of the reset is known where the run continues as new', async () => {
  await begin({ watchWindow: '3d', continuesAfter: 40 });
  const many = Array.from({ length: 20 }, () => [recheck, MINUTE]).flat();
  await happens(start, MINUTE, ...many);
  const continued = statuses().lastIndexOf('CONTINUED_AS_NEW');
  await happens(ask('50.00', 'a'), 10 * MINUTE);
  // It hands on once more what it handed on then.
  await happens(resetToLast(continued), HOUR, ask('50.00', 'a'), HOUR);
  expect(continued).toBeGreaterThanOrEqual(0);
  expect(numbersMade()).toEqual(['a']);
  expect(await refundOf('a')).toMatchObject({ outcome: 'ACCEPTED', attention: null });
});

test('promise 7: a reset that has not read yet what was known does not call a refund refused that was asked for again and paid', async () => {
  await open({ mishaps: ['refused for good'], watchWindow: '3d' });
  await happens(ask('50.00', 'a'), MINUTE);
  const refused = (await refundOf('a'))?.outcome;
  await happens(terminate, ask('50.00', 'a'), HOUR);
  // No worker looks for a while: nothing tells the run that it is a reset.
  const { functions } = world.temporal.activities;
  const { 'gateway.look': look, 'gateway.watch': watch } = functions;
  const unanswered = () => Promise.reject(new Error('no worker'));
  Object.assign(functions, { 'gateway.look': unanswered, 'gateway.watch': unanswered });
  await happens(resetToLast(0));
  const unread = (await refundOf('a'))?.outcome;
  Object.assign(functions, { 'gateway.look': look, 'gateway.watch': watch });
  await world.pass(HOUR);
  expect([refused, unread, (await refundOf('a'))?.outcome]).toEqual(['NOT_CREATED', null, 'ACCEPTED']);
});

test('promise 7: a reset that has not read yet what was known tells nobody to send what a person has called paid once more', async () => {
  await begin({ watchWindow: '3d' });
  await happens(ask('50.00', 'a'), MINUTE, tell('REFUND_REFUSED', 'a'), MINUTE, terminate, start, MINUTE);
  const paid = { out_request_no: 'a', outcome: 'REFUNDED', although: 'REFUND_REFUSED' } as const;
  await happens(resolve(paid), MINUTE);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUNDED' });
  const unanswered = () => Promise.reject(new Error('no worker'));
  const { functions } = world.temporal.activities;
  Object.assign(functions, { 'gateway.look': unanswered, 'gateway.watch': unanswered });
  await happens(resetToLast(0), ask('50.00', 'a'), MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer', answer: { out_request_no: 'a' } });
});

/** The gateway refuses the refund's number, which another system has used: nothing is left but to ask a person. */
const refusedAsAnothers = () => happens(ask('50.00', 'd'), 3 * HOUR);

test.each([
  ['the event of it was told', () => undefined],
  ['the wait of the person was called overdue', () => world.pass(3 * HOUR)],
  ['somebody had asked for the same again', () => happens(ask('50.00', 'd'), SECOND)],
  ['somebody had requested a cancellation', () => happens(cancel, SECOND)],
])(
  'promise 8: a reset to the task after which nothing was left to do but wait for a person shows a refused refund as refused, once %s',
  async (_what, wakesIt) => {
    await open({ numbers: 'refused', usedInApp: true });
    await happens(refusedAsAnothers, wakesIt, resetToLast(), MINUTE);
    expect(await refundOf('d')).toMatchObject({ outcome: 'NOT_CREATED' });
    expect(await attention()).toBe('refund-elsewhere');
  },
);

/** No worker tells the run that it is a reset. */
const unnoticed = () =>
  void Object.assign(world.temporal.activities.functions, {
    'payments.noticeReset': () => Promise.reject(new Error('no worker')),
  });

test('promise 8: a decision in a reset that has not read yet what was known has it read first', async () => {
  await begin({ watchWindow: '0s' });
  await happens(start, oddSignal, MINUTE, unnoticed);
  const seen = await attention();
  await happens(terminate, resetToLast(), MINUTE, resolve({}), MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'not resolved', message: expect.stringContaining('Ask again') });
  await happens(resolve({}), MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'resolved' });
  expect([seen, await attention()]).toEqual(['unexpected-signal', null]);
});

test('promise 8: the same is said at once where no worker can ask the gateway', async () => {
  await begin({ watchWindow: '0s' });
  await happens(start, oddSignal, MINUTE, unnoticed, terminate, resetToLast(), MINUTE);
  Object.assign(world.temporal.activities.functions, { 'gateway.look': undefined });
  await happens(resolve({}), MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'not resolved', message: expect.stringContaining('Ask again') });
});

test('promise 8: who takes on what waits in such a reset is shown once it has read', async () => {
  await begin({ watchWindow: '0s' });
  await happens(start, oddSignal, MINUTE, unnoticed, terminate, resetToLast(), MINUTE);
  const take = () => world.temporal.update(world.workflowId, 'take', { by: 'ana' });
  await happens(take, MINUTE, take, MINUTE, recheck, MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'unexpected-signal', taken: { by: 'ana' } });
});

test('a wait for a person that began long after the start is the same in a reset', async () => {
  await begin();
  await happens(trouble('unreachable'), ask('50.00', 'a'), 6 * HOUR, works, 4 * HOUR, resetToLast(0), HOUR);
  expect(await attention()).toBeNull();
});
