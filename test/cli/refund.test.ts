/** What `payment-gateway refund` says beside the gateway's answer. */
import { besideAnswer } from '../../src/cli/refund';

import type { RefundState } from '../../src/contract';

const ASKED = '2026-03-02T11:00:00.000Z';
const refundIs = (outcome: RefundState['outcome'], refund_status: string): RefundState => ({
  ...{
    out_request_no: 'r-1',
    trade_no: 'T1',
    attempt: 1,
    refund_amount: '30.00',
    refund_currency: 'BRL',
    partial: true,
  },
  ...{ refund_status, outcome, confirmed_by: null, attention: null, answer: null, failure: null, resolved: null },
  ...{ requested_at: ASKED, started_at: ASKED, sent_at: ASKED },
});

describe('the command typed once more', () => {
  const beside = (refund_status: 'REFUND_PROCESSING' | 'REFUND_VERIFYING', refund: RefundState) =>
    besideAnswer({ out_request_no: 'r-1', refund_status }, { trade_no: 'T1', payment: null, refunds: [refund] });

  test('says what has become of the refund since the gateway’s answer', () => {
    const done = ['  (that was the gateway’s answer to it: refund r-1 is REFUNDED now)'];
    expect(beside('REFUND_PROCESSING', refundIs('REFUNDED', 'REFUNDED'))).toEqual(done);
    expect(beside('REFUND_VERIFYING', refundIs('REFUNDED', 'REFUNDED'))).toEqual(done);
  });
  test('says nothing of a refund that is as the gateway has answered', () => {
    expect(beside('REFUND_PROCESSING', refundIs('ACCEPTED', 'REFUND_PROCESSING'))).toEqual([]);
    expect(besideAnswer({ out_request_no: 'r-1', refund_status: 'REFUND_PROCESSING' }, undefined)).toEqual([]);
  });
  test('says that the buyer has to do something for as long as that is so', () => {
    const waits = ['  (nothing has gone back yet: the buyer has to confirm it, or to name an account, at the gateway)'];
    expect(beside('REFUND_VERIFYING', refundIs('ACCEPTED', 'REFUND_VERIFYING'))).toEqual(waits);
    expect(beside('REFUND_VERIFYING', refundIs('ACCEPTED', 'REFUND_PROCESSING'))).toEqual([]);
  });
});

describe('a refund of an order under whose number another trade was paid', () => {
  const trade = { trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '150.00' };
  const payment = { outcome: 'SUCCESS' as const, order_currency: 'BRL' as const, other_trades: [trade] };

  const beside = (sale: Pick<Parameters<typeof besideAnswer>[1] & object, 'payment'>) =>
    besideAnswer({ out_request_no: 'r-1' }, { trade_no: 'T1', refunds: [], ...sale });

  test('says that it sends back the order’s own trade, and where the other one is sent back', () => {
    expect(beside({ payment })).toEqual([
      '  (of the order’s own trade T1. The buyer has paid twice: 150.00 BRL of trade T2 goes back only in the gateway’s dashboard, and need not where this refund was for it)',
    ]);
  });
  test('says nothing where no other trade was paid', () => {
    expect(beside({ payment: { ...payment, other_trades: [] } })).toEqual([]);
    expect(beside({ payment: null })).toEqual([]);
  });
});
