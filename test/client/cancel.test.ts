/** `payments.cancel` withdraws what was certainly not sent, and says plainly where it cannot. A payment that is over: clients/cases.json. */

import { NotCreatedError, PaymentNotCanceledError, PaymentsClient } from '../../src/client';
import { thrownBy } from '../harness/thrown';
import { World } from '../workflows/payment/hostile/world';

const world = (creations: readonly ('unreachable' | 'answer lost')[]) =>
  World.create({ takesNumbersTwice: false, creations });

test('an order that has not reached the gateway is withdrawn, and its caller hears that nothing was charged', async () => {
  const { payments, gateway, order, out_trade_no, pass, close } = bound(
    await world(Array.from({ length: 100 }, () => 'unreachable' as const)),
  );
  const paid = thrownBy(payments.pay(order()));
  await pass(5_000);
  expect(await payments.cancel(out_trade_no)).toMatchObject({ outcome: null, trade_no: null });
  const error = await paid;
  expect(error).toBeInstanceOf(NotCreatedError);
  expect(error).toMatchObject({ details: { outcome: 'not-sent' }, message: expect.stringContaining('withdrawn') });
  // Again, after its end: the answer is the same.
  expect(await payments.cancel(out_trade_no)).toMatchObject({ outcome: null });
  expect(gateway.trades).toEqual([]);
  await close();
});

test('an order that the gateway has, or may have, is not withdrawn', async () => {
  for (const creations of [[], ['answer lost'] as const]) {
    const { payments, order, out_trade_no, close } = bound(await world(creations));
    const paid = thrownBy(payments.pay(order()));
    const error = await thrownBy(paid.then(() => payments.cancel(out_trade_no)));
    expect(error).toBeInstanceOf(PaymentNotCanceledError);
    expect(error).toMatchObject({ out_trade_no, message: expect.stringContaining('cannot be withdrawn') });
    await close();
  }
});

test('the client without a worker says that there is no answer yet', async () => {
  const { temporal, out_trade_no, pay, pass, close } = bound(await world([]));
  const payments = new PaymentsClient({
    ...{ client: temporal.client, app_id: 'hostile', taskQueue: 'simulated', answerTimeoutMs: 1_000 },
  });
  temporal.leaveWithoutWorker(600_000);
  pay();
  await pass(10);
  expect(await thrownBy(payments.cancel(out_trade_no))).toMatchObject({ name: 'PaymentPendingError' });
  await close();
});

test('a payment that somebody terminated may have an order: that is said in our own words', async () => {
  const one = await world([]);
  await one.payments.pay(one.order());
  one.terminate();
  expect(await thrownBy(one.payments.cancel(one.out_trade_no))).toMatchObject({ name: 'PaymentPendingError' });
  await one.close();
});

/** The world with its methods bound, so that a test can take them apart. */
function bound(one: World) {
  return {
    ...{ payments: one.payments, temporal: one.temporal, gateway: one.gateway, out_trade_no: one.out_trade_no },
    order: () => one.order(),
    pass: (ms: number) => one.pass(ms),
    pay: () => one.pay(),
    close: () => one.close(),
  };
}
