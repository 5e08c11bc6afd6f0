/**
 * What follows a sale, from the gateway's side to the merchant's, and `PAYMENTS_LATE=refund`, by which a payment after the end of
 * its order is refunded: real server, worker, webhook and gateway over HTTP. One stack for both: nothing else is paid late.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { paymentWorkflowId } from '../../../src/contract';
import type { DirectPayment } from '../../../src/gateway';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentEvent, PaymentState } from '../../../src/workflows';
import { publishedOrder } from '../../harness/orders';
import { afterSaleOf, part, sold, USER } from '../../harness/sold';

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
    // Nothing goes on by itself before a test lets the gateway's time pass.
    simulator: { refundTakes: '1h', standsAgainAfter: '1h' },
    onEvent: (event) => void ('payment' in event && heard.push(event)),
  });
});
afterAll(() => stack?.close());

const attentionKey = defineSearchAttributeKey('PaymentAttention', 'KEYWORD');
const attentionOf = async (handle: Pick<WorkflowHandle, 'describe'>) =>
  (await handle.describe()).typedSearchAttributes.get(attentionKey);

describe('a late payment', () => {
  beforeAll(() => void stack.simulator.configure({ refundTakes: 'manual' }));
  afterAll(() => void stack.simulator.configure({ refundTakes: '1h' }));

  const paymentOf = (out_trade_no: string) =>
    stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no));
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
    return { order, state: await lateStateOf(out_trade_no) };
  }

  /** Once the after-sale has found the money, and the gateway has answered for its refund, or none is made. */
  async function lateStateOf(out_trade_no: string): Promise<PaymentState> {
    for (;;) {
      const state = await stack.payments.state(out_trade_no);
      const { refund_status = null, reason = null } = state.late_payment_refund ?? {};
      if (refund_status !== null || reason !== null) return state;
      await delay(50);
    }
  }

  test('a late payment by wallet is refunded in full, once, and its event names the refund, so that nothing is delivered', async () => {
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
    const ofMoney = () =>
      heard.find(
        (event) =>
          event.type === 'transition' &&
          event.payment.out_trade_no === out_trade_no &&
          event.transition.to === 'SUCCESS',
      );
    while (ofMoney() === undefined) await delay(50);
    expect(ofMoney()).toMatchObject({
      payment: { previous: { outcome: 'CANCEL' }, late_payment_refund: { out_request_no: number } },
    });

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

  test('a late payment is not refunded without the buyer’s bank account, and raises attention with what is missing', async () => {
    const { order, state } = await paidLate('pix');
    const reason =
      'PIX is refunded to a bank account of the buyer’s, which the order does not have: bank_info is missing';
    expect(state).toMatchObject({
      outcome: 'SUCCESS',
      attention: 'late-payment',
      late_payment_refund: { refund_status: null, reason },
    });
    // The after-sale is open for as long as a person is asked for, so it is what a search finds.
    expect(await attentionOf(afterSaleOf(stack, order.out_trade_no))).toBe('late-payment');
    expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: order.out_trade_no })).toEqual([]);
  });
});

/** Waits until the after-sale has seen this state. */
async function sees(out_trade_no: string, trade_status: string): Promise<void> {
  while ((await stack.payments.refunds(out_trade_no)).trade_status !== trade_status) await delay(50);
}

/** A person says that it is taken care of. */
const seen = (out_trade_no: string) =>
  afterSaleOf(stack, out_trade_no).executeUpdate('resolve', { args: [{ by: 'ana', reason: 'delivered' }] });

/** What the merchant's handler heard of an order after its sale. */
const heardOf = (out_trade_no: string) =>
  heard
    .filter(({ after_sale, payment }) => after_sale !== undefined && payment.out_trade_no === out_trade_no)
    .map((event) => (event.type === 'transition' ? event.transition.to : event.payment.attention));

