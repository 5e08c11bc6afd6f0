/** One row for each order, the longest wait first. */
import { orderTable, totals } from '../../src/cli/operator/order-table';
import { owedSince } from '../../src/cli/operator/owed';
import { longestWaitFirst, nearestFirst } from '../../src/temporal/order-list';
import type { ListedWorkflow } from '../../src/temporal/workflow-list';

const NOW = new Date('2026-03-02T12:00:00Z');
const at = (hours_ago: number) => new Date(NOW.getTime() - hours_ago * 3_600_000).toISOString();

const row = (out_trade_no: string, changes: Partial<ListedWorkflow> = {}): ListedWorkflow => ({
  ...{
    workflow_id: `payment:shop:${out_trade_no}`,
    run_id: out_trade_no,
    type: 'payment',
    app_id: 'shop',
    out_trade_no,
  },
  ...{ execution: 'RUNNING', status: 'PROCESSING', outcome: null, method: 'PIX', currency: 'BRL', amount: '150.00' },
  ...{ attention: 'second-trade', waits_since: at(1), taken_by: null, trade_no: null },
  ...{ started_at: at(50), closed_at: null, expires_at: null },
  ...changes,
});
const afterSale = (out_trade_no: string, changes: Partial<ListedWorkflow> = {}) =>
  row(out_trade_no, { workflow_id: `after-sale:shop:${out_trade_no}`, type: 'afterSale', ...changes });

test('what has waited longest comes first, and what nobody waits for comes last', () => {
  const rows = [row('a'), row('b', { attention: null, waits_since: null }), row('c', { waits_since: at(30) })];
  expect(longestWaitFirst(rows).map(({ out_trade_no }) => out_trade_no)).toEqual(['c', 'a', 'b']);
});

test('a payment and its after-sale are one row, with both reasons and what either knows', () => {
  const rows = [
    row('a', { attention: 'late-payment', waits_since: at(2), taken_by: 'ana' }),
    afterSale('a', { attention: 'dispute', waits_since: at(30), outcome: 'SUCCESS', method: null }),
  ];
  expect(longestWaitFirst(rows)).toMatchObject([
    { type: 'afterSale', attentions: ['dispute', 'late-payment'], outcome: 'SUCCESS', method: 'PIX', taken_by: 'ana' },
  ]);
});

test('a payment speaks for its order until the after-sale knows how it has ended', () => {
  const early = { outcome: null, amount: null, attention: null, waits_since: null };
  const rows = [
    row('a', { status: 'SUCCESS', outcome: 'SUCCESS', execution: 'COMPLETED', attention: null, waits_since: null }),
    afterSale('a', { ...early, started_at: at(1) }),
  ];
  const [first] = longestWaitFirst(rows);
  expect(first).toMatchObject({ status: 'SUCCESS', outcome: 'SUCCESS', amount: '150.00' });
  const moved = afterSale('a', { ...early, outcome: 'SUCCESS', status: 'REFUNDED', started_at: at(60) });
  expect(longestWaitFirst([rows[0] ?? row('a'), moved])).toMatchObject([{ status: 'REFUNDED', outcome: 'SUCCESS' }]);
});

test('orders of two apps under one number are two rows', () => {
  expect(longestWaitFirst([row('a'), row('a', { app_id: 'other' })])).toHaveLength(2);
});

test('the table shows the wait’s age, the outcome beside the gateway’s last word, and marks what is overdue', () => {
  const rows = longestWaitFirst([
    row('a', { outcome: 'CANCEL', waits_since: at(30) }),
    row('b', { execution: 'FAILED' }),
  ]);
  const options = { now: NOW, overdue_ms: 4 * 3_600_000, app_ids: ['shop'], screen: { width: 200, colours: true } };
  const [, first = '', second = ''] = orderTable(rows, options).split('\n');
  expect(first).toMatch(/^a .*CANCEL +PROCESSING .*second-trade.*1d 6h/);
  expect(first).toContain('\u001b[31msecond-trade');
  expect(second).toMatch(/^b .*not created +PROCESSING /);
  expect(second).toContain('\u001b[33msecond-trade');
});

