/** Refunds of a sale whose workflows have all closed, with and without the earlier runs in a real Temporal. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { FORGETS_AT_ONCE, forget } from '../../harness/runs';
import { afterSaleOf, part, sold } from '../../harness/sold';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    simulator: { refundTakes: '0s' },
    temporal: FORGETS_AT_ONCE,
  });
});
afterAll(() => stack?.close());

const askedFor = (out_trade_no: string) => stack.simulator.requests({ path: '/trade/refund', out_trade_no });

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
