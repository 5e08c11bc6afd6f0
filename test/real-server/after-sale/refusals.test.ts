/**
 * Refusals of a refund by sub_codes that the interface does not list. Their meaning is unknown, so the trade's state decides;
 * where it cannot, a person does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RefundRequest } from '../../../src/gateway';
import { type Stack, startStack } from '../../../src/testing/stack';
import { afterSaleOf, part, sold, USER, whole } from '../../harness/sold';

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

test('a refund with an unknown outcome after an earlier part is not sent again and waits for a person’s decision', async () => {
  const order = await sold(stack, 'credit-card');
  const { out_trade_no } = order;
  await stack.payments.refund(out_trade_no, part(order, '10.00', 'first'));
  await afterSaleOf(stack, out_trade_no).result();
  stack.simulator.addFault({ out_trade_no, on: 'refund', fault: '5xx-before' });
  const asked = stack.payments.refund(out_trade_no, part(order, '20.00', 'rest')).catch((error: unknown) => error);
  while ((await stack.payments.refunds(out_trade_no)).attention !== 'unknown-refund') await delay(100);
  const resolution = { outcome: 'NOT_CREATED', reason: 'the dashboard shows none', by: 'ana' };
  const resolve = (more: object) =>
    afterSaleOf(stack, out_trade_no).executeUpdate('resolve', { args: [{ ...resolution, ...more }] });
  await expect(resolve({ out_request_no: 'first' })).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
  await resolve({ out_request_no: 'rest' });
  expect(await asked).toMatchObject({
    name: 'NotRefundedError',
    message: expect.stringContaining('ana decided so: the dashboard shows none'),
  });
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: '10.00', attention: null });
  expect(askedFor(out_trade_no)).toHaveLength(2);
});
