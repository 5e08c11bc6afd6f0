/** What a trade's status says about its running refund, status by status. */
import { TRADE_STATUSES } from '../../../src/gateway/pure/statuses';
import {
  isTransientStatus,
  type RefundProgress,
  type RefundReadiness,
  readiness,
  refundProgress,
  unchangedMeansNoRefund,
} from '../../../src/workflows/after-sale/refund/progress';

const ROWS: [status: string, readiness: RefundReadiness, progress: RefundProgress, isTransient: boolean][] = [
  ['INITIAL', 'no', 'unknown', false],
  ['PROCESSING', 'no', 'unknown', false],
  ['RISK_CONTROLLING', 'no', 'unknown', false],
  ['SUCCESS', 'now', 'revoked', false],
  ['REFUSED', 'no', 'unknown', false],
  ['CANCEL', 'no', 'unknown', false],
  ['EXPIRED', 'no', 'unknown', false],
  ['REFUND_VERIFYING', 'later', 'pending', true],
  ['REFUND_PROCESSING', 'later', 'pending', true],
  ['REFUND_REVOKE', 'later', 'revoked', true],
  ['REFUND_REFUSED', 'now', 'refused', false],
  ['REFUNDED', 'now', 'refunded', false],
  ['PARTIAL_REFUND', 'now', 'refunded', false],
  ['DISPUTE', 'no', 'unknown', false],
  ['CHARGEBACK', 'no', 'unknown', false],
  ['CHARGEBACK_REVERSED', 'later', 'unknown', true],
];

test('this table has every status of the interface', () => {
  expect(ROWS.map(([status]) => status).sort()).toEqual([...TRADE_STATUSES].sort());
});

describe.each(ROWS)('a trade that is %s', (status, ready, progress, isTransient) => {
  test(`can be refunded: ${ready}`, () => {
    expect(readiness(status)).toBe(ready);
  });

  test(`shows an attributed refund as ${progress}`, () => {
    expect(refundProgress(status, { baseline: status, attributed: true })).toBe(progress);
  });

  test(`shows a refund that began in another status as ${progress}`, () => {
    const baseline = status === 'SUCCESS' ? 'PARTIAL_REFUND' : 'SUCCESS';
    expect(refundProgress(status, { baseline, attributed: false })).toBe(progress);
  });

  test('says nothing about a refund that began in this status and is not attributed', () => {
    expect(refundProgress(status, { baseline: status, attributed: false })).toBe('unchanged');
  });

  test(`is ${isTransient ? '' : 'not '}moved on by the gateway itself`, () => {
    expect(isTransientStatus(status)).toBe(isTransient);
  });

  test(`${status === 'SUCCESS' ? 'proves' : 'does not prove'} by staying unchanged that a refund was never made`, () => {
    expect(unchangedMeansNoRefund(status)).toBe(status === 'SUCCESS');
  });
});

test('a status that we do not know neither allows a refund nor says anything about one', () => {
  expect(readiness('SOMETHING_NEW')).toBe('no');
  expect(refundProgress('SOMETHING_NEW', { baseline: 'SUCCESS', attributed: true })).toBe('unknown');
  expect(isTransientStatus('SOMETHING_NEW')).toBe(false);
});
