/**
 * Random stories of refunds, on a gateway that would refund anything twice: answers that are lost, refusals, a gateway that
 * goes down, workers that die, after-sales that go on in a new run or are terminated and opened again, refunds that end in
 * every way. Played on the simulated Temporal: MODEL_SEED, MODEL_PATH and MODEL_RUNS as in test/model.
 */
import Big from 'big.js';
import fc from 'fast-check';
import { gatewayActivities, memoryActivities, policyActivity } from '../../src/activities';
import { loadConfig } from '../../src/config';
import { DAY, HOUR, MINUTE } from '../../src/gateway/durations';
import { type AfterSaleState, afterSaleWorkflowId, type RefundOrder, type RefundState } from '../../src/workflows';
import { chance, picker } from '../simulated/chance';
import type { Run } from '../simulated/run';
import { SimulatedTemporal } from '../simulated/temporal';
import { type Fate, type Mishap, type Plan, RefundingGateway } from './world';

const RUNS = Number(process.env.MODEL_RUNS ?? 100);
const APP = 'model';
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

const story = fc.record({
  chance,
  continuesAfter: fc.constantFrom(30, 60, 4_000),
  mishaps: fc.array(fc.constantFrom<Mishap>('lost before', 'lost after', 'unreachable', 'refused', 'refused oddly'), {
    maxLength: 4,
  }),
  plans: fc.array(
    fc.record<Plan>({
      takes_ms: fc.constantFrom(0, 5_000, 10 * MINUTE, 5 * HOUR),
      fate: fc.constantFrom<Fate>('done', 'done', 'refused', 'revoked'),
    }),
    { maxLength: 4 },
  ),
  // Behind for less than the settling time, which is there for it.
  lag_ms: fc.constantFrom(0, 0, 2_000, 10_000),
  partialStatus: fc.constantFrom('PARTIAL_REFUND' as const, 'REFUNDED' as const),
  steps: fc.array(step, { minLength: 2, maxLength: 10 }),
});

/** One sale, what follows it, and the gateway that would give anything back. */
class Sale {
  readonly workflowId = afterSaleWorkflowId(APP, 'order-1');
  readonly gateway = new RefundingGateway(async () => this.temporal.agenda.now);
  /** Refunds that the after-sale has taken up. */
  readonly taken = new Set<string>();

  static async create(seed: number, suggestsContinueAsNewAfter: number): Promise<Sale> {
    const functions: Record<string, unknown> = {};
    const options = { now: BEGIN, pick: picker(seed), activities: functions, suggestsContinueAsNewAfter };
    const sale = new Sale(await SimulatedTemporal.create(options));
    const { gateway } = sale;
    const none = () => Promise.reject(new Error('no orders here'));
    const fake = {
      pay: none,
      createCheckout: none,
      query: () => gateway.query(),
      refund: (request: unknown) => gateway.refund(request),
    };
    Object.assign(functions, {
      ...gatewayActivities({ gateways: new Map([[APP, fake]]), sealingKeys: () => [], notifyUrl: undefined }),
      ...policyActivity(loadConfig({}), false),
      ...memoryActivities,
    });
    return sale;
  }

  private constructor(readonly temporal: SimulatedTemporal) {}

  get run(): Run | undefined {
    return this.temporal.latest(this.workflowId);
  }

  pass(ms: number): Promise<void> {
    return this.temporal.agenda.pass(ms);
  }

  /** Opens the after-sale where it does not run, as a client's update-with-start does. */
  open(): void {
    if (this.run?.isRunning) return;
    this.temporal.start('afterSale', this.workflowId, { app_id: APP, out_trade_no: 'order-1' });
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
  `no refund too much, none twice and none lost, in ${RUNS} random stories`,
  async () => {
    const property = fc.asyncProperty(story, async ({ chance: seed, continuesAfter, steps, ...gateway }) => {
      const sale = await Sale.create(seed, continuesAfter);
      try {
        Object.assign(sale.gateway, structuredClone(gateway));
        for (const one of steps) {
          await play(one, sale);
          expect(new Big(await sale.gateway.sum()).lte(sale.gateway.paid)).toBe(true);
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
  RUNS * 1_000 + 60_000,
);

async function play(one: Step, sale: Sale): Promise<void> {
  const { gateway, run, temporal, workflowId } = sale;
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
      const made = gateway.made.at(-1);
      const trade_status = gateway.statusAt(temporal.agenda.now);
      if (made) temporal.signal(workflowId, 'notification', { out_request_no: made.number ?? '', trade_status });
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
  const { temporal, workflowId, gateway } = sale;
  sale.open();
  for (let tries = 0; tries < 60 && sale.run?.isRunning; tries += 1) {
    await sale.pass(tries < 10 ? HOUR : DAY);
    if (!sale.run.isRunning) break;
    const { refunds } = await sale.state();
    const stuck = refunds.find(({ outcome, started_at }) => outcome === null && started_at !== null);
    if (stuck?.attention !== 'unknown-refund') continue;
    const outcome = gateway.times(stuck.out_request_no) > 0 ? 'REFUNDED' : 'NOT_CREATED';
    const resolution = { outcome, reason: 'as the dashboard says', by: 'model' };
    const asked = temporal.update(workflowId, 'resolve', resolution);
    if (asked) await temporal.answerTo(asked, MINUTE);
  }
  const state = await sale.state();
  // Whatever holds it then is a fault of its own: say what it is.
  if (sale.run?.isRunning) throw new Error(`It does not end: ${JSON.stringify(state)}`);
  return state;
}

function keepsItsPromises({ gateway, taken }: Sale, { refunds, refunded_amount, refunding_amount }: AfterSaleState) {
  const done = (one: RefundState) => one.outcome === 'REFUNDED';
  const truth = gateway.made.filter(({ fate }) => fate === 'done').map(({ number }) => number);
  // None twice.
  expect(new Set(truth).size).toBe(truth.length);
  // None lost, and none believed that was not made.
  const believed = refunds.filter(done).map(({ out_request_no }) => out_request_no);
  expect(believed.sort()).toEqual(truth.sort());
  expect(refunds.filter(({ outcome }) => outcome === null)).toEqual([]);
  const known = refunds.map(({ out_request_no }) => out_request_no);
  for (const number of taken) expect(known).toContain(number);
  // Not too much.
  const made = gateway.made.filter(({ fate }) => fate === 'done');
  const given = made.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  expect(given.lte(gateway.paid)).toBe(true);
  expect({ refunded_amount, refunding_amount }).toEqual({
    refunded_amount: given.toFixed(2),
    refunding_amount: '0.00',
  });
}
