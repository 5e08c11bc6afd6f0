/**
 * Random stories of one payment — a gateway that loses answers and goes down, notifications that lie, repeat and come
 * late, merchants and operators who ask at any time — each held against the promises. `npm run model` plays 2,000 of them;
 * a failing one prints its seed and path, and MODEL_SEED and MODEL_PATH play it again.
 * It is not part of the tests yet: on a busy machine the server whose time is skipped skips some that it should not.
 */
import { randomUUID } from 'node:crypto';
import { Worker, type WorkflowBundle } from '@temporalio/worker';
import fc from 'fast-check';
import { type Gateway, gatewayActivities, policyActivity } from '../../src/activities';
import { loadConfig } from '../../src/config';
import { DAY } from '../../src/gateway/durations';
import type { PaymentState } from '../../src/workflows';
import { workflowBundle } from '../harness/stack';
import { timeSkippingServer } from '../harness/temporal';
import { type Model, steps } from './commands';
import { keepsItsPromises } from './promises';
import { type Mishap, World } from './world';

// Each takes seconds on the server whose time is skipped, which cannot be hurried: many are for `npm run model`.
const RUNS = Number(process.env.MODEL_RUNS ?? 40);
const SEED = process.env.MODEL_SEED === undefined ? undefined : Number(process.env.MODEL_SEED);

const APP = 'model';

let bundle: WorkflowBundle;
beforeAll(async () => {
  bundle = await workflowBundle();
});

/** Plays in a world of its own: a server, a worker and a gateway that nothing before has touched. */
async function inWorld(play: (world: World) => Promise<void>): Promise<void> {
  const env = await timeSkippingServer();
  try {
    const world = new World(APP, env, `model-${randomUUID()}`);
    const gateway: Gateway = {
      pay: () => world.create(),
      createCheckout: () => world.create(),
      query: () => world.query(),
      refund: () => Promise.reject(new Error('no refunds here')),
    };
    const worker = await Worker.create({
      connection: env.nativeConnection,
      taskQueue: world.taskQueue,
      workflowBundle: bundle,
      // Every task replays its workflow from the start, so that what is not deterministic shows.
      maxCachedWorkflows: 0,
      activities: {
        ...gatewayActivities({
          gateways: new Map([[APP, gateway]]),
          sealingKeys: () => [],
          notifyUrl: () => 'https://shop.example/ipn',
        }),
        ...policyActivity(loadConfig({}), false),
      },
    });
    await worker.runUntil(play(world));
  } finally {
    await env.teardown();
  }
}

const mishap = fc.constantFrom<Mishap>(
  'lost-before',
  'lost-after',
  'unreachable',
  'unavailable',
  'final-refusal',
  'created-refused',
);

const story = fc.record({
  mishaps: fc.array(mishap, { maxLength: 3 }),
  blindQueries: fc.nat({ max: 9 }),
  commands: fc.commands(steps, {
    maxCommands: 12,
    ...(process.env.MODEL_COMMANDS ? { replayPath: process.env.MODEL_COMMANDS } : {}),
  }),
});

it(
  `keeps every promise in ${RUNS} random stories`,
  async () => {
    const property = fc.asyncProperty(story, async ({ mishaps, blindQueries, commands }) => {
      await inWorld(async (world) => {
        Object.assign(world, { mishaps, blindQueries });
        const model: Model = { open: true, resolved: false, alwaysUp: true };
        await world.start();
        // The server skips time even while a first workflow task runs; the answer to a query shows that it has run.
        await world.state();
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        keepsItsPromises(world, { runs: await endings(world), alwaysUp: model.alwaysUp });
      });
    });
    await fc.assert(property, {
      numRuns: RUNS,
      ...(SEED === undefined ? {} : { seed: SEED }),
      ...(process.env.MODEL_PATH === undefined ? {} : { path: process.env.MODEL_PATH }),
    });
  },
  RUNS * 5_000 + 60_000,
);

/** Lets every run come to its end, and gives their final states, oldest first. */
async function endings(world: World): Promise<PaymentState[]> {
  world.isDown = false;
  world.blindQueries = 0;
  for (let day = 0; day < 4 && !(await world.isOver()); day += 1) await world.pass(DAY);
  if (!(await world.isOver())) {
    // Two things may hold a payment for longer, and both are before a person: money that was not ordered, and a trade
    // that was announced while the gateway says that there is none.
    const { attention, trade_status } = await world.state();
    expect([
      ['amount-mismatch', 'SUCCESS'],
      ['unknown-trade', null],
    ]).toContainEqual([attention, trade_status]);
    const resolution = { outcome: 'CANCEL', reason: 'sent back', by: 'model' };
    await world.handle.executeUpdate('resolve', { args: [resolution] });
  }
  const states: PaymentState[] = [];
  for (let runId: string | undefined; ; ) {
    const handle = world.client.workflow.getHandle(world.workflowId, runId);
    const state: PaymentState | undefined = await handle.result().catch(() => undefined);
    if (state) states.unshift(state);
    if (!state?.previous) return states;
    runId = state.previous.run_id;
  }
}
