/**
 * Every schedule of a small world of one payment, from its order to its outcome, up to a bound: EXPLORE_DEPTH moves (`npm run explore`: 7).
 * Nothing of what must never be is reached, and the page of the docs names each question to a person (`npm run docs:questions` writes it).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explorePayment } from '../../explore/explore';
import { paymentPage } from '../../explore/page';

const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 5);
const PAGE = join(__dirname, '../../../docs/when-a-person-is-asked-about-a-payment.md');

const began = Date.now();
/** Where a query confirms each notification, and, one move less, where none does. */
const explored = explorePayment(DEPTH, true);
const believing = explorePayment(DEPTH - 1, false);
const took = Date.now() - began;
if (process.env.EXPLORE_DEPTH !== undefined)
  process.stdout.write(`${explored.states} and ${believing.states} states of a payment in ${took} ms\n`);
if (process.env.EXPLORE_PAGE === 'write') writeFileSync(PAGE, paymentPage(explored, DEPTH));

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

test('the page names each question to a person', () => {
  const written = readFileSync(PAGE, 'utf8');
  for (const question of explored.questions.keys()) expect(written).toContain(`## ${question}\n`);
});
