/** docs/settings.md is the page that the settings make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from '../../src/process/settings';
import { settingDocs } from '../../src/process/settings/meaning';
import { settingsPage } from '../../src/process/settings/page';
import { environment } from '../../src/process/settings/schema';

const page = settingsPage();
const rowsOf = (name: string) => page.split('\n').filter((line) => line.startsWith(`| \`${name}\` `));

test('docs/settings.md is up to date (npm run docs:settings writes it)', () => {
  expect(readFileSync(join(__dirname, '../../docs/settings.md'), 'utf8')).toBe(page);
});

test.each(SETTING_NAMES)('%s has one row, with a meaning that ends as a sentence', (name) => {
  expect(rowsOf(name)).toEqual([expect.stringMatching(/ \| [^|]+ \| [^|]+\. \|$/)]);
});

test('a setting that may come from a file is marked', () => {
  const marked = SETTING_NAMES.filter((name) => rowsOf(name)[0]?.includes('†'));
  const fromFile = Object.entries(environment.shape).filter(([, schema]) => settingDocs.get(schema)?.fromFile);
  expect(marked).toEqual(fromFile.map(([name]) => name));
  expect(marked.length).toBeGreaterThan(5);
});

test('the default of a setting is shown as it would be written', () => {
  expect(rowsOf('PAYMENTS_GRACE')).toEqual([expect.stringContaining('| `850m` |')]);
  expect(rowsOf('WEBHOOK_PORT')).toEqual([expect.stringContaining('| `8480` |')]);
  expect(rowsOf('GATEWAY_APP_ID')).toEqual([expect.stringContaining('| none |')]);
});

test('no line is longer than 200 characters, and no cell is padded', () => {
  expect(page.split('\n').filter((line) => line.length > 200)).toEqual([]);
  expect(page).not.toMatch(/[^|\s] {2,}\|/);
});
