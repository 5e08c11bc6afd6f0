/**
 * A payment is the first under its workflow id where its own start says so, and never because of its input: "Start Workflow Like This
 * One" copies that. The gateway of these tests takes a number as often as it is sent.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { WorkflowRun } from '../../../src/testing/simulated-temporal/workflow-run';
import { APP } from '../hostile/base-world';
import type { Act } from '../hostile/happens';
import {
  AFTER,
  anotherMade,
  answers,
  attentions,
  begin,
  forget,
  happens,
  listIsDown,
  madeByAnother,
  move,
  notify,
  noWorker,
  oddSignal,
  outcomeNow,
  pay,
  refund,
  sale,
  sell,
  sellAdopted,
  settle,
  tell,
  terminate,
  world,
} from './hostile/acts';
import { SECOND } from './hostile/schedule';

const trades = () => world.gateway.trades.map(({ trade_no }) => trade_no);

function latest(): WorkflowRun {
  const { run } = world;
  if (run === undefined) throw new Error('no run');
  return run;
}

/** As Temporal's UI does: the type, the id, the task queue and the input of another run. */
const startLike = () => {
  const { workflowId, type, args } = latest().start;
  world.temporal.begin({ workflowId, type, args });
};

test('a payment that the client starts is proven the first, and sends its order in its first second', async () => {
  await begin();
  await happens(pay, SECOND);
  expect(trades()).toEqual(['T1']);
});

test.each<[was: string, ...ends: Act[]]>([
  ['was sold', sell],
  ['expired', pay, 100 * HOUR],
  ['was terminated', pay, MINUTE, terminate],
  ['was terminated as its order was sent', pay, 10, terminate],
])('a start like a payment that %s sends no second order', async (_was, ...ends) => {
  await begin();
  await happens(...ends, startLike, HOUR);
  expect(trades()).toEqual(['T1']);
});

test.each<[who: string, ...next: Act[]]>([
  ['that callers of the same order join at once', startLike, pay, pay, HOUR],
  ['that another follows', startLike, HOUR, startLike, HOUR],
])('a start like a sold payment, %s, sends no second order, and it stays sold', async (_who, ...next) => {
  await begin();
  await happens(sell, ...next);
  expect([trades(), await outcomeNow()]).toEqual([['T1'], 'SUCCESS']);
});

test('a payment that is retried by its server, with the same parent and the same input, sends no second order', async () => {
  await begin();
  await happens(pay, MINUTE);
  const { start, runId } = latest();
  const retry = () => world.temporal.begin({ ...start, firstRunId: runId, continuedFrom: runId });
  await happens(terminate, retry, HOUR);
  expect(trades()).toEqual(['T1']);
});

