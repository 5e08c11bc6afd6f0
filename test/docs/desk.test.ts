/** The page with pictures has each reason for attention, and the pictures that it shows. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/terminal';
import { PICTURED, SCENES } from '../real-server/desk/scenes';
import { read } from './markdown';

const PAGE = read('docs/desk.md');

test.each(PICTURED)('%s has a section that says what happened', (reason) => {
  expect(PAGE).toContain(`\n## ${reason}\n\n${SCENES[reason].tells}\n`);
});

test('the page shows every picture, each of its own reason', () => {
  const shown = [...PAGE.matchAll(/^!\[Temporal UI: (.*?)\]\(desk\/(.*?)\.webp\)$/gm)];
  for (const [, reason, picture] of shown) expect(picture).toBe(reason);
  const names = readdirSync(join(ROOT, 'docs/desk')).map((file) => file.replace('.webp', ''));
  expect(shown.map(([, reason]) => reason).sort()).toEqual(names.sort());
});
