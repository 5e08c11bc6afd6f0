/** What Temporal UI shows of a payment. */
import { PaymentRecord } from '../../../src/workflows/payment/record';
import { paymentDetails } from '../../../src/workflows/payment/visibility';
import { PendingNotifications } from '../../../src/workflows/shared/pending-notifications';
import { publishedOrder } from '../../harness/orders';

const T = Date.parse('2026-03-02T12:00:00Z');

test('a payment under amount-mismatch shows both amounts until a person has decided', () => {
  const request = publishedOrder('pix', { order_amount: '150.00' });
  const { out_trade_no } = request;
  const record = new PaymentRecord({ kind: 'direct', app_id: 'app', request });
  const shown = () => paymentDetails(record, new PendingNotifications(), 'the buyer').join('\n');
  expect(shown()).not.toContain('The gateway names');
  record.applyQuery(
    { trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS', order_amount: '120.00', order_currency: 'BRL' },
    T,
  );
  expect(shown()).toContain('**Ordered: 150.00 BRL. The gateway names: 120.00 BRL.**');
  record.applyResolution({ outcome: 'SUCCESS', reason: 'the rest came by transfer', by: 'ana' }, T);
  expect(shown()).not.toContain('The gateway names');
});