test('a start like a sold deposit, whose trade the gateway has forgotten, stays sold', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  const { out_trade_no, trade_no } = madeByAnother();
  const adopt = { kind: 'adopt', app_id: APP, out_trade_no, trade_no, first_start_id: 'the run of its account' };
  world.start('REJECT_DUPLICATE', world.workflowId, [adopt]);
  await happens(MINUTE, tell('T1', 'SUCCESS'), 5 * HOUR, startLike, 10 * HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

describe('an order that Temporal has forgotten, and whose after-sale goes on', () => {
  const forgotten = () => happens(tell('T1', 'DISPUTE'), 31 * DAY, forget);

  test('is not sent a second time: its callers are answered as before', async () => {
    await begin();
    await happens(sell, forgotten, pay, HOUR);
    expect([trades(), answers(), await outcomeNow()]).toEqual([['T1'], ['T1', 'T1'], 'SUCCESS']);
  });

  test('is not sent in another form under its number', async () => {
    await begin();
    await happens(sell, forgotten);
    const other = { ...world.input, request: { ...world.input.request, order_amount: '151.00' } };
    await happens(() => world.start('REJECT_DUPLICATE', world.workflowId, [{ ...other, first_start_id: 'x' }]), HOUR);
    expect([trades(), (await sale()).outcome]).toEqual([['T1'], 'SUCCESS']);
    expect(attentions()).not.toContain('late-payment');
  });

  test('that ended without a sale ends so again', async () => {
    await begin({ method: 'Wallet' });
    await happens(pay, MINUTE, tell('T1', 'CANCEL'), HOUR, anotherMade('DISPUTE'), notify('T2'), HOUR);
    await happens(30 * DAY, forget, pay, HOUR);
    expect([trades(), await outcomeNow()]).toEqual([['T1', 'T2'], 'CANCEL']);
  });

  test('is not sent where another system had sold it: callers are answered with that trade, as before', async () => {
    await begin();
    await happens(sellAdopted, tell('T1', 'DISPUTE'), 31 * DAY, forget, pay, HOUR);
    expect([trades(), answers()]).toEqual([['T1'], ['T1', 'T1']]);
  });

  test('is not sent where only the after-sale has seen the trade: callers are told that there is one', async () => {
    await begin();
    const part = () => void world.refund('50.00');
    await happens(pay, MINUTE, terminate, HOUR, move('T1', 'SUCCESS'), part, MINUTE, oddSignalAfter, 31 * DAY);
    await happens(forget, pay, HOUR);
    expect([trades(), world.told.at(-1)]).toMatchObject([['T1'], { is: 'failure', type: 'DuplicateOrderError' }]);
  });

  test('is not sent again where the list still names its run', async () => {
    await begin();
    await happens(sell, tell('T1', 'DISPUTE'), 31 * DAY);
    await listStays(world.temporal.client, world.workflowId);
    await happens(forget, pay, HOUR);
    expect([trades(), await outcomeNow()]).toEqual([['T1'], 'SUCCESS']);
  });

  test('is not sent again where the latest run of its after-sale was had by no worker', async () => {
    await begin();
    await happens(sell, tell('T1', 'DISPUTE'), HOUR, settle({}), tell('T1', 'SUCCESS'), 29 * DAY);
    await happens(noWorker(10 * MINUTE), MINUTE, tell('T1', 'CHARGEBACK'), MINUTE, endAfterSale, HOUR);
    await happens(2 * DAY, forget, pay, HOUR);
    expect([trades(), await outcomeNow()]).toEqual([['T1'], 'SUCCESS']);
  });

  test.each(['150.00', '151.00'])('and that was certainly not made, can be made for %s', async (amount) => {
    await begin({ creations: ['refused for good'], heldBack: 3 });
    await happens(pay, SECOND, oddSignal('somethingElse', 1), 31 * DAY, forget);
    await happens(() => world.pay({ kind: 'direct', amount }), HOUR);
    expect(world.gateway.trades).toMatchObject([{ trade_no: 'T1', amount: `${Number(amount)}` }]);
  });
});

describe('an after-sale that somebody terminates or resets', () => {
  test('keeps no first order from being sent', async () => {
    await begin();
    const mend = listIsDown();
    await happens(refund, 10 * SECOND, endAfterSale, MINUTE, mend, pay, HOUR);
    expect(trades()).toEqual(['T1']);
  });

  test('keeps no order that failed from being started again, where it was reset and waits for a person', async () => {
    await begin({ creations: ['refused for good'], heldBack: 3 });
    await happens(pay, SECOND, oddSignal('somethingElse', 1), HOUR, oddSignalAfter, HOUR);
    const after = world.temporal.latest(AFTER);
    await happens(() => after && world.temporal.reset(after, -1), HOUR, pay, DAY);
    expect(trades()).toEqual(['T1']);
  });

  test('keeps no payment from taking its order on again', async () => {
    await begin();
    await happens(pay, MINUTE);
    const mend = listIsDown();
    await happens(refund, 10 * SECOND, endAfterSale, MINUTE, mend, HOUR, terminate, HOUR);
    await happens(move('T1', 'SUCCESS'), notify('T1', 'SUCCESS'), DAY);
    expect(await outcomeNow()).toBe('SUCCESS');
  });
});

const endAfterSale = () => world.temporal.latest(AFTER)?.terminate();
/** A person is needed, so it goes on. */
const oddSignalAfter = () => world.temporal.latest(AFTER)?.signal('somethingElse', []);

/** Temporal's list goes on naming the runs that it has now. */
async function listStays({ workflow }: Client, workflowId: string): Promise<void> {
  const list = workflow.list.bind(workflow);
  const old: WorkflowExecutionInfo[] = [];
  for await (const run of list({ query: `WorkflowId = "${workflowId}"` })) old.push(run);
  const longer = async function* (...args: Parameters<typeof list>) {
    yield* list(...args);
    if (JSON.stringify(args).includes(workflowId)) yield* old;
  };
  Object.assign(workflow, { list: longer });
}
