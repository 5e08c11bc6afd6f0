/** The form of a named schedule: what happens, in the order of time. */
import type { BaseWorld } from './base-world';

/** Something that happens, or how long nothing does, in ms. */
export type Act = number | (() => unknown);

/** Lets a schedule happen in the world of the test that runs. */
export const happensIn =
  (world: () => BaseWorld) =>
  async (...acts: readonly Act[]): Promise<void> => {
    for (const act of acts) {
      const done = typeof act === 'number' ? world().pass(act) : act();
      // What takes no time leaves none to others, as in one moment of a real process.
      if (done instanceof Promise) await done;
    }
  };
