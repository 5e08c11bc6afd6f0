/**
 * Every schedule of a small world of one payment, from its order to its outcome, up to a bound: EXPLORE_DEPTH moves (`npm run explore`: 7).
 * Nothing of what must never be is reached.
 */
import { explorePayment } from '../../explore/explore';

const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 4);

const began = Date.now();
/** Where a query confirms each notification, and, one move less, where none does. */
const explored = explorePayment(DEPTH, true);
const believing = explorePayment(DEPTH - 1, false);
const took = Date.now() - began;
if (process.env.EXPLORE_DEPTH !== undefined)
  process.stdout.write(`${explored.states} and ${believing.states} states of a payment in ${took} ms\n`);

const saidOf = ({ violations }: { readonly violations: ReadonlyMap<string, readonly string[]> }) =>
  [...violations].map(([what, path]) => `${what}: ${path.join(' · ')}`);

test(`within ${DEPTH} moves no order is sent twice or too late, sold without its money, or forgotten`, () => {
  expect(saidOf(explored)).toEqual([]);
  expect(explored.states).toBeGreaterThan(1_000);
});

test(`within ${DEPTH - 1} moves nor is it where notifications are believed`, () => {
  expect(saidOf(believing)).toEqual([]);
  expect(believing.states).toBeGreaterThan(100);
});
