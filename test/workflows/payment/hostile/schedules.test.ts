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

const SCHEDULES: readonly Schedule[] = [
  [
    'promise 1: two trades that were named after a refused creation are before a person',
    [wait(5 * SECOND), another(false), another(false)],
    { creations: ['created and refused'], takesNumbersTwice: false },
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
    'promise 1: an order that Temporal has forgotten is not called made elsewhere where a start of it was terminated at once',
    [{ do: 'retention' }, { do: 'pay' }, { do: 'terminate' }, notify],
    { takesNumbersTwice: false },
    2_031_222_004,
  ],
  [
    'promise 2: the time in which an order may be sent counts from its start, also where no worker is there for long',
    [{ do: 'no worker', ms: 2 * HOUR }, wait(10 * HOUR), { do: 'no worker', ms: 20 * HOUR }, { do: 'pay' }],
    { creations: ['none'], takesNumbersTwice: false },
    2_090_851_952,
  ],
  [
    'promise 1: a reset repeats a refusal',
    [wait(5 * SECOND), { do: 'reset' }, { do: 'pay' }],
    { creations: ['created and refused'], takesNumbersTwice: false },
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
    'promise 2: a cancelled workflow goes on while its creation is unknown',
    [wait(8 * SECOND), { do: 'cancel' }, wait(20 * SECOND), paid, wait(2 * HOUR)],
    { creations: ['answer lost'], lag_ms: 10 * SECOND },
  ],
  [
    'promise 5: a cancelled workflow goes on while the buyer can still pay',
    [wait(10 * MINUTE), { do: 'cancel' }, paid, wait(2 * HOUR)],
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
  [
    'promise 7: a refund that is asked for while the payment runs sends back no money of another system’s trade',
    [wait(SECOND), { do: 'refund' }],
    { before: { amount: '150.00', isPaid: true, isNotified: false }, shows: 'the first', heldBack: 3 },
    1_390_075_285,
  ],
  [
    'promise 5: a search that a person ends while somebody asks for a look is over once that look has its answer',
    [resolve('SUCCESS'), wait(45 * MINUTE), { do: 'recheck' }, resolve('CANCEL')],
    { creations: ['none', ...Array(8).fill('unreachable')], takesNumbersTwice: false, shows: 'the first' },
    1_311_099_559,
  ],
  [
    'promise 1: a start under another workflow id creates nothing',
    [wait(MINUTE), { do: 'start elsewhere' }, wait(HOUR)],
  ],
  [
    'promise 4: an adopted trade that is paid with another amount than it was made with is not sold without a person',
    [{ do: 'paid wrongly' }, paid, notify, wait(HOUR)],
    { before: { amount: '150.00', isPaid: false, isNotified: true } },
  ],
  [
    'promise 4: money that a follow-up finds is compared with the order, although notifications are believed',
    [wait(10 * MINUTE), { do: 'paid wrongly' }, paid, wait(HOUR)],
    { creations: ['overloaded'], takesNumbersTwice: false, confirmByQuery: false },
  ],
  [
    'promise 8: credentials that are refused while payments are open are before a person',
    [wait(15 * MINUTE), { do: 'outage', kind: 'credentials' }, wait(10 * HOUR), wait(10 * HOUR)],
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
    'promise 2: an order whose task waited hours for a worker is not sent any more',
    [wait(SECOND / 2), { do: 'no worker', ms: 3 * HOUR }, wait(4 * HOUR)],
    { heldBack: 1 },
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
    'promise 4: another trade that is notified while ours is searched for is asked for',
    [wait(MINUTE), paid, wait(10 * HOUR), another(false), wait(10 * MINUTE), another(true), wait(HOUR)],
    { findsBy: 'trade_no alone', forgetsAfter_ms: 4 * HOUR },
  ],
  [
    'promise 5: of three trades of ours, one that the order’s number shows for a minute is not lost behind a denial of the first',
    [wait(45 * MINUTE), paid, paid],
    {
      ...{ takesNumbersTwice: true, findsBy: 'out_trade_no alone', late_ms: 5 * MINUTE },
      creations: ['carried out late', 'carried out late'],
    },
    1238876969,
  ],
  [
    'promise 8: a refund of late money that the gateway forgets before it shows its end can be settled by a person',
    [wait(5 * SECOND), paid, resolve('CANCEL')],
    {
      ...refunding,
      forgetsAfter_ms: 4 * HOUR,
      plan: { takes_ms: HOUR, ends: 'done' },
      childStarts_ms: HOUR,
      deafFor: 1,
    },
    32034096,
  ],
  [
    'promise 6: a decision that a person took, and that two resets bring anew, is refused until the runs before are read',
    [resolve('CANCEL'), { do: 'reset' }, wait(10 * MINUTE), { do: 'reset to the last task' }],
    {},
    304369768,
  ],
  [
    'promise 1: a trade that takes the place of one whose payment was terminated is not answered with that one’s data',
    [{ do: 'terminate' }, another(false), wait(MINUTE), { do: 'pay' }, wait(MINUTE)],
    { ...neverSent, before: { amount: '15.00', isPaid: false, isNotified: true } },
  ],
];

test.each(SCHEDULES)('%s', async (_title, ...schedule) => void (await keeps(...schedule)), 60_000);

test('a number whose creation certainly failed can be used again: the same order is then created', async () => {
  const { told } = await keeps([wait(MINUTE), { do: 'pay' }, wait(MINUTE)], { creations: ['refused for good'] });
  expect(told.map(({ is }) => is)).toEqual(expect.arrayContaining(['failure', 'payment data']));
});

test('25 calls of pay at once share one update, and get one answer', async () => {
  const world = await World.create();
  const answers = await Promise.all(Array.from({ length: 25 }, () => world.payments.pay(world.order())));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(world.run?.countedUpdates).toBe(1);
  await world.close();
});

test('a signal without its argument, before the order is sent, does not keep it from being sent', async () => {
  const { told } = await keeps([wait(SECOND), { do: 'empty signal' }, wait(10 * MINUTE)], { heldBack: 3 });
  expect(told.map(({ is }) => is)).toEqual(['payment data']);
});

test('of two trades that are notified while the gateway does not answer, both are looked at after the end', async () => {
  const another: Step = { do: 'another trade', paid: true };
  const { gateway } = await keeps([wait(MINUTE), unanswered, another, another, wait(30 * SECOND), resolve('CANCEL')]);
  const shown = new Set(gateway.exchanges.flatMap((one) => one.shown?.trade_no ?? []));
  expect([...shown].sort()).toEqual(['T1', 'T2', 'T3']);
});

const sold: readonly Step[] = [wait(MINUTE), paid, notify, wait(10 * MINUTE)];
const adopted: readonly Step[] = [{ do: 'adopt by number' }, wait(MINUTE)];

test('promise 1: whoever adopts the number of a sale does not answer another cart', async () => {
  const { told } = await keeps([...sold, ...adopted, { do: 'pay otherwise' }, wait(MINUTE)]);
  expect(told.at(-1)).toMatchObject({ is: 'failure', type: 'DuplicateOrderError' });
});

test('promise 4: a trade that is notified while a person calls an order without a number sold is looked at', async () => {
  const { gateway } = await keeps([wait(MINUTE), paid, notify, resolve('SUCCESS'), wait(HOUR)], {
    hidesTradeNo: true,
    findsBy: 'trade_no alone',
  });
  expect(gateway.exchanges.some(({ shown }) => shown?.trade_no === 'T1')).toBe(true);
});

test('promise 5: an order that the gateway refuses to look for is asked about ever more slowly', async () => {
  const refused = (kind: '429' | 'credentials'): Step => ({ do: 'outage', kind });
  const steps: Step[] = [refused('429'), wait(5 * SECOND), refused('credentials'), wait(10 * HOUR)];
  await keeps(steps, { creations: ['answer lost'] });
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

// Queries by our number find nothing, and nobody notifies: only the answer to the creation names the trade.
const NAMED_ONCE = { findsBy: 'trade_no alone', noSuchOrder: 'trade-not-exist' } as const;
const calledUnsold: readonly Step[] = [resolve('CANCEL'), wait(30), { do: 'reset' }, paid];

test('promise 5: money of a trade that only the creation’s answer named is before a person, where a person had called the order unsold and reset it', async () => {
  const { areCreationsUnheard, attentions } = await keeps([wait(SECOND), ...calledUnsold], NAMED_ONCE);
  expect([areCreationsUnheard, attentions.map(({ trade_no }) => trade_no)]).toEqual([
    false,
    expect.arrayContaining(['T1']),
  ]);
});

test('promise 5: nobody can know of it where the reset comes between the order and that answer, which no history has', async () => {
  const { areCreationsUnheard } = await keeps(calledUnsold, NAMED_ONCE, 30);
  expect(areCreationsUnheard).toBe(true);
});
