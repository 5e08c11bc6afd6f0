/** What a trade's status, and what names a refund, mean for it: status by status, and each rule by the promise behind it. */
import { isRefundStatus, isTransientStatus, type Refundable } from '../../../src/contract';
import { TRADE_STATUSES } from '../../../src/gateway/pure/statuses';
import {
  interpret,
  type Observation,
  type Reading,
  turnOf,
  unchangedMeansNoRefund,
} from '../../../src/workflows/after-sale/refund/interpret';

/** Nothing was told of the refund, and nothing was seen since it was sent. */
const PLAIN = {
  ...{ earlier: [], attributed: false, accepted: false, notified: null },
  ...{ ofAnother: false, disturbed: false, endedInVain: false },
};

const ROWS: [status: string, readiness: Refundable, isOfRefunds: boolean][] = [
  ['INITIAL', 'no', false],
  ['PROCESSING', 'no', false],
  ['RISK_CONTROLLING', 'no', false],
  ['SUCCESS', 'now', false],
  ['REFUSED', 'no', false],
  ['CANCEL', 'no', false],
  ['EXPIRED', 'no', false],
  ['REFUND_VERIFYING', 'later', true],
  ['REFUND_PROCESSING', 'later', true],
  ['REFUND_REVOKE', 'later', true],
  ['REFUND_REFUSED', 'now', true],
  ['REFUNDED', 'now', true],
  ['PARTIAL_REFUND', 'now', true],
  ['DISPUTE', 'no', false],
  ['CHARGEBACK', 'no', false],
  ['CHARGEBACK_REVERSED', 'later', false],
];

test('this table has every status of the interface', () => {
  expect(ROWS.map(([status]) => status).sort()).toEqual([...TRADE_STATUSES].sort());
});

describe.each(ROWS)('a trade that is %s', (status, ready, isOfRefunds) => {
  test(`can be refunded, where our ledger explains that: ${ready}`, () => {
    expect(turnOf(status, [status])).toBe(ready);
  });

  test(`${isOfRefunds ? 'can' : 'cannot'} only come there by a refund`, () => {
    expect(isRefundStatus(status)).toBe(isOfRefunds);
  });

  test(`is ${ready === 'later' ? '' : 'not '}moved on by the gateway itself`, () => {
    expect(isTransientStatus(status)).toBe(ready === 'later');
  });

  test(`${status === 'SUCCESS' ? 'proves' : 'does not prove'} by staying unchanged that a refund was never made`, () => {
    const first = { ...PLAIN, baseline: status, now: status };
    expect(unchangedMeansNoRefund(first)).toBe(status === 'SUCCESS');
    // Something else may have brought it back there.
    expect(unchangedMeansNoRefund({ ...first, earlier: ['REFUND_REVOKE'] })).toBe(false);
    expect(unchangedMeansNoRefund({ ...first, disturbed: true })).toBe(false);
  });

  test.each([true, false])(
    'after earlier refunds, says of one of ours no more than that it is not lost, where the gateway took it: %s',
    (accepted) => {
      const seen = { ...PLAIN, baseline: 'SOMETHING_ELSE', earlier: [status], now: status, accepted };
      const isUnderWay = accepted && ['REFUND_VERIFYING', 'REFUND_PROCESSING'].includes(status);
      const isPaid = accepted && ['REFUNDED', 'PARTIAL_REFUND'].includes(status);
      // It may be another one's end: a person is asked once that has lasted.
      const isInVain = ['REFUND_REFUSED', 'REFUND_REVOKE', 'SUCCESS'].includes(status);
      const unsaid = isInVain ? unclearIfItLasts : unclear;
      const reading = isPaid ? refundedIfNoCopy : unsaid;
      expect(interpret(seen)).toEqual(isUnderWay ? pending : reading);
    },
  );
});

test.each([
  ['PARTIAL_REFUND', 'SUCCESS'],
  ['REFUNDED', 'SUCCESS'],
  ['REFUNDED', 'PARTIAL_REFUND'],
  ['REFUNDED', null],
  // It stands before whatever else was done at the desk meanwhile.
  ['REFUND_REFUSED', 'SUCCESS'],
])('promise 7: no refund begins while a trade is %s and our ledger explains only %s', (status, explained) => {
  expect(turnOf(status, explained === null ? [] : [explained])).toBe('elsewhere');
});

test('a status that we do not know allows no refund and says nothing of one', () => {
  expect(turnOf('SOMETHING_NEW', ['SOMETHING_NEW'])).toBe('no');
  expect(isTransientStatus('SOMETHING_NEW')).toBe(false);
  expect(isRefundStatus('SOMETHING_NEW')).toBe(false);
});

const pending: Reading = { is: 'pending' };
const refunded: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: 0 };
const refundedIfItLasts: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: 1 };
const refused: Reading = { is: 'ended', outcome: 'REFUND_REFUSED', settlings: 1 };
const revoked: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: 1 };
/** Ten settling times: no copy is further behind. */
const refundedIfNoCopy: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: 10 };
const refusedIfNoCopy: Reading = { is: 'ended', outcome: 'REFUND_REFUSED', settlings: 10 };
const revokedIfNoCopy: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: 10 };
const unclear: Reading = { is: 'unclear', settlings: 0 };
const unclearIfItLasts: Reading = { is: 'unclear', settlings: 1 };

