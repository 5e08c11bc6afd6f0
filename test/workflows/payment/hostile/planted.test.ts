/** The oracle, tried: whatever is planted into the world, or into what people read, breaks the promise that it should. */
import { afterSaleWorkflowId, type PaymentData, type PaymentState } from '../../../../src/contract';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { ANOTHER_ERROR, APP, type Broken } from '../../hostile/base-world';
import type { Exchange } from '../../hostile/gateway';
import { liveness, safety } from './oracle';
import { seenIn } from './stories';
import { AMOUNT, MERCHANTS_REFUND, type Traits, World } from './world';

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

/** A request of this kind reached the gateway now, and was answered so. */
const reached = ({ gateway, now }: World, is: 'creation' | 'query', answered: Exchange['answered'], more = {}) =>
  void gateway.exchanges.push({ at: now, is, asked: {}, answered, ...more });

/** A merchant is told of payment data, by default for the own order. */
const tell = ({ told, now, own }: World, data: Partial<PaymentData>, amount = own.amount) =>
  void told.push({
    ...{ at: now, is: 'payment data', asked: now, order: { ...own, amount } },
    data: { recovered: false, ...data },
  });

/** A merchant's call fails; `asked` and `at` are the world's own time unless they are named. */
const fail = ({ told, now, own }: World, type: string, asked = now, at = now) =>
  void told.push({ at, is: 'failure', asked, order: own, type, message: 'gRPC' });

/** Another system has a paid trade under our number. */
const another = ({ gateway, out_trade_no }: World, amount = AMOUNT) =>
  gateway.make({ out_trade_no, amount }, 'another system', 'SUCCESS').trade_no;

const acknowledge = ({ acknowledged, now }: World, trade_no: string, status = 'SUCCESS') =>
  void acknowledged.push({ at: now, trade_no, status, amount: AMOUNT });

/** Somebody asked for a look half a minute ago, and is answered now. */
const answerRecheck = ({ told, now }: World, workflowId: string, trade_status: string) => {
  const state = { trade_no: 'T1', trade_status, outcome: null, attention: null };
  told.push({ at: now, is: 'rechecked', asked: now - MINUTE / 2, workflowId, state });
};

/** All of the money goes back, by default without a merchant's word. */
const giveBack = ({ gateway, now: at }: World, trade_no = 'T1', number = 'L1') =>
  void gateway.refunds.push({ trade_no, number, amount: AMOUNT, by: 'us', at, endsAt: at, ends: 'done' });
const refunding = { late: 'refund' } as const;

const waitForEver = (is: 'outcome' | 'recheck') => async (world: World) => {
  world.waiting.push({ is, asked: world.now, workflowId: world.workflowId, answered: false });
  await world.pass(2 * HOUR);
};

test('nothing is broken where nothing is planted', async () => {
  expect(await brokenBy(() => undefined)).toEqual([]);
});

test('promise 6: a later run that does not know of the sale', async () => {
  const world = await sold();
  const seen = await seenIn(world);
  const later = seen.map((one) => ({
    ...one,
    state: { ...one.state, outcome: 'CANCEL', confirmed_by: 'query' } as const,
  }));
  const broken = liveness(world, [...seen, ...later]);
  await world.close();
  expect(broken.map(({ what }) => what).join()).toContain('was sold, and');
});

test('promise 8: an after-sale that has not heard how its payment has ended', async () => {
  const world = await sold();
  world.temporal.start('afterSale', afterSaleOf(world), afterSaleInput(world));
  await world.pass(MINUTE);
  const seen = await seenIn(world);
  const unheard = seen.filter(({ runId }) => !runId.startsWith(afterSaleOf(world)));
  const broken = [liveness(world, seen), liveness(world, unheard)];
  await world.close();
  expect(broken.map((one) => one.map(({ what }) => what))).toEqual([[], [expect.stringContaining('not heard of it')]]);
});

