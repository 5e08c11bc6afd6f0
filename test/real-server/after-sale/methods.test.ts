/** Every row of the interface's table of refunds by method (section 4.3), through a real server, worker and gateway. */
import type { RefundRequest } from '../../../src/gateway';
import { type Stack, startStack } from '../../../src/testing/stack';
import { afterSaleOf, sold, USER, whole } from '../../harness/sold';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    simulator: { refundTakes: '1s' },
  });
});
afterAll(() => stack?.close());

const ACCOUNT = { bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' } };
const CLABE = { bank_info: { number: '646180110412345678' } };

const ROWS: [method: string, order: string, more: Partial<RefundRequest>][] = [
  ['PIX', 'pix', { user_info: USER, ...ACCOUNT }],
  ['Boleto', 'boleto', { ...ACCOUNT }],
  ['Lottery', 'lottery', { ...ACCOUNT }],
  ['DepositExpress', 'deposit-express', { ...ACCOUNT }],
  ['SPEI', 'spei', { ...CLABE }],
  ['Wallet', 'wallet-card-number', {}],
  ['CreditCard', 'credit-card', {}],
];

it.each(ROWS)(
  'a full refund by %s ends as REFUNDED, and the ledger agrees with the gateway',
  async (_method, name, more) => {
    const order = await sold(stack, name);
    const answer = await stack.payments.refund(order.out_trade_no, { ...whole(order), ...more });
    expect(answer).toMatchObject({
      out_trade_no: order.out_trade_no,
      refund_status: 'REFUND_PROCESSING',
      recovered: false,
    });
    const state = await afterSaleOf(stack, order.out_trade_no).result();
    expect(state).toMatchObject({
      trade_status: 'REFUNDED',
      refunded_amount: order.order_amount,
      refunding_amount: '0.00',
      ledger_complete: true,
      attention: null,
      refunds: [{ out_request_no: expect.stringMatching(/^R[0-9a-z]{13}$/), partial: false, outcome: 'REFUNDED' }],
    });
    expect(stack.simulator.ledger({ out_trade_no: order.out_trade_no })[0]).toMatchObject({
      refunded_amount: order.order_amount,
    });
  },
);
