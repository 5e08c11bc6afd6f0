/**
 * Schedules that once gave money back twice, called a refund that paid NOT_CREATED, or lost a chargeback: each by the promise
 * that it broke. The world and the oracle are those of the random stories.
 */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { keeping, type Schedule } from '../../hostile/schedule';
import { play, type Step, type Story } from './stories';
import { World } from './world';

const keeps = keeping(play);

const SECOND = 1_000;
const wait = (ms: number): Step => ({ do: 'wait', ms });
const ask = (amount: string, number?: string): Step => ({ do: 'ask', amount, number });
const desk = (amount: string, takes_ms = 0): Step => ({ do: 'desk', amount, takes_ms });
const bank = (status: 'DISPUTE' | 'CHARGEBACK'): Step => ({ do: 'bank', status });
const notify: Step = { do: 'notify', which: 'all' };
const unreachable: Step = { do: 'outage', kind: 'refunds unreachable' };
const silent: Step = { do: 'outage', kind: 'unreachable' };
const works: Step = { do: 'outage', kind: undefined };
const readDashboard: Step = { do: 'read dashboard' };
const resolve: Step = { do: 'resolve' };
const comesBackNamed: Step = { do: 'comes back', of: 'us', isNamed: true };
const done = (takes_ms: number) => ({ takes_ms, ends: 'done' as const });
const refused = { takes_ms: 5 * SECOND, ends: 'refused' as const };
const revoked = { takes_ms: 5 * SECOND, ends: 'revoked' as const };

