/** The oracle, tried: whatever is planted into the world, or into what people read, breaks the promise that it should. */
import type { PaymentState } from '../../../../src/contract';
import { afterSaleWorkflowId } from '../../../../src/contract';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { ANOTHER_ERROR, APP, type Broken } from '../../hostile/base-world';
import type { TrueRefund } from '../../hostile/gateway';
import { liveness, safety } from './oracle';
import { seenIn } from './stories';
import { MERCHANTS_REFUND, type Traits, World } from './world';

Error.stackTraceLimit = 0;

const afterSaleOf = ({ out_trade_no }: World) => afterSaleWorkflowId(APP, out_trade_no);
const afterSaleInput = ({ out_trade_no }: World) => ({ app_id: APP, out_trade_no });

async function stateOf(world: World): Promise<PaymentState> {
  const { run } = world;
  if (!run) throw new Error('no run');
  return world.within(() => world.state(run));
}

/** A payment that was paid, told of, and ended well. */
async function sold(traits: Partial<Traits> = {}): Promise<World> {
  const world = await World.create(traits);
  world.pay();
  await world.pass(MINUTE);
  const [trade] = world.gateway.trades;
  if (!trade) throw new Error('no trade');
  world.gateway.move(trade, 'SUCCESS');
  world.notify(trade);
  await world.pass(MINUTE);
  return world;
}

/** What the oracle says of it once something is planted, and once people read something else than it says. */
async function brokenBy(
  plant: (world: World) => Promise<void> | void,
  lie = (state: object) => state,
  traits: Partial<Traits> = {},
): Promise<Broken[]> {
  const world = await sold(traits);
  try {
    await plant(world);
    const seen = (await seenIn(world)).map((one) => ({ ...one, state: { ...one.state, ...lie(one.state) } }));
    return [...safety(world, seen), ...liveness(world, seen)];
  } finally {
    await world.close();
  }
}

const promisesBroken = async (...planted: Parameters<typeof brokenBy>) =>
  [...new Set((await brokenBy(...planted)).map(({ promise }) => promise))].sort();

/** The words of what is broken, for violations that the promise's number alone does not tell from others. */
const wordsBroken = async (...planted: Parameters<typeof brokenBy>) =>
  (await brokenBy(...planted)).map(({ what }) => what).join('\n');

/** A merchant is told of a trade's payment data. */
const tell = ({ told, now, own }: World, amount: string, trade_no: string) =>
  void told.push({
    at: now,
    is: 'payment data',
    asked: now,
    order: { ...own, amount },
    data: { trade_no, recovered: false },
  });

test('nothing is broken where nothing is planted', async () => {
  expect(await promisesBroken(() => undefined)).toEqual([]);
});

test('promise 6: a later run that does not know of the sale', async () => {
  const forget = { outcome: 'CANCEL', confirmed_by: 'query' };
  const world = await sold();
  const seen = await seenIn(world);
  const later = seen.map((one) => ({ ...one, state: { ...one.state, ...forget } }) as (typeof seen)[number]);
  const broken = liveness(world, [...seen, ...later]);
  await world.close();
  expect(broken.map(({ what }) => what).join()).toContain('was sold, and');
});

test('promise 2: a number that is refused for good although its creation certainly failed', async () => {
  const words = await wordsBroken(({ gateway, told, own, asked }) => {
    asked.push(0, HOUR);
    gateway.trades.splice(0);
    gateway.exchanges.splice(0);
    gateway.exchanges.push({ at: 1, is: 'creation', asked: {}, answered: 'refusal' });
    const failure = { is: 'failure', order: own, message: '' } as const;
    told.splice(0);
    told.push({ ...failure, asked: 0, at: 2, type: 'NotCreatedError' });
    told.push({ ...failure, asked: HOUR, at: HOUR + 1, type: 'DuplicateOrderError' });
  });
  expect(words).toContain('the number is burned');
});

test('promise 8: a person is sent to a gateway that answers', async () => {
  const words = await wordsBroken(({ temporal, run, gateway }) => {
    if (!run) throw new Error('no run');
    gateway.exchanges.push({ at: 1, is: 'query', asked: {}, answered: 'trade' });
    jest.spyOn(run, 'isRunning', 'get').mockReturnValue(true);
    jest.spyOn(temporal, 'attributesOf').mockReturnValue({ PaymentAttention: 'credentials' });
  });
  expect(words).toContain('and the gateway answers');
});

