/** An after-sale that an operator resets on a real server, which gives the new run its updates again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type AfterSaleState, refundWorkflowId } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { afterSaleOf, part, sold } from '../../harness/sold';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    webhook: false,
    env: {
      ...{ PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
      PAYMENTS_WATCH_WINDOW: '3d',
    },
    simulator: { refundTakes: '0s' },
  });
});
afterAll(() => stack?.close());

test('an after-sale that is reset to a moment between two parts does not send the second part twice', async () => {
  const { payments, client, simulator } = stack;
  const order = await sold(stack, 'credit-card');
  const { out_trade_no } = order;
  const outcomeOf = async (number: string) =>
    (await payments.refunds(out_trade_no)).refunds.find((one) => one.out_request_no === number)?.outcome;
  await payments.refund(out_trade_no, part(order, '20.00', 'a'));
  while ((await outcomeOf('a')) !== 'REFUNDED') await delay(50);
  const handle = afterSaleOf(stack, out_trade_no);
  const before = await handle.fetchHistory();
  const between = before.events?.findLast((one) => one.workflowTaskCompletedEventAttributes)?.eventId ?? null;
  await payments.refund(out_trade_no, part(order, '20.00', 'b'));
  await client.workflow.getHandle(refundWorkflowId(APP.app_id, out_trade_no, 'b')).result();
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    reason: 'by mistake',
    requestId: randomUUID(),
    workflowTaskFinishEventId: between,
  });
  const ledger = () => afterSaleOf(stack, out_trade_no).query<AfterSaleState>('state');
  let state = await ledger();
  for (; state.refunded_amount !== '40.00'; state = await ledger()) await delay(50);
  const sent = simulator.requests({ path: '/trade/refund', out_trade_no }).map((one) => one.out_request_no);
  expect(sent).toEqual(['a', 'b']);
  expect(state).toMatchObject({ ledger_complete: true, attention: null });
  expect(state.refunds.map(({ outcome }) => outcome)).toEqual(['REFUNDED', 'REFUNDED']);
}, 120_000);
