/** Schedules: stories that somebody writes down, with the traits that are not plain. */
import type { BaseWorld, Broken } from './base-world';
import type { Story } from './swarm';
import { timelineOf } from './timeline';

/** `chance`: the seed of what the world draws itself, where a story needs a certain one. */
export type Schedule<Traits, Step> = [title: string, steps: readonly Step[], traits?: Partial<Traits>, chance?: number];

/**
 * Lets a schedule happen, sees that it breaks no promise, and answers with its world as it was in the end. HOSTILE_TIMELINE
 * prints what happened.
 */
export const keeping =
  <World extends BaseWorld, Traits, Step>(
    play: (story: Story<Partial<Traits>, Step>, onWorld: (world: World) => void) => Promise<Broken[]>,
  ) =>
  async (steps: readonly Step[], traits: Partial<Traits> = {}, chance = 7): Promise<World> => {
    let world: World | undefined;
    const broken = await play({ chance, steps, traits }, (one) => {
      world = one;
    });
    if (!world) throw new Error('no world');
    if (process.env.HOSTILE_TIMELINE !== undefined) process.stderr.write(`${timelineOf(world)}\n`);
    expect(broken).toEqual([]);
    return world;
  };
