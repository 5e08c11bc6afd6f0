/** The random source of a simulation: the same seed always gives the same numbers. */

/** Gives a whole number from 0 to n - 1. */
export type RandomInt = (n: number) => number;

/** A random source from a seed (mulberry32: 32 bits of state, evenly spread). */
export function seededRandom(seed: number): RandomInt {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}
