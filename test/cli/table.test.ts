/** Tables of the command line: as wide as the screen, and coloured where it has colours. */
import { screenOf, type TableColumn, table } from '../../src/cli/operator/table';

interface Row {
  order: string;
  method: string;
  amount: string;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { name: 'ORDER', of: ({ order }) => order },
  { name: 'METHOD', of: ({ method }) => method, least: 1 },
  { name: 'AMOUNT', of: ({ amount }) => amount, mark: () => 'red' },
];
const ROWS: readonly Row[] = [
  { order: 'order-1', method: 'PIX', amount: '150.00 BRL' },
  { order: 'reconciliation:shop:2026-03-01T00:00:00Z/2026-03-02', method: 'Boleto', amount: '9.00 BRL' },
];
const on = (width: number, colours = false) => table(COLUMNS, ROWS, { width, colours }).split('\n');
const widest = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length));

test('a table on a wide screen has every column whole, and a column without values is left out', () => {
  expect(on(200)[1]).toMatch(/^order-1 {2,}PIX {2,}150\.00 BRL$/);
  expect(on(200)[2]).toBe(`${ROWS[1]?.order}  Boleto  9.00 BRL`);
  const without = ROWS.map((row) => ({ ...row, method: '' }));
  expect(table(COLUMNS, without, { width: 200, colours: false })).not.toContain('METHOD');
});

test.each([70, 60, 40, 30])(
  'a table on a screen of %s characters fits, and keeps the order and the amount',
  (width) => {
    const lines = on(width);
    expect(widest(lines)).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/^order-1 .*150\.00 BRL$/);
  },
);

test('a narrow screen loses the least column before a text is shortened', () => {
  expect(on(66)[0]).not.toContain('METHOD');
  expect(on(66)[2]).toContain(ROWS[1]?.order);
  expect(on(40)[2]).toMatch(/^reconciliation:.*…/);
});

test('a column that yields is shortened before a column is left out', () => {
  const notes = ROWS.map((row) => ({ ...row, order: 'order-1', note: 'A payload cannot be decrypted: '.repeat(5) }));
  const note = { name: 'NOTE', of: (row: (typeof notes)[number]) => row.note, yields: true };
  const [head = '', first = ''] = table([...COLUMNS, note], notes, { width: 60, colours: false }).split('\n');
  expect(head).toMatch(/^ORDER +METHOD +AMOUNT +NOTE$/);
  expect(first).toMatch(/^order-1 +PIX +150\.00 BRL +A payload .*…$/);
  expect(first).toHaveLength(60);
});

test('a screen with colours has them around the cell, and one without has none', () => {
  expect(on(200, true)[1]).toContain('\u001b[31m150.00 BRL\u001b[0m');
  expect(on(200).join('')).not.toContain('\u001b');
});

test('values that could drive a terminal are made harmless', () => {
  const rows = [{ order: 'a\u001b[2Jb', method: 'PIX', amount: '' }];
  expect(table(COLUMNS, rows, { width: 200, colours: true })).not.toContain('\u001b[2J');
});

test('colours are for a terminal that has them, and a file has no width', () => {
  const stdout = (isTTY: boolean, hasColors: boolean, columns?: number) =>
    Object.assign(Object.create(process.stdout), { isTTY, columns, hasColors: () => hasColors });
  expect(screenOf({ stdout: stdout(true, true, 80), env: {} })).toEqual({ width: 80, colours: true });
  expect(screenOf({ stdout: stdout(true, false, 80), env: {} })).toEqual({ width: 80, colours: false });
  expect(screenOf({ stdout: stdout(false, true), env: {} })).toEqual({
    width: Number.POSITIVE_INFINITY,
    colours: false,
  });
});
