/** docs/operations.md lists every metric of the code with its labels and its meaning, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRIC } from '../../src/contract';
import { ROOT } from '../harness/terminal';
import { read } from './markdown';

test('the table of docs/operations.md is the list of metrics', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `(payments_\w+(?:\{[\w,]+\})?)` \| (\w+) \| (.*) \|$/gm)];
  const listed = Object.values(METRIC).map(({ name, labels, of, meaning }) => [
    labels.length > 0 ? `${name}{${labels.join(',')}}` : name,
    of,
    meaning,
  ]);
  expect(rows.map(([, ...columns]) => columns)).toEqual(listed);
});

test('no other file of the code names a metric', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const naming = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('contract/metrics.ts'))
    .filter((file) => /create(Gauge|Counter|Histogram)\(\s*['"`]/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
  expect(naming).toEqual([]);
});
