/** What is known of a trade after its sale, and how each answer changes it. */
import type { Attention, RefundState } from '../../../src/contract';
import type { QueriedTrade } from '../../../src/contract/gateway';
import { eventPaymentOf } from '../../../src/workflows/after-sale/event-payment';
import { AfterSaleRecord } from '../../../src/workflows/after-sale/record';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const AT = '2026-01-02T03:04:05.000Z';
const PAID = { order_amount: '100.00', order_currency: 'MXN' };
const IDS = { trade_no: 'T1', out_trade_no: 'order-1' };

const trade = (trade_status: string, more: Partial<QueriedTrade> = {}): QueriedTrade => ({
  asked_at: NOW,
  trade_no: 'T1',
  out_trade_no: 'order-1',
  trade_status,
  ...PAID,
  ...more,
});

function recordOf(...statuses: string[]): AfterSaleRecord {
  const record = new AfterSaleRecord({ app_id: 'app', out_trade_no: 'order-1' });
  for (const status of statuses) record.applyQuery(trade(status), NOW);
  return record;
}

function request(record: AfterSaleRecord, amount = '40.00'): RefundState {
  const decision = record.ledger.request(
    { refund_amount: amount, refund_currency: 'MXN', out_request_no: 'R1' },
    { ...PAID, ...IDS },
    NOW,
  );
  if (decision.is !== 'granted') throw new Error(`The refund was not granted: ${decision.is}`);
  return decision.refund;
}

describe('a query', () => {
  test('gives the record the trade’s ids, amount, currency, method and status', () => {
    const record = new AfterSaleRecord({ app_id: 'app', out_trade_no: 'order-1', trade_no: 'T1' });
    expect(record.paid).toBeUndefined();
    record.applyQuery(trade('SUCCESS', { method: 'OXXO' }), NOW);
    expect(record.id).toEqual({ trade_no: 'T1', out_trade_no: 'order-1' });
    expect(record.paid).toEqual({ ...PAID, ...IDS });
    expect(record.snapshot()).toMatchObject({ method: 'OXXO', trade_status: 'SUCCESS', attention: null });
  });

  test('with a new status adds a transition, and with the same status adds none', () => {
    expect(recordOf('SUCCESS', 'SUCCESS', 'DISPUTE').snapshot().history).toEqual([
      { time: AT, from: null, to: 'SUCCESS', source: 'query' },
      { time: AT, from: 'SUCCESS', to: 'DISPUTE', source: 'query' },
    ]);
  });

  test('does not replace an amount that is known', () => {
    const record = recordOf('SUCCESS');
    record.applyQuery(trade('SUCCESS', { order_amount: '1.00' }), NOW);
    expect(record.paid).toEqual({ ...PAID, ...IDS });
  });
});

describe('the attention', () => {
  test.each<[statuses: string[], attention: Attention | null]>([
    [['SUCCESS'], null],
    [['DISPUTE'], 'dispute'],
    [['DISPUTE', 'CHARGEBACK'], 'chargeback'],
    [['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'], 'chargeback-reversed'],
    [['DISPUTE', 'SUCCESS'], 'dispute'],
    [['SOMETHING_NEW'], 'unknown-status'],
    [['SOMETHING_NEW', 'CHARGEBACK'], 'chargeback'],
    [['REFUNDED'], 'refund-elsewhere'],
    [['DISPUTE', 'PARTIAL_REFUND'], 'dispute'],
  ])('after %j is %s', (statuses, attention) => {
    expect(recordOf(...statuses).snapshot().attention).toBe(attention);
  });

  test('is that of a refund where the trade itself has none', () => {
    const record = recordOf('SUCCESS');
    record.ledger.update({ ...request(record), attention: 'unknown-refund' });
    expect(record.snapshot().attention).toBe('unknown-refund');
    record.raise('dispute');
    expect(record.snapshot().attention).toBe('dispute');
  });

  test('keeps the first reason, and is settled only by that reason', () => {
    const record = recordOf('SUCCESS');
    record.raise('unexpected-signal');
    record.raise('unknown-trade');
    record.reasons.settle('unknown-trade');
    expect(record.snapshot().attention).toBe('unexpected-signal');
    record.reasons.settle('unexpected-signal');
    expect(record.snapshot().attention).toBeNull();
  });
});