const SUCCESS = { baseline: 'SUCCESS' };
const PART = { baseline: 'PARTIAL_REFUND' };
const TOLD: readonly [what: string, seen: Partial<Observation>, reading: Reading][] = [
  ['a whole refund under way', { ...SUCCESS, now: 'REFUND_PROCESSING', attributed: true }, pending],
  ['money that went back', { ...SUCCESS, now: 'REFUNDED', attributed: true, accepted: true }, refunded],
  [
    'money that went back, which nobody has called ours: another may be named meanwhile',
    { ...SUCCESS, now: 'REFUNDED', attributed: true },
    refundedIfItLasts,
  ],
  [
    'money that went back, while another was named and our answer was lost',
    { ...SUCCESS, now: 'REFUNDED', attributed: true, disturbed: true },
    unclear,
  ],
  [
    'the refusal of another refund, which a notification names',
    {
      ...SUCCESS,
      now: 'REFUND_REFUSED',
      attributed: true,
      accepted: true,
      notified: 'REFUND_PROCESSING',
      ofAnother: true,
    },
    unclear,
  ],
  ['a first refund that was refused', { ...SUCCESS, now: 'REFUND_REFUSED', attributed: true }, refusedIfNoCopy],
  [
    'a payment that stands again after an earlier refund was revoked',
    { ...SUCCESS, now: 'SUCCESS', attributed: true, earlier: ['REFUND_REVOKE'], endedInVain: true },
    unclearIfItLasts,
  ],
  ['a payment that stands again', { ...SUCCESS, now: 'SUCCESS', attributed: true }, revokedIfNoCopy],
  [
    'a payment that stands again after the bank took part',
    { ...SUCCESS, now: 'SUCCESS', attributed: true, disturbed: true },
    unclearIfItLasts,
  ],
  ['a first refund that was revoked', { ...SUCCESS, now: 'REFUND_REVOKE', attributed: true }, revokedIfNoCopy],
  [
    'a revoke after an earlier part: either may have come back',
    { ...PART, now: 'REFUND_REVOKE', earlier: ['PARTIAL_REFUND'], accepted: true, attributed: true, endedInVain: true },
    unclearIfItLasts,
  ],
  [
    'a revoke after an earlier part, where a notification has called ours under way',
    { ...PART, now: 'REFUND_REVOKE', earlier: ['PARTIAL_REFUND'], notified: 'REFUND_PROCESSING', endedInVain: true },
    unclearIfItLasts,
  ],
  [
    'a revoke after an earlier part, where a notification names ours',
    { ...PART, now: 'REFUND_REVOKE', earlier: ['PARTIAL_REFUND'], notified: 'REFUND_REVOKE', endedInVain: true },
    revoked,
  ],
  [
    'the part from before, to which the trade returns after a revoke',
    { ...PART, now: 'PARTIAL_REFUND', earlier: ['PARTIAL_REFUND'], accepted: true, endedInVain: true },
    unclearIfItLasts,
  ],
  [
    'an earlier part, which the trade shows again after a refusal, while nothing is known of ours',
    { baseline: 'REFUND_REFUSED', now: 'PARTIAL_REFUND', earlier: ['PARTIAL_REFUND', 'REFUND_REFUSED'] },
    unclear,
  ],
  ['nothing yet', { ...SUCCESS, now: 'SUCCESS', accepted: true }, unclearIfItLasts],
  ['a chargeback beside it', { ...SUCCESS, now: 'CHARGEBACK', accepted: true, attributed: true }, unclear],
  ['a chargeback before it', { ...SUCCESS, now: 'CHARGEBACK' }, unclear],
  ['a second part that was taken', { ...PART, now: 'PARTIAL_REFUND', accepted: true }, refundedIfItLasts],
  [
    'a second part that the answer calls done',
    { ...PART, now: 'PARTIAL_REFUND', accepted: true, notified: 'PARTIAL_REFUND' },
    refunded,
  ],
  [
    'a second part that was revoked, by its own notification',
    { ...PART, now: 'PARTIAL_REFUND', accepted: true, notified: 'REFUND_REVOKE' },
    revoked,
  ],
  [
    'a second part that was refused while we saw it under way',
    { ...PART, now: 'PARTIAL_REFUND', attributed: true, accepted: true, notified: 'REFUND_REFUSED' },
    refused,
  ],
  ['a second part that was seen under way', { ...PART, now: 'PARTIAL_REFUND', attributed: true }, refunded],
  ['a second part with a lost answer', { ...PART, now: 'PARTIAL_REFUND' }, unclearIfItLasts],
  [
    'a notification of a second part with a lost answer',
    { ...PART, now: 'PARTIAL_REFUND', notified: 'PARTIAL_REFUND' },
    refunded,
  ],
  ['the last part', { ...PART, now: 'REFUNDED', attributed: true, accepted: true }, refunded],
  [
    'a notification that contradicts what the trade shows',
    { ...SUCCESS, now: 'REFUNDED', attributed: true, notified: 'REFUND_REVOKE' },
    unclear,
  ],
  [
    'a notification of money that a refused trade does not show',
    { ...SUCCESS, now: 'REFUND_REFUSED', attributed: true, notified: 'REFUNDED' },
    unclear,
  ],
  ['a part that is called SUCCESS after a chargeback', { ...PART, now: 'SUCCESS', accepted: true }, unclearIfItLasts],
];

test.each(TOLD)('%s is read as such', (_what, seen, reading) => {
  expect(interpret({ ...PLAIN, ...SUCCESS, now: '', ...seen })).toEqual(reading);
});

test('promise 7: no amount is freed by a status that has not lasted', () => {
  const statuses = [...TRADE_STATUSES, null];
  const flags = [true, false];
  for (const baseline of TRADE_STATUSES)
    for (const now of TRADE_STATUSES)
      for (const notified of statuses)
        for (const attributed of flags)
          for (const accepted of flags) {
            const reading = interpret({ ...PLAIN, baseline, now, notified, attributed, accepted });
            if (reading.is === 'ended' && reading.outcome !== 'REFUNDED') expect(reading.settlings).toBeGreaterThan(0);
          }
});