test('of money that is owed, the age is how long it has been owed, and not the order’s', () => {
  const options = { now: NOW, overdue_ms: 4 * 3_600_000, app_ids: ['shop'], screen: { width: 200, colours: false } };
  const settled = { outcome: 'CANCEL', attention: null, waits_since: null } as const;
  const said = { source: 'operator', by: 'ana', reason: 'sold out' } as const;
  const history = [
    { time: at(48), from: 'PROCESSING', to: 'SUCCESS', source: 'query' } as const,
    { time: at(3), from: 'SUCCESS', to: 'CANCEL', ...said },
    { time: at(1), from: 'CANCEL', to: 'REFUND_REFUSED', ...said },
  ];
  const owed_since = owedSince({ payment: { history } });
  const rows = longestWaitFirst([row('a', settled)]).map((one) => ({ ...one, owed: '150.00 BRL', owed_since }));
  expect(orderTable(rows, options)).toMatch(/^a .* 3h 0m /m);
  expect(owedSince({ payment: null })).toBeNull();
});

test('money that came after another end is told from a sale, until a person has decided', () => {
  const options = { now: NOW, overdue_ms: 4 * 3_600_000, app_ids: ['shop'], screen: { width: 200, colours: false } };
  const late = afterSale('a', { attention: 'late-payment', outcome: 'SUCCESS' });
  expect(orderTable(longestWaitFirst([late]), options)).toMatch(/^a .* SUCCESS, late +PROCESSING/m);
  expect(orderTable(longestWaitFirst([{ ...late, attention: 'dispute' }]), options)).not.toContain('late');
});

test('disputes come with the time that is left to answer them, the nearest first, and the last two days are marked', () => {
  const dispute = (out_trade_no: string, left_h: number) =>
    afterSale(out_trade_no, { attention: 'dispute', expires_at: at(-left_h) });
  const rows = nearestFirst(longestWaitFirst([dispute('a', 100), dispute('b', 47), dispute('c', -5)]));
  const options = { now: NOW, overdue_ms: 4 * 3_600_000, app_ids: ['shop'], screen: { width: 200, colours: true } };
  const [head = '', ...lines] = orderTable(rows, options).split('\n');
  expect(head).toContain('LEFT');
  expect(lines.map((line) => line.slice(0, 1))).toEqual(['c', 'b', 'a']);
  expect(lines[0]).toContain('\u001b[31m5h 0m over');
  expect(lines[1]).toContain('\u001b[31m1d 23h');
  expect(lines[2]).toMatch(/ 4d 4h /);
  // No name that only the code has.
  expect(lines[2]).toMatch(/^a +after-sale /);
  expect(orderTable(longestWaitFirst([row('a', { expires_at: at(-1) })]), options)).not.toContain('LEFT');
});

test('the time to answer a dispute has a column of its own: EXPIRES is the order’s', () => {
  const options = { now: NOW, overdue_ms: 4 * 3_600_000, app_ids: ['shop'], screen: { width: 200, colours: false } };
  const disputed = afterSale('a', { attention: 'dispute', expires_at: at(-100) });
  const table = (...rows: Parameters<typeof longestWaitFirst>[0]) => orderTable(longestWaitFirst(rows), options);
  const [answer_by, expires] = [/ANSWER BY \(UTC\)/, /EXPIRES \(UTC\)/];
  expect(table(disputed)).toMatch(answer_by);
  expect(table(disputed)).not.toMatch(expires);
  expect(table(row('b', { expires_at: at(-1) }))).not.toMatch(answer_by);
  expect(table(disputed, row('b', { expires_at: at(-1) }))).toMatch(/ANSWER BY \(UTC\) +EXPIRES \(UTC\)/);
});

test('totals count by reason, the most frequent first, and by age', () => {
  const waits = [row('a'), row('b', { attention: 'dispute', waits_since: at(0.5) }), row('c', { waits_since: at(72) })];
  expect(totals(longestWaitFirst(waits), NOW)).toEqual([
    'By reason: 2 second-trade, 1 dispute.',
    'By age: 1 under an hour, 1 under a day, 1 longer; the longest 3d 0h.',
  ]);
  expect(totals(longestWaitFirst([row('a', { attention: null, waits_since: null })]), NOW)).toEqual([]);
});
