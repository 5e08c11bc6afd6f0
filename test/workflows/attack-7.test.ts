/**
 * Promise 2, for a merchant's own workflow (`startPayment`): a payment that has ended without an answer is told as NotCreated, as if there were
 * certainly no order, although it may exist. By docs/contract.md the order may then be sent again, or sold under a new number: two charges. The
 * client says PaymentPending, or NotCreated with `may_exist`, of the same payments.
 */
import { MockActivityEnvironment } from '@temporalio/testing';
import { starterActivities } from '../../src/activities';
import type { NewPayment } from '../../src/contract';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { begin, end, pay, world } from './payment/hostile/acts';

afterEach(end);

/** What the activity of `startPayment` answers: the type and the details of its failure. */
async function startPaymentSays(payment: NewPayment): Promise<unknown> {
  const activity = new MockActivityEnvironment({}, { client: world.temporal.client });
  return world.within(() =>
    activity.run(starterActivities['payments.created'], payment).then(
      (answer: unknown) => answer,
      ({ type, details }: { type: string; details: unknown[] }) => ({
        type,
        may_exist: Reflect.get(Object(details?.[0]), 'may_exist'),
      }),
    ),
  );
}

/** What the client says of it. */
async function clientSays(): Promise<unknown> {
  const before = world.told.length;
  await pay(5 * MINUTE);
  return world.told.slice(before).map((one) => (one.is === 'failure' ? one.type : one.is));
}

test('an order whose answer was lost, and whose payment somebody terminated, is not told as certainly not created', async () => {
  await begin({ creations: ['answer lost'], lag_ms: HOUR });
  await pay(10_000);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us']);
  world.terminate();
  await world.pass(MINUTE);
  expect(await clientSays()).toEqual(['PaymentPendingError']);
  expect(await startPaymentSays(world.input)).not.toEqual({ type: 'NotCreated', may_exist: undefined });
});

test('an order that may exist after a refusal of its second try is told so to who asks after its end', async () => {
  await begin({ creations: ['lost before it arrived', 'refused for good'] });
  await pay(HOUR);
  const told: unknown = await world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
  expect(told).toMatchObject({ name: 'NotCreatedError', details: { may_exist: true } });
  await world.pass(DAY);
  expect(await startPaymentSays(world.input)).toEqual({ type: 'NotCreated', may_exist: true });
});
