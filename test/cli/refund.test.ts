/** What `payment-gateway refund` says beside the gateway's answer. */
import { besideOwnTrade } from '../../src/cli/refund';

describe('a refund of an order under whose number another trade was paid', () => {
  const trade = { trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '150.00' };
  const payment = { outcome: 'SUCCESS' as const, order_currency: 'BRL' as const, other_trades: [trade] };

  test('says that it sends back the order’s own trade, and where the other one is sent back', () => {
    expect(besideOwnTrade({ trade_no: 'T1', payment })).toBe(
      '  (of the order’s own trade T1. The buyer has paid twice: 150.00 BRL of trade T2 goes back only in the gateway’s dashboard, and need not where this refund was for it)',
    );
  });
  test('says nothing where no other trade was paid', () => {
    expect(besideOwnTrade({ trade_no: 'T1', payment: { ...payment, other_trades: [] } })).toBeUndefined();
    expect(besideOwnTrade({ trade_no: 'T1', payment: null })).toBeUndefined();
  });
});