test('promise 2: a refusal that is believed while an earlier creation is unknown', async () => {
  const time = new Date().toISOString();
  const refused = { time, from: null, to: 'REFUSED', source: 'creation' };
  expect(
    await wordsBroken(
      ({ gateway }) => {
        gateway.exchanges.push({ at: 1, is: 'creation', asked: {}, answered: 'nothing' });
        gateway.exchanges.push({ at: 2, is: 'creation', asked: {}, answered: 'created refused' });
      },
      () => ({ refused_because: { code: '20000', sub_code: null }, history: [refused] }),
    ),
  ).toContain('told REFUSED');
});

test('promise 6: a state that moves backwards', async () => {
  const history = ['SUCCESS', 'PROCESSING'].map((to) => ({ time: '', from: null, to, source: 'query' }));
  expect(
    await promisesBroken(
      () => undefined,
      () => ({ history }),
    ),
  ).toContain(6);
});

test('promise 1: another way to pay, for an order whose trade the answers do not name', async () => {
  const twice = ({ told, now, own }: World) => {
    for (const qr_code of ['one', 'another'])
      told.push({ at: now, is: 'payment data', asked: now, order: own, data: { qr_code, recovered: false } });
  };
  expect(await wordsBroken(twice, undefined, { hidesTradeNo: true })).toMatch(/one order was answered with/);
});

test.each(['the first', 'the latest'] as const)(
  'promise 5: money of ours of which nobody learns, although the order’s number shows it as %s of two',
  async (shows) => {
    const plant = async (world: World) => {
      const { gateway, out_trade_no } = world;
      // Ours is paid where the number shows it, and nothing was ever said of it.
      const [first] = gateway.trades.splice(0);
      gateway.exchanges.splice(0);
      world.acknowledged.splice(0);
      const ours = gateway.make({ out_trade_no, amount: '150.00' }, 'us', 'SUCCESS');
      if (first && shows === 'the latest') gateway.trades.unshift(first);
      if (first && shows === 'the first') gateway.trades.push(first);
      expect(ours.trade_no).toBe('T2');
    };
    expect(await wordsBroken(plant, undefined, { shows })).toMatch(/came for T2 at .*, and nobody knows/);
  },
);

/** Somebody asked for a look one minute ago, and is answered now. */
const answerRecheck = ({ told, now, workflowId }: World, trade_status: string) => {
  const state = { trade_no: 'T1', trade_status, outcome: null, attention: null };
  told.push({ at: now, is: 'rechecked', asked: now - MINUTE / 2, workflowId, state });
};

/** All of the money goes back. */
const refundOf = (trade_no: string, number: string, at: number): TrueRefund => ({
  ...{ trade_no, number, amount: '150.00', by: 'us', at, endsAt: at, ends: 'done' },
});

/** Money goes back without a merchant's word. */
const giveBack = ({ gateway, now: at }: World, trade_no = 'T1') =>
  void gateway.refunds.push(refundOf(trade_no, 'L1', at));
const refunding = { late: 'refund' } as const;

test('promise 8: a late payment that the settings refund, and whose refund is never sent', async () => {
  const lie = () => ({ previous: { run_id: '', outcome: null } });
  const plant = ({ told, workflowId }: World) => void told.unshift({ at: 0, is: 'terminated', workflowId });
  expect(await wordsBroken(plant, lie, refunding)).toContain('is an ordinary sale');
});

