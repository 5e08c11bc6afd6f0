/**
 * Each fault at each moment of a payment, on a real server. The simulated gateway counts the charges: exactly one, or none.
 * It would charge twice for one order number if it were asked to, so that only our code prevents a second charge.
 */

import { PaymentPendingError } from '../../../src/client';
import type { FaultOrder } from '../../../src/simulator';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentState } from '../../../src/workflows';
import { publishedOrders } from '../../harness/orders';

/** The faults, in the order in which they strike, and how the payment ends. */
interface Row {
  moment: 'before send' | 'after send' | 'during response' | 'in the retry' | 'at the notification' | 'at the deadline';
  what: string;
  faults: Fault[];
  /** Default: paid, with one charge. */
  ends?: Partial<PaymentState> | { failure: string };
  charges?: 0 | 1;
  /** Default: one. */
  orders?: 0 | 1;
  /** Whether the buyer's data had to be recovered by query. */
  recovered?: boolean;
  /** The fault is that an answer is late: our worker does not wait long for it. */
  isLate?: true;
}

type Fault = Omit<FaultOrder, 'out_trade_no'>;

const create = (fault: string, more: Partial<Fault> = {}): Fault => ({ on: 'pay', fault, ...more });
const query = (fault: string, times = 1): Fault => ({ on: 'query', fault, times });
const ipn = (fault: string, times = 1): Fault => ({ on: 'ipn', fault, times });
/** The number of queries within the settling time. */
const EVERY_LOOK = 3;

/** So long that a machine that stands still for seconds does not let the answer come before the time-out of 2 s. */
const LONG_AFTER_TIME_OUT_MS = 15_000;

const ROWS: Row[] = [
  {
    moment: 'before send',
    what: 'the gateway says that it is unavailable',
    faults: [create('refuse', { code: '20000', times: 2 })],
  },
  {
    moment: 'before send',
    what: 'the gateway refuses the order',
    faults: [create('refuse', { code: '40002', sub_code: 'currency-not-supported' })],
    ends: { failure: 'NotCreatedError' },
    charges: 0,
    orders: 0,
  },
  {
    moment: 'before send',
    what: 'our credentials are refused',
    faults: [create('refuse', { code: '40002', sub_code: 'invalid-signature' })],
    ends: { failure: 'NotCreatedError' },
    charges: 0,
    orders: 0,
  },
  { moment: 'after send', what: 'a reset before it was carried out', faults: [create('reset-before')] },
  { moment: 'after send', what: 'a 502 before it was carried out', faults: [create('5xx-before')] },
  { moment: 'after send', what: 'a reset after it was carried out', faults: [create('reset-after')], recovered: true },
  { moment: 'after send', what: 'a 504 after it was carried out', faults: [create('5xx-after')], recovered: true },
  { moment: 'after send', what: 'no answer, ever', faults: [create('lost-response')], recovered: true },
  {
    moment: 'after send',
    what: 'an answer after our time-out',
    faults: [create('delay', { ms: LONG_AFTER_TIME_OUT_MS })],
    recovered: true,
    isLate: true,
  },
  {
    moment: 'after send',
    what: 'carried out after our time-out',
    faults: [create('delay-before', { ms: LONG_AFTER_TIME_OUT_MS })],
    recovered: true,
    isLate: true,
  },
  {
    moment: 'after send',
    what: 'the bank refuses at once',
    faults: [create('bank-refusal')],
    ends: { outcome: 'REFUSED', trade_status: 'REFUSED', attention: null },
    charges: 0,
  },
  { moment: 'during response', what: 'half of the answer', faults: [create('malformed')], recovered: true },
  {
    moment: 'during response',
    what: 'an answer that says nothing',
    faults: [create('answer-after', { body: {} })],
    recovered: true,
  },
  {
    moment: 'during response',
    what: 'a code that nobody knows, after it was carried out',
    faults: [create('answer-after', { body: { code: '40002', sub_code: 'something-new' } })],
    recovered: true,
  },
  { moment: 'during response', what: 'a notification that overtakes it', faults: [create('early-ipn')] },
  {
    moment: 'in the retry',
    what: 'lost, and the first looks fail as well',
    faults: [create('reset-after'), query('reset-before', 2), query('5xx-before', 2)],
    recovered: true,
  },
  {
    moment: 'in the retry',
    what: 'lost, and the first looks do not find it',
    faults: [create('reset-after'), query('not-found', EVERY_LOOK - 1)],
    recovered: true,
  },
  {
    moment: 'in the retry',
    what: 'never carried out, and lost again when it is made again',
    faults: [create('reset-before'), create('reset-after')],
    recovered: true,
  },
  {
    moment: 'in the retry',
    what: 'never carried out, and refused for good when it is made again',
    faults: [create('5xx-before'), create('bank-refusal')],
    ends: { outcome: 'REFUSED', attention: null },
    charges: 0,
  },
  { moment: 'at the notification', what: 'it never comes', faults: [ipn('drop', 7)] },
  { moment: 'at the notification', what: 'it comes twice', faults: [ipn('duplicate')] },
  { moment: 'at the notification', what: 'it is forged', faults: [ipn('forge')] },
  { moment: 'at the notification', what: 'it is signed with another key', faults: [ipn('wrong-signature', 7)] },
  { moment: 'at the notification', what: 'the query does not confirm it yet', faults: [query('stale', 3)] },
  { moment: 'at the notification', what: 'the query fails', faults: [query('5xx-before', 3)] },
];

