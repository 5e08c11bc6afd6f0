/** The answer of the update `created`, which callers also get after the payment has closed. */
import type { PaymentState } from '../../src/contract';
import { creationAnswer } from '../../src/contract';
import { PaymentRecord } from '../../src/workflows/payment/record';

const T = Date.parse('2026-03-02T12:00:00Z');

const record = () =>
  new PaymentRecord({
    kind: 'direct',
    app_id: 'app',
    request: { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL', method: 'PIX' },
  });

const DATA = {
  out_trade_no: 'order-1',
  trade_no: 'T1',
  trade_status: 'PROCESSING',
  qr_code: '000201',
  recovered: false,
};

test('created has no answer while the creation is not decided', () => {
  const payment = record();
  expect(creationAnswer(payment.snapshot)).toBeUndefined();
  payment.raise('unknown-outcome');
  expect(creationAnswer(payment.snapshot)).toBeUndefined();
});

test('created answers with the gateway’s payment data, whatever the payment’s outcome', () => {
  const payment = record();
  payment.applyCreation(DATA, T);
  expect(creationAnswer(payment.snapshot)).toEqual(DATA);
  payment.applyQuery({ trade_no: 'T1', out_trade_no: 'order-1', trade_status: 'SUCCESS', order_amount: '150.00' }, T);
  expect(creationAnswer(payment.snapshot)).toEqual(DATA);
});

test('created answers with the gateway’s reason where the payment was refused at once', () => {
  const payment = record();
  payment.applyRefusal({ code: '70001', sub_code: '10001' }, T);
  expect(creationAnswer(payment.snapshot)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'REFUSED',
    code: '70001',
    sub_code: '10001',
    recovered: false,
  });
});

test('created answers with the person’s outcome where a person ended the payment before it was created', () => {
  const payment = record();
  payment.applyResolution({ outcome: 'CANCEL', reason: 'ordered by mistake', by: 'ana' }, T);
  expect(creationAnswer(payment.snapshot)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'CANCEL',
    recovered: false,
  });
});

test('the answer holds nothing of the person who decided', () => {
  const payment = record();
  payment.applyResolution({ outcome: 'CANCEL', reason: 'ordered by mistake', by: 'ana' }, T);
  expect(JSON.stringify(creationAnswer(payment.snapshot))).not.toMatch(/ana|mistake/);
});

test('the answer stays the same through JSON, as every language gets it', () => {
  const payment = record();
  payment.applyCreation(DATA, T);
  const state: PaymentState = JSON.parse(JSON.stringify(payment.snapshot));
  expect(creationAnswer(state)).toEqual(DATA);
});
