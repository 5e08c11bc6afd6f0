/** What Temporal UI shows of a payment. */
import { paymentDetails } from '../../../src/workflows/payment/visibility';
import { LearningPayment } from '../../harness/learning-payment';
import { publishedOrder } from '../../harness/orders';

test('a payment under amount-mismatch shows both amounts until a person has decided', () => {
  const request = publishedOrder('pix', { order_amount: '150.00' });
  const { out_trade_no } = request;
  const payment = new LearningPayment({ kind: 'direct', app_id: 'app', request });
  const shown = () => paymentDetails(payment.known, 'the buyer').join('\n');
  expect(shown()).not.toContain('The gateway names');
  const paid = { trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS', order_amount: '120.00', order_currency: 'BRL' };
  payment.query(paid);
  expect(shown()).toContain('**Ordered: 150.00 BRL. The gateway names: 120.00 BRL.**');
  payment.learn({ is: 'decided', outcome: 'SUCCESS', reason: 'the rest came by transfer', by: 'ana' });
  expect(shown()).not.toContain('The gateway names');
});