const { request: order } = publishedOrders().find(({ name }) => name === 'pix') ?? { request: undefined };

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

const KINDS = ['direct', 'checkout'] as const;
type Kind = (typeof KINDS)[number];
const nameOf = ({ moment, what }: Row, kind: Kind) => `${kind}, ${moment}: ${what}`;

/** Only a direct payment can be refused by the bank while it is created. */
const rowsFor = (kind: Kind) =>
  ROWS.filter(({ faults }) => kind === 'direct' || !faults.some(({ fault }) => fault === 'bank-refusal'));

interface Lived {
  out_trade_no: string;
  data: Record<string, unknown> | undefined;
  end: PaymentState | { failure: string };
}

describe('on a gateway that would charge twice', () => {
  let patient: Stack;
  let impatient: Stack;
  const stackOf = ({ isLate }: Row) => (isLate ? impatient : patient);
  /** All at once; each test waits for its own, so that the one that does not end is named. */
  const lives = new Map<string, Promise<Lived>>();

  beforeAll(async () => {
    const simulator = { duplicateOrders: 'accepted' } as const;
    patient = await startStack({ env: SETTINGS, simulator });
    impatient = await startStack({ env: IMPATIENT, simulator });
    for (const kind of KINDS)
      for (const row of rowsFor(kind)) lives.set(nameOf(row, kind), live(row, kind, `f-${kind}-${ROWS.indexOf(row)}`));
    for (const lived of lives.values()) lived.catch(() => undefined);
  });
  afterAll(async () => {
    await patient?.close();
    await impatient?.close();
  });

  /** Runs one order with its faults. The buyer pays as soon as there is something to pay. */
  async function live(row: Row, kind: Kind, out_trade_no: string): Promise<Lived> {
    const stack = stackOf(row);
    for (const fault of row.faults) {
      const on = fault.on === 'pay' && kind === 'checkout' ? 'create' : fault.on;
      stack.simulator.addFault({ ...fault, on, out_trade_no });
    }
    try {
      const data = await untilSettled(() => begin(stack, kind, out_trade_no));
      const { trade_status } = stack.simulator.trade(out_trade_no);
      if (['INITIAL', 'PROCESSING'].includes(trade_status)) await stack.simulator.pay(out_trade_no);
      return { out_trade_no, data, end: await stack.payments.outcome(out_trade_no) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { out_trade_no, data: undefined, end: { failure: error.name } };
    }
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

  function begin(stack: Stack, kind: Kind, out_trade_no: string): Promise<Record<string, unknown>> {
    if (!order) throw new Error('no order');
    if (kind === 'direct') return stack.payments.pay({ ...order, out_trade_no });
    const { order_currency, order_amount, subject, buyer_id, timeout_express } = order;
    const checkout = { out_trade_no, order_currency, order_amount, subject, buyer_id, timeout_express };
    return stack.payments.createCheckout({ ...checkout, trade_type: 'WEB' });
  }

  const rows = KINDS.flatMap((kind) => rowsFor(kind).map((row): [string, Row] => [nameOf(row, kind), row]));

  it.each(rows)('%s', async (name, row) => {
    const lived = await lives.get(name);
    const paid = { outcome: 'SUCCESS', confirmed_by: 'query', attention: null, order_amount: order?.order_amount };
    expect(lived?.end).toMatchObject(row.ends ?? paid);
    const { simulator } = stackOf(row);
    const [entry] = simulator.ledger({ out_trade_no: lived?.out_trade_no });
    const { orders = 0, charges = 0 } = entry ?? {};
    expect({ orders, charges }).toEqual({ orders: row.orders ?? 1, charges: row.charges ?? 1 });
    if (row.charges !== 0) expect(lived?.data).toMatchObject({ recovered: row.recovered ?? false });
    const unmet = simulator
      .faults()
      .filter(({ out_trade_no, fired }) => out_trade_no === lived?.out_trade_no && fired === 0);
    expect(unmet).toEqual([]);
  });
});