const SCHEDULES: readonly Schedule<Story['traits'], Step>[] = [
  [
    'a refund that waits for the gateway is not sent beside a chargeback',
    [unreachable, ask('150.00', 'a'), wait(5 * MINUTE), bank('CHARGEBACK'), wait(5 * MINUTE), works, wait(HOUR)],
  ],
  [
    'a whole refund with a lost answer is not sent again once a copy that was behind shows it',
    [ask('150.00'), wait(10 * MINUTE)],
    { lag_ms: 45 * SECOND, mishaps: ['answer lost'] },
  ],
  [
    'a refund that somebody else has made meanwhile is not sent again',
    [ask('150.00', 'a'), wait(125 * SECOND), desk('150.00'), wait(HOUR)],
    { mishaps: ['lost before it arrived', 'lost before it arrived'] },
  ],
  ['a whole refund has a number on the wire', [ask('150.00'), wait(HOUR)]],
  [
    'a person decides the refund that was looked at, and not the one that came after it',
    [
      ...[ask('40.00', 'first'), wait(5 * MINUTE), ask('40.00', 'a'), wait(2 * MINUTE), ask('40.00', 'b')],
      ...[readDashboard, resolve, wait(MINUTE), resolve, wait(MINUTE), ask('70.00', 'c'), wait(3 * HOUR)],
    ],
    { mishaps: ['none', 'lost before it arrived'], plans: [done(5 * SECOND), done(2 * HOUR)] },
  ],
  [
    'the late end of an earlier try under a number is not that of the next try',
    [ask('100.00', 'a'), wait(5 * SECOND), ask('100.00', 'a'), wait(10 * MINUTE), ask('100.00', 'c'), wait(HOUR)],
    { mishaps: ['refused for good'], plans: [done(5 * MINUTE)], childEnds_ms: 10 * SECOND, watchWindow: '3d' },
  ],
  [
    'a refund with a lost answer is asked about, although the trade goes on showing the known end of the one before',
    [ask('50.00', 'a'), wait(9 * SECOND), ask('50.00'), wait(3 * HOUR)],
    {
      plans: [{ takes_ms: 0, ends: 'refused' }],
      mishaps: ['none', 'lost before it arrived'],
      lag_ms: 45 * SECOND,
      tells_ms: 5 * SECOND,
    },
  ],
  [
    'a chargeback after the money went back is seen, although the query is behind',
    [ask('150.00', 'a'), wait(10 * MINUTE), bank('CHARGEBACK'), notify, wait(HOUR)],
    { lag_ms: 2 * SECOND },
  ],
  [
    'a chargeback that is notified while the gateway takes no refund is seen at once',
    [unreachable, ask('150.00', 'a'), wait(5 * MINUTE), bank('CHARGEBACK'), notify, wait(5 * MINUTE)],
  ],
  ['a part that went back elsewhere limits what is granted', [desk('100.00'), wait(MINUTE), ask('150.00', 'a')]],
  [
    'a whole refund that is under way elsewhere is not followed by ours',
    [desk('150.00', HOUR), wait(MINUTE), ask('150.00', 'a'), wait(3 * HOUR)],
  ],
  [
    'a second part that finds a part from elsewhere under way is not sent after it, although the status is explained',
    [
      ask('50.00', 'a'),
      wait(10 * MINUTE),
      desk('50.00', MINUTE),
      ask('100.00', 'b'),
      wait(5 * SECOND),
      notify,
      wait(HOUR),
    ],
    { watchWindow: '3d' },
  ],
  [
    'a notification that names a refund from elsewhere limits what is granted',
    [ask('50.00', 'a'), wait(5 * MINUTE), desk('50.00'), notify, wait(2 * MINUTE), ask('100.00', 'b'), wait(HOUR)],
  ],
  [
    'a notification of another trade under our refund’s number does not end ours, where no worker answers for the run that sent it',
    [
      { do: 'ask', amount: undefined, number: 'a' },
      wait(2 * MINUTE),
      { do: 'rename queue' },
      { do: 'another trade', number: 'a', status: 'REFUND_REVOKE' },
    ],
  ],
  [
    'a refund that the retention has forgotten limits what is granted',
    [ask('100.00', 'a'), wait(HOUR), { do: 'forget' }, ask('100.00', 'b'), wait(HOUR)],
  ],
  [
    'refunds that were granted before a refund from elsewhere was seen are not sent after it',
    [
      ...[unreachable, ask('50.00', 'a'), ask('50.00', 'b'), ask('50.00', 'c'), wait(5 * MINUTE)],
      ...[desk('100.00', MINUTE), notify, works, wait(3 * HOUR)],
    ],
  ],
  [
    'the answer of another order’s refund under the same number is not ours',
    [ask('50.00', 'd'), wait(HOUR)],
    { numbers: 'repeated', usedInApp: true },
  ],
  [
    'a refund that was refused and is asked for again says so',
    [ask('150.00', 'a'), wait(2 * HOUR), { do: 'ask mended' }, wait(HOUR)],
    { plans: [refused] },
  ],
  [
    'a dispute after a lost request is not the refund',
    [ask('150.00', 'a'), wait(10 * SECOND), bank('DISPUTE'), wait(HOUR)],
    { mishaps: ['lost before it arrived'] },
  ],
  [
    'a refund from elsewhere that is told while ours is lost is not taken for ours',
    [ask('40.00', 'a'), wait(20 * SECOND), desk('100.00', MINUTE), wait(HOUR)],
    { mishaps: ['lost before it arrived', 'lost before it arrived'], tells_ms: 500, lag_ms: 10 * SECOND },
  ],
  [
    'a second part that a notification calls revoked is not counted as given back, whichever comes first',
    [
      ...[ask('50.00', 'a'), wait(5 * MINUTE), ask('50.00', 'b'), wait(SECOND), silent, wait(3 * MINUTE)],
      ...[notify, wait(MINUTE), works, wait(HOUR)],
    ],
    { plans: [done(0), revoked], answersStatus: false },
  ],
  [
    'a decision on an after-sale that has ended stays',
    [bank('CHARGEBACK'), notify, wait(HOUR), { do: 'name elsewhere' }, wait(HOUR), ask('10.00', 'a'), wait(HOUR)],
  ],
  [
    'promise 7: a refund is not sent beside a chargeback that was notified, and that copies far behind do not show',
    [bank('CHARGEBACK'), notify, wait(3 * MINUTE), ask('50.00', 'a'), wait(2 * HOUR)],
    { lag_ms: 10 * MINUTE },
  ],
  [
    'promise 7: a part that waits for another one is not sent beside a dispute that was notified meanwhile, and that copies do not show',
    [{ do: 'ask many' }, wait(2 * HOUR)],
    {
      ...{ lag_ms: 2 * MINUTE, answersStatus: false, plans: [done(0)], tells_ms: 500 },
      race: { after: 'request', ms: MINUTE, status: 'DISPUTE' },
    },
  ],
  [
    'promise 7: a second part with a lost answer is not sent again, although the trade shows no change',
    [ask('50.00', 'a'), wait(5 * MINUTE), ask('50.00', 'b'), wait(3 * HOUR)],
    { numbers: 'twice', mishaps: ['none', 'answer lost'] },
  ],
  [
    'promise 7: a reset of a refund that was sent sends no second one, and does not call it NOT_CREATED',
    [ask('50.00', 'a'), wait(2 * MINUTE), { do: 'reset refund' }, wait(3 * HOUR)],
    { plans: [done(HOUR)] },
  ],
  [
    'promise 7: the answer with another amount is not the refund',
    [ask('50.00', 'a'), wait(HOUR)],
    { mishaps: ['answers of another amount'] },
  ],
  [
    'promise 4: a dispute after a chargeback that a person has decided on is before a person, although the bank takes the money again at once',
    [bank('CHARGEBACK'), wait(35 * SECOND), bank('DISPUTE'), { do: 'name elsewhere' }, bank('CHARGEBACK')],
    { tells_ms: 500 },
    102_607_284,
  ],
  [
    'promise 7: a refund under way is not called revoked because an earlier one of ours comes back',
    [
      ...[ask('50.00', 'a'), ask('50.00', 'x:a'), wait(20 * MINUTE), comesBackNamed],
      ...[{ do: 'terminate' } as const, ask('50.00', 'a')],
    ],
    { plans: [done(0), done(5 * HOUR)], answersStatus: false, continuesAfter: 40 },
    1_239_690_466,
  ],
];

