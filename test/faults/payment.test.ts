/**
 * Each fault at each moment, on a real server against the simulated gateway, which counts the charges: exactly one, or
 * none. The gateway of the first table would charge twice for one number if it were asked to, so that only we prevent it.
 */

import { PaymentPendingError } from '../../src/client';
import type { FaultOrder } from '../../src/simulator';
import type { PaymentState } from '../../src/workflows';
import { publishedOrders } from '../harness/orders';
import { type Stack, startStack } from '../harness/stack';

/** What goes wrong, in the order in which it is met, and how it ends. */
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
}

type Fault = Omit<FaultOrder, 'out_trade_no'>;

const create = (fault: string, more: Partial<Fault> = {}): Fault => ({ on: 'pay', fault, ...more });
const query = (fault: string, times = 1): Fault => ({ on: 'query', fault, times });
const ipn = (fault: string, times = 1): Fault => ({ on: 'ipn', fault, times });
/** Enough for every look of the settling time. */
const EVERY_LOOK = 3;

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
    what: 'an answer later than anybody waits',
    faults: [create('delay', { ms: 4_000 })],
    recovered: true,
  },
  {
    moment: 'after send',
    what: 'carried out later than anybody waits',
    faults: [create('delay-before', { ms: 2_500 })],
    recovered: true,
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
  GATEWAY_ANSWER_TIMEOUT: '1s',
  PAYMENTS_POLL_SCHEDULE: '1s',
  PAYMENTS_POLL_EVERY: '1s',
  PAYMENTS_SETTLING: '10s',
  // Every row fails calls of its own, all at once: the circuit between them would hold up each other's rows.
  GATEWAY_CIRCUIT_FAILURES: '1000',
};

/** All at once, the process of everybody keeps some answers waiting for longer than a call may take. */
const AT_ONCE = 12;

const KINDS = ['direct', 'checkout'] as const;
type Kind = (typeof KINDS)[number];
const nameOf = ({ moment, what }: Row, kind: Kind) => `${kind}, ${moment}: ${what}`;

/** A bank that refuses while the order is created is what only a direct one can meet. */
const rowsFor = (kind: Kind) =>
  ROWS.filter(({ faults }) => kind === 'direct' || !faults.some(({ fault }) => fault === 'bank-refusal'));

interface Lived {
  out_trade_no: string;
  data: Record<string, unknown> | undefined;
  end: PaymentState | { failure: string };
}

describe('on a gateway that would charge twice', () => {
  let stack: Stack;
  const lives = new Map<string, Lived>();

  beforeAll(async () => {
    stack = await startStack({ env: SETTINGS, simulator: { duplicateOrders: 'accepted' } });
    const waiting = KINDS.flatMap((kind) =>
      rowsFor(kind).map((row) => ({ kind, row, out_trade_no: `f-${kind}-${ROWS.indexOf(row)}` })),
    );
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { kind, row, out_trade_no } = next;
        lives.set(nameOf(row, kind), await live(row, kind, out_trade_no));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  });
  afterAll(() => stack?.close());

  /** Lets the faults strike one order, whose buyer pays as soon as there is something to pay. */
  async function live(row: Row, kind: Kind, out_trade_no: string): Promise<Lived> {
    for (const fault of row.faults) {
      const on = fault.on === 'pay' && kind === 'checkout' ? 'create' : fault.on;
      stack.simulator.addFault({ ...fault, on, out_trade_no });
    }
    try {
      const data = await untilSettled(() => begin(kind, out_trade_no));
      const { trade_status } = stack.simulator.trade(out_trade_no);
      if (['INITIAL', 'PROCESSING'].includes(trade_status)) await stack.simulator.pay(out_trade_no);
      return { out_trade_no, data, end: await stack.payments.outcome(out_trade_no) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { out_trade_no, data: undefined, end: { failure: error.name } };
    }
  }

  /** A merchant who is told that the gateway takes its time asks again with the same order. */
  async function untilSettled<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof PaymentPendingError)) throw error;
      }
    }
  }

  function begin(kind: Kind, out_trade_no: string) {
    if (!order) throw new Error('no order');
    if (kind === 'direct') return stack.payments.pay({ ...order, out_trade_no });
    const { order_currency, order_amount, subject, buyer_id, timeout_express } = order;
    const checkout = { out_trade_no, order_currency, order_amount, subject, buyer_id, timeout_express };
    return stack.payments.createCheckout({ ...checkout, trade_type: 'WEB' });
  }

  const rows = KINDS.flatMap((kind) => rowsFor(kind).map((row): [string, Row] => [nameOf(row, kind), row]));

  it.each(rows)('%s', async (name, row) => {
    const lived = lives.get(name);
    const paid = { outcome: 'SUCCESS', confirmed_by: 'query', attention: null, order_amount: order?.order_amount };
    expect(lived?.end).toMatchObject(row.ends ?? paid);
    const [entry] = stack.simulator.ledger({ out_trade_no: lived?.out_trade_no });
    const { orders = 0, charges = 0 } = entry ?? {};
    expect({ orders, charges }).toEqual({ orders: row.orders ?? 1, charges: row.charges ?? 1 });
    if (row.charges !== 0) expect(lived?.data).toMatchObject({ recovered: row.recovered ?? false });
    const unmet = stack.simulator
      .faults()
      .filter(({ out_trade_no, fired }) => out_trade_no === lived?.out_trade_no && fired === 0);
    expect(unmet).toEqual([]);
  });

  it('no row was left out', () => {
    expect(rows.length).toBe(2 * ROWS.length - 2);
  });
});
