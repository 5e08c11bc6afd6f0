/** The oracle of refunds, tried: whatever is planted into the world, or into what people read, breaks the promise that it should. */
import type { AfterSaleState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { isClosed, liveness, safety } from './oracle';
import { World } from './world';

Error.stackTraceLimit = 0;

type Refund = AfterSaleState['refunds'][number];
interface Planted {
  /** What happens besides. */
  plant?: (world: World) => Promise<void> | void;
  /** What people read of the refund instead, and of the whole. */
  refund?: Partial<Refund>;
  state?: Partial<AfterSaleState>;
}

/** What the oracle says of a sale of 150.00 of which 50.00 went back. */
async function brokenBy({ plant, refund = {}, state = {} }: Planted): Promise<string> {
  const world = await World.create();
  try {
    world.ask({ amount: '50.00', number: 'a' });
    await world.pass(HOUR);
    await plant?.(world);
    // The trade is watched for three days after a refund.
    await world.pass(4 * DAY);
    const read = await world.state();
    if (!read) throw new Error('no after-sale');
    const lied = { ...read, refunds: read.refunds.map((one) => ({ ...one, ...refund })), ...state };
    const broken = [...safety(world, lied), ...liveness(world, lied), ...isClosed(world, lied)];
    return broken.map(({ promise, what }) => `${promise}: ${what}`).join('\n');
  } finally {
    await world.close();
  }
}

const back = (world: World, number: string, amount: string) =>
  world.gateway.giveBack(world.sold, number, amount, 'us', { takes_ms: 0, ends: 'done' });

test('nothing is broken where nothing is planted', async () => {
  expect(await brokenBy({})).toBe('');
});

test.each<[string, Planted, string]>([
  [
    'promise 7: more goes back than was paid',
    { plant: (world) => back(world, 'b', '101.00') },
    '7: .*we gave 151.00 back of 150.00',
  ],
  ['promise 7: a number goes back twice', { plant: (world) => back(world, 'a', '50.00') }, '7: a twice'],
  [
    'promise 7: more goes back than refunds from elsewhere have left, which were told',
    {
      async plant(world) {
        world.desk('100.00', 0);
        world.tellNews('all');
        await world.pass(10 * MINUTE);
        back(world, 'b', '50.00');
      },
    },
    '7: .*200.00 went back in all, and that could be known',
  ],
  [
    'promise 7: a refund is sent while a query shows a chargeback',
    {
      plant: ({ gateway, now }) =>
        void gateway.requests.push({
          at: now,
          number: 'b',
          amount: '1.00',
          status: 'CHARGEBACK',
          shown: ['CHARGEBACK'],
        }),
    },
    '7: a refund was sent .* while the trade was CHARGEBACK',
  ],
  [
    'promise 7: a refund is sent without a number',
    {
      plant: ({ gateway, now }) =>
        void gateway.requests.push({
          at: now,
          number: undefined,
          amount: '1.00',
          status: 'SUCCESS',
          shown: ['SUCCESS'],
        }),
    },
    '7: no number was sent',
  ],
  [
    'promise 7: a merchant is told of a refund that nobody made',
    {
      plant: ({ told, now }) => {
        const answer = { out_request_no: 'b', refund_amount: '50.00', recovered: false };
        told.push({ at: now, asked: now, is: 'answer', order: { amount: '50.00', number: 'b' }, answer });
      },
    },
    '7: .*refund b was answered, and there is none',
  ],
  [
    'promise 7: a refund that paid out is called NOT_CREATED',
    { refund: { outcome: 'NOT_CREATED' } },
    '7: a is called NOT_CREATED, and it paid 50',
  ],
  [
    'promise 7: the ledger has another sum',
    { state: { refunded_amount: '0.00' } },
    '7: the ledger says 0.00, and we gave 50.00 back',
  ],
  [
    'promise 7: what went back elsewhere and was told is not known',
    {
      async plant(world) {
        world.desk('100.00', 0);
        world.tellNews('all');
        await world.pass(DAY);
      },
      state: { refunded_elsewhere: '0.00', attention: null, ledger_complete: true },
    },
    '7: 100 went back elsewhere, was told, and is not known',
  ],
  [
    'promise 6: merchants hear again what the trade was before',
    {
      plant({ events }) {
        const [first] = events;
        if (first) events.push({ ...first, id: 'again' });
      },
    },
    '6: null to SUCCESS was told',
  ],
  [
    'promise 6: merchants hear that an order is sold, all of which goes back',
    {
      async plant(world) {
        world.ask({ amount: '100.00', number: 'b' });
        await world.pass(HOUR);
        const [first] = world.events;
        if (first) world.events.push({ ...first, id: 'again', time: new Date(world.now).toISOString() });
      },
    },
    '6: the order is called sold at .*, and all of it goes back',
  ],
  [
    'promise 4: a chargeback is acknowledged, and nobody sees it',
    {
      plant: ({ acknowledged, now }) =>
        void acknowledged.push({ at: now - HOUR, trade_no: 'T1', status: 'CHARGEBACK', amount: '150.00' }),
    },
    '4: CHARGEBACK was acknowledged',
  ],
  [
    'promise 8: a refund is called decided that nobody decided',
    { refund: { resolved: { by: 'ana', reason: 'x' } } },
    '8: a was decided, and nobody had meant it',
  ],
  [
    'promise 8: a decision is not in the history',
    {
      plant: ({ told, now }) =>
        void told.push({ at: now, asked: now, is: 'resolved', lookedAt: now, resolution: { by: 'ana', reason: 'x' } }),
    },
    '8: 1 decisions are not in the history',
  ],
  [
    'promise 8: a refund is open without a word',
    { refund: { outcome: null } },
    '8: refunds are open without a word: a',
  ],
])('%s', async (_, planted, words) => {
  expect(await brokenBy(planted)).toMatch(new RegExp(words));
});
