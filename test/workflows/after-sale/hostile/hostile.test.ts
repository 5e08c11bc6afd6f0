/**
 * Random stories of what follows one sale, each held against the promises. A failing story is shrunk, and prints its seed,
 * its steps and its timeline: HOSTILE_SEED and HOSTILE_PATH play it again. `npm run hostile:refunds` plays 20,000 new ones.
 */
import fc from 'fast-check';
import type { Broken } from './oracle';
import { play, stories } from './stories';
import { timelineOf } from './timeline';
import type { World } from './world';

// A story throws hundreds of errors that nobody prints. To write their stacks took a third of the time.
Error.stackTraceLimit = 0;

const { HOSTILE_RUNS, HOSTILE_SEED } = process.env;
const RUNS = Number(HOSTILE_RUNS ?? 300);
// The suite plays the same stories each time, so that it fails only by a change; the command plays new ones.
const SEED = HOSTILE_SEED ?? (HOSTILE_RUNS === undefined ? '20261122' : undefined);

test(
  `no promise is broken in ${RUNS} random stories after a sale`,
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
      endOnFailure: process.env.HOSTILE_SHRINK === 'no',
    });
  },
  600_000 + RUNS * 2_000,
);

const wordsOf = (broken: readonly Broken[]) =>
  broken.map(({ promise, what }) => `promise ${promise}: ${what}`).join('\n');
