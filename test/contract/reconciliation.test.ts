/** What a comparison of the books takes for a difference, and which inputs it takes. */
import {
  type DifferenceKind,
  differencesOf,
  inputProblem,
  isReconcilable,
  readPeriod,
  type Word,
  waitsForBuyer,
} from '../../src/contract';

type Said = string | null | undefined;

/** `REFUNDED:30.00` says how much of 150.00 went back, and `SUCCESS:30.00:20.00` how much of that a person has named. */
function word(said: Said): Word {
  if (said === null || said === undefined) return null;
  const [status = '', refunded, elsewhere] = said.split(':');
  return { status, amount: '150.00', currency: 'BRL', refunded, elsewhere };
}

const compared = (here: Said, gateway: Said, merchant?: Said): DifferenceKind[] =>
  differencesOf('o-1', {
    here: word(here),
    gateway: word(gateway),
    merchant: merchant === undefined ? undefined : word(merchant),
  }).map(({ kind }) => kind);

test.each<[what: string, here: Said, gateway: Said, merchant: Said, found: DifferenceKind[]]>([
  ['a sale', 'SUCCESS', 'SUCCESS', 'paid', []],
  ['a refund of all', 'REFUNDED:150.00', 'REFUNDED', 'refunded', []],
  ['a refund that the merchant does not know', 'REFUNDED:150.00', 'REFUNDED', 'paid', ['state']],
  ['a refund that only the merchant knows', 'SUCCESS', 'SUCCESS', 'refunded', ['state']],
  ['a refund that was made elsewhere', 'SUCCESS', 'REFUNDED', 'refunded', ['state']],
  ['a refund that the gateway does not show', 'REFUNDED:150.00', 'SUCCESS', undefined, ['state']],
  ['all that a person says went back elsewhere', 'SUCCESS:150.00:150.00', 'SUCCESS', 'refunded', []],
  ['the same, which the merchant does not know', 'SUCCESS:150.00:150.00', 'SUCCESS', 'paid', ['refunded']],
  ['the same by a refund at the gateway', 'REFUNDED:150.00:150.00', 'REFUNDED', 'refunded', []],
  ['a part that a person says went back elsewhere', 'SUCCESS:30.00:30.00', 'SUCCESS', 'partially refunded:30', []],
  ['that beside a refund here', 'PARTIAL_REFUND:150.00:120.00', 'PARTIAL_REFUND', 'refunded', []],
  ['that, and a refund here that the gateway lacks', 'SUCCESS:150.00:120.00', 'SUCCESS', undefined, ['state']],
  ['that, and a chargeback', 'SUCCESS:150.00:150.00', 'CHARGEBACK', undefined, ['state']],
  ['a refund in part', 'PARTIAL_REFUND:30.00', 'PARTIAL_REFUND', 'partially refunded:30.00', []],
  ['a refund in part that the gateway calls REFUNDED', 'REFUNDED:30.00', 'REFUNDED', 'partially refunded:30', []],
  ['another sum that went back', 'PARTIAL_REFUND:30.00', 'PARTIAL_REFUND', 'partially refunded:20.00', ['refunded']],
  ['a part that the merchant calls all', 'REFUNDED:30.00', 'REFUNDED', 'refunded', ['refunded']],
  ['a refund in part that the merchant does not know', 'PARTIAL_REFUND:30.00', 'PARTIAL_REFUND', 'paid', ['state']],
  ['a refund under way', 'REFUND_PROCESSING', 'REFUND_PROCESSING', 'refunded', []],
  ['a refund under way that the gateway does not show yet', 'REFUND_PROCESSING', 'SUCCESS', 'refunded:50.00', []],
  ['a chargeback', 'CHARGEBACK', 'CHARGEBACK', 'charged back', []],
  ['a chargeback that the merchant does not know', 'CHARGEBACK', 'CHARGEBACK', 'paid', ['state']],
  ['a chargeback that nobody told us', 'SUCCESS', 'CHARGEBACK', undefined, ['state']],
  ['a chargeback that was reversed', 'CHARGEBACK_REVERSED', 'CHARGEBACK_REVERSED', 'paid', []],
  ['a dispute', 'DISPUTE', 'DISPUTE', 'paid', []],
  ['money that came late', 'SUCCESS', 'SUCCESS', 'expired', ['state']],
  ['money that nobody told us', 'EXPIRED', 'SUCCESS', 'expired', ['state', 'state']],
  ['money to send back, as a person has decided', 'CANCEL', 'SUCCESS', undefined, ['state']],
  ['two unpaid ends', 'EXPIRED', 'CANCEL', 'canceled', []],
  ['an open order that the merchant’s list lacks', 'PROCESSING', 'PROCESSING', null, []],
  ['a sale that the merchant’s list lacks', 'SUCCESS', 'SUCCESS', null, ['missing-at-merchant']],
  ['a sale that was not made here', null, 'SUCCESS', undefined, ['missing-here']],
  ['a sale that the gateway lacks', 'SUCCESS', null, undefined, ['missing-there']],
])('%s: here %s, gateway %s, merchant %s', (_, here, gateway, merchant, found) => {
  expect(compared(here, gateway, merchant)).toEqual(found);
});