describe('a chargeback that a person has decided on', () => {
  const decided = () => {
    const record = recordOf('SUCCESS', 'CHARGEBACK');
    record.applyResolution({ by: 'ana', reason: 'seen' }, 'chargeback', NOW);
    return record;
  };

  test.each([
    ['a dispute', decided(), 'DISPUTE', 'dispute'],
    ['a chargeback again', decided(), 'CHARGEBACK', 'chargeback'],
    ['a refund', decided(), 'REFUNDED', null],
  ])('after %s was notified', (_, record, trade_status, attention) => {
    record.noteWords([{ trade_status }], 'CHARGEBACK');
    expect(record.snapshot().attention).toBe(attention);
  });

  test('is not asked about twice where the look that settles its notification has shown it first', () => {
    const record = recordOf('SUCCESS', 'CHARGEBACK');
    record.noteWords([{ trade_status: 'CHARGEBACK' }], 'SUCCESS');
    record.applyResolution({ by: 'ana', reason: 'seen' }, 'chargeback', NOW);
    expect(record.snapshot().attention).toBeNull();
  });
});

describe.each([
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUND_REVOKE',
  'REFUND_REFUSED',
  'REFUNDED',
  'PARTIAL_REFUND',
])('a trade that becomes %s', (status) => {
  test('has an incomplete ledger while no refund of ours runs', () => {
    expect(recordOf('SUCCESS', status).snapshot()).toMatchObject({
      ledger_complete: false,
      attention: 'refund-elsewhere',
    });
  });

  test('has a complete ledger while a refund of ours runs', () => {
    const record = recordOf('SUCCESS');
    record.ledger.update({ ...request(record), sent_at: AT });
    record.applyQuery(trade(status), NOW);
    expect(record.snapshot()).toMatchObject({ ledger_complete: true, attention: null });
  });

  test('has an incomplete ledger while a refund of ours has only been granted', () => {
    const record = recordOf('SUCCESS');
    request(record);
    record.applyQuery(trade(status), NOW);
    expect(record.snapshot()).toMatchObject({ ledger_complete: false });
  });

  test('has a complete ledger after the refund of ours that brought it there', () => {
    const record = recordOf('SUCCESS');
    record.ledger.update({ ...request(record), sent_at: AT, outcome: 'REFUNDED' });
    record.acceptStatusOf(status, 'REFUNDED');
    record.applyQuery(trade(status), NOW);
    record.applyQuery(trade(status), NOW);
    expect(record.snapshot()).toMatchObject({ ledger_complete: true, attention: null });
  });
});

test('a person’s decision removes the attention, and adds a transition with its author and reason', () => {
  const record = recordOf('DISPUTE');
  record.applyResolution({ by: 'ana', reason: 'answered' }, 'dispute', NOW);
  expect(record.snapshot().attention).toBeNull();
  expect(record.snapshot().history.at(-1)).toEqual({
    time: AT,
    from: 'DISPUTE',
    to: 'DISPUTE',
    source: 'operator',
    by: 'ana',
    reason: 'answered',
  });
});

test('a decision on a dispute leaves refund-elsewhere, while nobody has named what went back elsewhere', () => {
  const record = recordOf('SUCCESS', 'PARTIAL_REFUND', 'DISPUTE');
  expect(record.snapshot().attention).toBe('dispute');
  record.applyResolution({ by: 'ana', reason: 'answered' }, 'dispute', NOW);
  expect(record.snapshot()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  const decision = { by: 'ana', reason: 'the dashboard shows 10.00', refunded_elsewhere: '10.00' };
  record.applyResolution(decision, 'refund-elsewhere', NOW);
  expect(record.snapshot()).toMatchObject({ attention: null, ledger_complete: true });
});

test('a restored record has the state and the refunds of the earlier run', () => {
  const earlier = recordOf('SUCCESS');
  earlier.ledger.update({ ...request(earlier), outcome: 'REFUNDED' });
  earlier.watchUntil(NOW);
  const record = new AfterSaleRecord({ app_id: 'app', out_trade_no: 'order-1', trade_no: 'T9' });
  record.restore(earlier.snapshot(), null);
  expect(record.snapshot()).toEqual({ ...earlier.snapshot(), trade_no: 'T1' });
});

test('a watch window that was set does not move', () => {
  const record = recordOf('SUCCESS');
  record.watchUntil(NOW);
  record.watchUntil(NOW + 1_000);
  expect(record.snapshot().watched_until).toBe(AT);
});

test('events show the payment as paid', () => {
  expect(eventPaymentOf(recordOf('SUCCESS').snapshot())).toMatchObject({
    outcome: 'SUCCESS',
    confirmed_by: 'query',
    attention: null,
  });
});
