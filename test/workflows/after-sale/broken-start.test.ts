/** An after-sale runs under its order's own id, on what its own run before handed on: there is never a second ledger. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { AfterSaleState } from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { APP } from '../hostile/base-world';
import { type Traits, World } from './hostile/world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create(traits);
};
afterEach(() => world?.close());

const SLOW = { startsAfter_ms: 2 * MINUTE, takes_ms: MINUTE, ends: 'done' } as const;
const goneBack = () => world.gateway.gone().toFixed(2);
const ownId = `after-sale:${APP}:order-1`;
const user_info = { name: 'Mariana Souza Lima', email: 'mariana@example.com', identify: { number: '12345678909' } };

type Started = (...args: unknown[]) => Promise<AfterSaleState>;

/** Somebody asks for a whole refund in a language that has nothing of ours; resolves to the answer, or to the failure's words. */
function refundThrough(workflowId: string, ...args: unknown[]): { answer: string | undefined } {
  const asked: { answer: string | undefined } = { answer: undefined };
  const startWorkflowOperation = new WithStartWorkflowOperation<Started>('afterSale', {
    ...{ workflowId, args, taskQueue: 'simulated', workflowIdConflictPolicy: 'USE_EXISTING' },
  });
  const refund = { refund_amount: '150.00', refund_currency: 'BRL', out_request_no: 'b', user_info };
  world.temporal.client.workflow
    .executeUpdateWithStart<Started, unknown, [object]>('refund', { args: [refund], startWorkflowOperation })
    .then(
      () => 'made',
      (error: Error) => String(error.cause ?? error),
    )
    .then((answer) => {
      asked.answer = answer;
    });
  return asked;
}

test.each([
  ['another workflow id', 'my-own-id', { app_id: APP, out_trade_no: 'order-1' }, `workflow id: must be ${ownId}`],
  [
    'an id made of the trade’s number',
    `after-sale:${APP}:T1`,
    { app_id: APP, trade_no: 'T1' },
    'out_trade_no: required',
  ],
  ['the id of another order', `after-sale:${APP}:order-2`, { app_id: APP, out_trade_no: 'order-1' }, ownId],
  ['no input', 'my-own-id', undefined, 'app_id: required'],
])(
  'promise 7: a refund through an after-sale with %s is refused at once, beside the order’s own',
  async (_title, workflowId, input, why) => {
    await open({ plans: [SLOW, SLOW], answersStatus: false });
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(1_000);
    const second = refundThrough(workflowId, input);
    await world.pass(1_000);
    expect(second.answer).toContain('No after-sale was started, and nothing was sent.');
    expect(second.answer).toContain(why);
    await world.pass(DAY);
    expect(goneBack()).toBe('150.00');
    expect(await world.state()).toMatchObject({ refunded_amount: '150.00', attention: null });
  },
);

test('a start without its order’s number, under the order’s own id, loses neither what was notified nor the ledger', async () => {
  await open({ plans: [{ takes_ms: 0, ends: 'done' }] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(4 * DAY);
  expect(world.run?.isRunning).toBe(false);
  world.temporal.start('afterSale', ownId, { app_id: APP, trade_no: 'T1' });
  world.gateway.move(world.sold, 'CHARGEBACK');
  world.deliver({ at: world.now, status: 'CHARGEBACK', number: undefined });
  await world.pass(HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect(await world.state()).toMatchObject({
    ...{ out_trade_no: 'order-1', trade_status: 'CHARGEBACK', attention: 'chargeback', refunded_amount: '50.00' },
  });
});

test('promise 7: a start by hand with the input of an earlier run does not bring back that run’s ledger', async () => {
  await open({ plans: [{ takes_ms: 0, ends: 'done' }] });
  world.temporal.start('afterSale', ownId, { app_id: APP, out_trade_no: 'order-1' });
  await world.pass(HOUR);
  const empty: AfterSaleState | undefined = await world.state();
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(world.run?.isRunning).toBe(false);
  world.temporal.start('afterSale', ownId, { app_id: APP, out_trade_no: 'order-1', previous: empty, carried: {} });
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(HOUR);
  expect([goneBack(), (await world.state())?.refunded_amount]).toEqual(['150.00', '150.00']);
});
