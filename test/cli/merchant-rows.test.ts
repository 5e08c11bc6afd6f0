/** The merchant's list for `reconcile --csv`, as spreadsheets and programs write it. */
import { merchantRows } from '../../src/cli/operator/merchant-rows';

const ROW = { out_trade_no: 'o-1', order_amount: '150.00', status: 'paid' };

test.each([
  ['a byte order mark, CRLF and quotation marks', '\uFEFF"order","amount","status"\r\n"o-1","150.00","paid"\r\n'],
  ['columns in another order, and one more', 'Status,note,ORDER,Amount\npaid,"a, ""b""\n",o-1,150.00\n'],
  ['an empty currency at the end of a text without a line end', 'order,amount,status,currency\no-1,150.00,paid,'],
])('a list with %s is read', (_, csv) => {
  expect(merchantRows(csv)).toEqual([ROW]);
});

test.each(['paid', 'SUCCESS', 'Canceled', 'open', 'PARTIAL_REFUND'])('the status %s is taken', (status) => {
  expect(merchantRows(`order,amount,status\no-1,150.00,${status}`)).toEqual([{ ...ROW, status }]);
});

test.each([
  ['is empty', '', /lacks order, amount, status/],
  ['has a decimal comma', 'order,amount,status\no-1,"1,50",paid\n', /^Row 2 .* an amount such as 150\.00/],
  ['lacks a status', 'order,amount,status\no-1,1.50,\n', /^Row 2 .* a status/],
  ['has a status that nobody knows', 'order,amount,status\no-1,1.50,approved\n', /^Row 2 .* not known: approved\. /],
  [
    'has an order twice',
    'order,amount,status\no-1,1.50,paid\no-2,1,paid\no-1,2.50,paid\n',
    /^Rows 2 and 4 .* same order/,
  ],
])('a list that %s is refused, with the row', (_, csv, sentence) => {
  expect(() => merchantRows(csv)).toThrow(sentence);
});
