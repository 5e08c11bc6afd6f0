/**
 * Random stories of one payment in a hostile world, each held against the promises. A failing story is shrunk, and prints
 * its seed, its steps and its timeline: HOSTILE_SEED and HOSTILE_PATH play it again. `npm run hostile` plays 20,000 new ones.
 */
import fc from 'fast-check';
import { type Broken, liveness, safety } from './oracle';
import { play, seenIn, stories } from './stories';
import { timelineOf } from './timeline';
import { PLAIN, World } from './world';

// A story throws hundreds of errors that nobody prints. To write their stacks took a third of the time.
Error.stackTraceLimit = 0;

const { HOSTILE_RUNS, HOSTILE_SEED } = process.env;
const RUNS = Number(HOSTILE_RUNS ?? 300);
// The suite plays the same stories each time, so that it fails only by a change; the command plays new ones.
const SEED = HOSTILE_SEED ?? (HOSTILE_RUNS === undefined ? '20261121' : undefined);

test(
  `every promise is kept in ${RUNS} random stories`,
  async () => {
    const property = fc.asyncProperty(stories(), async (story) => {
      let world: World | undefined;
      const broken = await play(story, (one) => {
        world = one;
      });
      if (broken.length > 0) throw new Error(`${wordsOf(broken)}\n\n${world ? timelineOf(world) : ''}\n`);
    });
    await fc.assert(property, {
      numRuns: RUNS,
      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      ...(process.env.HOSTILE_PATH === undefined ? {} : { path: process.env.HOSTILE_PATH }),
    });
  },
  600_000 + RUNS * 2_000,
);

const wordsOf = (broken: readonly Broken[]) =>
  broken.map(({ promise, what }) => `promise ${promise}: ${what}`).join('\n');

describe('the oracle notices a planted violation', () => {
  /** A payment that was paid, told of, and ended well. */
  async function sold(): Promise<World> {
    const world = await World.create({ ...PLAIN, pick: () => 0 });
    world.pay();
    await world.pass(60_000);
    const [trade] = world.gateway.trades;
    if (!trade) throw new Error('no trade');
    world.gateway.move(trade, 'SUCCESS');
    world.notify(trade);
    await world.pass(60_000);
    return world;
  }

  const promisesBroken = async (plant: (world: World) => Promise<void> | void, lie = (state: object) => state) => {
    const world = await sold();
    try {
      await plant(world);
      const seen = (await seenIn(world)).map((one) => ({ ...one, state: { ...one.state, ...lie(one.state) } }));
      return [...new Set([...safety(world, seen), ...liveness(world, seen)].map(({ promise }) => promise))].sort();
    } finally {
      await world.close();
    }
  };

  /** A merchant is told of a trade's payment data. */
  const tell = ({ told, now, own }: World, amount: string, trade_no: string) =>
    void told.push({ at: now, is: 'payment data', order: { ...own, amount }, data: { trade_no, recovered: false } });

  test('nothing is broken where nothing is planted', async () => {
    expect(await promisesBroken(() => undefined)).toEqual([]);
  });

  test('1: a second creation after the gateway has shown the order', async () => {
    expect(
      await promisesBroken(
        ({ gateway, now }) => void gateway.exchanges.push({ at: now, is: 'creation', asked: {}, answered: 'trade' }),
      ),
    ).toContain(1);
  });

  test('1: a second trade that was acknowledged and put before nobody', async () => {
    expect(
      await promisesBroken(
        ({ acknowledged, now }) =>
          void acknowledged.push({ at: now, trade_no: 'T9', status: 'PROCESSING', amount: '150.00' }),
      ),
    ).toContain(1);
  });

  test('1: two answers for one order', async () => {
    expect(await promisesBroken((world) => tell(world, '150.00', 'T9'))).toContain(1);
  });

  test('1: payment data for another order under the number', async () => {
    expect(await promisesBroken((world) => tell(world, '151.00', 'T1'))).toContain(1);
  });

  test('2: a creation that is repeated while the one before is unknown', async () => {
    expect(
      await promisesBroken(({ gateway, now }) => {
        gateway.exchanges.splice(0, gateway.exchanges.length);
        for (const at of [now, now + 1_000])
          gateway.exchanges.push({ at, is: 'creation', asked: {}, answered: 'nothing' });
      }),
    ).toContain(2);
  });

  test('2: NotCreated while a creation is unknown', async () => {
    expect(
      await promisesBroken(({ gateway, told, now }) => {
        gateway.exchanges.push({ at: now, is: 'creation', asked: {}, answered: 'nothing' });
        told.push({
          at: now + 1,
          is: 'failure',
          order: { kind: 'direct', amount: '150.00' },
          type: 'NotCreatedError',
          outcome: 'not-created',
          message: '',
        });
      }),
    ).toContain(2);
  });

  test('3: money that was acknowledged and is known to nobody', async () => {
    expect(
      await promisesBroken((world) => {
        const trade = world.gateway.make(
          { out_trade_no: world.out_trade_no, amount: '150.00' },
          'another system',
          'SUCCESS',
        );
        world.acknowledged.push({ at: world.now, trade_no: trade.trade_no, status: 'SUCCESS', amount: '150.00' });
      }),
    ).toContain(3);
  });

  test('4: SUCCESS of money that the gateway does not have', async () => {
    expect(
      await promisesBroken(
        () => undefined,
        () => ({ trade_no: 'T9' }),
      ),
    ).toContain(4);
  });

  test('5: money of ours that nobody learns of', async () => {
    expect(
      await promisesBroken(
        ({ acknowledged }) => void acknowledged.splice(0),
        () => ({ outcome: 'CANCEL', confirmed_by: 'query' }),
      ),
    ).toContain(5);
  });

  test('6: a state that moves backwards', async () => {
    const history = ['SUCCESS', 'PROCESSING'].map((to) => ({ time: '', from: null, to, source: 'query' }));
    expect(
      await promisesBroken(
        () => undefined,
        () => ({ history }),
      ),
    ).toContain(6);
  });

  test('8: a raw error of Temporal’s that a merchant meets', async () => {
    expect(
      await promisesBroken(({ told, now }) => void told.push({ at: now, is: 'another error', message: 'gRPC' })),
    ).toContain(8);
  });
});
