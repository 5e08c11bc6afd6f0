/**
 * Random stories of refunds, on a gateway that would refund anything twice: lost answers, refusals, a gateway that goes
 * down, workers that die or cache nothing, after-sales that continue as new or are terminated and opened again, and every
 * end of a refund. MODEL_RUNS, MODEL_SEED and MODEL_PATH choose the stories.
 */
import Big from 'big.js';
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { FakeGateway, type FakeTrade } from '../../../src/testing/fake-gateway/fake-gateway';
import type { RefundEnd, RefundPlan } from '../../../src/testing/fake-gateway/fake-refunds';
import type { Mishap } from '../../../src/testing/fake-gateway/mishaps';
import { seededRandom } from '../../../src/testing/simulated-temporal/random';
import {
  SimulatedTemporal,
  type SimulatedTemporalOptions,
} from '../../../src/testing/simulated-temporal/simulated-temporal';
import type { WorkflowRun } from '../../../src/testing/simulated-temporal/workflow-run';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import { type AfterSaleState, afterSaleWorkflowId, type RefundOrder, type RefundState } from '../../../src/workflows';
import { anySeed } from '../../harness/seeds';

const RUNS = Number(process.env.MODEL_RUNS ?? 60);
const BEGIN = Date.parse('2026-01-05T12:00:00Z');

type Step =
  | { do: 'ask'; amount: string; number: string; times: number }
  | { do: 'wait'; ms: number }
  | { do: 'down'; ms: number }
  | { do: 'notify' }
  | { do: 'terminate' }
  | { do: 'kill the worker'; ms: number };

const ask = fc.record({
  do: fc.constant('ask' as const),
  amount: fc.constantFrom('50.00', '50.00', '100.00', '150.00'),
  number: fc.constantFrom('a', 'b', 'c', 'd'),
  times: fc.constantFrom(1, 1, 10),
});
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 10_000, MINUTE, HOUR) });
const down = fc.record({ do: fc.constant('down' as const), ms: fc.constantFrom(10_000, 10 * MINUTE) });
const kill = fc.record({ do: fc.constant('kill the worker' as const), ms: fc.nat(10_000) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: ask },
  { weight: 3, arbitrary: wait },
  { weight: 1, arbitrary: down },
  { weight: 1, arbitrary: fc.constant({ do: 'notify' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'terminate' as const }) },
  { weight: 2, arbitrary: kill },
);

/** A refusal that says that there is no refund, and one that does not say it. */
const REFUSED: Mishap = { refuse: { code: '40002', sub_code: 'no-method-supported' } };
const UNKNOWN: Mishap = { refuse: { code: '40002', sub_code: 'trade-status-error' } };

const story = fc.record({
  seed: anySeed,
  continuesAfter: fc.constantFrom(30, 60, 4_000),
  cachesWorkflows: fc.boolean(),
  refundMishaps: fc.array(fc.constantFrom<Mishap>('lost before', 'lost after', 'unreachable', REFUSED, UNKNOWN), {
    maxLength: 4,
  }),
  refundPlans: fc.array(
    fc.record<RefundPlan>({
      takes_ms: fc.constantFrom(0, 5_000, 10 * MINUTE, 5 * HOUR),
      ends: fc.constantFrom<RefundEnd>('done', 'done', 'refused', 'revoked'),
    }),
    { maxLength: 4 },
  ),
  // Behind for less than the settling time, which is there for it.
  lag_ms: fc.constantFrom(0, 0, 2_000, 10_000),
  partialStatus: fc.constantFrom('PARTIAL_REFUND' as const, 'REFUNDED' as const),
  steps: fc.array(step, { minLength: 2, maxLength: 10 }),
});

type ServerOptions = Pick<SimulatedTemporalOptions, 'random' | 'suggestsContinueAsNewAfter' | 'cachesWorkflows'>;

/** One sale, what follows it, and the gateway that would give anything back. */
class Sale {
  readonly workflowId = afterSaleWorkflowId(APP.app_id, 'order-1');
  readonly gateway: FakeGateway;
  /** Refunds that the after-sale has taken up. */
  readonly taken = new Set<string>();

  static async create(server: ServerOptions): Promise<Sale> {
    const activities: Record<string, unknown> = {};
    const sale = new Sale(await SimulatedTemporal.create({ now: BEGIN, activities, ...server }));
    const { gateway } = sale;
    await gateway.addTrade('order-1', { method: 'CreditCard' });
    Object.assign(activities, fakeWorkerActivities({ app_id: APP.app_id, gateway }));
    return sale;
  }

  private constructor(readonly temporal: SimulatedTemporal) {
    this.gateway = new FakeGateway(async () => temporal.clock.now);
  }

  get trade(): FakeTrade {
    const trade = this.gateway.trades.get('order-1');
    if (!trade) throw new Error('The gateway has no such trade');
    return trade;
  }

  async refundedAmount(): Promise<Big> {
    return new Big(await this.gateway.refundedAmount(this.trade));
  }

  get run(): WorkflowRun | undefined {
    return this.temporal.latest(this.workflowId);
  }

  pass(ms: number): Promise<void> {
    return this.temporal.clock.pass(ms);
  }

  /** Opens the after-sale where it does not run, as a client's update-with-start does. */
  open(): void {
    if (this.run?.isRunning) return;
    this.temporal.start('afterSale', this.workflowId, { app_id: APP.app_id, out_trade_no: 'order-1' });
  }

