/**
 * Refunds through a real server, worker and gateway: of every method, with refusals that nobody listed, after all workflows of
 * the trade have closed, and while a run of the after-sale ends. One stack for all, as their settings do not exclude each other.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { paymentWorkflowId } from '../../../src/contract';
import type { DirectPayment, RefundOptions } from '../../../src/gateway';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { HeldHandler, isClosing } from '../../harness/closing';
import { forget } from '../../harness/runs';
import { afterSaleOf, part, sold, USER, waitsForAPerson } from '../../harness/sold';

const handler = new HeldHandler();

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: {
      ...{ PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
      // The simulator's own refusals are in the default list, and this gateway's are in none.
      GATEWAY_REFUND_REFUSALS: 'a-word-of-another-gateway',
    },
    simulator: { refundTakes: '0s' },
    // The server forgets at once what it is told to, without half a minute of making sure that its end is in the lists.
    temporal: ['transfer', 'visibility'].flatMap((queue) => [
      '--dynamic-config-value',
      `history.${queue}ProcessorEnsureCloseBeforeDelete=false`,
    ]),
    onEvent: (event) => handler.hears(event),
  });
});
afterAll(async () => {
  handler.release();
  await stack?.close();
});

const askedFor = (out_trade_no: string) => stack.simulator.requests({ path: '/trade/refund', out_trade_no });

/** Every row of the interface's table of refunds by method (section 4.3). */
describe('of each method', () => {
  beforeAll(() => void stack.simulator.configure({ refundTakes: '1s' }));
  afterAll(() => void stack.simulator.configure({ refundTakes: '0s' }));

  const ACCOUNT = { bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' } };
  const CLABE = { bank_info: { number: '646180110412345678' } };

  const ROWS: [method: string, order: string, more: Partial<RefundOptions>][] = [
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
      const answer = await stack.payments.refund(order.out_trade_no, { ...more });
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
});

/** Refusals by sub_codes that no setting lists: whether the refund was made is unknown, as after a lost answer. */
describe('a refund that nobody knows of', () => {
  /** Once a person is asked. The decision has to wait while the request may be on its way. */
  async function expectAsked(out_trade_no: string, out_request_no: string, refunded_amount: string) {
    await waitsForAPerson(stack, out_trade_no, 'unknown-refund');
    const resolution = { out_request_no, outcome: 'NOT_CREATED', reason: 'the dashboard shows none', by: 'ana' };
    await expect(
      afterSaleOf(stack, out_trade_no).executeUpdate('resolve', { args: [resolution] }),
    ).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
    expect(await stack.payments.refunds(out_trade_no)).toMatchObject({ refunded_amount });
    expect(askedFor(out_trade_no).filter((one) => one.out_request_no === out_request_no)).toHaveLength(1);
  }
  const request = (out_trade_no: string, refund: RefundOptions): void =>
    void stack.payments.refund(out_trade_no, refund).catch(() => undefined);

  const REFUSED: [what: string, name: string, changes: Partial<DirectPayment>, amount: string][] = [
    ['method has no refunds', 'oxxo', {}, '10.00'],
    ['wallet refunds only the whole amount', 'wallet-qr', { channel: 'PicPay' }, '10.00'],
  ];

  test.each(REFUSED)('because its %s is sent once, and put before a person', async (_what, name, changes, amount) => {
    const order = await sold(stack, name, changes);
    request(order.out_trade_no, { ...part(amount, 'refused'), user_info: USER });
    await expectAsked(order.out_trade_no, 'refused', '0.00');
  });
});

/** Of a trade whose workflows have all closed, with and without the earlier runs in Temporal. */
describe('after all workflows have closed', () => {
  test('a new run knows the refunds of the run before: it repeats their answers, sends none twice, and refuses more than is left', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const first = await stack.payments.refund(out_trade_no, part('50.00', 'a'));
    await afterSaleOf(stack, out_trade_no).result();
    const { runId } = await afterSaleOf(stack, out_trade_no).describe();

    expect(await stack.payments.refund(out_trade_no, part('50.00', 'a'))).toEqual(first);
    expect((await afterSaleOf(stack, out_trade_no).describe()).runId).not.toBe(runId);
    await expect(stack.payments.refund(out_trade_no, part('60.00', 'a'))).rejects.toMatchObject({
      name: 'DuplicateRefundError',
      details: { fields: ['refund_amount'] },
    });
    await expect(stack.payments.refund(out_trade_no, part(order.order_amount, 'b'))).rejects.toMatchObject({
      name: 'OverRefundError',
    });
    expect(askedFor(out_trade_no)).toHaveLength(1);

    await stack.payments.refund(out_trade_no, part('30.00', 'b'));
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
      refunded_amount: '80.00',
      ledger_complete: true,
      attention: null,
      refunds: [{ out_request_no: 'a' }, { out_request_no: 'b' }],
    });
  });

  test('a ledger without a run that Temporal has deleted is incomplete: nothing is granted until a person has named what went back', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    await stack.payments.refund(out_trade_no, part('50.00', 'a'));
    await afterSaleOf(stack, out_trade_no).result();
    await forget(stack.client, afterSaleOf(stack, out_trade_no).workflowId);

    await expect(stack.payments.refund(out_trade_no, part('30.00', 'b'))).rejects.toMatchObject({
      name: 'NotRefundedError',
      details: { ledger_complete: false },
    });
    expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
      trade_status: 'PARTIAL_REFUND',
      refunded_amount: '0.00',
      ledger_complete: false,
      attention: 'refund-elsewhere',
    });
    const { workflowId } = afterSaleOf(stack, out_trade_no);
    await stack.client.workflow.executeUpdateWithStart('resolve', {
      args: [{ refunded_elsewhere: '50.00', reason: 'the dashboard shows 50.00', by: 'ana' }],
      startWorkflowOperation: new WithStartWorkflowOperation('afterSale', {
        workflowId,
        taskQueue: stack.taskQueue,
        args: [{ app_id: APP.app_id, out_trade_no }],
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
    await stack.payments.refund(out_trade_no, part('30.00', 'b'));
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
      refunded_amount: '30.00',
      refunded_elsewhere: '50.00',
      ledger_complete: true,
      attention: null,
      refunds: [{ out_request_no: 'b', outcome: 'REFUNDED' }],
    });
    expect(stack.simulator.ledger({ out_trade_no })).toMatchObject([{ refunded_amount: '80.00' }]);
  });

  test('a refund whose payment Temporal has deleted is refused with the missing fields of the buyer, and is made when they are given', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    await forget(stack.client, paymentWorkflowId(APP.app_id, out_trade_no));
    const refund = part('50.00', 'a');
    await expect(stack.payments.refund(out_trade_no, refund)).rejects.toMatchObject({
      name: 'InvalidOrderError',
      issues: [expect.objectContaining({ field: 'user_info.email' })],
    });
    expect(askedFor(out_trade_no)).toHaveLength(0);
    await stack.payments.refund(out_trade_no, { ...refund, user_info: { email: USER.email } });
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
      refunded_amount: '50.00',
      ledger_complete: true,
    });
  });
});

describe('a run that ends', () => {
  test('keeps a notification that arrives while it closes, and the refund before it', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const { release } = handler.hold('PARTIAL_REFUND');
    const known = part('50.00', 'a');
    await stack.payments.refund(out_trade_no, known);
    while (!(await isClosing(stack, out_trade_no, { refund_amount: '50.00', out_request_no: 'a' }))) await delay(20);
    await stack.simulator.act(out_trade_no, 'dispute');
    await stack.simulator.settled();
    release();
    expect(await waitsForAPerson(stack, out_trade_no, 'dispute')).toMatchObject({
      trade_status: 'DISPUTE',
      refunded_amount: '50.00',
      refunds: [{ out_request_no: 'a', outcome: 'REFUNDED' }],
    });
  });
});