test.each(SCHEDULES)('%s', async (_title, ...schedule) => void (await keeps(...schedule)));

test('promise 7: a refund that came back while another was under way, of which no query says so, is not called given back', async () => {
  const world = await World.create({ answersStatus: false, childEnds_ms: 10 * MINUTE, revokedFor_ms: SECOND });
  try {
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(HOUR);
    world.ask({ amount: '100.00', number: 'b' });
    await world.pass(25 * SECOND);
    world.deliver({ at: world.now, status: 'REFUNDED', number: 'b' });
    world.gateway.comesBack(world.sold, 'b');
    world.deliver({ at: world.now, status: 'REFUND_REVOKE', number: undefined });
    world.gateway.move(world.sold, 'REFUNDED');
    await world.pass(HOUR);
    for (let i = 0; i < 4; i += 1) {
      await world.readDashboard();
      world.resolveRefund();
      await world.pass(MINUTE);
    }
    expect(await world.state()).toMatchObject({ refunded_amount: '50.00', attention: null });
  } finally {
    await world.close();
  }
});

describe('promise 7: where the old task queue of an after-sale has no worker any more', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(() => world?.close());

  test('what it knew when it ended is known', async () => {
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(HOUR);
    world.renameQueue();
    world.ask({ amount: '50.00', number: 'b' });
    await world.pass(HOUR);
    const { refunds, refunded_amount, ledger_complete } = (await world.state()) ?? {};
    expect({ numbers: refunds?.map((one) => one.out_request_no), refunded_amount, ledger_complete }).toEqual({
      ...{ numbers: ['a', 'b'], refunded_amount: '100.00', ledger_complete: true },
    });
  });

  test('and it was terminated with a refund under way, nothing is granted before a person has looked', async () => {
    world.gateway.trouble = 'refunds unreachable';
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(30 * SECOND);
    world.terminate();
    world.renameQueue();
    await world.pass(SECOND);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(HOUR);
    expect(await world.state()).toMatchObject({
      ...{ ledger_complete: false, attention: 'refund-elsewhere' },
      refunds: [{ out_request_no: 'a', attention: 'unknown-refund' }],
    });
  });
});
