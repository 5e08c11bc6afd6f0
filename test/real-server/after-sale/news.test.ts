/** What follows a sale, from the gateway's side to the merchant's: real server, worker, webhook and gateway over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { defineSearchAttributeKey } from '@temporalio/common';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentEvent } from '../../../src/workflows';
import { afterSaleOf, part, sold, USER, whole } from '../../harness/sold';

const heard: PaymentEvent[] = [];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    // Nothing goes on by itself before a test lets the gateway's time pass.
    simulator: { refundTakes: '1h', standsAgainAfter: '1h' },
    onEvent: (event) => void ('payment' in event && heard.push(event)),
  });
});
afterAll(() => stack?.close());

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
    .map(({ type, payment, transition }) => (type === 'attention' ? payment.attention : transition?.to));

describe('after a sale', () => {
  const attentionKey = defineSearchAttributeKey('PaymentAttention', 'KEYWORD');
  const attentionOf = async (out_trade_no: string) =>
    (await afterSaleOf(stack, out_trade_no).describe()).typedSearchAttributes.get(attentionKey);

  test('a dispute, its chargeback and the reversal each change the state, raise attention and reach the merchant’s handler', async () => {
    const { out_trade_no } = await sold(stack, 'credit-card');
    const { payments, simulator } = stack;

    await simulator.act(out_trade_no, 'dispute');
    await simulator.settled();
    await sees(out_trade_no, 'DISPUTE');
    expect(await payments.refunds(out_trade_no)).toMatchObject({ attention: 'dispute' });
    expect(await attentionOf(out_trade_no)).toBe('dispute');

    await simulator.act(out_trade_no, 'chargeback');
    await simulator.settled();
    await sees(out_trade_no, 'CHARGEBACK');
    expect(await payments.refunds(out_trade_no)).toMatchObject({ attention: 'chargeback' });
    expect(await attentionOf(out_trade_no)).toBe('chargeback');

    await simulator.act(out_trade_no, 'reverse-chargeback');
    await sees(out_trade_no, 'CHARGEBACK_REVERSED');
    await simulator.advance('1h');
    // That the payment stands again is told by nobody: it is found by polling.
    await sees(out_trade_no, 'SUCCESS');
    expect(await payments.refunds(out_trade_no)).toMatchObject({ attention: 'chargeback-reversed' });
    expect(await attentionOf(out_trade_no)).toBe('chargeback-reversed');
    await seen(out_trade_no);
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ attention: null });

    const { history } = await payments.refunds(out_trade_no);
    expect(history.map(({ from, to }) => [from, to])).toEqual([
      [null, 'DISPUTE'],
      ['DISPUTE', 'CHARGEBACK'],
      ['CHARGEBACK', 'CHARGEBACK_REVERSED'],
      ['CHARGEBACK_REVERSED', 'SUCCESS'],
      ['SUCCESS', 'SUCCESS'],
    ]);
    expect(history.at(-1)).toMatchObject({ source: 'operator', by: 'ana', reason: 'delivered' });
    expect(heardOf(out_trade_no)).toEqual([
      'DISPUTE',
      'dispute',
      'CHARGEBACK',
      'chargeback',
      'CHARGEBACK_REVERSED',
      'chargeback-reversed',
      'SUCCESS',
      'SUCCESS',
    ]);
    // Nothing of it moves the payment itself: it was paid.
    expect(await payments.state(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  });

  test('a forged notification of a chargeback is refused, and starts no after-sale', async () => {
    const { out_trade_no } = await sold(stack, 'credit-card');
    expect(await stack.simulator.forge(out_trade_no, 'CHARGEBACK')).toMatchObject({ acknowledged: false });
    await expect(stack.payments.refunds(out_trade_no)).rejects.toMatchObject({ name: 'PaymentNotFoundError' });
  });

  test('a refund that the bank forces is not counted as one of ours, and raises attention', async () => {
    const { out_trade_no } = await sold(stack, 'credit-card');
    await stack.simulator.act(out_trade_no, 'force-refund');
    await stack.simulator.settled();
    await sees(out_trade_no, 'REFUNDED');
    expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
      trade_status: 'REFUNDED',
      refunded_amount: '0.00',
      ledger_complete: false,
      attention: 'refund-elsewhere',
    });
    while (heardOf(out_trade_no).length < 2) await delay(50);
    expect(heardOf(out_trade_no)).toEqual(['REFUNDED', 'refund-elsewhere']);
  });
});

describe('a refund that waits for the buyer’s account', () => {
  /** A refund that waits for its buyer, and the page where the buyer answers. */
  async function waiting() {
    const order = await sold(stack, 'pix');
    const { out_trade_no } = order;
    const answer = await stack.payments.refund(out_trade_no, { ...whole(order), user_info: USER });
    expect(answer).toMatchObject({ refund_status: 'REFUND_VERIFYING' });
    await sees(out_trade_no, 'REFUND_VERIFYING');
    expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
      refunded_amount: '0.00',
      refunding_amount: order.order_amount,
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

  test('ends as REFUNDED when the buyer names an account on the page', async () => {
    const { order, page } = await waiting();
    const { out_trade_no, order_amount } = order;
    await press(page, 'confirm', 'key-of-mariana');
    await sees(out_trade_no, 'REFUND_PROCESSING');
    await stack.simulator.advance('1h');
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
      trade_status: 'REFUNDED',
      refunded_amount: order_amount,
      refunding_amount: '0.00',
      attention: null,
      refunds: [{ outcome: 'REFUNDED', refund_status: 'REFUNDED', confirmed_by: 'notification' }],
    });
    expect(heardOf(out_trade_no)).toEqual(['SUCCESS', 'REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUNDED']);
  });

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
    const again = { ...part(order, order_amount, 'once-more'), user_info: USER };
    expect(await stack.payments.refund(out_trade_no, again)).toMatchObject({ refund_status: 'REFUND_VERIFYING' });
    await press(stack.simulator.refund('once-more').page_url, 'confirm', 'key-of-mariana');
    await stack.simulator.advance('1h');
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: order_amount });
  });
});
