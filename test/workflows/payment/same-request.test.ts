/** The same order asked for again while its payment runs, and another order under its number. */
import { DuplicateOrderError } from '../../../src/client';
import { type Simulation, simulate } from '../../../src/testing';
import { publishedOrder } from '../../harness/orders';

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const LATER = { ip: '198.51.100.9', fingerprint: 'measured-anew', return_url: 'https://shop.example/back?session=2' };

test('a buyer who comes back from another network gets the payment data of the first order', async () => {
  const { gateway, payments } = simulation;
  const order = { ...publishedOrder('pix'), ip: '203.0.113.7', return_url: 'https://shop.example/back?session=1' };
  const first = await payments.pay(order);
  expect(await payments.pay({ ...order, ...LATER })).toEqual(first);
  expect(gateway.created).toBe(1);
});

test('the same holds once the payment is over', async () => {
  const { gateway, payments } = simulation;
  const order = publishedOrder('pix');
  gateway.statusAt = (elapsed_ms) => (elapsed_ms < 60_000 ? 'PROCESSING' : 'SUCCESS');
  const first = await payments.pay(order);
  expect(await payments.outcome(order.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  expect(await payments.pay({ ...order, ...LATER })).toEqual(first);
});

test('another order under the number is refused with the first one’s trade, and with a warning of a second charge', async () => {
  const { gateway, payments } = simulation;
  const order = publishedOrder('pix');
  await payments.pay(order);
  const refused = await payments.pay({ ...order, order_amount: '1.00' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DuplicateOrderError);
  expect(refused).toMatchObject({
    ...{ type: 'DifferentRequest', fields: ['order_amount'], trade_no: 'T1', order_amount: order.order_amount },
    message: expect.stringContaining('a new out_trade_no could charge the buyer twice'),
  });
  expect(gateway.created).toBe(1);
});
