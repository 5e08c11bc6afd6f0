/**
 * What may become of a creation on its way over a real connection, on a real server. The simulated gateway counts the charges: exactly one, or
 * none. It would charge twice for one order number if it were asked to, so that only our code prevents a second charge. What it says in words,
 * or notifies: test/workflows/payment.
 */
import { PaymentPendingError } from '../../../src/client';
import type { FaultOrder } from '../../../src/simulator';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentData, PaymentState } from '../../../src/workflows';
import { publishedOrder } from '../../harness/orders';

type Fault = Omit<FaultOrder, 'out_trade_no'>;

/** The faults, in the order in which they strike. */
interface Row {
  faults: Fault[];
  /** The buyer's data had to be found by a query. */
  recovered: boolean;
  /** The bank refuses at once, which only a direct payment can meet; otherwise the order is paid, with one charge. */
  isRefused?: true;
  /** The fault is that an answer is late: our worker does not wait long for it. */
  isLate?: true;
}

const create = (fault: string, more: Partial<Fault> = {}): Fault => ({ on: 'pay', fault, ...more });
const query = (fault: string, times: number): Fault => ({ on: 'query', fault, times });

/** So long that a machine that stands still for seconds does not let the answer come before the time-out of 2 s. */
const LONG_AFTER_TIME_OUT_MS = 15_000;
const late = (fault: string) => [create(fault, { ms: LONG_AFTER_TIME_OUT_MS })];
const answerAfter = (body: object) => [create('answer-after', { body })];

const ROWS: Record<string, Row> = {
  'a reset before it was carried out': { faults: [create('reset-before')], recovered: false },
  'a 502 before it was carried out': { faults: [create('5xx-before')], recovered: false },
  'a reset after it was carried out': { faults: [create('reset-after')], recovered: true },
  'a 504 after it was carried out': { faults: [create('5xx-after')], recovered: true },
  'no answer, ever': { faults: [create('lost-response')], recovered: true },
  'an answer after our time-out': { faults: late('delay'), recovered: true, isLate: true },
  'carried out after our time-out': { faults: late('delay-before'), recovered: true, isLate: true },
  'half of the answer': { faults: [create('malformed')], recovered: true },
  'an answer that says nothing': { faults: answerAfter({}), recovered: true },
  'a code that nobody knows': { faults: answerAfter({ code: '40002', sub_code: 'something-new' }), recovered: true },
  'a notification that overtakes the answer': { faults: [create('early-ipn')], recovered: false },
  'lost, and the first looks fail as well': {
    faults: [create('reset-after'), query('reset-before', 2), query('5xx-before', 2)],
    recovered: true,
  },
  'never carried out, and lost again when it is made again': {
    faults: [create('reset-before'), create('reset-after')],
    recovered: true,
  },
  'never carried out, and refused for good when it is made again': {
    faults: [create('5xx-before'), create('bank-refusal')],
    recovered: false,
    isRefused: true,
  },
};

const SETTINGS = {
  // Long, so that a slow machine does not add a fault to those of the row.
  GATEWAY_ANSWER_TIMEOUT: '25s',
  PAYMENTS_POLL_SCHEDULE: '1s',
  PAYMENTS_POLL_EVERY: '1s',
  PAYMENTS_SETTLING: '10s',
  // Every row fails calls of its own, all at once: the circuit between them would hold up each other's rows.
  GATEWAY_CIRCUIT_FAILURES: '1000',
};
/** Where every creation is answered late, a further late answer changes nothing. */
const IMPATIENT = { ...SETTINGS, GATEWAY_ANSWER_TIMEOUT: '2s', PAYMENTS_SETTLING: '40s' };

type Kind = 'direct' | 'checkout';
const CASES = Object.entries(ROWS).flatMap(([what, row]) => {
  const kinds: Kind[] = row.isRefused ? ['direct'] : ['direct', 'checkout'];
  return kinds.map((kind) => ({ what, row, kind, out_trade_no: `f-${kind}-${Object.keys(ROWS).indexOf(what)}` }));
});

let patient: Stack;
let impatient: Stack;
const stackOf = ({ isLate }: Row) => (isLate ? impatient : patient);
/** All at once; each test waits for its own, so that the one that does not end is named. */
const lives = new Map<string, Promise<{ data: PaymentData; end: PaymentState }>>();

beforeAll(async () => {
  const simulator = { duplicateOrders: 'accepted' } as const;
  patient = await startStack({ env: SETTINGS, simulator });
  impatient = await startStack({ env: IMPATIENT, simulator });
  for (const one of CASES) lives.set(one.out_trade_no, live(one));
  for (const lived of lives.values()) lived.catch(() => undefined);
});
afterAll(async () => {
  await patient?.close();
  await impatient?.close();
});

/** Runs one order with its faults. The buyer pays as soon as there is something to pay. */
async function live({ row, kind, out_trade_no }: (typeof CASES)[number]) {
  const { simulator, payments } = stackOf(row);
  for (const fault of row.faults) {
    const on = fault.on === 'pay' && kind === 'checkout' ? 'create' : fault.on;
    simulator.addFault({ ...fault, on, out_trade_no });
  }
  const { method: _method, customer: _customer, ...checkout } = publishedOrder('pix', { out_trade_no });
  const begin = (): Promise<PaymentData> =>
    kind === 'direct'
      ? payments.pay(publishedOrder('pix', { out_trade_no }))
      : payments.createCheckout({ ...checkout, trade_type: 'WEB' });
  const data = await untilSettled(begin);
  const { trade_status } = simulator.trade(out_trade_no);
  if (['INITIAL', 'PROCESSING'].includes(trade_status)) await simulator.pay(out_trade_no);
  return { data, end: await payments.outcome(out_trade_no) };
}

/** The merchant repeats the same order while the answer is that the payment is still pending. */
async function untilSettled<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PaymentPendingError)) throw error;
    }
  }
}

it.each(CASES)('$kind: $what', async ({ row, out_trade_no }) => {
  const { data, end } = (await lives.get(out_trade_no)) ?? {};
  expect(end).toMatchObject({ outcome: row.isRefused ? 'REFUSED' : 'SUCCESS', attention: null });
  const { simulator } = stackOf(row);
  expect(simulator.ledger({ out_trade_no })).toMatchObject([{ orders: 1, charges: row.isRefused ? 0 : 1 }]);
  if (!row.isRefused) expect(data).toMatchObject({ recovered: row.recovered });
  const unmet = simulator.faults().filter((one) => one.out_trade_no === out_trade_no && one.fired === 0);
  expect(unmet).toEqual([]);
});