type Row = [title: string, broken: number | string | RegExp, ...Parameters<typeof brokenBy>];
test.each<Row>([
  [
    'promise 1: a second creation after the gateway has shown the order',
    1,
    (world) => reached(world, 'creation', 'trade'),
  ],
  [
    'promise 1: a second trade that was acknowledged and put before nobody',
    1,
    (world) => acknowledge(world, 'T9', 'PROCESSING'),
  ],
  ['promise 1: two answers for one order', 1, (world) => tell(world, { trade_no: 'T9' })],
  ['promise 1: payment data for another order', 1, (world) => tell(world, { trade_no: 'T1' }, '151.00')],
  [
    'promise 1: payment data of a trade that another system made, while nothing of ours was sent',
    'which another system made',
    (world) => {
      world.gateway.exchanges.splice(0);
      reached(world, 'creation', 'duplicate');
      tell(world, { trade_no: another(world) });
    },
  ],
  [
    'promise 1: an answer that names no trade, after one that did',
    /one order was answered with T1 .* and then with - - -/,
    (world) => tell(world, { trade_no: null }),
  ],
  [
    'promise 1: another way to pay, for an order whose trade the answers do not name',
    'one order was answered with',
    (world) => {
      for (const qr_code of ['one', 'another']) tell(world, { qr_code });
    },
    undefined,
    { hidesTradeNo: true },
  ],
  [
    'promise 1: payment data of an adopted trade of another amount than the order’s',
    'payment data of T2 for an order of its own',
    (world) => tell(world, { trade_no: another(world, '15.00'), recovered: true }),
  ],
  [
    'promise 1: a sale of another system’s trade, although some creation was lost',
    'sells T2, which another system made',
    (world) => {
      const trade_no = another(world);
      // Lost after our own was answered: what is found then cannot be its.
      reached(world, 'creation', 'nothing');
      reached(world, 'query', 'trade', { shown: { trade_no, status: '' } });
    },
    () => ({ trade_no: 'T2' }),
  ],
  [
    'promise 1: an end that is told as SUCCESS of another system’s trade',
    'SUCCESS of T2 was told',
    async (world) => {
      const state = { ...(await stateOf(world)), trade_no: another(world) };
      world.told.push({ at: world.now, is: 'outcome', state });
    },
  ],
  [
    'promise 2: a creation that is repeated while the one before is unknown',
    2,
    (world) => {
      world.gateway.exchanges.splice(0);
      for (const at of [world.now, world.now + 1_000]) reached(world, 'creation', 'nothing', { at });
    },
  ],
  [
    'promise 2: NotCreated while a creation is unknown',
    2,
    (world) => {
      reached(world, 'creation', 'nothing');
      fail(world, 'NotCreatedError', world.now, world.now + 1);
    },
  ],
  [
    'promise 2: a refusal that is believed while an earlier creation is unknown',
    'told REFUSED',
    (world) => {
      reached(world, 'creation', 'nothing', { at: 1 });
      reached(world, 'creation', 'created refused', { at: 2 });
    },
    () => ({
      refused_because: { code: '20000', sub_code: null },
      history: [{ time: new Date().toISOString(), from: null, to: 'REFUSED', source: 'creation' }],
    }),
  ],
  [
    'promise 2: a number that is refused for good although its creation certainly failed',
    'the number is burned',
    (world) => {
      world.asked.push(0, HOUR);
      for (const list of [world.gateway.trades, world.gateway.exchanges, world.told]) list.splice(0);
      reached(world, 'creation', 'refusal', { at: 1 });
      fail(world, 'NotCreatedError', 0, 2);
      fail(world, 'DuplicateOrderError', HOUR, HOUR + 1);
    },
  ],
  [
    'promise 2: an order that was withdrawn, and that the gateway has',
    'that nothing was sent, and there is T1',
    ({ told, now }) => void told.push({ at: now, is: 'withdrawn' }),
  ],
  ['promise 3: money that was acknowledged and is known to nobody', 3, (world) => acknowledge(world, another(world))],
  ['promise 4: SUCCESS of money that the gateway does not have', 4, () => undefined, () => ({ trade_no: 'T9' })],
  [
    'promise 4: SUCCESS that is told to who waits for the end, of money that the gateway does not have',
    'SUCCESS of T9 was told',
    async (world) => {
      world.told.push({ at: world.now, is: 'outcome', state: { ...(await stateOf(world)), trade_no: 'T9' } });
    },
  ],
  [
    'promise 4: a notification that was acknowledged, and whose trade nobody asked for',
    'nobody asked the gateway for it',
    (world) => acknowledge(world, 'T9'),
  ],
  [
    'promise 5: money of ours that nobody learns of',
    5,
    ({ acknowledged }) => void acknowledged.splice(0),
    () => ({ outcome: 'CANCEL', confirmed_by: 'query' }),
  ],
  ...(['the first', 'the latest'] as const).map(
    (shows): Row => [
      `promise 5: money of ours of which nobody learns, although the order’s number shows it as ${shows} of two`,
      /came for T2 at .*, and nobody knows/,
      ({ gateway, acknowledged, out_trade_no }) => {
        // Ours is paid where the number shows it, and nothing was ever said of it.
        const others = gateway.trades.splice(0);
        gateway.exchanges.splice(0);
        acknowledged.splice(0);
        gateway.make({ out_trade_no, amount: AMOUNT }, 'us', 'SUCCESS');
        gateway.trades.splice(shows === 'the latest' ? 0 : 1, 0, ...others);
      },
      undefined,
      { shows },
    ],
  ),
  [
    'promise 5: more queries than polls and looks need',
    /\d+ queries, of at most \d+/,
    (world) => {
      for (let i = 0; i < 100; i += 1) reached(world, 'query', 'trade', { asked: { trade_no: 'T1' } });
    },
  ],
  [
    'promise 5: a wait that adds to its history',
    /after-sale:.* has \d+ events, of at most \d+/,
    async (world) => {
      world.temporal.start('afterSale', afterSaleOf(world), afterSaleInput(world));
      for (let i = 0; i < 200; i += 1) world.temporal.signal(afterSaleOf(world), 'somethingElse', {});
      await world.pass(MINUTE);
    },
  ],
  ['promise 5: who waits for the end, and is never told', 'for the outcome', waitForEver('outcome')],
  ['promise 5: a recheck that is never answered', 'for the recheck', waitForEver('recheck')],
  [
    'promise 6: a state that moves backwards',
    6,
    () => undefined,
    () => ({ history: ['SUCCESS', 'PROCESSING'].map((to) => ({ time: '', from: null, to, source: 'query' })) }),
  ],
  ['promise 8: a raw error of Temporal’s that a merchant meets', 8, (world) => fail(world, ANOTHER_ERROR)],
  [
    'promise 8: a person is sent to a gateway that answers',
    'and the gateway answers',
    (world) => {
      const { run, temporal } = world;
      if (!run) throw new Error('no run');
      reached(world, 'query', 'trade', { at: 1 });
      jest.spyOn(run, 'isRunning', 'get').mockReturnValue(true);
      jest.spyOn(temporal, 'attributesOf').mockReturnValue({ PaymentAttention: 'credentials' });
    },
  ],
  [
    'promise 8: a recheck that is answered with what the gateway said before it',
    'was answered with PROCESSING, and the gateway said SUCCESS',
    (world) => {
      const shown = { trade_no: 'T1', status: 'SUCCESS' };
      reached(world, 'query', 'trade', { asked: { trade_no: 'T1' }, shown });
      answerRecheck(world, world.workflowId, 'PROCESSING');
    },
  ],
  [
    'promise 8: a recheck that is answered without a look',
    'was answered without a look',
    (world) => {
      // Any open workflow serves.
      world.temporal.start('afterSale', afterSaleOf(world), afterSaleInput(world));
      answerRecheck(world, afterSaleOf(world), 'SUCCESS');
    },
  ],
  [
    'promise 8: a recheck that fails although nobody ended the workflow',
    'failed: gRPC',
    ({ told, now, workflowId }) =>
      void told.push({ at: now, is: 'recheck failed', asked: now, workflowId, message: 'gRPC' }),
  ],
  [
    'promise 8: a late payment that the settings refund, and whose refund is never sent',
    'is an ordinary sale',
    ({ told, workflowId }) => void told.unshift({ at: 0, is: 'terminated', workflowId }),
    () => ({ previous: { run_id: '', outcome: null } }),
    refunding,
  ],
  [
    'promise 7: money that goes back twice',
    '300.00 went back of the 150',
    (world) => {
      for (let i = 0; i < 2; i += 1) giveBack(world, 'T1', MERCHANTS_REFUND);
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
    (world) => giveBack(world, another(world)),
    undefined,
    refunding,
  ],
  [
    'promise 7: money that goes back although a person had called it sold before it came',
    'which a person had called sold',
    (world) => {
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
