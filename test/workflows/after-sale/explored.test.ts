/**
 * Every schedule of a small world after a sale, up to a bound: EXPLORE_DEPTH moves (`npm run explore`: 7). Nothing of what must never be is
 * reached, and the page of the docs names each question to a person (`npm run docs:questions` writes it).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explore, exploreLateMoney } from '../../explore/explore';
import { questionsPage, titlesOf } from '../../explore/page';
import type { Request } from '../../explore/world';

const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 5);
const PAGE = join(__dirname, '../../../docs/when-a-person-is-asked.md');

/** Two parts that together are all that was paid. */
const PARTS: Request[] = [
  ['a', '50.00'],
  ['b', '100.00'],
];

const began = Date.now();
const explored = explore(DEPTH, PARTS);
const page = questionsPage(explored, DEPTH);
if (process.env.EXPLORE_DEPTH !== undefined)
  process.stdout.write(`${explored.states} states in ${Date.now() - began} ms\n${page}`);
if (process.env.EXPLORE_PAGE === 'write') writeFileSync(PAGE, page);

test(`within ${DEPTH} moves nothing is paid twice or beyond what was paid, freed while it may go, or forgotten`, () => {
  expect([...explored.violations].map(([what, path]) => `${what}: ${path.join(' · ')}`)).toEqual([]);
  expect(explored.states).toBeGreaterThan(1_000);
});

test('the page names each question to a person', () => {
  const written = readFileSync(PAGE, 'utf8');
  for (const question of explored.questions.keys())
    expect(titlesOf(question).filter((title) => written.includes(`## ${title}\n`))).not.toEqual([]);
});

test(`within ${DEPTH + 2} moves after a payment's end, money that comes is known, and nothing is sold that nobody paid`, () => {
  const late = exploreLateMoney(DEPTH + 2);
  expect([...late.violations].map(([what, path]) => `${what}: ${path.join(' · ')}`)).toEqual([]);
  expect(late.states).toBeGreaterThan(1_000);
});
