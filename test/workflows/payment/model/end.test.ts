/**
 * Signals and updates that come while a payment ends: it has its outcome, and its workflow is still open for a moment.
 */

import { type AfterSaleState, afterSaleWorkflowId, type PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { seededRandom } from '../../../../src/testing/simulated-temporal/random';
import { World } from './world';

/** A payment that has its outcome, and still delivers the event of it. */
async function ending(status: string): Promise<World> {
  const world = await World.create({ random: seededRandom(7), mishaps: [], blindQueries: 0, deafFor: 0 });
  world.start();
  await world.update('created', MINUTE, world.input);
  world.move(status);
  expect(await world.update('recheck', MINUTE)).toMatchObject({ outcome: status });
  expect(world.run?.isRunning).toBe(true);
  return world;
}

const statesOf = ({ temporal, workflowId }: World) =>
  Promise.all(temporal.runs(workflowId).map((run) => temporal.query<PaymentState>(run, 'state')));

function afterSaleOf({ temporal, out_trade_no }: World): Promise<AfterSaleState> {
  const afterSale = temporal.latest(afterSaleWorkflowId('model', out_trade_no));
  if (!afterSale) throw new Error('No after-sale');
  return temporal.query<AfterSaleState>(afterSale, 'state');
}

test('money that is notified during the end is known by the after-sale, which names the earlier outcome', async () => {
  const world = await ending('CANCEL');
  world.move('SUCCESS');
  await world.notify('SUCCESS', 7);
  await world.pass(MINUTE);
  const [before, ...more] = await statesOf(world);
  expect(before).toMatchObject({ outcome: 'CANCEL' });
  expect((await afterSaleOf(world)).payment).toMatchObject({
    outcome: 'SUCCESS',
    attention: 'late-payment',
    previous: { outcome: 'CANCEL', run_id: world.temporal.runs(world.workflowId)[0]?.runId },
    payment_data: before?.payment_data,
  });
  expect(more).toEqual([]);
  await world.temporal.close();
});

test('late money is found where the gateway answers from a stale replica', async () => {
  const world = await World.create({
    random: seededRandom(7),
    mishaps: [],
    blindQueries: 0,
    deafFor: 0,
    lag_ms: 10_000,
  });
  world.start();
  await world.update('created', MINUTE, world.input);
  world.move('CANCEL');
  await world.pass(DAY);
  expect(world.run?.isRunning).toBe(false);
  world.move('SUCCESS');
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect((await afterSaleOf(world)).payment).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
  await world.temporal.close();
});

test('a notified payment that the gateway keeps denying raises attention', async () => {
  const world = await ending('CANCEL');
  await world.pass(DAY);
  await world.notify('SUCCESS');
  await world.pass(HOUR);
  expect((await afterSaleOf(world)).payment).toMatchObject({
    outcome: 'CANCEL',
    attention: 'unconfirmed-notification',
  });
  expect(world.run?.isRunning).toBe(false);
  await world.temporal.close();
});

test('a dispute that is notified during the end reaches the after-sale', async () => {
  const world = await ending('SUCCESS');
  world.move('DISPUTE');
  await world.notify('DISPUTE');
  await world.pass(MINUTE);
  expect(await statesOf(world)).toMatchObject([{ outcome: 'SUCCESS' }]);
  const afterSale = world.temporal.latest(afterSaleWorkflowId('model', world.out_trade_no));
  if (!afterSale) throw new Error('No after-sale');
  expect(await world.temporal.query(afterSale, 'state')).toMatchObject({
    trade_status: 'DISPUTE',
    attention: 'dispute',
  });
  await world.temporal.close();
});

test('a chargeback that the payment itself learns reaches the after-sale, and raises attention', async () => {
  const world = await World.create({ random: seededRandom(7), mishaps: [], blindQueries: 0, deafFor: 0 });
  world.start();
  await world.update('created', MINUTE, world.input);
  world.move('CHARGEBACK');
  expect(await world.update('recheck', MINUTE)).toMatchObject({ outcome: 'SUCCESS', trade_status: 'CHARGEBACK' });
  await world.pass(MINUTE);
  expect(await afterSaleOf(world)).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
  await world.temporal.close();
});

test('a person’s decision wins over a refusal that comes at the same moment', async () => {
  const world = await World.create({ random: () => 0, mishaps: ['final-refusal'], blindQueries: 0, deafFor: 0 });
  world.start();
  await world.temporal.clock.until(() => world.calls.length > 0, MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  expect(world.run?.status).toBe('COMPLETED');
  expect(await statesOf(world)).toMatchObject([{ outcome: 'CANCEL', confirmed_by: 'operator' }]);
  await world.temporal.close();
});

test('an older notification changes nothing', async () => {
  const world = await ending('SUCCESS');
  await world.notify('PROCESSING');
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect(await statesOf(world)).toMatchObject([{ outcome: 'SUCCESS' }]);
  await world.temporal.close();
});
