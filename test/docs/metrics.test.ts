/** docs/operations.md lists every metric of the code with its kind, labels, buckets and meaning, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRIC, type Metric } from '../../src/contract';
import { ROOT } from '../harness/terminal';
import { read } from './markdown';

const rowOf = ({ name, labels, kind, of, buckets, meaning }: Metric): string => {
  const series = labels.length > 0 ? `${name}{${labels.join(',')}}` : name;
  const ends = buckets ? `; buckets from ${buckets[0]} to ${buckets.at(-1)}` : '';
  return `| \`${series}\` | ${kind} | ${of.length === 3 ? 'each' : of.join(', ')} | ${meaning}${ends} |`;
};

test('the table of docs/operations.md is the list of metrics', () => {
  const rows = [...read('docs/operations.md').matchAll(/^\| `payments_.*$/gm)].map(([row]) => row);
  expect(rows).toEqual(Object.values<Metric>(METRIC).map(rowOf));
});

test('no other file of the code names a metric', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const naming = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('contract/metrics.ts'))
    .filter((file) => /create(Gauge|Counter|Histogram)\(\s*['"`]/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
  expect(naming).toEqual([]);
});

test.each(Object.values<Metric>(METRIC))('$name has the name that Prometheus asks for', ({ name, kind, buckets }) => {
  expect(name).toMatch(/^payments_[a-z_]+$/);
  expect(name.endsWith('_total')).toBe(kind === 'counter');
  expect(buckets !== undefined).toBe(kind === 'histogram');
  if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
  expect(buckets ?? []).toEqual([...(buckets ?? [])].sort((one, other) => one - other));
});
