/** What a story keeps of an order, and what stands in for the rest. */
import { StandIns } from '../../src/temporal/stand-ins';

test('amounts, statuses and codes are kept, and everything else has a stand-in that is the same for the same value', () => {
  const hidden = new StandIns().hide([
    {
      is: 'ordered',
      out_trade_no: 'M-77',
      order_amount: '150.00',
      method: 'PIX',
      customer: { name: 'Mariana', buyer: 'M-77' },
    },
    { is: 'shown', trade_status: 'REFUND_PROCESSING', trade_no: '2026001', after_ms: 1_200, isKept: true, none: null },
    { by: 'ana', reason: 'Mariana', trade_no: '2026001', timeout_express: '90m', sub_code: 'duplicate-out_trade_no' },
  ]);
  expect(hidden).toEqual([
    {
      is: 'ordered',
      out_trade_no: 'order-1',
      order_amount: '150.00',
      method: 'PIX',
      customer: { name: 'private-1', buyer: 'order-1' },
    },
    { is: 'shown', trade_status: 'REFUND_PROCESSING', trade_no: 'trade-1', after_ms: 1_200, isKept: true, none: null },
    {
      by: 'person-1',
      reason: 'private-1',
      trade_no: 'trade-1',
      timeout_express: '90m',
      sub_code: 'duplicate-out_trade_no',
    },
  ]);
});

test('a gateway that writes a person into a status, an amount or the name of a field tells nobody of them', () => {
  const hostile = {
    trade_status: 'paid by Mariana Lima',
    order_amount: '502.844.147-27',
    method: 'm@example.com',
    'm@example.com': 1,
  };
  const hidden = JSON.stringify(new StandIns().hide([hostile, { code: '4111111111111111', nested: [['Mariana']] }]));
  expect(hidden).not.toMatch(/Mariana|502|example|4111/);
});
