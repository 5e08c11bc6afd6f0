/** A reconciliation of a large shop in which nearly everything differs: what Temporal takes at once is 2 MB, and what it keeps of a run is limited. */
import {
  type Difference,
  type DifferencesPage,
  LONGEST_PERIOD,
  type ReconciledSlice,
  type ReconcileSlice,
  type ReconciliationInput,
  type ReconciliationState,
  telling,
} from '../../../src/contract';
import { HOUR } from '../../../src/gateway/pure/durations';
import { SimulatedEnvironment } from '../../../src/testing';

const PAYLOAD_BYTES = 2 * 1_048_576;
const PERIOD = { app_id: 'shop', since: '2025-03-01T00:00:00.000Z', until: '2025-03-01T01:00:00.000Z' };

let env: SimulatedEnvironment;
beforeEach(async () => {
  env = await SimulatedEnvironment.create({});
});
afterEach(() => env.teardown());

const difference = (out_trade_no: string): Difference => ({
  out_trade_no,
  kind: 'missing-here',
  between: 'merchant and gateway',
  here: 'SUCCESS 99999999999999.99 BRL',
  gateway: 'SUCCESS 99999999999999.99 BRL',
  merchant: 'SUCCESS 99999999999999.98 BRL',
  adopted: false,
});

/** Works as the activity does: every number of the slice differs, in pages of 1,000. */
function compare(numbers: readonly string[], { after = '', orders = {} }: ReconcileSlice): ReconciledSlice {
  const { from = '', to } = orders;
  const left = numbers.filter((one) => one > after && one >= from && (to === undefined || one < to));
  const page = left.slice(0, 1_000);
  return {
    checked: page.length,
    open: 0,
    differences: page.map(difference),
    after: left.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** Starts one whose every order differs. Gives what its activity was asked, and its handle once it waits for a person. */
async function compared(input: Partial<ReconciliationInput>, numbers: readonly string[]) {
  const asked: ReconcileSlice[] = [];
  env.work({
    'payments.reconcile': telling((slice: ReconcileSlice) => {
      asked.push(slice);
      return compare(numbers, slice);
    }),
    'payments.adopt': telling(() => undefined),
  });
  const handle = await env.client.workflow.start('reconciliation', {
    workflowId: 'reconciliation:shop:large',
    taskQueue: 'simulated',
    args: [{ ...PERIOD, ...input }],
  });
  await env.sleep('1 minute');
  return { asked, handle };
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const numbered = (many: number) => Array.from({ length: many }, (_, i) => `order-${String(i).padStart(7, '0')}`);

test('10,000 rows that all differ are told in pages that Temporal takes, each once', async () => {
  const numbers = numbered(10_000);
  const rows = numbers.map((out_trade_no) => ({ out_trade_no, order_amount: '1.00', status: 'paid' })).reverse();
  const { asked, handle } = await compared({ rows }, numbers);

  const state = await handle.query<ReconciliationState>('state');
  expect(state).toMatchObject({ found: 10_000, checked: 10_000, finished: true, attention: 'books-differ' });
  const told: string[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: DifferencesPage = await handle.query('differences', { from });
    expect(bytes(page)).toBeLessThan(PAYLOAD_BYTES / 2);
    told.push(...page.differences.map(({ out_trade_no }) => out_trade_no));
    from = page.next;
  }
  expect(told).toEqual(numbers);
  // Nor is an activity given, or a state made of, what Temporal does not take.
  expect(Math.max(...asked.map(bytes), bytes(state))).toBeLessThan(PAYLOAD_BYTES / 2);

  await handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'books corrected' }] });
  expect(await handle.result()).toMatchObject({ found: 10_000, resolved: { by: 'ana' } });
});

test('parts of a long list take every order once, also those between the rows', async () => {
  const numbers = numbered(6_000);
  const rows = numbers
    .filter((_, i) => i % 2 === 0 && i < 5_000)
    .map((out_trade_no) => ({ out_trade_no, order_amount: '1.00', status: 'paid' }));
  const { asked } = await compared({ rows, orders: { to: 'order-0005000' } }, numbers);
  const taken = asked.flatMap((slice) => compare(numbers, slice).differences.map(({ out_trade_no }) => out_trade_no));
  expect(taken).toEqual(numbers.slice(0, 5_000));
});

