/** A merchant tests own payments with `temporal-payment-gateway/testing` alone. */
import { APP, type Simulation, signTestNotification, simulate } from 'temporal-payment-gateway/testing';
import { ORDER, paidOnTheThirdDay } from '../../examples/typescript/simulated';

const HOUR = 3_600_000;

let simulation: Simulation;
afterEach(() => simulation?.close());

it('a PIX order that is paid on its third day is found by polling, in a moment of real time', async () => {
  const { data, state, hours } = await paidOnTheThirdDay();
  expect(data).toMatchObject({ trade_no: 'T1', qr_code: expect.stringMatching(/^000201.*br\.gov\.bcb\.pix/) });
  expect(state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
  expect(hours).toBeGreaterThanOrEqual(60);
  expect(hours).toBeLessThan(62);
});

it('a signed notification ends a payment long before the next poll', async () => {
  simulation = await simulate({ env: { PAYMENTS_POLL_SCHEDULE: '1d', PAYMENTS_POLL_EVERY: '1d' } });
  const { gateway, notify, payments, sleep, temporal } = simulation;
  const began = await temporal.currentTimeMs();
  await payments.pay(ORDER);
  await sleep('1 hour');
  gateway.trades.forEach((trade) => {
    trade.statusAt = () => 'SUCCESS';
  });

  const response = await notify(signTestNotification(APP, { out_trade_no: 'order-1', trade_no: 'T1' }));
  expect([response.status, await response.text()]).toEqual([200, 'success']);
  expect(await payments.outcome('order-1')).toMatchObject({ outcome: 'SUCCESS' });
  expect((await temporal.currentTimeMs()) - began).toBeLessThan(2 * HOUR);
});

it('a notification that another key has signed is refused, and the payment waits', async () => {
  simulation = await simulate();
  const { notify, payments } = simulation;
  await payments.pay(ORDER);
  const stranger = { ...APP, secret_key: 'another key' };
  expect(await notify(signTestNotification(stranger, { out_trade_no: 'order-1' }))).toMatchObject({ status: 401 });
  expect(await payments.state('order-1')).toMatchObject({ outcome: null });
});

it('the merchant’s handler hears of a refund that follows a sale', async () => {
  const heard: string[] = [];
  simulation = await simulate({
    onEvent: (event) => void (event.type === 'transition' && heard.push(event.transition.to)),
  });
  const { gateway, payments, sleep } = simulation;
  gateway.statusAt = () => 'SUCCESS';
  await payments.pay(ORDER);
  await payments.outcome('order-1');
  const user_info = { name: 'Mariana Souza Lima', email: 'm@example.com', identify: { number: '1', type: 'CPF' } };
  await payments.refund('order-1', { user_info, bank_info: { bank_id: '341', number: '123456-7' } });
  await sleep('1 day');
  expect(await payments.refunds('order-1')).toMatchObject({ refunded_amount: '150.00', refunding_amount: '0.00' });
  expect(heard).toEqual(['SUCCESS', 'REFUND_PROCESSING', 'REFUNDED']);
});

it('a refund to an account that nobody has named waits for its buyer, and one without the buyer’s data is refused', async () => {
  simulation = await simulate();
  const { gateway, payments } = simulation;
  gateway.statusAt = () => 'SUCCESS';
  await payments.pay(ORDER);
  await payments.outcome('order-1');
  await expect(payments.refund('order-1')).rejects.toMatchObject({
    type: 'InvalidRequest',
    fields: ['user_info.identify.number', 'user_info.email'],
  });
  const user_info = { email: 'm@example.com', identify: { number: '1', type: 'CPF' } };
  expect(await payments.refund('order-1', { user_info })).toMatchObject({ refund_status: 'REFUND_VERIFYING' });
});

it('what is not simulated fails the call and says so', async () => {
  simulation = await simulate();
  const { client } = simulation.temporal;
  await simulation.payments.pay(ORDER);
  const handle = client.workflow.getHandle(`payment:${APP.app_id}:order-1`);
  await expect(handle.fetchHistory()).rejects.toThrow('not simulated: a history');
});
