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
  "x;=cmd|' /C calc'!A0;y",
  'x\t@SUM(A1)',
  'x\n=1',
];

const fieldsOf = (text: string) => readCsv(text, ',').map(({ fields }) => fields);

test.each(formulas)('%j is a text to every spreadsheet, whichever separator it takes', (value) => {
  const line = csvLine(['first', value]);
  // One that separates by ; or tabs sees our quotation marks as text, and a line end within them as the end of a row.
  for (const separator of [',', ';', '\t'])
    for (const cell of line.split(/[\r\n]/).flatMap((row) => row.split(separator)))
      expect(cell.replace(/^"/, '')).not.toMatch(/^[\s\p{Cc}]*[=+\-@＝＋－＠]/u);
  expect(line).toMatch(/^first,"/);
  expect(fieldsOf(line)).toEqual([['first', value]]);
});

test.each(['150.00', '-150.00', 'order-1', '2026-03-01T00:00:00Z', '', "it's", 'a=b'])('%j stays as it is', (value) => {
  expect(csvLine([value])).toBe(value);
});

test('what was written is read again, whatever it is', () => {
  const field = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(...formulas, "'=1", "''", '"', '\n', ';', "'x;'=1", "\t'-1"),
  );
  const row = fc.array(field, { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const written = rows.map((one) => `${csvLine(one)}\r\n`).join('');
      expect(fieldsOf(written)).toEqual(rows.filter((one) => one.some((text) => text.trim() !== '')));
    }),
  );
});

test('a last line without an end is read, also where its last field is empty', () => {
  expect(fieldsOf('order,currency\no-1,BRL\no-2,')).toEqual([
    ['order', 'currency'],
    ['o-1', 'BRL'],
    ['o-2', ''],
  ]);
});

test('a row has the number of its line, past empty lines and line ends in quotation marks', () => {
  const rows = readCsv('\uFEFForder;note\r\n\r\no-1;"a\nb"\r\no-2;x', ';');
  expect(rows.map(({ line, fields }) => [line, ...fields])).toEqual([
    [1, 'order', 'note'],
    [4, 'o-1', 'a\nb'],
    [5, 'o-2', 'x'],
  ]);
});

test.each([
  ['a stray quotation mark', 'order,note\no-1,secret"x\n', 'Line 2 of the list has a stray quotation mark.'],
  ['a quotation mark without its other', 'order,note\no-1,"secret\n', 'Line 2 of the list has a stray quotation mark.'],
  ['a field too many', 'order,note\no-1,1,50\n', /^Line 2 of the list has other columns than the first line/],
])('a text with %s is refused with its line, and not quoted', (_, csv, sentence) => {
  expect(() => readCsv(csv, ',')).toThrow(sentence);
});
