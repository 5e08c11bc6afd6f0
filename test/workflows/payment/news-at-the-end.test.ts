/** A failed payment looks for earlier runs at its end. What is notified meanwhile is acknowledged, so it must not be lost. */
import type { NotificationSignal } from '../../../src/contract';
import { paymentWorkflowId, SIGNAL, WORKFLOW } from '../../../src/contract';
import { type Simulation, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { order } from '../../harness/orders';

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

test('money for a trade of others that is notified just before a refused order fails is taken on by a new run', async () => {
  const { gateway, payments, temporal } = simulation;
  const wrong = order({ order_amount: '0.00' });
  const { out_trade_no } = wrong.request;
  const workflowId = paymentWorkflowId(APP.app_id, out_trade_no);
  await gateway.addTrade(out_trade_no, { order_amount: '150.00', statusAt: () => 'SUCCESS' });
  const notification: NotificationSignal = {
    ...{ app_id: APP.app_id, trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS' },
    ...{ method: 'PIX', amount: '150.00', currency: 'BRL' },
  };
  const own = temporal.temporal.activities.functions['payments.earlierRuns'];
  let reads = 0;
  temporal.work({
    'payments.earlierRuns': async (...args: unknown[]) => {
      reads += 1;
      // The first is before the order is sent.
      if (reads === 2) await temporal.client.workflow.getHandle(workflowId).signal(SIGNAL.notification, notification);
      return typeof own === 'function' ? own(...args) : null;
    },
  });
  // As a program by the contract alone starts it: without `first_start_id`.
  await temporal.client.workflow.start(WORKFLOW.payment, { workflowId, taskQueue: 'simulated', args: [wrong] });
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
});
