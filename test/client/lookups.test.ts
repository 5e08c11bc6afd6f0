/** Banks, installments and wallet tokens for a backend that has no key of the gateway, on a whole stack. */

import { InvalidLookupError, type LookupFailure, NotAnsweredError, PaymentsClient } from '../../src/client';
import { lookupWorkflowId, WORKFLOW } from '../../src/contract';
import { newSealingKeys } from '../../src/gateway';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { thrownBy } from '../harness/thrown';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' } });
});
afterAll(() => stack?.close());

test('a wallet token reaches the caller, and no history holds it, though nothing is encrypted here', async () => {
  const token = await stack.payments.walletToken();
  expect(token).toMatch(/^simulated_client_token_/);

  const { client } = stack.temporal;
  const clear = { client, app_id: APP.app_id, taskQueue: stack.taskQueue };
  const { publicJwk } = await newSealingKeys('mine');
  const handle = await client.workflow.start(WORKFLOW.walletToken, {
    workflowId: lookupWorkflowId(APP.app_id, WORKFLOW.walletToken, 'clear'),
    taskQueue: clear.taskQueue,
    args: [{ app_id: APP.app_id, request: {}, seal_to: publicJwk }],
  });
  await handle.result();
  const history = JSON.stringify(await handle.fetchHistory());
  const kept = history.replace(/"data":"([^"]*)"/g, (_, data) => Buffer.from(data, 'base64').toString());
  expect(kept).toContain('sealed');
  expect(kept).not.toContain('simulated_client_token');
});

test.each<[string, (payments: PaymentsClient) => Promise<unknown>, string]>([
  ['a type of two digits', (payments) => payments.banks({ method: 'Cash', type: '1' }), 'type'],
  ['an amount of zero', (payments) => payments.installments({ currency: 'BRL', amount: '0.00' }), 'amount'],
])('%s is refused, with the field and its rule, and is not asked', async (_, ask, field) => {
  const before = stack.simulator.requests({}).length;
  const error = await thrownBy(ask(stack.payments));
  expect(error).toBeInstanceOf(InvalidLookupError);
  expect(error).toMatchObject({ type: 'InvalidRequest', retryable: false, issues: [{ field }] });
  expect(stack.simulator.requests({})).toHaveLength(before);
});

test('a public key that is none is refused by name', async () => {
  const failed = stack.client.workflow.execute(WORKFLOW.walletToken, {
    workflowId: lookupWorkflowId(APP.app_id, WORKFLOW.walletToken, 'wrong-key'),
    taskQueue: stack.taskQueue,
    args: [{ app_id: APP.app_id, request: {}, seal_to: { kty: 'EC' } }],
  });
  expect(await thrownBy(failed)).toMatchObject({
    cause: { type: 'InvalidRequest', details: [{ issues: [{ field: 'seal_to' }] }] },
  });
});

test('without a worker the call ends by itself, and may be repeated', async () => {
  const nobody = new PaymentsClient({
    ...{ client: stack.client, app_id: APP.app_id, taskQueue: 'nobody', answerTimeoutMs: 1_000 },
  });
  const error = await thrownBy(nobody.banks({ method: 'Cash' }));
  expect(error).toBeInstanceOf(NotAnsweredError);
  expect((error as LookupFailure).retryable).toBe(true);
});