test('a comparison in which everything differs is broken off, and says so', async () => {
  const { handle } = await compared({}, numbered(150_000));
  expect(await handle.query<ReconciliationState>('state')).toMatchObject({
    ...{ found: 100_000, finished: true, broken_off: true, attention: 'books-differ' },
  });
});

test.each([
  [{ since: '2025-03-02T00:00:00.000Z', until: '2025-03-01T00:00:00.000Z' }, 'until: must be a time after'],
  [{ since: undefined, until: '2020-01-01T00:00:00.000Z' }, 'until: must be a time after'],
  [{ since: '2999-01-01T00:00:00.000Z', until: '2999-01-02T00:00:00.000Z' }, 'since: must be in the past'],
  [{ since: '2024-05-05', until: '2025-03-01T00:00:01Z' }, 'until: must be at most 300 days after'],
  [{ until: 'tomorrow' }, 'until: must be a day, or a time with its zone'],
])('a period in which nothing can lie, or too much (%j), is refused', async (period, rule) => {
  const { asked, handle } = await compared(period, numbered(1));
  const refused = handle.result().catch(({ cause }: Error) => cause);
  expect(await refused).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining(rule) });
  expect(asked).toEqual([]);
});

test('rows that name no order, as a caller of another language may send them, are refused: they would seem to agree', async () => {
  const rows = JSON.parse('[{ "order": "o-1", "order_amount": "1.00", "status": "paid" }]');
  const { asked, handle } = await compared({ rows }, []);
  const refused = handle.result().catch(({ cause }: Error) => cause);
  const message = expect.stringContaining('rows[0].out_trade_no: must be the number of an order');
  expect(await refused).toMatchObject({ type: 'InvalidRequest', message });
  expect(asked).toEqual([]);
});

test('the longest period has room in one history, with as many differences as are told', async () => {
  const eventsOf = async (hours: number, found: number) => {
    const until = new Date(Date.parse(PERIOD.since) + hours * HOUR).toISOString();
    const { asked, handle } = await compared({ until, adopt: true }, numbered(found));
    const { events } = await env.costOf(handle.workflowId);
    return { events, pages: asked.length };
  };
  const [few, more, differing] = [await eventsOf(10, 0), await eventsOf(110, 0), await eventsOf(1, 20_000)];
  const ofHour = (more.events - few.events) / 100;
  const ofPage = differing.events / differing.pages;
  expect([more.pages, differing.pages]).toEqual([110, 20]);
  const MOST_PAGES = 100_000 / 1_000;

  expect((LONGEST_PERIOD / HOUR) * ofHour + MOST_PAGES * ofPage).toBeLessThan(51_200);
});

test('the first slice is known as such, however the period is written: it alone has the orders that were open before', async () => {
  const { asked } = await compared({ since: '2025-02-28T18:00:00-06:00', until: '2025-03-01T02:00:00Z' }, []);
  expect(asked.map(({ since, period }) => since === period.since)).toEqual([true, false]);
  expect(asked[0]?.period).toEqual({ since: '2025-03-01T00:00:00.000Z', until: '2025-03-01T02:00:00.000Z' });
});

test.each([[null], [{}], ['ok']])('a comparison that a person completes with %p is made again', async (byHand) => {
  let slices = 0;
  env.work({
    'payments.reconcile': async () => {
      slices += 1;
      return slices === 1 ? byHand : { is: 'told', told: { checked: 1, open: 0, differences: [], after: null } };
    },
  });
  const workflowId = 'reconciliation:shop:by-hand';
  const handle = await env.client.workflow.start('reconciliation', {
    ...{ workflowId, taskQueue: 'simulated', args: [PERIOD] },
  });
  expect(await handle.result()).toMatchObject({ checked: 1, found: 0, finished: true });
});

test('whoever cancels one that waits for a person has not settled what differs', async () => {
  const { handle } = await compared({}, numbered(2));
  await handle.cancel();
  await env.sleep('1 minute');
  expect(await handle.query<ReconciliationState>('state')).toMatchObject({ attention: 'books-differ', found: 2 });
  await handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'seen' }] });
  expect(await handle.result()).toMatchObject({ attention: null });
});
