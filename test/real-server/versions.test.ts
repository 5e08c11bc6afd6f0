/** Worker versions on a real server: what stays with the version that started it, and what goes on with the current one. */
import { randomUUID } from 'node:crypto';
import { afterSaleWorkflowId, paymentWorkflowId } from '../../src/contract';
import { APP } from '../../src/testing/stack';
import { publishedOrder } from '../harness/orders';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { until } from '../harness/runs';

const DEPLOYMENT = 'payments';

let stack: OutsideStack;
beforeAll(async () => {
  stack = await outsideStack({
    settings: {
      PAYMENTS_POLL_SCHEDULE: '500ms',
      PAYMENTS_POLL_EVERY: '1s',
      PAYMENTS_SETTLING: '1s',
      PAYMENTS_WATCH_WINDOW: '1h',
    },
  });
});
afterAll(() => stack?.close());

/** Starts a worker of this version, and makes it the one that new workflows go to. */
async function deploy(buildId: string): Promise<void> {
  await stack.startWorker({ TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: buildId });
  const { workflowService } = stack.temporal.client;
  const request = { namespace: 'default', deploymentName: DEPLOYMENT, buildId, identity: 'test' };
  // The server learns of a version by its worker's first poll.
  await until(
    () => workflowService.setWorkerDeploymentCurrentVersion(request).catch(() => undefined),
    (answer) => answer !== undefined,
  );
}

async function described(workflowId: string) {
  const { raw } = await stack.temporal.client.workflow.getHandle(workflowId).describe();
  const { versioningInfo, priority } = raw.workflowExecutionInfo ?? {};
  return { build: versioningInfo?.deploymentVersion?.buildId, app: priority?.fairnessKey };
}

async function order(): Promise<string> {
  const request = publishedOrder('pix', { out_trade_no: `version-${randomUUID()}` });
  await stack.payments.pay(request);
  return request.out_trade_no;
}

test('after a deploy a payment ends on the version that started it, its after-sale and new orders go on with the next', async () => {
  await deploy('one');
  const [before, sold] = [await order(), await order()];
  await stack.simulator.pay(sold);
  await stack.payments.outcome(sold);
  const [afterSale, open] = [afterSaleWorkflowId(APP.app_id, sold), paymentWorkflowId(APP.app_id, before)];
  await until(
    () => described(afterSale).catch(() => undefined),
    (info) => info?.build === 'one',
  );

  await deploy('two');
  const after = await order();
  expect(await described(paymentWorkflowId(APP.app_id, after))).toEqual({ build: 'two', app: APP.app_id });
  const bank_info = { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' };
  const identify = { number: '71493180072', type: 'CPF' } as const;
  const user_info = { identify, name: 'Mariana Souza Lima', email: 'm@example.com' };
  await stack.payments.refund(sold, { amount: '1.00', user_info, bank_info });
  expect(await described(afterSale)).toEqual({ build: 'two', app: APP.app_id });

  await stack.simulator.pay(before);
  expect(await stack.payments.outcome(before)).toMatchObject({ outcome: 'SUCCESS' });
  expect(await described(open)).toEqual({ build: 'one', app: APP.app_id });
}, 120_000);
