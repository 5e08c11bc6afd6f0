/**
 * Random stories of one payment — a gateway that loses answers and goes down, notifications that lie, repeat and come
 * late, merchants and operators who ask at any time, workers that die — each held against the promises. They are played on
 * the simulated Temporal, so that a story depends on its seed and on nothing else: a failing one prints its seed and path,
 * and MODEL_SEED and MODEL_PATH play it again. `npm run model` plays 2,000.
 */
import fc from 'fast-check';
import { DAY } from '../../src/gateway/durations';
import { chance, picker } from '../simulated/chance';
import { type Model, steps } from './commands';
import { type Ending, keepsItsPromises } from './promises';
import { type Mishap, World } from './world';

const RUNS = Number(process.env.MODEL_RUNS ?? 200);

const mishap = fc.constantFrom<Mishap>(
  'lost-before',
  'lost-after',
  'unreachable',
  'unavailable',
  'final-refusal',
  'created-refused',
);

const story = fc.record({
  chance,
  mishaps: fc.array(mishap, { maxLength: 3 }),
  // Often none; sometimes so many that the gateway denies for the whole settling time an order that it has.
  blindQueries: fc.oneof(fc.nat(9), fc.nat(20)),
  deafFor: fc.nat({ max: 3 }),
  // Behind for less than the settling time, which is there for it.
  lag_ms: fc.constantFrom(0, 0, 2_000, 10_000),
  commands: fc.commands(steps, {
    maxCommands: 12,
    ...(process.env.MODEL_COMMANDS ? { replayPath: process.env.MODEL_COMMANDS } : {}),
  }),
});

it(
  `keeps every promise in ${RUNS} random stories`,
  async () => {
    const property = fc.asyncProperty(story, async ({ chance: seed, commands, ...circumstances }) => {
      const world = await World.create({ ...circumstances, pick: picker(seed) });
      try {
        const model: Model = { open: true, resolved: false };
        world.start();
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        keepsItsPromises(world, await endings(world));
      } finally {
        await world.temporal.close();
      }
    });
    await fc.assert(property, {
      numRuns: RUNS,
      ...(process.env.MODEL_SEED === undefined ? {} : { seed: Number(process.env.MODEL_SEED) }),
      ...(process.env.MODEL_PATH === undefined ? {} : { path: process.env.MODEL_PATH }),
    });
  },
  RUNS * 1_000 + 60_000,
);

/** Lets every run come to its end, and gives what they were in the end, oldest first; none where the order was never created. */
async function endings(world: World): Promise<Ending[]> {
  world.isUpAgain();
  for (let day = 0; day < 4 && world.run?.isRunning; day += 1) await world.pass(DAY);
  if (world.run?.isRunning) {
    // Two things may hold a payment for longer, and both are before a person: money that was not ordered, and a trade
    // that was announced while the gateway says that there is none.
    const { attention, trade_status } = await world.state(world.run);
    expect([
      ['amount-mismatch', 'SUCCESS'],
      ['unknown-trade', null],
    ]).toContainEqual([attention, trade_status]);
    await world.resolve('CANCEL');
  }
  // What the merchant's handler has not heard yet.
  await world.pass(DAY);
  const ended = world.temporal.runs(world.workflowId).filter(({ status }) => status !== 'FAILED');
  const all = await Promise.all(
    ended.map(async (run) => {
      const { runId, status } = run;
      // A run that went on as a new one leaves it to that one what operators see.
      const attributes = status === 'COMPLETED' ? world.temporal.attributesOf(run) : undefined;
      return { runId, state: await world.state(run), attributes };
    }),
  );
  return all.filter(({ state }) => state.outcome !== null);
}
