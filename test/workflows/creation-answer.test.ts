/** What `created` answers, and with what a caller is told the same again after the payment has closed. */
import type { PaymentState } from '../../src/workflows/contract';
import { creationAnswer } from '../../src/workflows/creation-answer';
import { PaymentRecord } from '../../src/workflows/payment-record';

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

test('nothing while the creation is unsettled', () => {
  const payment = record();
  expect(creationAnswer(payment.public)).toBeUndefined();
  payment.raise('unknown-outcome');
  expect(creationAnswer(payment.public)).toBeUndefined();
});

test('the gateway’s payment data, and the same whatever becomes of the payment', () => {
  const payment = record();
  payment.created(DATA, T);
  expect(creationAnswer(payment.public)).toEqual(DATA);
  payment.queried({ trade_no: 'T1', out_trade_no: 'order-1', trade_status: 'SUCCESS', order_amount: '150.00' }, T);
  expect(creationAnswer(payment.public)).toEqual(DATA);
});

test('for a payment that was refused at once: that it was, and the gateway’s reason', () => {
  const payment = record();
  payment.refused({ code: '70001', sub_code: '10001' }, T);
  expect(creationAnswer(payment.public)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'REFUSED',
    code: '70001',
    sub_code: '10001',
    recovered: false,
  });
});

test('for a payment that a person ended before it was created: the state that the person gave it', () => {
  const payment = record();
  payment.resolved({ outcome: 'CANCEL', reason: 'ordered by mistake', by: 'ana' }, T);
  expect(creationAnswer(payment.public)).toEqual({
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: 'CANCEL',
    recovered: false,
  });
});

test('tells nothing of the person who decided', () => {
  const payment = record();
  payment.resolved({ outcome: 'CANCEL', reason: 'ordered by mistake', by: 'ana' }, T);
  expect(JSON.stringify(creationAnswer(payment.public))).not.toMatch(/ana|mistake/);
});

test('survives its way through JSON, as every language gets it', () => {
  const payment = record();
  payment.created(DATA, T);
  const state: PaymentState = JSON.parse(JSON.stringify(payment.public));
  expect(creationAnswer(state)).toEqual(DATA);
});
