/**
 * Every schedule of a small world after a sale, up to a bound: EXPLORE_DEPTH moves (`npm run explore`: 7). Nothing of what must never be is
 * reached, and whatever is asked of a person has at least two truths that fit what is known.
 */
import { explore } from '../../explore/after-sale';

const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 5);

/** Two parts that together are all that was paid. */
const PARTS: [string, string][] = [
  ['a', '50.00'],
  ['b', '100.00'],
];

test(`no schedule of ${DEPTH} moves frees an amount that may still go, sends a refund twice, or gives back more than was paid`, () => {
  const began = Date.now();
  const { states, violations, questions } = explore(DEPTH, PARTS);
  expect([...violations].map(([what, path]) => `${what}: ${path.join(' · ')}`)).toEqual([]);
  expect(states).toBeGreaterThan(1_000);
  if (process.env.EXPLORE_DEPTH === undefined) return;
  const asked = [...questions].map(
    ([what, { truths, path }]) => `${what}: ${[...truths].join(', ')}\n    ${path.join(' · ')}`,
  );
  process.stdout.write(`${states} states in ${Date.now() - began} ms\n${asked.join('\n')}\n`);
});
