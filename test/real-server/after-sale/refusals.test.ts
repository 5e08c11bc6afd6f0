/**
 * Refusals of a refund by sub_codes that the interface does not list. Their meaning is unknown, so the trade's state decides;
 * where it cannot, a person does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RefundRequest } from '../../../src/gateway';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { afterSaleOf, part, sold, USER, whole } from '../../harness/sold';
import { call } from '../../simulator/support';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    simulator: { refundTakes: '0s' },
  });
});
afterAll(() => stack?.close());

const askedFor = (out_trade_no: string) => stack.simulator.requests({ path: '/trade/refund', out_trade_no });

/** After a refusal that brought no refund: the merchant hears it, and it was asked for once. */
async function expectNone(out_trade_no: string, refund: RefundRequest, sub_code: string) {
  await expect(stack.payments.refund(out_trade_no, refund)).rejects.toMatchObject({
    name: 'NotRefundedError',
    details: { code: '40002', sub_code },
  });
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
    refunded_amount: '0.00',
    refunding_amount: '0.00',
    attention: null,
    refunds: [{ outcome: 'NOT_CREATED' }],
  });
  expect(askedFor(out_trade_no)).toHaveLength(1);
}

describe('a refund with an unknown refusal, of a trade that stays SUCCESS', () => {
  test('is refused with NotRefunded where the method has no refunds', async () => {
    const order = await sold(stack, 'oxxo');
    await expectNone(order.out_trade_no, { ...whole(order), user_info: USER }, 'refund-not-supported');
  });

  test('is refused with NotRefunded where the wallet refunds only the whole amount, and a full refund then succeeds', async () => {
    const order = await sold(stack, 'wallet-qr', { channel: 'PicPay' });
    await expectNone(order.out_trade_no, part(order, '10.00', 'part'), 'partial-refund-not-supported');
    expect(await stack.payments.refund(order.out_trade_no, whole(order))).toMatchObject({ refund_status: 'REFUNDED' });
  });
});

test('a refund with an unknown refusal, of a trade that was refunded elsewhere, is not sent again and waits for a person’s decision', async () => {
  const order = await sold(stack, 'credit-card');
  const { out_trade_no, order_amount, order_currency } = order;
  // Made elsewhere, so that our own ledger does not know what is left.
  const elsewhere = { out_trade_no, refund_amount: '500.00', refund_currency: order_currency, out_request_no: 'desk' };
  await call(stack.simulator, '/trade/refund', { ...elsewhere, user_info: USER }, { as: APP });
  const asked = stack.payments.refund(out_trade_no, whole(order)).catch((error: unknown) => error);
  while (
    (await stack.payments.refunds(out_trade_no).catch(() => undefined))?.refunds[0]?.attention !== 'unknown-refund'
  ) {
    await delay(100);
  }
  expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
    attention: 'refund-elsewhere',
    ledger_complete: false,
    refunded_amount: '0.00',
    refunding_amount: order_amount,
  });
  const resolution = { outcome: 'NOT_CREATED', reason: 'the dashboard shows none', by: 'ana' };
  await afterSaleOf(stack, out_trade_no).executeUpdate('resolve', { args: [resolution] });
  expect(await asked).toMatchObject({
    name: 'NotRefundedError',
    message: expect.stringContaining('ana decided so: the dashboard shows none'),
  });
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: '0.00', attention: null });
  expect(askedFor(out_trade_no).filter(({ created }) => !created)).toMatchObject([
    { sub_code: 'refund-amount-exceeded' },
  ]);
  expect(askedFor(out_trade_no)).toHaveLength(2);
});
