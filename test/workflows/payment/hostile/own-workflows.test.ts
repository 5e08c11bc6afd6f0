/**
 * Promise 2, for a merchant's own workflow (`startPayment`): an order that may exist is never called certainly not created. By the contract
 * its number could be used again then, and the buyer be charged twice.
 */

import { MockActivityEnvironment } from '@temporalio/testing';
import { starterActivities } from '../../../../src/activities';
import type { NewPayment } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, happens, pay, terminate, world } from './acts';

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
  await happens(pay, 5 * MINUTE);
  return world.told.slice(before).map((one) => (one.is === 'failure' ? one.type : one.is));
}

test('an order whose answer was lost, and whose payment somebody terminated, is not told as certainly not created', async () => {
  await begin({ creations: ['answer lost'], lag_ms: HOUR });
  await happens(pay, 10_000);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us']);
  await happens(terminate, MINUTE);
  expect(await clientSays()).toEqual(['PaymentPendingError']);
  expect(await startPaymentSays(world.input)).not.toEqual({ type: 'NotCreated', may_exist: undefined });
});

test('an order that may exist after a refusal of its second try is told so to who asks after its end', async () => {
  await begin({ creations: ['lost before it arrived', 'refused for good'] });
  await happens(pay, HOUR);
  const told: unknown = await world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
  expect(told).toMatchObject({ name: 'NotCreatedError', details: { may_exist: true } });
  await world.pass(DAY);
  expect(await startPaymentSays(world.input)).toEqual({ type: 'NotCreated', may_exist: true });
});
