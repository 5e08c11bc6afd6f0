/** How a story is played: step by step, each held against what must hold at every moment, and then to its end. */
import type { BaseWorld, Broken } from './base-world';

interface Rules<World, Step> {
  /** What is there before the first step. */
  readonly begin?: (world: World) => Promise<void>;
  readonly take: (world: World, step: Step) => Promise<void> | void;
  /** What must hold at every moment. */
  readonly safety: (world: World) => Promise<Broken[]>;
  /** The faults stop, and everything has its time: what is broken then. */
  readonly end: (world: World) => Promise<Broken[]>;
}

/** Answers with every promise that is broken first, and closes the world. */
export async function playSteps<World extends BaseWorld, Step>(
  world: World,
  steps: readonly Step[],
  { begin, take, safety, end }: Rules<World, Step>,
): Promise<Broken[]> {
  try {
    await begin?.(world);
    for (const step of steps) {
      await take(world, step);
      await world.pass(10);
      const broken = await safety(world);
      if (broken.length > 0) return broken;
    }
    return await end(world);
  } finally {
    await world.close();
  }
}
