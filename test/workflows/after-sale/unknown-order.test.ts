/** A refund of an order that nobody has: its number was mistyped. */
import { PaymentNotFoundError, PaymentPendingError } from '../../../src/client';
import { APP, type Simulation, signTestNotification, simulate } from '../../../src/testing';

const SECOND = 1_000;

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const refund = (out_trade_no: string) =>
  simulation.payments.refund(out_trade_no, { amount: '10.00', user_info: { email: 'a@example.com' } });
const afterSale = (out_trade_no: string) =>
  simulation.temporal.client.workflow.getHandle(`after-sale:${APP.app_id}:${out_trade_no}`);

test('is not found within two seconds, and leaves nothing behind that waits for a person', async () => {
  const began = await simulation.temporal.currentTimeMs();
  await expect(refund('mistyped')).rejects.toBeInstanceOf(PaymentNotFoundError);
  expect((await simulation.temporal.currentTimeMs()) - began).toBeLessThan(2 * SECOND);
  expect(await afterSale('mistyped').result()).toMatchObject({ refunds: [], attention: null });
  // The same again is answered in the same way.
  await expect(refund('mistyped')).rejects.toMatchObject({ type: 'NotFound', retryable: false });
});

test('is asked for on where the gateway does not answer: it may know the order', async () => {
  simulation.gateway.isDown = true;
  await expect(refund('order-1')).rejects.toBeInstanceOf(PaymentPendingError);
  simulation.gateway.isDown = false;
  await simulation.gateway.addTrade('order-1', { method: 'CreditCard' });
  await simulation.sleep('10 minutes');
  expect(await refund('order-1')).toMatchObject({ refund_amount: '10.00' });
});

test('waits for no person, and ends, where it was asked for in an outage and the gateway then denies it', async () => {
  simulation.gateway.isDown = true;
  await expect(refund('mistyped')).rejects.toBeInstanceOf(PaymentPendingError);
  simulation.gateway.isDown = false;
  await simulation.sleep('1 hour');
  expect(await afterSale('mistyped').result()).toMatchObject({ payment: null, refunds: [], attention: null });
  await expect(refund('mistyped')).rejects.toBeInstanceOf(PaymentNotFoundError);
});

test('is asked for on where the gateway has notified the order, although its queries do not know it yet', async () => {
  const { gateway } = simulation;
  const { trade_no } = await gateway.addTrade('order-1', { method: 'CreditCard', statusAt: () => 'DISPUTE' });
  gateway.blindQueries = 2;
  const notification = { out_trade_no: 'order-1', trade_no, trade_status: 'DISPUTE' };
  await simulation.notify(signTestNotification(APP, notification));
  await expect(refund('order-1')).rejects.not.toBeInstanceOf(PaymentNotFoundError);
});

test('one call without an answer is no silence: it counts from the last answer, which may be a denial', async () => {
  const { gateway } = simulation;
  gateway.isDown = true;
  await expect(refund('mistyped')).rejects.toBeInstanceOf(PaymentPendingError);
  // It answers for as long as PAYMENTS_PATIENCE that there is no such order.
  gateway.isDown = false;
  await simulation.sleep('10 minutes');
  gateway.isDown = true;
  await simulation.sleep('2 minutes');
  expect(await afterSale('mistyped').query('state')).toMatchObject({ attention: null });
  // Then it is silent for that long.
  await simulation.sleep('10 minutes');
  expect(await afterSale('mistyped').query('state')).toMatchObject({ attention: 'no-answer' });
});
