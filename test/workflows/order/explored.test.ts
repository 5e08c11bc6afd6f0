/**
 * Every schedule of a small world after a sale, up to a bound: EXPLORE_DEPTH moves (`npm run explore`: 7). Nothing of what must never be is
 * reached, and whatever is asked of a person has at least two truths that fit what is known.
 */
import { explore } from '../../explore/explore';
import type { Request } from '../../explore/world';

const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 5);

/** Two parts that together are all that was paid. */
const PARTS: Request[] = [
  ['a', '50.00'],
  ['b', '100.00'],
];

test(`within ${DEPTH} moves nothing is paid twice or beyond what was paid, freed while it may go, or forgotten`, () => {
  const began = Date.now();
  const { states, violations, questions } = explore(DEPTH, PARTS);
  expect([...violations].map(([what, path]) => `${what}: ${path.join(' · ')}`)).toEqual([]);
  expect(states).toBeGreaterThan(1_000);
  if (process.env.EXPLORE_DEPTH === undefined) return;
  const asked = [...questions].map(
    ([what, truths]) =>
      `${what}\n${[...truths].map(([truth, path]) => `    ${truth}: ${path.join(' · ')}`).join('\n')}`,
  );
  process.stdout.write(`${states} states in ${Date.now() - began} ms\n${asked.join('\n')}\n`);
});
