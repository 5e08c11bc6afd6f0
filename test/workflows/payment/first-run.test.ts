/**
 * A payment is the first under its workflow id where its own start says so, and never because of its input: "Start Workflow Like This
 * One" copies that. The gateway of these tests takes a number as often as it is sent.
 */
import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { Run } from '../../../src/testing/simulated-temporal/run';
import { APP } from '../hostile/base-world';
import { begin, end, outcomeNow, paid, pay, sell, tradeAt, world } from './hostile/acts';

const SECOND = 1_000;

afterEach(end);

const trades = () => world.gateway.trades.map(({ trade_no }) => trade_no);

function latest(): Run {
  const { run } = world;
  if (run === undefined) throw new Error('no run');
  return run;
}

/** As Temporal's UI does: the type, the id, the task queue and the input of another run. */
function startLike({ start: { workflowId, type, args } }: Run): void {
  world.temporal.begin({ workflowId, type, args });
}

test('a payment that the client starts is proven the first, and sends its order in its first second', async () => {
  await begin();
  await pay(SECOND);
  expect(trades()).toEqual(['T1']);
});

test.each<[was: string, end: () => Promise<unknown>]>([
  ['was sold', sell],
  ['expired', () => pay(100 * HOUR)],
  [
    'was terminated',
    async () => {
      await pay(MINUTE);
      world.terminate();
    },
  ],
  [
    'was terminated as its order was sent',
    async () => {
      await pay(10);
      world.terminate();
    },
  ],
])('a start like a payment that %s sends no second order', async (_was, close) => {
  await begin();
  await close();
  startLike(latest());
  await world.pass(HOUR);
  expect(trades()).toEqual(['T1']);
});

test('a start like a sold payment that callers of the same order join at once sends no second order, and it stays sold', async () => {
  await begin();
  await sell();
  startLike(latest());
  world.pay();
  world.pay();
  await world.pass(HOUR);
  expect([trades(), await outcomeNow()]).toEqual([['T1'], 'SUCCESS']);
});

test('a start like a start like a sold payment sends no second order', async () => {
  await begin();
  await sell();
  startLike(latest());
  await world.pass(HOUR);
  startLike(latest());
  await world.pass(HOUR);
  expect([trades(), await outcomeNow()]).toEqual([['T1'], 'SUCCESS']);
});

test('a payment that is retried by its server, with the same parent and the same input, sends no second order', async () => {
  await begin();
  await pay(MINUTE);
  const { start, runId } = latest();
  world.terminate();
  world.temporal.begin({ ...start, firstRunId: runId, continuedFrom: runId });
  await world.pass(HOUR);
  expect(trades()).toEqual(['T1']);
});

test('a start like a sold deposit, whose trade the gateway has forgotten, stays sold', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  const { out_trade_no, trade_no } = world.gateway.make(
    { out_trade_no: world.out_trade_no, amount: '150.00' },
    'another system',
  );
  const adopt = { kind: 'adopt', app_id: APP, out_trade_no, trade_no, first_start_id: 'the run of its account' };
  world.start('REJECT_DUPLICATE', world.workflowId, [adopt]);
  await world.pass(MINUTE);
  paid(tradeAt(0));
  await world.pass(5 * HOUR);
  startLike(latest());
  await world.pass(10 * HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});
