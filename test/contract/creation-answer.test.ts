import { creationAnswer } from '../../src/contract';
import { LearningPayment } from '../harness/learning-payment';

const newPayment = () =>
  new LearningPayment({
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
  const payment = newPayment();
  expect(creationAnswer(payment.state)).toBeUndefined();
  payment.learn({ is: 'raised', attention: 'unknown-outcome' });
  expect(creationAnswer(payment.state)).toBeUndefined();
});

test('created answers with the gateway’s payment data, whatever the payment’s outcome', () => {
  const payment = newPayment();
  payment.learn({ is: 'created', data: DATA, answer: DATA });
  expect(creationAnswer(payment.state)).toEqual(DATA);
  payment.query({ trade_no: 'T1', out_trade_no: 'order-1', trade_status: 'SUCCESS', order_amount: '150.00' });
  expect(creationAnswer(payment.state)).toEqual(DATA);
});

test('created answers with the gateway’s reason where the payment was refused at once', () => {
  const payment = newPayment();
  payment.learn({ is: 'refused', error: { code: '70001', sub_code: '10001' } });
  expect(creationAnswer(payment.state)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'REFUSED',
    code: '70001',
    sub_code: '10001',
    recovered: false,
  });
});

test('created answers with the person’s outcome where a person ended the payment before it was created', () => {
  const payment = newPayment();
  payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'ordered by mistake', by: 'ana' });
  expect(creationAnswer(payment.state)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'CANCEL',
    recovered: false,
  });
});
