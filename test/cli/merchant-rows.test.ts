/** The merchant's list for `reconcile --csv`, as spreadsheets and programs write it. */
import { merchantRows } from '../../src/cli/operator/merchant-rows';

const ROW = { out_trade_no: 'o-1', order_amount: '150.00', status: 'paid' };

test.each([
  ['a byte order mark, CRLF and quotation marks', '\uFEFF"order","amount","status"\r\n"o-1","150.00","paid"\r\n'],
  ['columns in another order, and one more', 'Status,note,ORDER,Amount\npaid,"a, ""b""\n",o-1,150.00\n'],
  ['an empty currency at the end of a text without a line end', 'order,amount,status,currency\no-1,150.00,paid,'],
])('a list with %s is read', (_, csv) => {
  expect(merchantRows(csv)).toEqual({ rows: [ROW], readAs: 'separator ",", decimal point', leftOut: [] });
});

test.each(['paid', 'SUCCESS', 'Canceled', 'open', 'PARTIAL_REFUND'])('the status %s is taken', (status) => {
  expect(merchantRows(`order,amount,status\no-1,150.00,${status}`).rows).toEqual([{ ...ROW, status }]);
});

test.each([
  [',', 'point', 'order,amount,status\no-1,150.00,paid\n', '150.00'],
  [',', 'point', 'order,amount,status\no-1,"1,234.50",paid\n', '1234.50'],
  [',', 'point', 'order,amount,status\no-1,150,paid\n', '150'],
  [',', 'comma', 'order,amount,status\no-1,"1,50",paid\n', '1.50'],
  [';', 'point', 'order;amount;status\no-1;150.00;paid\n', '150.00'],
  [';', 'comma', 'order;amount;status\no-1;150,00;paid\n', '150.00'],
  [';', 'comma', 'order;amount;status\no-1;1.234.567,8;paid\n', '1234567.8'],
  [';', 'comma', 'order;amount;status\no-1;1.234;paid\no-2;1,50;paid\n', '1234'],
])('separator %s and decimal %s are told by the list itself: %j', (separator, decimal, csv, order_amount) => {
  const { rows, readAs } = merchantRows(csv);
  expect([rows[0], readAs]).toEqual([{ ...ROW, order_amount }, `separator "${separator}", decimal ${decimal}`]);
});

test('what went back is read in the way of the amounts, and is nothing where its field is empty', () => {
  const { rows } = merchantRows('order;amount;status;refunded\no-1;150;paid;30,50\no-2;150;paid;\n');
  expect(rows).toEqual([
    { ...ROW, order_amount: '150', refunded_amount: '30.50' },
    { ...ROW, out_trade_no: 'o-2', order_amount: '150' },
  ]);
});

test('of two rows of one order the first is read, and a sentence names both lines', () => {
  const { rows, leftOut } = merchantRows('order,amount,status\no-1,150.00,paid\n\no-2,1,paid\no-1,2.50,paid\n');
  expect(rows).toEqual([ROW, { ...ROW, out_trade_no: 'o-2', order_amount: '1' }]);
  expect(leftOut).toEqual([expect.stringMatching(/^Lines 2 and 5 .* same order, o-1: line 5 was left out\./)]);
});

test.each([
  ['is empty', '', /lacks order, amount, status/],
  ['lacks a column', 'order;amount\no-1;1,50\n', /lacks status/],
  ['has an amount that is none', 'order,amount,status\no-1,R$ 1.50,paid\n', /^Line 2 .* no amount such as 150\.00/],
  ['lacks an amount', 'order,amount,status\no-1,,paid\n', /^Line 2 .* an amount such as 150\.00/],
  ['lacks a status', 'order,amount,status\no-1,1.50,\n', /^Line 2 .* a status/],
  ['has a status that nobody knows', 'order,amount,status\no-1,1.50,approved\n', /^Line 2 .* not known: approved\. /],
  ['has a decimal comma without quotation marks', 'order,amount,status\no-1,1,50,paid\n', /^Line 2 .* other columns/],
  [
    'has points and commas',
    'order;amount;status\no-1;1,50;paid\no-2;1.50;paid\n',
    /1,50 on line 2 and 1\.50 on line 3/,
  ],
  ['has thousands or decimals', 'order;amount;status\no-1;5;paid\no-2;1.234;paid\n', /^Line 3 .* 1\.234 or 1234/],
])('a list that %s is refused, with the line', (_, csv, sentence) => {
  expect(() => merchantRows(csv)).toThrow(sentence);
});
