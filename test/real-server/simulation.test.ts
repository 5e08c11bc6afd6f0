/**
 * `simulate()` says the same as a whole stack: one order of each sort (ORDERS_ENDS=all for every one) and each refund is played on both,
 * and compared field by field.
 */
import { isPaymentFailure, type RefundOptions } from '../../src/client';
import type { PaymentState } from '../../src/contract';
import { type Checkout, type DirectPayment, parseCheckout, parseDirectPayment } from '../../src/gateway';
import { type Simulation, simulate } from '../../src/testing/simulation';
import { type Stack, startStack } from '../../src/testing/stack';
import { ordersOfEachSort } from '../harness/orders';
import { USER } from '../harness/sold';

let stack: Stack;
let simulation: Simulation;
beforeAll(async () => {
  // Notifications tell all. Polls of each order that has ended would go on beside the next ones.
  stack = await startStack({ env: { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' } });
  simulation = await simulate();
});
afterAll(async () => {
  await simulation?.close();
  await stack?.close();
});

const UNLIKE = ['trade_no', 'expires_at', 'history', 'payment_data', 'out_request_no'];

/** Texts without what each gateway chooses for itself: numbers of trades, addresses, times, and what is counted or summed up. */
function shapeOf(value: unknown, trade_no = ''): unknown {
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, trade_no)]));
  }
  if (typeof value !== 'string' || trade_no === '') return value;
  return (
    value
      .replaceAll(trade_no, 'TRADE')
      .replace(/^https?:\/\/[^/]+/, 'ADDRESS')
      // How soon the end of the refund before it is notified is the clock's.
      .replace(/ It counts refunds .*$/, '')
      .replace(/62\d{4}\d*TRADE6304[0-9A-F]{4}$/, 'TRADE, SUM')
      .replace(/\d{7,}/g, 'DIGITS')
  );
}

const shapeOfState = ({ trade_no, ...state }: PaymentState) => {
  const kept = Object.entries(state).filter(([name]) => !UNLIKE.includes(name));
  return shapeOf(Object.fromEntries(kept), trade_no ?? '');
};

const tradeOf = async ({ payments }: Pick<Stack, 'payments'>, number: string): Promise<string> =>
  (await payments.state(number)).trade_no ?? '';

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (!isPaymentFailure(error)) throw error;
      const { http_status: _status, ...failure } = { http_status: 0, ...JSON.parse(JSON.stringify(error)) };
      return { failure };
    },
  );

const ORDERS = ordersOfEachSort().map(({ name, kind, request }) => ({
  name,
  pay: ({ payments }: Pick<Stack, 'payments'>) =>
    kind === 'checkout' ? payments.createCheckout(checkoutOf(request)) : payments.pay(directOf(request)),
  number: request.out_trade_no,
  kind,
  request,
}));
const checkoutOf = (request: unknown): Checkout => parseCheckout(request);
const directOf = (request: unknown): DirectPayment => parseDirectPayment(request);

describe.each(ORDERS)('the order of $name', ({ name, pay, number, kind, request }) => {
  test('is answered alike, and ends alike once it is paid', async () => {
    const [real, simulated] = [await pay(stack), await pay(simulation)];
    expect(shapeOf(simulated, simulated.trade_no)).toEqual(shapeOf(real, real.trade_no));

    await stack.simulator.pay(number);
    const trade = simulation.gateway.trades.get(number);
    if (trade) trade.statusAt = () => 'SUCCESS';
    const [sold, played] = [await stack.payments.outcome(number), await simulation.payments.outcome(number)];
    expect(shapeOfState(played)).toMatchObject({ outcome: 'SUCCESS', attention: null });
    // The buyer of a checkout has chosen a method there.
    const chosen = name === 'checkout' ? { method: sold.method } : {};
    expect({ ...Object(shapeOfState(played)), ...chosen }).toEqual(shapeOfState(sold));
  });

  test('is refunded alike where the refund has all that it needs', async () => {
    if (kind === 'checkout') return;
    const order = directOf({ ...request, out_trade_no: `${number}-b` });
    const { out_trade_no } = order;
    await Promise.all([stack.payments.pay(order), simulation.payments.pay(order)]);
    await stack.simulator.pay(out_trade_no);
    const trade = simulation.gateway.trades.get(out_trade_no);
    if (trade) trade.statusAt = () => 'SUCCESS';
    await Promise.all([stack.payments.outcome(out_trade_no), simulation.payments.outcome(out_trade_no)]);
    const refund = { user_info: USER, bank_info: { bank_name: 'A bank', number: '646180157000000004' } };
    const [real, simulated] = [
      await outcomeOf(stack.payments.refund(out_trade_no, refund)),
      await outcomeOf(simulation.payments.refund(out_trade_no, refund)),
    ];
    expect(shapeOf(simulated, await tradeOf(simulation, out_trade_no))).toEqual(
      shapeOf(real, await tradeOf(stack, out_trade_no)),
    );
  });

  // One after the other: each is of what the earlier ones have left.
  const REFUNDS: [what: string, refund: RefundOptions][] = [
    ['without any data of the buyer', {}],
    ['with an email alone', { amount: '1.00', out_request_no: 'mail', user_info: { email: USER.email } }],
    ['with a field that no refund has', { amount: '1.00', user_info: USER, ...{ refund_reson: 'x' } }],
    ['of too much', { amount: '99999.00', user_info: USER }],
  ];

  test('is refunded alike', async () => {
    // The buyer of a checkout chooses on the page, which no simulation has.
    if (name === 'checkout') return;
    for (const [what, refund] of REFUNDS) {
      const [real, simulated] = [
        await outcomeOf(stack.payments.refund(number, refund)),
        await outcomeOf(simulation.payments.refund(number, refund)),
      ];
      expect([what, shapeOf(simulated, await tradeOf(simulation, number))]).toEqual([
        what,
        shapeOf(real, await tradeOf(stack, number)),
      ]);
      // The next ones would wait for the same refund before them, half a minute each.
      if (JSON.stringify(real).includes('"PaymentPending"')) return;
    }
  });
});
