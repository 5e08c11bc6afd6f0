/** Refunds of a trade whose workflows have all closed, with and without the earlier runs in Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { paymentWorkflowId, refundWorkflowId } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { afterSaleOf, part, sold, USER } from '../../harness/sold';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
    simulator: { refundTakes: '0s' },
    // The server forgets at once what it is told to, without half a minute of making sure that its end is in the lists.
    temporal: ['transfer', 'visibility'].flatMap((queue) => [
      '--dynamic-config-value',
      `history.${queue}ProcessorEnsureCloseBeforeDelete=false`,
    ]),
  });
});
afterAll(() => stack?.close());

/** Makes Temporal forget the last run of a closed workflow, as it does at the end of its retention. */
async function forget(workflowId: string): Promise<void> {
  const { workflow, workflowService, options } = stack.client;
  const workflowExecution = { workflowId };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  const isKnown = () =>
    workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        },
      );
  while (await isKnown()) await delay(50);
}

const sent = (out_trade_no: string) => stack.simulator.requests({ path: '/trade/refund', out_trade_no }).length;

test('a new run knows the refunds of the run before: it repeats their answers, sends none twice, and refuses more than is left', async () => {
  const order = await sold(stack, 'credit-card');
  const { out_trade_no } = order;
  const first = await stack.payments.refund(out_trade_no, part(order, '50.00', 'a'));
  await afterSaleOf(stack, out_trade_no).result();
  const { runId } = await afterSaleOf(stack, out_trade_no).describe();

  expect(await stack.payments.refund(out_trade_no, part(order, '50.00', 'a'))).toEqual(first);
  expect((await afterSaleOf(stack, out_trade_no).describe()).runId).not.toBe(runId);
  await expect(stack.payments.refund(out_trade_no, part(order, '60.00', 'a'))).rejects.toMatchObject({
    name: 'DuplicateRefundError',
    details: { fields: ['refund_amount'] },
  });
  await expect(stack.payments.refund(out_trade_no, part(order, order.order_amount, 'b'))).rejects.toMatchObject({
    name: 'OverRefundError',
  });
  expect(sent(out_trade_no)).toBe(1);

  await stack.payments.refund(out_trade_no, part(order, '30.00', 'b'));
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
    refunded_amount: '80.00',
    ledger_complete: true,
    attention: null,
    refunds: [{ out_request_no: 'a' }, { out_request_no: 'b' }],
  });
});

test('a run that was terminated before a worker took it does not hide the refunds of earlier runs', async () => {
  const order = await sold(stack, 'credit-card');
  const { out_trade_no } = order;
  await stack.payments.refund(out_trade_no, part(order, '50.00', 'a'));
  const { workflowId } = afterSaleOf(stack, out_trade_no);
  await afterSaleOf(stack, out_trade_no).result();
  const args = [{ app_id: APP.app_id, out_trade_no }];
  const nobody = await stack.client.workflow.start('afterSale', { workflowId, taskQueue: 'nobody', args });
  await nobody.terminate('a test');

  await stack.payments.refund(out_trade_no, part(order, '30.00', 'b'));
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
    refunded_amount: '80.00',
    ledger_complete: true,
    refunds: [{ out_request_no: 'a' }, { out_request_no: 'b' }],
  });
});

test('a ledger without a run that Temporal has deleted is incomplete: nothing is granted until a person has named what went back', async () => {
  const order = await sold(stack, 'credit-card');
  const { out_trade_no } = order;
  await stack.payments.refund(out_trade_no, part(order, '50.00', 'a'));
  await afterSaleOf(stack, out_trade_no).result();
  await forget(afterSaleOf(stack, out_trade_no).workflowId);
  await forget(refundWorkflowId(APP.app_id, out_trade_no, 'a'));

  await expect(stack.payments.refund(out_trade_no, part(order, '30.00', 'b'))).rejects.toMatchObject({
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
  await stack.payments.refund(out_trade_no, part(order, '30.00', 'b'));
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
  await forget(paymentWorkflowId(APP.app_id, out_trade_no));
  const refund = part(order, '50.00', 'a');
  await expect(stack.payments.refund(out_trade_no, refund)).rejects.toMatchObject({
    name: 'InvalidOrderError',
    issues: [expect.objectContaining({ field: 'user_info.email' })],
  });
  expect(sent(out_trade_no)).toBe(0);
  await stack.payments.refund(out_trade_no, { ...refund, user_info: { email: USER.email } });
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({
    refunded_amount: '50.00',
    ledger_complete: true,
  });
});
