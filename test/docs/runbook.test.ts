/** The closed list of reasons for attention, the code that raises them, and docs/runbook.md say the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runbookPage } from '../../src/cli/operator/runbook-page';
import { ATTENTIONS, JOB_RUNBOOK, RUNBOOK } from '../../src/contract';
import { ROOT } from '../harness/terminal';
import { read } from './markdown';

/** The code that raises reasons: all of src but the list itself. */
const CODE = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('contract/attention.ts'))
  .map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'))
  .join('\n');

test('docs/runbook.md is what npm run docs:runbook writes', () => {
  expect(read('docs/runbook.md')).toBe(runbookPage());
});

test.each(ATTENTIONS)('%s is raised somewhere, and its section says all five things', (reason) => {
  expect(CODE).toContain(`'${reason}'`);
  const { happened, loses, look, act, after } = RUNBOOK[reason];
  for (const text of [happened, loses, look, act, after]) expect(text).toMatch(/^[A-Z`].*\.$/);
  expect(read('docs/runbook.md')).toContain(`\n## ${reason}\n`);
});

test.each([
  ...['Request Cancellation', 'Terminate', 'Reset', 'Start Workflow Like This One', 'Signal typed by hand'],
  ...['Update typed by hand', 'Pause of an activity', 'Fail or complete an activity'],
])('the page says what %s does here: a person sees it in Temporal UI', (button) => {
  expect(read('docs/runbook.md')).toMatch(new RegExp(`^\\| ${button}[^|]* \\| [^|]{20,} \\|$`, 'm'));
});

test('the page shows every picture of docs/desk, each in the section of its reason', () => {
  const sections = read('docs/runbook.md').split(/^## /m);
  const shown = sections.flatMap((section) =>
    [...section.matchAll(/\]\(desk\/(.*?)\.webp\)$/gm)].map(([, picture]) => [section.split('\n')[0], picture]),
  );
  for (const [reason, picture] of shown) expect(picture).toBe(reason);
  const names = readdirSync(join(ROOT, 'docs/desk')).map((file) => file.replace('.webp', ''));
  expect(shown.map(([, picture]) => picture).sort()).toEqual(names.sort());
});

test('every reason that the code raises is in the list, or in that of virtual accounts', () => {
  const raised = [...CODE.matchAll(/\b(?:raise|attention)\w*\(?:?\s*'([a-z]+(?:-[a-z]+)+)'/g)].map(
    ([, reason]) => reason,
  );
  expect(raised.length).toBeGreaterThan(20);
  const [, list = ''] = /<!-- list: AccountAttention[^\n]*-->\n\n(.*?)\n\n/s.exec(read('docs/contract.md')) ?? [];
  const accounts = [...list.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, reason]) => reason);
  const known = new Set<string | undefined>([...ATTENTIONS, ...Object.keys(JOB_RUNBOOK), ...accounts, 'few-accounts']);
  expect([...new Set(raised)].filter((reason) => !known.has(reason))).toEqual([]);
});
