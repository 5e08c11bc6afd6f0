/** Attacks on what persons have decided of a deposit, on lists that lag behind, and on what an account says that nobody can ask. */
import { paymentWorkflowId, speiAccountWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { PLAIN, World } from './world';

Error.stackTraceLimit = 0;

const A1 = speiAccountWorkflowId(APP, 'A1');
const A2 = speiAccountWorkflowId(APP, 'A2');
let world: World;
beforeEach(async () => {
  world = await World.create({ ...PLAIN, pick: () => 0 });
});
afterEach(() => {
  jest.restoreAllMocks();
  return world?.close();
});

test.each(['SUCCESS', 'CANCEL'])(
  'promise 8: a person’s %s of a deposit’s payment settles it, although the deposit was notified again before',
  async (outcome) => {
    // Operators: the decision is taken, and the same order is before a person again, as often as the gateway repeats itself.
    world.gateway.trouble = 'no such order';
    const deposit = world.gateway.deposit('A1', '100.00');
    world.notify(deposit);
    await world.pass(HOUR);
    world.notify(deposit);
    await world.pass(HOUR);
    const id = paymentWorkflowId(APP, deposit.out_trade_no);
    const decision = { by: 'ana', reason: 'the dashboard', outcome };
    await world.within(async () => void world.temporal.update(id, 'resolve', decision));
    await world.pass(DAY);
    expect((await world.state('A1'))?.deposits).toMatchObject({ pending: 0, count: outcome === 'SUCCESS' ? 1 : 0 });
    expect(world.temporal.runs(id)).toHaveLength(1);
  },
);

test('promise 8: "we keep asking" is true of a cancel that came to a run which nobody can ask any more', async () => {
  // The merchant: the account stays open at the gateway, and nobody asks it to cancel ever again.
  world.notify(world.gateway.deposit('A1', '1.00'));
  await world.pass(HOUR);
  world.gateway.trouble = 'unreachable';
  const asked = await world.within(async () => world.temporal.update(A1, 'cancel'));
  await world.pass(HOUR);
  expect(JSON.stringify(asked?.outcome)).toContain('We keep asking it');
  // Its code does not replay with the worker that was deployed, so somebody ends it, and no query of it is answered.
  const { workflow } = world.temporal.client;
  const handleOf = workflow.getHandle.bind(workflow);
  const query = () => Promise.reject(new Error('deadline exceeded'));
  jest
    .spyOn(workflow, 'getHandle')
    .mockImplementation((...of) => Object.assign(handleOf(...of), of[1] ? { query } : {}));
  world.terminate('A1');
  world.gateway.trouble = undefined;
  await world.pass(MINUTE);
  world.notify(world.gateway.deposit('A1', '2.00'));
  await world.pass(DAY);
  expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
});

test('promise 8: a deposit that comes long after its account began to read what it knew, and cannot, is before a person', async () => {
  // The buyer waits for as long as the list of workflows is down: the one look for deposits that wait was before the first came.
  const { workflow } = world.temporal.client;
  const listed = workflow.list.bind(workflow);
  const list = jest.spyOn(workflow, 'list').mockImplementation((options) => {
    if (world.temporal.latest(A2)) throw new Error('visibility is down');
    return listed(options);
  });
  world.create('k1');
  await world.pass(HOUR);
  world.notify(world.gateway.deposit('A2', '500.00'));
  await world.pass(DAY);
  expect(await world.state('A2')).toMatchObject({ attention: 'overdue-deposit', deposits: { pending: 1 } });
  list.mockRestore();
  await world.pass(DAY);
  expect(await world.state('A2')).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
});

test('promise 4: one trade is not counted by two accounts where the list of workflows does not know yet how a payment has ended', async () => {
  // The merchant loses 100.00: one transfer credited to two buyers, no attention.
  world.gateway.make('other');
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  const first = world.temporal.latest(paymentWorkflowId(APP, deposit.out_trade_no))?.runId;
  const { workflow } = world.temporal.client;
  const listed = workflow.list.bind(workflow);
  jest.spyOn(workflow, 'list').mockImplementation((options) => {
    const runs = listed(options);
    async function* behind() {
      for await (const run of runs)
        yield run.runId === first ? { ...run, status: { code: 1 as const, name: 'RUNNING' as const } } : run;
    }
    return Object.assign(behind(), { intoHistories: runs.intoHistories.bind(runs) });
  });
  world.notify({ ...deposit, account_id: 'A2' });
  await world.pass(HOUR);
  const [one, other] = [await world.state('A1'), await world.state('A2')];
  expect([one?.deposits.count, other?.deposits.count]).toEqual([1, 0]);
  expect(other?.attention).toBe('old-deposit');
});
