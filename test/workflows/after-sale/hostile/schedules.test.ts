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
const works: Step = { do: 'outage', kind: undefined };
const done = (takes_ms: number) => ({ takes_ms, ends: 'done' as const });

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
    'a chargeback that is notified while the gateway takes no refund is seen at once',
    [unreachable, ask('150.00', 'a'), wait(5 * MINUTE), bank('CHARGEBACK'), notify, wait(5 * MINUTE)],
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
    'the answer of another order’s refund under the same number is not ours',
    [ask('50.00', 'd'), wait(HOUR)],
    { numbers: 'repeated', usedInApp: true },
  ],
  [
    'promise 7: a refund is not sent beside a chargeback that was notified, and that copies far behind do not show',
    [bank('CHARGEBACK'), notify, wait(3 * MINUTE), ask('50.00', 'a'), wait(2 * HOUR)],
    { lag_ms: 10 * MINUTE },
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
];

test.each(SCHEDULES)('%s', async (_title, ...schedule) => void (await keeps(...schedule)));

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
