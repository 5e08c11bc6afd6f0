/** What `npm run bench` counts with. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../harness/terminal';

const measured = (expression: string): unknown => {
  const script = `const m = require('./measure.cjs'); process.stdout.write(JSON.stringify(${expression}));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: join(ROOT, 'bench/payments') }).toString());
};

test('a percentile is the least value that so many are not above, whatever their order', () => {
  const values = '[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]';
  expect(measured(`[m.percentile(${values}, 0.5), m.percentile(${values}, 0.99), m.percentile([7], 0.5)]`)).toEqual([
    5, 10, 7,
  ]);
});

test('the figure of several rounds is their median, with the least and the most', () => {
  expect(measured('m.spread([3, 100, 2])')).toEqual({ median: 3, min: 2, max: 100 });
});

test('the CPU of a process grows as it works, and a process that is gone has used none', () => {
  const work = 'const before = m.cpuOf(process.pid); for (let end = Date.now() + 300; Date.now() < end; ) Math.sqrt(2)';
  const grown = measured(`(() => { ${work}; return m.cpuOf(process.pid) - before; })()`);
  // On a busy machine it had less than the time that passed, and never none.
  expect(grown).toBeGreaterThan(0);
  expect(measured('m.cpuOf(999999999)')).toBe(0);
});
