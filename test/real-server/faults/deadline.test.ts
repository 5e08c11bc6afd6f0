/**
 * Faults at the deadline, on a real server in real time: an order of one minute, without notifications and without polls
 * before it, so that only the look at the deadline can tell how it ended. All rows wait at once.
 */

import type { FaultOrder } from '../../../src/simulator';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentState } from '../../../src/workflows';
import { publishedOrders } from '../../harness/orders';

interface Row {
  what: string;
  /** What strikes the queries of the deadline. */
  faults: Omit<FaultOrder, 'out_trade_no' | 'on'>[];
  /** What the buyer does just before it. */
  buyer?: 'pay' | 'refuse';
  ends: Partial<PaymentState>;
  charges: 0 | 1;
}

const SUCCESS = { outcome: 'SUCCESS', trade_status: 'SUCCESS' } as const;
const CANCEL = { outcome: 'CANCEL', trade_status: 'CANCEL' } as const;

const ROWS: Row[] = [
  {
    what: 'paid just before the deadline, without a notification',
    buyer: 'pay',
    faults: [],
    ends: SUCCESS,
    charges: 1,
  },
  { what: 'refused just before the deadline', buyer: 'refuse', faults: [], ends: { outcome: 'REFUSED' }, charges: 0 },
  { what: 'not paid, and the gateway has ended the order', faults: [], ends: CANCEL, charges: 0 },
  {
    what: 'paid, and the first two queries end in a reset connection',
    buyer: 'pay',
    faults: [{ fault: 'reset-before', times: 2 }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'paid, and a proxy answers the first two queries with an error',
    buyer: 'pay',
    faults: [{ fault: '5xx-before', times: 2 }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'paid, and the first query gets no answer',
    buyer: 'pay',
    faults: [{ fault: 'lost-response' }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'paid, and the first query gets half of an answer',
    buyer: 'pay',
    faults: [{ fault: 'malformed' }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'paid, and the first two queries do not find the order',
    buyer: 'pay',
    faults: [{ fault: 'not-found', times: 2 }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'paid, and the first query gets an old answer: the query after the grace period finds it',
    buyer: 'pay',
    faults: [{ fault: 'stale' }],
    ends: SUCCESS,
    charges: 1,
  },
  {
    what: 'not paid, and the first three queries fail',
    faults: [{ fault: '5xx-before', times: 3 }],
    ends: CANCEL,
    charges: 0,
  },
];

const { request: order } = publishedOrders().find(({ name }) => name === 'pix') ?? { request: undefined };

let stack: Stack;
const lives = new Map<string, Promise<PaymentState>>();

beforeAll(async () => {
  stack = await startStack({
    webhook: false,
    env: {
      PAYMENTS_POLL_SCHEDULE: '1h',
      PAYMENTS_POLL_EVERY: '1h',
      PAYMENTS_GRACE: '5s',
      GATEWAY_ANSWER_TIMEOUT: '1s',
      GATEWAY_CIRCUIT_FAILURES: '1000',
    },
  });
  for (const [i, row] of ROWS.entries()) lives.set(row.what, live(row, `d-${i}`));
  await Promise.allSettled(lives.values());
});
afterAll(() => stack?.close());

async function live({ faults, buyer }: Row, out_trade_no: string): Promise<PaymentState> {
  if (!order) throw new Error('no order');
  await stack.payments.pay({ ...order, out_trade_no, timeout_express: '1m' });
  for (const fault of faults) stack.simulator.addFault({ ...fault, on: 'query', out_trade_no });
  if (buyer) await stack.simulator.act(out_trade_no, buyer);
  return stack.payments.outcome(out_trade_no);
}

it.each(ROWS)(
  'at the deadline the gateway is queried, and its answer is the outcome: $what',
  async ({ what, ends, charges }) => {
    const state = await lives.get(what);
    expect(state).toMatchObject({ confirmed_by: 'query', attention: null, ...ends });
    const [entry] = stack.simulator.ledger({ out_trade_no: state?.out_trade_no ?? '' });
    expect(entry).toMatchObject({ orders: 1, charges });
  },
);
