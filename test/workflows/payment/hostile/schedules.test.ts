/**
 * Schedules that once lost or doubled money, each by the promise that it broke. The world and the oracle are those of the
 * random stories.
 */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  another,
  keeps,
  neverSent,
  notify,
  paid,
  refunding,
  resolve,
  type Schedule,
  SECOND,
  unanswered,
  wait,
} from './schedule';
import type { Step } from './stories';
import { AMOUNT, World } from './world';

const cancelled: readonly Step[] = [wait(MINUTE), { do: 'ends' }, notify, wait(HOUR)];

/** The draws with which a random story was found. */
const CHANCE = 1_283_034_894;

const SCHEDULES: readonly Schedule[] = [
  [
    'promise 1: a good order is no duplicate of a broken start that still runs under its number',
    [{ do: 'terminate' }, { do: 'start broken' }, { do: 'pay' }, wait(MINUTE), { do: 'pay' }, wait(MINUTE)],
  ],
  [
    'promise 1: two trades that were named after a refused creation are before a person',
    [wait(5 * SECOND), another(false), another(false)],
    { creations: ['created and refused'], takesNumbersTwice: false },
  ],
  [
    'promise 1: a trade that was named while the gateway knew nothing is looked at once it knows ours',
    [
      { do: 'trouble', kind: 'no such order', ms: 20 * SECOND },
      another(false),
      { do: 'trouble', kind: 'no such order', ms: 5 * MINUTE },
      another(false),
    ],
    { hidesTradeNo: true },
  ],
  [
    'promise 5: money of the first of two trades is found while the second is awaited',
    [wait(5 * SECOND), paid],
    { creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the first', forgetsAfter_ms: 4 * HOUR },
  ],
  [
    'promise 8: a refused order whose trade was notified in an outage needs nobody once the gateway answers',
    [wait(5 * SECOND), notify, { do: 'trouble', kind: 'unreachable', ms: HOUR }],
    { creations: ['created and refused'], takesNumbersTwice: false, method: 'Wallet' },
    397_725_420,
  ],
  [
    'promise 1: a trade that is notified while a payment without an order hands over what is left is taken on',
    [wait(5 * SECOND), notify, wait(2 * HOUR), { do: 'pay' }],
    {
      creations: ['credentials'],
      before: { amount: AMOUNT, isPaid: false, isNotified: false },
      childStarts_ms: MINUTE,
      takesNumbersTwice: false,
    },
    44_701_451,
  ],
  [
    'promise 1: a reset repeats a refusal',
    [wait(5 * SECOND), { do: 'reset' }, { do: 'pay' }],
    { creations: ['created and refused'], takesNumbersTwice: false },
  ],
  [
    'promise 1: a reset repeats an answer that named no trade',
    [wait(5 * SECOND), { do: 'reset' }, { do: 'pay' }],
    { hidesTradeNo: true },
  ],
  [
    'promise 3: a SUCCESS that is being checked when a person resolves CANCEL is not lost',
    [wait(5 * SECOND), unanswered, paid, notify, wait(5 * SECOND), resolve('CANCEL')],
  ],
  [
    'promise 1: a notification ends the right to create again, and its trade is looked for by its own number',
    [paid, notify, wait(10 * MINUTE)],
    { creations: ['answer lost'], findsBy: 'trade_no alone' },
  ],
  [
    'promise 1: a second trade that is notified while the payment runs is before a person',
    [wait(5 * SECOND), { do: 'another trade', paid: true }, wait(MINUTE), paid, notify],
  ],
  [
    'promise 1: a second trade that is notified after the sale is before a person',
    [wait(5 * SECOND), paid, notify, wait(10 * MINUTE), { do: 'another trade', paid: true }],
  ],
  [
    'promise 5: a trade that is in no answer, because its number shows the second one, is not asked for without a pause',
    [],
    { creations: ['carried out late'], late_ms: 5 * MINUTE, findsBy: 'out_trade_no alone', shows: 'the latest' },
  ],
  [
    'promise 2: a refusal of a second creation is not believed while the first may exist',
    [wait(2 * MINUTE), paid, wait(2 * HOUR)],
    { creations: ['answer lost', 'created and refused'], lag_ms: 60 * SECOND },
  ],
  [
    'promise 2: a cancelled workflow goes on while its creation is unknown',
    [wait(8 * SECOND), { do: 'cancel' }, wait(20 * SECOND), paid, wait(2 * HOUR)],
    { creations: ['answer lost'], lag_ms: 10 * SECOND },
  ],
  [
    'promise 5: a cancelled workflow goes on while the buyer can still pay',
    [wait(10 * MINUTE), { do: 'cancel' }, paid, wait(2 * HOUR)],
  ],
  [
    'promise 5: money is found after a person resolved an unknown creation',
    [wait(8 * SECOND), resolve('CANCEL'), wait(5 * MINUTE), paid, wait(2 * HOUR)],
    { creations: ['answer lost'], lag_ms: 10 * SECOND },
  ],
  [
    'promise 8: money after a workflow was terminated is a late payment',
    [wait(MINUTE), { do: 'terminate' }, wait(HOUR), paid, notify],
  ],
  [
    'promise 1: an order of another system is not ours because our first attempt was held back',
    [{ do: 'another trade', paid: true, silently: true }, wait(HOUR)],
    { takesNumbersTwice: false, heldBack: 1 },
  ],
  ['promise 1: a reset after the sale does not create again', [paid, notify, wait(10 * MINUTE), { do: 'reset' }]],
  [
    'promise 1: a reset while the buyer can pay goes on with the same trade',
    [wait(MINUTE), { do: 'reset' }, wait(MINUTE), paid, wait(2 * HOUR)],
    { takesNumbersTwice: false },
  ],
  [
    'promise 1: a second start under the default reuse policy does not create again',
    [paid, notify, wait(10 * MINUTE), { do: 'start again' }, wait(HOUR)],
  ],
  [
    'promise 1: a start under another workflow id creates nothing',
    [wait(MINUTE), { do: 'start elsewhere' }, wait(HOUR)],
  ],
  [
    'promise 8: three days without a worker are none in which the handler has refused an event',
    [paid, wait(20 * SECOND), { do: 'no worker', ms: 3 * 24 * HOUR }],
    { takesNumbersTwice: false, shows: 'the first', deafFor: 3, kind: 'checkout' },
    2_124_566_344,
  ],
  [
    'promise 5: queries that are refused for good put the payment before a person',
    [wait(15 * MINUTE), { do: 'outage', kind: 'no such order' }, wait(10 * HOUR), wait(10 * HOUR)],
  ],
  [
    'promise 3: money that is notified right after a cancellation is not lost where notifications are believed',
    [wait(MINUTE), { do: 'no worker', ms: 2 * MINUTE }, { do: 'ends' }, { do: 'paid late' }, wait(HOUR)],
    { confirmByQuery: false, notifies_ms: 20 * SECOND },
  ],
  [
    'promise 4: an adopted trade that is paid with another amount than it was made with is not sold without a person',
    [{ do: 'paid wrongly' }, paid, notify, wait(HOUR)],
    { before: { amount: '150.00', isPaid: false, isNotified: true } },
  ],
  [
    'promise 1: nobody is told to pay another system’s trade of another amount that is found after a lost creation',
    [wait(MINUTE), { do: 'pay other' }, wait(HOUR)],
    {
      ...{ before: { amount: '150.00', isPaid: false, isNotified: false }, takesNumbersTwice: false },
      creations: ['credentials', 'lost before it arrived'],
    },
  ],
  [
    'promise 4: money that a follow-up finds is compared with the order, although notifications are believed',
    [wait(10 * MINUTE), { do: 'paid wrongly' }, paid, wait(HOUR)],
    { creations: ['overloaded'], takesNumbersTwice: false, confirmByQuery: false },
  ],
  [
    'promise 8: credentials that were refused need no person any more once the gateway shows the order',
    [],
    { creations: ['answer lost', 'credentials'], lag_ms: 120 * SECOND, takesNumbersTwice: false },
  ],
  [
    'promise 8: credentials that are refused while payments are open are before a person',
    [wait(15 * MINUTE), { do: 'outage', kind: 'credentials' }, wait(10 * HOUR), wait(10 * HOUR)],
  ],
  [
    'promise 5: a gateway that forgets old orders leaves none without a word',
    [wait(10 * HOUR)],
    { forgetsAfter_ms: 4 * HOUR },
  ],
  [
    'promise 8: a duplicate that no query finds is before a person',
    [wait(2 * HOUR)],
    { creations: ['answer lost'], findsBy: 'trade_no alone', takesNumbersTwice: false },
  ],
  [
    'promise 2: an overloaded gateway (429, 500, 503) does not say that there is no order',
    [
      { do: 'trouble', kind: '429', ms: 20 * SECOND },
      { do: 'trouble', kind: '500', ms: 20 * SECOND },
      { do: 'trouble', kind: '503', ms: 20 * SECOND },
    ],
    { creations: ['answer lost'] },
  ],
  [
    'promise 5: a signal without its argument stops nothing',
    [wait(MINUTE), { do: 'empty signal' }, wait(MINUTE), paid, wait(2 * HOUR)],
  ],
  [
    'promise 5: a start without a request ends, and holds nobody up',
    [{ do: 'terminate' }, { do: 'start broken' }, wait(HOUR)],
  ],
  [
    'promise 8: a payment that a person resolved is settled, although its notification keeps being contradicted',
    [wait(MINUTE), { do: 'notify lie' }, wait(2 * HOUR), resolve('CANCEL')],
  ],
  [
    'promise 2: an order whose creation is unknown is not sent again while queries have no answer',
    [wait(SECOND), unanswered, wait(30 * MINUTE)],
    { creations: ['answer lost'] },
  ],
  [
    'promise 2: one denial after a long refusal of queries does not send an order again',
    [unanswered, wait(10 * MINUTE), wait(10 * MINUTE)],
    { takesNumbersTwice: false },
  ],
  [
    'promise 4: a payment does not expire while the gateway gives no answer',
    [wait(30 * MINUTE), { do: 'outage', kind: '429' }, paid, wait(10 * HOUR), wait(10 * HOUR)],
  ],
  [
    'promise 5: money of the first trade is known although a second trade was looked at since',
    [wait(MINUTE), resolve('CANCEL'), { do: 'another trade', paid: false }, wait(HOUR), paid, wait(2 * HOUR)],
    { takesNumbersTwice: false },
  ],
  [
    'promise 2: an order whose task waited hours for a worker is not sent any more',
    [wait(SECOND / 2), { do: 'no worker', ms: 3 * HOUR }, wait(4 * HOUR)],
    { heldBack: 1 },
  ],
  [
    'promise 2: an order whose workflow waited hours for a worker is not sent any more',
    [{ do: 'no worker', ms: 3 * HOUR }, wait(4 * HOUR)],
  ],
  [
    'promise 1: an order of another system that is notified before ours is sent is not sold as ours',
    [wait(10 * SECOND), { do: 'pay other' }, wait(SECOND), { do: 'another trade', paid: false }, wait(HOUR)],
    { creations: ['credentials', 'unreachable', 'unreachable', 'unreachable', 'unreachable'] },
  ],
  [
    'promise 1: an order that the gateway refused at once, and told of, is not called a duplicate',
    [notify, wait(MINUTE)],
    { creations: ['created and refused'] },
  ],
  [
    'promise 2: a creation whose worker died is not called "not sent" by a cancellation',
    [{ do: 'kill worker' }, { do: 'cancel' }, wait(HOUR)],
  ],
  [
    'promise 1: an order of another system is not sold as ours because ours was ended before it was sent',
    [
      ...[wait(SECOND), { do: 'terminate' } as const, { do: 'another trade', paid: true, silently: true } as const],
      ...[{ do: 'start again' } as const, wait(HOUR)],
    ],
    { heldBack: 3 },
  ],
  [
    'promise 1: an order of another system is not sold as ours because ours was reset before it was sent',
    [
      ...[wait(SECOND), { do: 'another trade', paid: true, silently: true } as const],
      ...[{ do: 'reset' } as const, wait(HOUR)],
    ],
    { heldBack: 3 },
  ],
  [
    'promise 7: money of another system’s order is not sent back because our workflow was terminated before it sent its own',
    [wait(MINUTE), { do: 'terminate' }, wait(HOUR), another(true), wait(HOUR)],
    { ...neverSent, ...refunding },
  ],
  [
    'promise 7: money of another system’s order is not sent back because ours has no number yet',
    [wait(10 * SECOND), resolve('CANCEL'), another(true), wait(HOUR)],
    { creations: ['answer lost'], lag_ms: 120 * SECOND, ...refunding },
  ],
  [
    'promise 4: a notification names the trade of a payment whose creation’s answer did not',
    [wait(10 * MINUTE), paid, notify, wait(HOUR)],
    { hidesTradeNo: true, findsBy: 'trade_no alone' },
  ],
  [
    'promise 7: a late payment is refunded to its own trade, and not to another one that the number shows',
    [...cancelled, another(true, true), wait(HOUR), { do: 'paid late' }, { do: 'notify first' }, wait(HOUR)],
    refunding,
  ],
  [
    'promise 7: a merchant’s refund goes to the trade that was sold, and not to another one that the number shows',
    [wait(MINUTE), paid, notify, wait(HOUR), another(true, true), { do: 'refund' }, wait(HOUR)],
    { method: 'Wallet' },
  ],
  [
    'promise 8: a merchant who withdraws an order whose start was broken is answered in our own words',
    [{ do: 'terminate' }, { do: 'start broken' }, { do: 'withdraw' }, wait(HOUR)],
  ],
  [
    'promise 1: an order is answered with the same payment data after its workflow was terminated and opened again',
    [wait(MINUTE), { do: 'terminate' }, notify, wait(MINUTE), { do: 'pay' }, wait(MINUTE)],
  ],
  [
    'promise 1: nobody is told of an order of others while an adoption under the number has found no trade',
    [{ do: 'terminate' }, { do: 'adopt by number' }],
  ],
  [
    'promise 6: a refund of an open order, and another after its end, show each transition of the payment once',
    [{ do: 'ends', as: 'CANCEL' }, { do: 'refund' }, wait(10 * HOUR), { do: 'refund' }],
    {
      before: { amount: AMOUNT, isPaid: false, isNotified: true },
      lag_ms: 2 * SECOND,
      takesNumbersTwice: false,
      shows: 'the first',
    },
    CHANCE,
  ],
  [
    'promise 8: a recheck of an adoption answers with the trade that its query has found',
    [{ do: 'terminate' }, paid, { do: 'terminate' }, { do: 'notify wrong amount' }, { do: 'recheck' }, notify],
    { before: { amount: AMOUNT, isPaid: false, isNotified: false } },
  ],
];

test.each(SCHEDULES)('%s', async (_title, ...schedule) => void (await keeps(...schedule)), 60_000);

test('a number whose creation certainly failed can be used again: the same order is then created', async () => {
  const { told } = await keeps([wait(MINUTE), { do: 'pay' }, wait(MINUTE)], { creations: ['refused for good'] });
  expect(told.map(({ is }) => is)).toEqual(expect.arrayContaining(['failure', 'payment data']));
});

test('calls of pay for one order add nothing to its history, however many, and leave room for the operators’ updates', async () => {
  const world = await World.create();
  const first = await world.payments.pay(world.order());
  const updates = world.run?.countedUpdates;
  for (let i = 0; i < 50; i += 1) expect(await world.payments.pay(world.order())).toEqual(first);
  expect(world.run?.countedUpdates).toBe(updates);
  await world.resolve('CANCEL');
  expect(world.told).toMatchObject([{ is: 'resolved' }]);
  await world.close();
});

test('25 calls of pay at once share one update, and get one answer', async () => {
  const world = await World.create();
  const answers = await Promise.all(Array.from({ length: 25 }, () => world.payments.pay(world.order())));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(world.run?.countedUpdates).toBe(1);
  await world.close();
});

test('an unknown trade that a person has resolved is settled by one word', async () => {
  const world = await World.create();
  world.notify(
    {
      ...world.gateway.make({ out_trade_no: 'another', amount: '1.00' }, 'another system'),
      trade_no: 'T9',
      out_trade_no: world.out_trade_no,
    },
    'SUCCESS',
  );
  await world.pass(HOUR);
  expect(world.attentions.at(-1)).toMatchObject({ attention: 'unknown-trade' });
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  expect(world.runs.filter(({ isRunning }) => isRunning).map(({ start }) => start.type)).toEqual(['afterSale']);
  expect(world.temporal.runs(world.workflowId)).toHaveLength(1);
  await world.close();
});

test('a signal without its argument, before the order is sent, does not keep it from being sent', async () => {
  const { told } = await keeps([wait(SECOND), { do: 'empty signal' }, wait(10 * MINUTE)], { heldBack: 3 });
  expect(told.map(({ is }) => is)).toEqual(['payment data']);
});

test('an order that was never sent, and whose number another system used, is not withdrawn in silence', async () => {
  const { told } = await keeps([wait(SECOND), { do: 'another trade', paid: false }, wait(SECOND), { do: 'cancel' }], {
    heldBack: 3,
  });
  expect(told).toContainEqual(expect.objectContaining({ is: 'failure', type: 'DuplicateOrderError' }));
});

test('of two trades that are notified while the gateway does not answer, both are looked at after the end', async () => {
  const another: Step = { do: 'another trade', paid: true };
  const { gateway } = await keeps([wait(MINUTE), unanswered, another, another, wait(30 * SECOND), resolve('CANCEL')]);
  const shown = new Set(gateway.exchanges.flatMap((one) => one.shown?.trade_no ?? []));
  expect([...shown].sort()).toEqual(['T1', 'T2', 'T3']);
});

test('a person who resolves while the creation is answered does not lose the number of its trade', async () => {
  // With this chance the answer is on its way when the person resolves.
  await keeps([resolve('CANCEL'), paid], { findsBy: 'trade_no alone' }, 1_984_808_002);
});

test('promise 1: what was notified to a run that was terminated before it took it ends the right to create', async () => {
  const before = { amount: AMOUNT, isPaid: false, isNotified: false };
  const steps: Step[] = [paid, { do: 'notify lie' }, paid, { do: 'terminate' }, wait(MINUTE), { do: 'start again' }];
  await keeps(steps, { before, takesNumbersTwice: false, heldBack: 1, shows: 'the first' }, 1_939_659_485);
});

test('credentials that are refused under another reason are asked for ever more slowly', async () => {
  const another: Step = { do: 'another trade', paid: false };
  const refused: Step = { do: 'outage', kind: 'credentials' };
  const { gateway } = await keeps([wait(MINUTE), another, wait(MINUTE), refused, wait(10 * HOUR)]);
  expect(gateway.exchanges.filter(({ answered }) => answered === 'refusal').length).toBeLessThan(100);
});

test('an order that was refused is refused again, although another system has sold its number since', async () => {
  const another: Step = { do: 'another trade', paid: true };
  const { told } = await keeps([wait(MINUTE), another, wait(5 * MINUTE), { do: 'pay' }, wait(5 * MINUTE)], {
    creations: ['created and refused'],
  });
  const answers = told.flatMap((one) => (one.is === 'payment data' ? [one.data] : []));
  expect(answers).toMatchObject([{ trade_status: 'REFUSED' }, { trade_status: 'REFUSED' }]);
});

test('our own trade is found although another was named first, and a person resolved', async () => {
  const another: Step = { do: 'another trade', paid: false };
  const steps = [wait(6 * SECOND), another, wait(SECOND), resolve('CANCEL'), wait(MINUTE), paid, wait(3 * HOUR)];
  const { gateway, attentions } = await keeps(steps, {
    creations: ['answer lost'],
    lag_ms: 10 * SECOND,
    shows: 'the first',
  });
  expect(gateway.exchanges.some(({ shown }) => shown?.trade_no === 'T1' && shown.status === 'SUCCESS')).toBe(true);
  expect(attentions).toContainEqual(expect.objectContaining({ attention: 'late-payment' }));
});

const sold: readonly Step[] = [wait(MINUTE), paid, notify, wait(10 * MINUTE)];
const adopted: readonly Step[] = [{ do: 'adopt by number' }, wait(MINUTE)];

test('promise 3: a sale is not hidden by somebody who adopts its number', async () => {
  const steps: Step[] = [...sold, another(false, true), ...adopted, { do: 'await outcome' }, wait(MINUTE)];
  const { told } = await keeps(steps, { shows: 'the latest' });
  expect(told.at(-1)).toMatchObject({ is: 'outcome', state: { outcome: 'SUCCESS', trade_no: 'T1' } });
});

test('promise 1: whoever adopts the number of a sale does not answer another cart', async () => {
  const { told } = await keeps([...sold, ...adopted, { do: 'pay otherwise' }, wait(MINUTE)]);
  expect(told.at(-1)).toMatchObject({ is: 'failure', type: 'DuplicateOrderError' });
});

test('a refund of an order that the gateway has forgotten is asked about ever more slowly, and is before a person', async () => {
  const steps: Step[] = [wait(MINUTE), paid, wait(5 * HOUR), { do: 'refund' }, wait(HOUR)];
  const { attentions } = await keeps(steps, { forgetsAfter_ms: 4 * HOUR });
  const isAfterSale = ({ workflowId }: { workflowId: string }) => workflowId.startsWith('after-sale:');
  expect(attentions.filter(isAfterSale)).toContainEqual(expect.objectContaining({ attention: 'unknown-trade' }));
});

test('promise 4: a trade that is notified while a person calls an order without a number sold is looked at', async () => {
  const { gateway } = await keeps([wait(MINUTE), paid, notify, resolve('SUCCESS'), wait(HOUR)], {
    hidesTradeNo: true,
    findsBy: 'trade_no alone',
  });
  expect(gateway.exchanges.some(({ shown }) => shown?.trade_no === 'T1')).toBe(true);
});

test('promise 8: a recheck right after a reset looks, because the run before it has sent the order', async () => {
  const again: readonly Step[] = [{ do: 'reset' }, { do: 'recheck' }, wait(MINUTE)];
  await keeps([wait(2 * HOUR), ...again]);
});

test('promise 5: an order that a person ended, and that the gateway has forgotten since, is before a person again', async () => {
  const steps: Step[] = [wait(2 * HOUR), resolve('CANCEL'), paid, { do: 'no worker', ms: 2 * HOUR }];
  await keeps(steps, { forgetsAfter_ms: 4 * HOUR });
});

test('promise 5: an order that the gateway refuses to look for is asked about ever more slowly', async () => {
  const refused = (kind: '429' | 'credentials'): Step => ({ do: 'outage', kind });
  const steps: Step[] = [refused('429'), wait(5 * SECOND), refused('credentials'), wait(10 * HOUR)];
  await keeps(steps, { creations: ['answer lost'] });
});

test('promise 5: a trade of ours that is named while a person ends the order is watched beside the first one', async () => {
  const named: readonly Step[] = [{ do: 'notify progress' }, resolve('CANCEL')];
  const steps: Step[] = [wait(10 * MINUTE), ...named, paid, paid, wait(HOUR)];
  await keeps(steps, { creations: ['answer lost'], findsBy: 'trade_no alone', hidesTradeNo: true });
});

test('promise 4: a believed notification of another trade does not give ours its number', async () => {
  const traits = { confirmByQuery: false, hidesTradeNo: true, shows: 'the first' } as const;
  const { told } = await keeps(
    [wait(MINUTE), paid, another(false), wait(HOUR), { do: 'await outcome' }, wait(MINUTE)],
    traits,
  );
  const answer = told.find(({ is }) => is === 'outcome');
  expect(answer).toMatchObject({ state: { outcome: 'SUCCESS', trade_no: 'T1' } });
});
