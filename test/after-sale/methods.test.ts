/** Every row of the interface's table of refunds by method (section 4.3), through a real server, worker and gateway. */
import { randomUUID } from 'node:crypto';
import type { RefundRequest } from '../../src/gateway';
import type { AfterSaleState } from '../../src/workflows';
import { publishedOrders } from '../harness/orders';
import { APP, type Stack, startStack } from '../harness/stack';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    simulator: { refundTakes: '1s' },
  });
});
afterAll(() => stack?.close());

const orderOf = (name: string) => {
  const found = publishedOrders().find((one) => one.name === name);
  if (!found) throw new Error(`examples/orders has no ${name}.json`);
  return { ...found.request, out_trade_no: `${name}-${randomUUID()}` };
};

async function paid(name: string) {
  const order = orderOf(name);
  await stack.payments.pay(order);
  await stack.simulator.pay(order.out_trade_no);
  await stack.payments.outcome(order.out_trade_no);
  return order;
}

const handleOf = (out_trade_no: string) =>
  stack.temporal.client.workflow.getHandle<(input: object) => Promise<AfterSaleState>>(
    `after-sale:${APP.app_id}:${out_trade_no}`,
  );

const USER = {
  name: 'Mariana Souza Lima',
  email: 'mariana@example.com',
  identify: { number: '50284414727', type: 'CPF' },
};
const ACCOUNT = { bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' } };
const CLABE = { bank_info: { number: '646180110412345678' } };
const whole = ({ order_amount, order_currency }: { order_amount: string; order_currency: string }): RefundRequest => ({
  refund_amount: order_amount,
  refund_currency: order_currency,
});

const ROWS: [method: string, order: string, more: Partial<RefundRequest>][] = [
  ['PIX', 'pix', { user_info: USER, ...ACCOUNT }],
  ['Boleto', 'boleto', { ...ACCOUNT }],
  ['Lottery', 'lottery', { ...ACCOUNT }],
  ['DepositExpress', 'deposit-express', { ...ACCOUNT }],
  ['SPEI', 'spei', { ...CLABE }],
  ['Wallet', 'wallet-card-number', {}],
  ['CreditCard', 'credit-card', {}],
];

it.each(ROWS)('%s: a full refund to its end', async (_method, name, more) => {
  const order = await paid(name);
  const answer = await stack.payments.refund(order.out_trade_no, { ...whole(order), ...more });
  expect(answer).toMatchObject({
    out_trade_no: order.out_trade_no,
    refund_status: 'REFUND_PROCESSING',
    recovered: false,
  });
  const state = await handleOf(order.out_trade_no).result();
  expect(state).toMatchObject({
    trade_status: 'REFUNDED',
    refunded_amount: order.order_amount,
    refunding_amount: '0.00',
    ledger_complete: true,
    attention: null,
    refunds: [{ out_request_no: null, partial: false, outcome: 'REFUNDED' }],
  });
  expect(stack.simulator.ledger({ out_trade_no: order.out_trade_no })[0]).toMatchObject({
    refunded_amount: order.order_amount,
  });
});