type Row = [title: string, broken: number | string | RegExp, ...Parameters<typeof brokenBy>];
test.each<Row>([
  [
    'promise 1: a second creation after the gateway has shown the order',
    1,
    ({ gateway, now }) => void gateway.exchanges.push({ at: now, is: 'creation', asked: {}, answered: 'trade' }),
  ],
  [
    'promise 1: a second trade that was acknowledged and put before nobody',
    1,
    ({ acknowledged, now }) =>
      void acknowledged.push({ at: now, trade_no: 'T9', status: 'PROCESSING', amount: '150.00' }),
  ],
  ['promise 1: two answers for one order', 1, (world) => tell(world, '150.00', 'T9')],
  ['promise 1: payment data for another order under the number', 1, (world) => tell(world, '151.00', 'T1')],
  [
    'promise 2: a creation that is repeated while the one before is unknown',
    2,
    ({ gateway, now }) => {
      gateway.exchanges.splice(0, gateway.exchanges.length);
      for (const at of [now, now + 1_000])
        gateway.exchanges.push({ at, is: 'creation', asked: {}, answered: 'nothing' });
    },
  ],
  [
    'promise 2: NotCreated while a creation is unknown',
    2,
    ({ gateway, told, now }) => {
      gateway.exchanges.push({ at: now, is: 'creation', asked: {}, answered: 'nothing' });
      told.push({
        at: now + 1,
        is: 'failure',
        asked: now,
        order: { kind: 'direct', amount: '150.00' },
        type: 'NotCreatedError',
        message: '',
      });
    },
  ],
  [
    'promise 1: payment data of a trade that another system made, while nothing of ours was sent',
    'which another system made',
    (world) => {
      world.gateway.exchanges.splice(0);
      world.gateway.exchanges.push({ at: world.now, is: 'creation', asked: {}, answered: 'duplicate' });
      const order = { out_trade_no: world.out_trade_no, amount: '150.00' };
      const { trade_no } = world.gateway.make(order, 'another system', 'PROCESSING');
      tell(world, '150.00', trade_no);
    },
  ],
  [
    'promise 3: money that was acknowledged and is known to nobody',
    3,
    (world) => {
      const trade = world.gateway.make(
        { out_trade_no: world.out_trade_no, amount: '150.00' },
        'another system',
        'SUCCESS',
      );
      world.acknowledged.push({ at: world.now, trade_no: trade.trade_no, status: 'SUCCESS', amount: '150.00' });
    },
  ],
  ['promise 4: SUCCESS of money that the gateway does not have', 4, () => undefined, () => ({ trade_no: 'T9' })],
  [
    'promise 5: money of ours that nobody learns of',
    5,
    ({ acknowledged }) => void acknowledged.splice(0),
    () => ({ outcome: 'CANCEL', confirmed_by: 'query' }),
  ],
  [
    'promise 8: a raw error of Temporal’s that a merchant meets',
    8,
    ({ told, now, own }) =>
      void told.push({
        ...{ at: now, is: 'failure', asked: now, order: own },
        type: ANOTHER_ERROR,
        message: 'gRPC',
      }),
  ],
  [
    'promise 1: an answer that names no trade, after one that did',
    /one order was answered with T1 .* and then with - - -/,
    ({ told, now, own }) =>
      void told.push({
        at: now,
        is: 'payment data',
        asked: now,
        order: own,
        data: { trade_no: null, recovered: false },
      }),
  ],
  [
    'promise 1: payment data of an adopted trade of another amount than the order’s',
    'payment data of T2 for an order of its own',
    ({ gateway, told, now, own, out_trade_no }: World) => {
      const { trade_no } = gateway.make({ out_trade_no, amount: '15.00' }, 'another system', 'SUCCESS');
      told.push({ at: now, is: 'payment data', asked: now, order: own, data: { trade_no, recovered: true } });
    },
  ],
  [
    'promise 1: a sale of another system’s trade, although some creation was lost',
    'sells T2, which another system made',
    ({ gateway, out_trade_no, now }: World) => {
      const { trade_no } = gateway.make({ out_trade_no, amount: '150.00' }, 'another system', 'SUCCESS');
      // Lost after our own was answered: what is found then cannot be its.
      gateway.exchanges.push({ at: now, is: 'creation', asked: {}, answered: 'nothing' });
      gateway.exchanges.push({ at: now, is: 'query', asked: {}, answered: 'trade', shown: { trade_no, status: '' } });
    },
    () => ({ trade_no: 'T2' }),
  ],
  [
    'promise 1: an end that is told as SUCCESS of another system’s trade',
    'SUCCESS of T2 was told',
    async (world: World) => {
      world.gateway.make({ out_trade_no: world.out_trade_no, amount: '150.00' }, 'another system', 'SUCCESS');
      world.told.push({ at: world.now, is: 'outcome', state: { ...(await stateOf(world)), trade_no: 'T2' } });
    },
  ],
  [
    'promise 2: an order that was withdrawn, and that the gateway has',
    'that nothing was sent, and there is T1',
    ({ told, now }) => void told.push({ at: now, is: 'withdrawn' }),
  ],
  [
    'promise 4: SUCCESS that is told to who waits for the end, of money that the gateway does not have',
    'SUCCESS of T9 was told',
    async (world: World) =>
      void world.told.push({ at: world.now, is: 'outcome', state: { ...(await stateOf(world)), trade_no: 'T9' } }),
  ],
  [
    'promise 4: a notification that was acknowledged, and whose trade nobody asked for',
    'nobody asked the gateway for it',
    ({ acknowledged, now }) => void acknowledged.push({ at: now, trade_no: 'T9', status: 'SUCCESS', amount: '150.00' }),
  ],
  [
    'promise 5: more queries than polls and looks need',
    /\d+ queries, of at most \d+/,
    ({ gateway, now }: World) => {
      for (let i = 0; i < 100; i += 1)
        gateway.exchanges.push({ at: now, is: 'query', asked: { trade_no: 'T1' }, answered: 'trade' });
    },
  ],
  [
    'promise 5: a wait that adds to its history',
    /after-sale:.* has \d+ events, of at most \d+/,
    async (world: World) => {
      world.temporal.start('afterSale', afterSaleOf(world), afterSaleInput(world));
      for (let i = 0; i < 200; i += 1) world.temporal.signal(afterSaleOf(world), 'somethingElse', {});
      await world.pass(MINUTE);
    },
  ],
  [
    'promise 5: who waits for the end, and is never told',
    'for the outcome',
    async (world: World) => {
      world.waiting.push({ is: 'outcome', asked: world.now, workflowId: world.workflowId, answered: false });
      await world.pass(2 * HOUR);
    },
  ],
  [
    'promise 5: a recheck that is never answered',
    'for the recheck',
    async (world: World) => {
      world.waiting.push({ is: 'recheck', asked: world.now, workflowId: world.workflowId, answered: false });
      await world.pass(2 * HOUR);
    },
  ],
  [
    'promise 8: a recheck that is answered with what the gateway said before it',
    'was answered with PROCESSING, and the gateway said SUCCESS',
    async (world) => {
      const { gateway, now } = world;
      const shown = { trade_no: 'T1', status: 'SUCCESS' };
      gateway.exchanges.push({ at: now, is: 'query', asked: { trade_no: 'T1' }, answered: 'trade', shown });
      answerRecheck(world, 'PROCESSING');
    },
  ],
  [
    'promise 8: a recheck that is answered without a look',
    'was answered without a look',
    async (world: World) => {
      const { told, now } = world;
      const workflowId = afterSaleOf(world);
      // Any open workflow serves.
      world.temporal.start('afterSale', workflowId, afterSaleInput(world));
      const state = { trade_no: 'T1', trade_status: 'SUCCESS', outcome: null, attention: null };
      told.push({ at: now, is: 'rechecked', asked: now, workflowId, state });
    },
  ],
  [
    'promise 8: a recheck that fails although nobody ended the workflow',
    'failed: gRPC',
    ({ told, now, workflowId }: World) =>
      void told.push({ at: now, is: 'recheck failed', asked: now, workflowId, message: 'gRPC' }),
  ],
  [
    'promise 7: money that goes back twice',
    '300.00 went back of the 150',
    ({ gateway, now: at }: World) => {
      for (let i = 0; i < 2; i += 1) gateway.refunds.push(refundOf('T1', MERCHANTS_REFUND, at));
    },
  ],
  [
    'promise 7: money that goes back although the settings do not say so',
    'nobody had asked for that',
    (world) => giveBack(world),
  ],
  [
    'promise 7: money that goes back although it came in time',
    'had ended without it',
    (world) => giveBack(world),
    undefined,
    refunding,
  ],
  [
    'promise 7: money of another system’s order that goes back',
    'which is not our order',
    (world: World) => {
      const { trade_no } = world.gateway.make(
        { out_trade_no: world.out_trade_no, amount: '150.00' },
        'another system',
        'SUCCESS',
      );
      giveBack(world, trade_no);
    },
    undefined,
    refunding,
  ],
  [
    'promise 7: money that goes back although a person had called it sold before it came',
    'which a person had called sold',
    (world: World) => {
      const { told, workflowId } = world;
      told.unshift({ at: 0, is: 'resolved', workflowId, runId: '', outcome: 'SUCCESS' });
      told.unshift({ at: 0, is: 'terminated', workflowId });
      giveBack(world);
    },
    undefined,
    refunding,
  ],
])('%s', async (_title, broken, ...planted) => {
  const found = await brokenBy(...planted);
  if (typeof broken === 'number') expect(found.map(({ promise }) => promise)).toContain(broken);
  else expect(found.map(({ what }) => what).join('\n')).toMatch(broken);
});
