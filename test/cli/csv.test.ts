/** CSV that people open in a spreadsheet: no text of others becomes a formula there, and what was written is read again. */
import fc from 'fast-check';
import { csvLine, readCsv } from '../../src/cli/operator/csv';

const formulas = [
  '=HYPERLINK("https://evil.example","1")',
  '+1+cmd|x',
  '@SUM(A1)',
  '-2+3',
  '\t=1',
  '\r=1',
  ' =1',
  '＝1',
];

test.each(formulas)('%j is a text to a spreadsheet, which takes the marks around a field away first', (value) => {
  const line = csvLine([value]);
  expect(line.replace(/^"/, '')).toMatch(/^'/);
  expect(readCsv(line)).toEqual([[value]]);
});

test.each(['150.00', '-150.00', 'order-1', '2026-03-01T00:00:00Z', '', "it's", 'a=b'])('%j stays as it is', (value) => {
  expect(csvLine([value])).toBe(value);
});

test('what was written is read again, whatever it is', () => {
  const row = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...formulas, "'=1", "''", '"', '\n')),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const written = rows.map((one) => `${csvLine(one)}\r\n`).join('');
      expect(readCsv(written)).toEqual(rows.filter((one) => one.some((field) => field !== '')));
    }),
  );
});

test('a last line without an end is read, also where its last field is empty', () => {
  expect(readCsv('order,currency\no-1,BRL\no-2,')).toEqual([
    ['order', 'currency'],
    ['o-1', 'BRL'],
    ['o-2', ''],
  ]);
});
