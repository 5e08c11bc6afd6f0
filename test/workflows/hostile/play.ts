/** How a story is played: step by step, each held against what must hold at every moment, and then to its end. */
import { seededRandom } from '../../../src/testing/simulated-temporal/random';
import type { BaseWorld, Broken } from './base-world';
import type { Story } from './swarm';

interface Rules<World, Traits, Step> {
  readonly create: (traits: Traits & { pick: (n: number) => number }) => Promise<World>;
  /** What is there before the first step. */
  readonly begin?: (world: World) => Promise<void>;
  readonly take: (world: World, step: Step) => Promise<void> | void;
  /** What must hold at every moment. */
  readonly safety: (world: World) => Promise<Broken[]>;
  /** The faults stop, and everything has its time: what is broken then. */
  readonly end: (world: World) => Promise<Broken[]>;
}

/** Plays a story to its end, answers with every promise that is broken first, and closes the world. */
export const playing =
  <World extends BaseWorld, Traits, Step>({ create, begin, take, safety, end }: Rules<World, Traits, Step>) =>
  async (story: Story<Traits, Step>, onWorld: (world: World) => void = () => undefined): Promise<Broken[]> => {
    const world = await create({ ...story.traits, pick: seededRandom(story.chance) });
    onWorld(world);
    try {
      await begin?.(world);
      for (const step of story.steps) {
        await take(world, step);
        await world.pass(10);
        const broken = await safety(world);
        if (broken.length > 0) return broken;
      }
      return await end(world);
    } finally {
      await world.close();
    }
  };
