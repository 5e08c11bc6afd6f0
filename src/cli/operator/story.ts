/** `payment-gateway story ORDER`: what happened to an order, for `simulate` to play, with nothing private in it. */
import { UserError } from '../../process/user-error';
import { readStory } from '../../temporal/read-story';
import type { Story } from '../../temporal/story';
import { EXIT } from '../exit-codes';
import { printable, say } from '../print';
import { QUERY_TIMEOUT_MS, readCase } from './case';
import { asOperator, targetOf } from './connection';
import { runsWithFacts } from './why';

/** Prints the story, or a test that plays it. Ends the process: 0, or 2 if there is no story. */
export function tellStory(order: string, { app, test }: { app?: string; test?: Runner | true }): Promise<never> {
  return asOperator(async (operator) => {
    const { client } = operator;
    const found = await readCase(client, await targetOf(order, { app }, operator, 'show'));
    const runs = runsWithFacts(found.runs);
    if (runs.length === 0) throw new UserError(`Temporal has nothing of order ${printable(order)}.`);
    const read = await readStory(client, { ...found, runs }, QUERY_TIMEOUT_MS);
    if ('unanswered' in read)
      throw new UserError(
        `No worker has told all facts of ${printable(read.unanswered)}: start one of this version, and ask again.`,
      );
    say(test ? testOf(read.story, test === true ? 'node' : test) : JSON.stringify(read.story, null, 2));
    return EXIT.ok;
  });
}

/** The package's entry point for tests, as a merchant's test imports it. */
const TEST_TOOLS = ['temporal-payment-gateway', 'testing'].join('/');

const EXPECT = 'expect(await simulation.end()).toEqual(story.end);';

/** What a test needs for each runner. Node's own needs no package, and the shops of `init` have it. */
const RUNNERS = {
  node: {
    imports: ["import assert from 'node:assert/strict';", "import { test } from 'node:test';"],
    compare: 'assert.deepEqual(await simulation.end(), story.end);',
  },
  jest: { imports: [], compare: EXPECT },
  vitest: { imports: ["import { expect, test } from 'vitest';"], compare: EXPECT },
} as const;
type Runner = keyof typeof RUNNERS;

const testOf = (story: Story, runner: Runner): string =>
  `// Written by \`payment-gateway story --test\`. Where the order should have come to something else, change \`end\`.
${[...RUNNERS[runner].imports, `import { simulate } from '${TEST_TOOLS}';`].join('\n')}

const story = ${JSON.stringify(story, null, 2)};

test('an order ends as its story says', async () => {
  const simulation = await simulate({ story });
  try {
    ${RUNNERS[runner].compare}
  } finally {
    await simulation.close();
  }
});`;
