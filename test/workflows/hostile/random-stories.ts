/**
 * The test that plays random stories of a hostile world. A failing story is shrunk, and prints its seed, its steps and its
 * timeline: HOSTILE_SEED and HOSTILE_PATH play it again, HOSTILE_SHRINK=no shows it as it was drawn.
 */
import fc from 'fast-check';
import type { BaseWorld, Broken } from './base-world';
import { timelineOf } from './timeline';

export interface RandomStories<Story, World> {
  readonly title: string;
  /** The suite plays the same stories each time, so that it fails only by a change; the commands play new ones. */
  readonly seed: number;
  readonly stories: fc.Arbitrary<Story>;
  readonly play: (story: Story, onWorld: (world: World) => void) => Promise<Broken[]>;
}

export function testRandomStories<Story, World extends BaseWorld>(of: RandomStories<Story, World>): void {
  const { HOSTILE_RUNS, HOSTILE_SEED, HOSTILE_PATH, HOSTILE_SHRINK } = process.env;
  const numRuns = Number(HOSTILE_RUNS ?? 60);
  const seed = HOSTILE_SEED ?? (HOSTILE_RUNS === undefined ? of.seed : undefined);
  // A story throws hundreds of errors that nobody prints. To write their stacks took a third of the time.
  Error.stackTraceLimit = 0;
  test(
    `${of.title} in ${numRuns} random stories`,
    async () => {
      const property = fc.asyncProperty(of.stories, async (story) => {
        let world: World | undefined;
        const broken = await of.play(story, (one) => {
          world = one;
        });
        if (broken.length > 0) throw new Error(`${wordsOf(broken)}\n\n${world ? timelineOf(world) : ''}\n`);
      });
      await fc.assert(property, {
        numRuns,
        ...(seed === undefined ? {} : { seed: Number(seed) }),
        ...(HOSTILE_PATH === undefined ? {} : { path: HOSTILE_PATH }),
        endOnFailure: HOSTILE_SHRINK === 'no',
      });
    },
    600_000 + numRuns * 2_000,
  );
}

const wordsOf = (broken: readonly Broken[]) =>
  broken.map(({ promise, what }) => `promise ${promise}: ${what}`).join('\n');