test('an order that waits for its buyer is counted as open, whoever says so', () => {
  expect(waitsForBuyer({ here: word('CREATING'), gateway: null, merchant: undefined })).toBe(true);
  expect(waitsForBuyer({ here: word('EXPIRED'), gateway: word('PROCESSING'), merchant: undefined })).toBe(true);
  expect(waitsForBuyer({ here: word('SUCCESS'), gateway: word('SUCCESS'), merchant: undefined })).toBe(false);
});

test.each([
  'Paid',
  'refunded',
  'partially refunded',
  'Partially-Refunded',
  'chargeback',
  'cancelled',
  'EXPIRED',
  'open',
])('the status %s of a merchant is known', (status) => expect(isReconcilable(status)).toBe(true));

test.each(['approved', '', 'constructor'])('the status %j is not known', (status) => {
  expect(isReconcilable(status)).toBe(false);
});

describe('the period of a comparison', () => {
  const NOW = Date.parse('2025-03-05T00:00:00.000Z');
  const read = (since?: string, until?: string) => readPeriod({ since, until }, NOW);

  test.each([
    ['2025-03-01T00:00:00.000Z', '2025-03-01T02:00:00.000Z'],
    ['2025-03-01T00:00:00Z', '2025-03-01T02:00Z'],
    ['2025-03-01', '2025-03-01T02:00:00+00:00'],
    ['2025-02-28T18:00:00-06:00', '2025-02-28T20:00:00-06:00'],
  ])('is the same text, however it is written: %s to %s', (since, until) => {
    expect(read(since, until)).toEqual({ since: '2025-03-01T00:00:00.000Z', until: '2025-03-01T02:00:00.000Z' });
  });

  test.each([
    ['2025-03-01T00:00:00'],
    ['2025-03-01 00:00'],
    ['2025-02-30'],
    ['2025-13-01T00:00:00Z'],
    ['2025-03-01T25:00:00Z'],
    ['1 March 2025'],
    [''],
  ])('is refused if a time has no zone, or is none: %j', (text) => {
    const rule = 'must be a day, or a time with its zone, such as 2026-03-01T12:00:00Z';
    expect(read(text)).toEqual({ field: 'since', rule });
    expect(read('2025-02-28', text)).toEqual({ field: 'until', rule });
  });
});

describe('an input from another language', () => {
  const ROW = { out_trade_no: 'o-1', order_amount: '150.00', status: 'paid' };
  const input = { app_id: 'shop', rows: [ROW, { ...ROW, out_trade_no: 'o-2', refunded_amount: '0' }] };

  test.each([
    [{}],
    [{ rows: [] }],
    [{ rows: undefined }],
    [{ orders: { from: 'o-1', to: 'o-3' }, per_second: 0.5, adopt: true }],
  ])('is compared with %j', (more) => {
    expect(inputProblem({ ...input, ...more })).toBeUndefined();
  });

  test.each([
    ['app_id', '{ "rows": [] }'],
    ['rows', '{ "app_id": "shop", "rows": null }'],
    ['adopt', '{ "app_id": "shop", "adopt": "false" }'],
    ['per_second', '{ "app_id": "shop", "per_second": "ten" }'],
    ['per_second', '{ "app_id": "shop", "per_second": 1e-7 }'],
    ['orders', '{ "app_id": "shop", "orders": "o-1" }'],
    ['orders.to', '{ "app_id": "shop", "orders": { "to": 7 } }'],
  ])('is refused for its %s: %s', (field, json) => {
    expect(inputProblem(JSON.parse(json))).toMatchObject({ field });
  });

  test.each([
    ['[0]', 'out_trade_no', '[{ "order": "o-1", "order_amount": "1.00", "status": "paid" }]'],
    ['[0]', 'out_trade_no', '[{ "out_trade_no": 7, "order_amount": "1.00", "status": "paid" }]'],
    ['[0]', 'out_trade_no', '["o-1"]'],
    ['[0]', 'out_trade_no', '[null]'],
    ['[0]', 'order_amount', '[{ "out_trade_no": "o-1", "order_amount": "1,00", "status": "paid" }]'],
    ['[0]', 'order_amount', '[{ "out_trade_no": "o-1", "order_amount": 1, "status": "paid" }]'],
    ['[0]', 'status', '[{ "out_trade_no": "o-1", "order_amount": "1.00", "status": "aprovado" }]'],
  ])('is refused for a row that could not be compared: %s.%s of %s', (at, field, rows) => {
    expect(inputProblem({ ...input, rows: JSON.parse(rows) })).toMatchObject({ field: `rows${at}.${field}` });
  });

  test('is refused for two rows of an order, and for a row outside its range: one of them would not be compared', () => {
    const field = 'rows[1].out_trade_no';
    expect(inputProblem({ ...input, rows: [ROW, ROW] })).toEqual({ field, rule: 'must not be in two rows' });
    const outside = { field, rule: 'must be in the range `orders`' };
    expect(inputProblem({ ...input, orders: { to: 'o-2' } })).toEqual(outside);
  });
});