describe('after a sale', () => {
  test('a dispute, its chargeback and the reversal each change the state, raise attention and reach the merchant’s handler', async () => {
    const { out_trade_no } = await sold(stack, 'credit-card');
    const { payments, simulator } = stack;

    await simulator.act(out_trade_no, 'dispute');
    await simulator.settled();
    await sees(out_trade_no, 'DISPUTE');
    const { attention, answer_by } = await payments.refunds(out_trade_no);
    expect([attention, answer_by]).toEqual(['dispute', expect.any(String)]);
    expect(await attentionOf(afterSaleOf(stack, out_trade_no))).toBe('dispute');

    await simulator.act(out_trade_no, 'chargeback');
    await simulator.settled();
    await sees(out_trade_no, 'CHARGEBACK');
    expect(await payments.refunds(out_trade_no)).toMatchObject({ attention: 'chargeback' });
    expect(await attentionOf(afterSaleOf(stack, out_trade_no))).toBe('chargeback');

    await simulator.act(out_trade_no, 'reverse-chargeback');
    await sees(out_trade_no, 'CHARGEBACK_REVERSED');
    await simulator.advance('1h');
    // That the payment stands again is told by nobody: it is found by polling.
    await sees(out_trade_no, 'SUCCESS');
    expect(await payments.refunds(out_trade_no)).toMatchObject({ attention: 'chargeback-reversed' });
    expect(await attentionOf(afterSaleOf(stack, out_trade_no))).toBe('chargeback-reversed');
    await seen(out_trade_no);
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ attention: null });

    const { history } = await payments.refunds(out_trade_no);
    expect(history.map(({ from, to }) => [from, to])).toEqual([
      ['SUCCESS', 'DISPUTE'],
      ['DISPUTE', 'CHARGEBACK'],
      ['CHARGEBACK', 'CHARGEBACK_REVERSED'],
      ['CHARGEBACK_REVERSED', 'SUCCESS'],
      ['SUCCESS', 'SUCCESS'],
    ]);
    expect(history.at(-1)).toMatchObject({ source: 'operator', by: 'ana', reason: 'delivered' });
    expect(heardOf(out_trade_no)).toEqual([
      // That it is notified asks for a person at once; that the gateway confirms it is a transition.
      'dispute',
      'DISPUTE',
      'chargeback',
      'CHARGEBACK',
      'chargeback-reversed',
      'CHARGEBACK_REVERSED',
      'SUCCESS',
    ]);
    const ofDispute = heard.find((event) => event.payment.out_trade_no === out_trade_no && event.type === 'attention');
    expect(ofDispute?.after_sale).toMatchObject({ answer_by });
    // Nothing of it moves the payment itself: it was paid.
    expect(await payments.state(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  });
});

describe('a refund that waits for the buyer’s account', () => {
  /** A refund that waits for its buyer, and the page where the buyer answers. */
  async function waiting() {
    const order = await sold(stack, 'pix');
    const { out_trade_no } = order;
    const answer = await stack.payments.refund(out_trade_no, { user_info: USER });
    expect(answer).toMatchObject({ refund_status: 'REFUND_VERIFYING' });
    await sees(out_trade_no, 'REFUND_VERIFYING');
    expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
      refunded_amount: order.order_amount,
      refunds: [{ outcome: 'ACCEPTED' }],
      attention: null,
    });
    return { order, page: stack.simulator.refund(out_trade_no).page_url };
  }

  /** Presses a button of the page, as a browser does. */
  async function press(page: string, action: string, account = '') {
    const html = await (await fetch(page)).text();
    const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    const body = new URLSearchParams({ ...fields, action, account });
    const { status } = await fetch(new URL('/refund', page), { method: 'POST', body, redirect: 'manual' });
    expect(status).toBe(303);
  }

  test('frees its amount for the next refund when the buyer declines it', async () => {
    const { order, page } = await waiting();
    const { out_trade_no, order_amount } = order;
    await press(page, 'decline');
    await sees(out_trade_no, 'REFUND_REVOKE');
    await stack.simulator.advance('1h');
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
      trade_status: 'SUCCESS',
      refunded_amount: '0.00',
      refunding_amount: '0.00',
      refunds: [{ outcome: 'REFUND_REVOKE' }],
    });
    const again = { ...part(order_amount, 'once-more'), user_info: USER };
    expect(await stack.payments.refund(out_trade_no, again)).toMatchObject({ refund_status: 'REFUND_VERIFYING' });
    await press(stack.simulator.refund('once-more').page_url, 'confirm', 'key-of-mariana');
    await stack.simulator.advance('1h');
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: order_amount });
  });
});