  async state(): Promise<AfterSaleState> {
    if (!this.run) throw new Error('Nothing was opened');
    return this.temporal.query<AfterSaleState>(this.run, 'state');
  }

  async ask({ amount, number, times }: Step & { do: 'ask' }): Promise<void> {
    const order: RefundOrder = {
      refund_amount: amount,
      refund_currency: 'BRL',
      out_request_no: number,
      user_info: { email: 'a@example.com' },
    };
    this.open();
    for (let i = 0; i < times; i += 1) this.temporal.update(this.workflowId, 'refund', order);
    await this.pass(5_000);
    this.open();
    for (const { out_request_no } of (await this.state()).refunds) this.taken.add(out_request_no ?? '');
  }
}

test(
  `in no story is more refunded than was paid, a refund made twice or a refund lost: ${RUNS} random stories`,
  async () => {
    const property = fc.asyncProperty(story, async ({ seed, continuesAfter, cachesWorkflows, steps, ...gateway }) => {
      const sale = await Sale.create({
        random: seededRandom(seed),
        suggestsContinueAsNewAfter: continuesAfter,
        cachesWorkflows,
      });
      try {
        Object.assign(sale.gateway, structuredClone(gateway));
        for (const one of steps) {
          await play(one, sale);
          expect((await sale.refundedAmount()).lte(sale.trade.order_amount)).toBe(true);
        }
        keepsItsPromises(sale, await end(sale));
      } finally {
        await sale.temporal.close();
      }
    });
    await fc.assert(property, {
      numRuns: RUNS,
      ...(process.env.MODEL_SEED ? { seed: Number(process.env.MODEL_SEED) } : {}),
      ...(process.env.MODEL_PATH ? { path: process.env.MODEL_PATH } : {}),
    });
  },
  600_000 + RUNS * 1_000,
);

async function play(one: Step, sale: Sale): Promise<void> {
  const { gateway, run, temporal, trade, workflowId } = sale;
  switch (one.do) {
    case 'ask':
      return sale.ask(one);
    case 'wait':
      return sale.pass(one.ms);
    case 'down':
      gateway.isDown = true;
      await sale.pass(one.ms);
      gateway.isDown = false;
      return;
    case 'notify': {
      const made = trade.refunds.at(-1);
      const trade_status = gateway.statusOf(trade, temporal.clock.now);
      if (made)
        temporal.signal(workflowId, 'notification', { out_request_no: made.out_request_no ?? '', trade_status });
      return;
    }
    case 'terminate':
      if (!run?.isRunning) return;
      // What had not begun is lost with it, which its state says: it must be asked for again.
      for (const { out_request_no } of (await sale.state()).refunds) sale.taken.add(out_request_no ?? '');
      if (run.isRunning) run.terminate();
      return;
    case 'kill the worker':
      await sale.pass(one.ms);
      await temporal.killWorker();
  }
}

/** Lets everything come to its end. What needs a person is decided by the truth. */
async function end(sale: Sale): Promise<AfterSaleState> {
  const { temporal, workflowId, trade } = sale;
  sale.open();
  for (let tries = 0; tries < 60 && sale.run?.isRunning; tries += 1) {
    await sale.pass(tries < 10 ? HOUR : DAY);
    if (!sale.run.isRunning) break;
    const { refunds } = await sale.state();
    const stuck = refunds.find(({ outcome, started_at }) => outcome === null && started_at !== null);
    if (stuck?.attention !== 'unknown-refund') continue;
    const outcome = isDone(trade, stuck.out_request_no) ? 'REFUNDED' : 'NOT_CREATED';
    const resolution = { outcome, reason: 'as the dashboard says', by: 'model' };
    const asked = temporal.update(workflowId, 'resolve', resolution);
    if (asked) await temporal.answerTo(asked, MINUTE);
  }
  const state = await sale.state();
  // Whatever holds it then is a fault of its own: say what it is.
  if (sale.run?.isRunning) throw new Error(`It does not end: ${JSON.stringify(state)}`);
  return state;
}

/** Whether the money of this refund went back for good. */
const isDone = ({ refunds }: FakeTrade, number: string | null) =>
  refunds.some(({ out_request_no, ends }) => out_request_no === number && ends === 'done');

function keepsItsPromises({ trade, taken }: Sale, { refunds, refunded_amount, refunding_amount }: AfterSaleState) {
  const done = (one: RefundState) => one.outcome === 'REFUNDED';
  const truth = trade.refunds.filter(({ ends }) => ends === 'done').map(({ out_request_no }) => out_request_no);
  // None twice.
  expect(new Set(truth).size).toBe(truth.length);
  // None lost, and none believed that was not made.
  const believed = refunds.filter(done).map(({ out_request_no }) => out_request_no);
  expect(believed.sort()).toEqual(truth.sort());
  expect(refunds.filter(({ outcome }) => outcome === null)).toEqual([]);
  const known = refunds.map(({ out_request_no }) => out_request_no);
  for (const number of taken) expect(known).toContain(number);
  // Not too much.
  const made = trade.refunds.filter(({ ends }) => ends === 'done');
  const given = made.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  expect(given.lte(trade.order_amount)).toBe(true);
  expect({ refunded_amount, refunding_amount }).toEqual({
    refunded_amount: given.toFixed(2),
    refunding_amount: '0.00',
  });
}
