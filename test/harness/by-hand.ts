/** Activities that a person ends by hand, on the simulated Temporal. */
import type { Simulation } from '../../src/testing';

type EndByHand = () => Promise<unknown>;

/**
 * A person ends the next one of these activities, and no later one: in its place or, with `afterItsWork`, once it has done its work. `end`
 * returns what the person gives as its result, or throws.
 */
export function endNextByHand(
  { temporal }: Simulation,
  name: string,
  end: EndByHand,
  { afterItsWork = false } = {},
): void {
  const own = temporal.temporal.activities.functions[name];
  if (typeof own !== 'function') throw new Error(`There is no activity ${name}.`);
  let isOver = false;
  temporal.work({
    [name]: async (...args: unknown[]) => {
      if (isOver) return own(...args);
      isOver = true;
      if (afterItsWork) await own(...args);
      return end();
    },
  });
}
