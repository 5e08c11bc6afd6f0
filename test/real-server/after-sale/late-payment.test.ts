/** `PAYMENTS_LATE=refund`: a payment after the end of its order is refunded, through a whole stack. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { paymentFollowUpWorkflowId, paymentWorkflowId } from '../../../src/contract';
import type { DirectPayment } from '../../../src/gateway';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentEvent, PaymentState } from '../../../src/workflows';
import { publishedOrder } from '../../harness/orders';
import { afterSaleOf, waitsForAPerson } from '../../harness/sold';

const heard: PaymentEvent[] = [];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: {
      PAYMENTS_LATE: 'refund',
      PAYMENTS_POLL_SCHEDULE: '300ms',
      PAYMENTS_POLL_EVERY: '300ms',
      PAYMENTS_SETTLING: '1s',
    },
    simulator: { refundTakes: 'manual' },
    onEvent: (event) => void ('payment' in event && heard.push(event)),
  });
});
afterAll(() => stack?.close());

const paymentOf = (out_trade_no: string) =>
  stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no));
const attentionKey = defineSearchAttributeKey('PaymentAttention', 'KEYWORD');
const attentionOf = async (handle: { describe(): ReturnType<ReturnType<typeof paymentOf>['describe']> }) =>
  (await handle.describe()).typedSearchAttributes.get(attentionKey);
const refundsOf = (out_trade_no: string) => stack.simulator.ledger({ out_trade_no })[0]?.refunds;

/** An order whose payment had ended before its buyer paid: the state of the run that the money opened. */
async function paidLate(name: string): Promise<{ order: DirectPayment; state: PaymentState }> {
  const order = publishedOrder(name);
  const { out_trade_no } = order;
  await stack.payments.pay(order);
  const resolution = { outcome: 'CANCEL', reason: 'the buyer called', by: 'ana' };
  await paymentOf(out_trade_no).executeUpdate('resolve', { args: [resolution] });
  await stack.payments.outcome(out_trade_no);
  await stack.simulator.pay(out_trade_no);
  await stack.simulator.settled();
  return { order, state: await stack.payments.outcome(out_trade_no) };
}

test('a late payment by wallet is refunded in full, once', async () => {
  const { order, state } = await paidLate('wallet-qr');
  const { out_trade_no, order_amount } = order;
  expect(state).toMatchObject({
    outcome: 'SUCCESS',
    previous: { outcome: 'CANCEL' },
    attention: null,
    late_payment_refund: { out_request_no: expect.any(String), refund_status: 'REFUND_PROCESSING', reason: null },
  });
  const number = state.late_payment_refund?.out_request_no ?? '';
  expect(number.length).toBeLessThanOrEqual(16);

  await stack.simulator.actOnRefund(out_trade_no, 'approve');
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
    trade_status: 'REFUNDED',
    refunded_amount: order_amount,
    attention: null,
    refunds: [{ out_request_no: number, refund_amount: order_amount, outcome: 'REFUNDED' }],
  });
  expect(refundsOf(out_trade_no)).toMatchObject([{ out_request_no: number, refund_amount: order_amount }]);
  expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no })).toHaveLength(1);
});

test('the event of a late payment names its refund, so that the merchant delivers nothing', async () => {
  const { order } = await paidLate('wallet-qr');
  const ofMoney = heard.filter(
    ({ payment, transition }) => payment.out_trade_no === order.out_trade_no && transition?.to === 'SUCCESS',
  );
  expect(ofMoney[0]).toMatchObject({
    payment: { previous: { outcome: 'CANCEL' }, late_payment_refund: { out_request_no: expect.any(String) } },
  });
});

test('a late payment whose refund the bank refuses raises attention', async () => {
  const { order } = await paidLate('wallet-qr');
  await stack.simulator.actOnRefund(order.out_trade_no, 'refuse');
  const afterSale = afterSaleOf(stack, order.out_trade_no);
  expect(await waitsForAPerson(stack, order.out_trade_no, 'late-payment')).toMatchObject({
    refunded_amount: '0.00',
    refunds: [{ outcome: 'REFUND_REFUSED' }],
  });
  expect(await attentionOf(afterSale)).toBe('late-payment');
});

test.each([
  ['pix', 'PIX is refunded to a bank account of the buyer’s, which the order does not have: bank_info is missing'],
  [
    'spei',
    'SPEI is refunded to a bank account (CLABE) of the buyer’s, which the order does not have: bank_info is missing',
  ],
])(
  'a late payment by %s is not refunded without the buyer’s bank account, and raises attention with what is missing',
  async (name, reason) => {
    const { order, state } = await paidLate(name);
    expect(state).toMatchObject({
      outcome: 'SUCCESS',
      attention: 'late-payment',
      late_payment_refund: { refund_status: null, reason },
    });
    const { runId } = await paymentOf(order.out_trade_no).describe();
    const followUp = paymentFollowUpWorkflowId(APP.app_id, order.out_trade_no, runId);
    // The follow-up is open for as long as a person is asked for, so it is what a search finds.
    const handle = stack.client.workflow.getHandle(followUp);
    await handle.query('state');
    expect(await attentionOf(handle)).toBe('late-payment');
    expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: order.out_trade_no })).toEqual([]);
  },
);

test('a late payment whose order lacks a field of the buyer is not refunded, and the reason names the field', async () => {
  const { order, state } = await paidLate('oxxo');
  expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: order.out_trade_no })).toEqual([]);
  expect(state).toMatchObject({
    attention: 'late-payment',
    late_payment_refund: {
      refund_status: null,
      reason: expect.stringContaining('user_info.identify.number: required'),
    },
  });
});

test('a second run for the same late payment requests the same refund, and the gateway gets one request', async () => {
  const { order, state } = await paidLate('wallet-qr');
  const { out_trade_no } = order;
  const { workflowId } = paymentOf(out_trade_no);
  const { payment_data } = state;
  const previous = { run_id: state.previous?.run_id, outcome: 'CANCEL', payment_data };
  const args = [{ kind: 'adopt', app_id: APP.app_id, out_trade_no, previous }];
  const again = await stack.client.workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args });
  expect(await again.result()).toMatchObject({ late_payment_refund: state.late_payment_refund, attention: null });
  expect(refundsOf(out_trade_no)).toHaveLength(1);
  expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no })).toHaveLength(1);
});

test('a payment in time is not refunded', async () => {
  const order = publishedOrder('wallet-qr');
  await stack.payments.pay(order);
  await stack.simulator.pay(order.out_trade_no);
  const state = await stack.payments.outcome(order.out_trade_no);
  expect(state).toMatchObject({ outcome: 'SUCCESS', attention: null });
  expect(state).not.toHaveProperty('late_payment_refund');
  expect(refundsOf(order.out_trade_no)).toEqual([]);
});
