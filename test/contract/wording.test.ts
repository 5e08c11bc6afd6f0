import { refundSums } from '../../src/contract';

const part = (
  refund_amount: string,
  outcome: 'ACCEPTED' | 'REFUNDED' | null,
  attention: 'unknown-refund' | null = null,
) => ({
  ...{
    trade_no: null,
    out_request_no: 'part',
    attempt: 1,
    refund_amount,
    refund_currency: 'BRL',
    partial: true,
    refund_status: null,
    outcome,
  },
  ...{ confirmed_by: null, attention, requested_at: '2026-11-28T00:00:00.000Z', started_at: null, sent_at: null },
  ...{ answer: null, failure: null, resolved: null },
});

describe('the sums of refunds in words', () => {
  test('what the gateway has only accepted is not said to have gone back', () =>
    expect(
      refundSums({ refunds: [part('30.00', 'ACCEPTED')], refunded_amount: '30.00', refunding_amount: '0.00' }),
    ).toEqual(['30.00 accepted by the gateway and not confirmed']));
  test('each sum that is not zero is named, the surest first', () =>
    expect(
      refundSums({
        refunds: [part('30.00', 'ACCEPTED'), part('20.00', 'REFUNDED'), part('5.00', null)],
        ...{ refunded_amount: '50.00', refunding_amount: '5.00' },
      }),
    ).toEqual(['20.00 refunded', '30.00 accepted by the gateway and not confirmed', '5.00 being refunded']));
  test('one that a person has to look at counts as being refunded', () =>
    expect(
      refundSums({
        refunds: [part('30.00', 'ACCEPTED', 'unknown-refund')],
        ...{ refunded_amount: '0.00', refunding_amount: '30.00' },
      }),
    ).toEqual(['30.00 being refunded']));
  test('nothing is said where nothing was asked for', () =>
    expect(refundSums({ refunds: [], refunded_amount: '0.00', refunding_amount: '0.00' })).toEqual([]));
});
