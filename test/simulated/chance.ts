/** Everything that a story leaves to chance, from one number: the same one always brings the same. */
import fc from 'fast-check';

const DRAWN = 2_000;

/** The arbitrary of the number. There is nothing simpler about a smaller one. */
export const chance = fc.noShrink(fc.noBias(fc.nat()));

/** What gives a whole number from 0 to n - 1. */
export function picker(seed: number): (n: number) => number {
  const drawn = fc.sample(fc.noBias(fc.nat(1_000_000)), { seed, numRuns: DRAWN });
  let i = 0;
  return (n) => (drawn[i++ % DRAWN] ?? 0) % n;
}
