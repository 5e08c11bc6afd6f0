/** What comes while a payment ends: its outcome is known, and its workflow is still open for a moment. */
import { DAY, MINUTE } from '../../src/gateway/durations';
import { type AfterSaleState, afterSaleWorkflowId, type PaymentState } from '../../src/workflows';
import { picker } from '../simulated/chance';
import { World } from './world';

/** A payment whose outcome is known, and whose merchant is still being told of it. */
async function ending(status: string): Promise<World> {
  const world = await World.create({ pick: picker(7), mishaps: [], blindQueries: 0, deafFor: 0 });
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

test('money that is told of then is taken on by a run of its own, which names the outcome before', async () => {
  const world = await ending('CANCEL');
  world.move('SUCCESS');
  await world.notify('SUCCESS', 7);
  await world.pass(MINUTE);
  const [before, after, ...more] = await statesOf(world);
  expect(before).toMatchObject({ outcome: 'CANCEL' });
  expect(after).toMatchObject({
    outcome: 'SUCCESS',
    attention: 'late-payment',
    previous: { outcome: 'CANCEL', run_id: world.temporal.runs(world.workflowId)[0]?.runId },
    payment_data: before?.payment_data,
  });
  expect(more).toEqual([]);
  await world.temporal.close();
});

test('late money is found where the gateway answers from a copy that is behind', async () => {
  const world = await World.create({ pick: picker(7), mishaps: [], blindQueries: 0, deafFor: 0, lag_ms: 10_000 });
  world.start();
  await world.update('created', MINUTE, world.input);
  world.move('CANCEL');
  await world.pass(DAY);
  expect(world.run?.isRunning).toBe(false);
  world.move('SUCCESS');
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect((await statesOf(world)).at(-1)).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
  await world.temporal.close();
});

test('money that is announced, and that the gateway keeps denying, is before a person', async () => {
  const world = await ending('CANCEL');
  await world.pass(DAY);
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect((await statesOf(world)).at(-1)).toMatchObject({ outcome: 'CANCEL', attention: 'unconfirmed-notification' });
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect(world.run?.isRunning).toBe(false);
  await world.temporal.close();
});

test('a dispute that is told of then reaches the after-sale', async () => {
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

test('a chargeback that the payment itself learns of reaches the after-sale, and a person', async () => {
  const world = await World.create({ pick: picker(7), mishaps: [], blindQueries: 0, deafFor: 0 });
  world.start();
  await world.update('created', MINUTE, world.input);
  world.move('CHARGEBACK');
  expect(await world.update('recheck', MINUTE)).toMatchObject({ outcome: 'SUCCESS', trade_status: 'CHARGEBACK' });
  await world.pass(MINUTE);
  expect(await afterSaleOf(world)).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
  await world.temporal.close();
});

test('a person’s word stands against a refusal that comes at the same moment', async () => {
  const world = await World.create({ pick: () => 0, mishaps: ['final-refusal'], blindQueries: 0, deafFor: 0 });
  world.start();
  await world.temporal.agenda.until(() => world.calls.length > 0, MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  expect(world.run?.status).toBe('COMPLETED');
  expect(await statesOf(world)).toMatchObject([{ outcome: 'CANCEL', confirmed_by: 'operator' }]);
  await world.temporal.close();
});

test('older news changes nothing', async () => {
  const world = await ending('SUCCESS');
  await world.notify('PROCESSING');
  await world.notify('SUCCESS');
  await world.pass(MINUTE);
  expect(await statesOf(world)).toMatchObject([{ outcome: 'SUCCESS' }]);
  await world.temporal.close();
});
