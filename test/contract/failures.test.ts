/** Failures as they come out of our workflows, on a simulated Temporal, against the published schema. */
import { WithStartWorkflowOperation } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { lookupActivities } from '../../src/activities';
import { detailsOf, FAILURE, type NewPayment, paymentWorkflowId, UPDATE, WORKFLOW } from '../../src/contract';
import { GatewayError } from '../../src/gateway';
import { type Simulation, simulate } from '../../src/testing/simulation';
import { APP } from '../../src/testing/stack';
import { order } from '../harness/orders';
import { problemsWith } from '../harness/schemas';
import { thrownBy } from '../harness/thrown';

let world: Simulation;
/** The types that fitted. */
const seen = new Set<string>();

beforeEach(async () => {
  world = await simulate();
});
afterEach(() => world.close());

/** Waits for the failure of a call, and holds it against the schema. */
async function fails(type: string, call: Promise<unknown>): Promise<void> {
  const error = await thrownBy(call);
  const failure = [error, error instanceof Error ? error.cause : undefined].find(
    (one) => one instanceof ApplicationFailure,
  );
  if (!(failure instanceof ApplicationFailure)) throw new Error(`It did not fail with ${type}`, { cause: error });
  const { message } = failure;
  const details = detailsOf(failure);
  expect({
    type: failure.type,
    message,
    problems: problemsWith('TypedFailure', { type: failure.type, message, details }),
  }).toEqual({
    type,
    message,
    problems: null,
  });
  seen.add(type);
}

/** `created` as a program in another language sends it. */
function created(payment: NewPayment): Promise<unknown> {
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW.payment, {
    workflowId: paymentWorkflowId(APP.app_id, payment.request.out_trade_no),
    taskQueue: 'simulated',
    args: [payment],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
  return world.temporal.client.workflow.executeUpdateWithStart(UPDATE.created, {
    args: [payment],
    startWorkflowOperation,
  });
}

function refund(out_trade_no: string, refund_amount: string, more: object = {}): Promise<unknown> {
  const request = { refund_amount, refund_currency: 'BRL', user_info: { email: 'a@example.com' }, ...more };
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW.afterSale, {
    workflowId: `after-sale:${APP.app_id}:${out_trade_no}`,
    taskQueue: 'simulated',
    args: [{ app_id: APP.app_id, out_trade_no }],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return world.temporal.client.workflow.executeUpdateWithStart(UPDATE.refund, {
    args: [request],
    startWorkflowOperation,
  });
}

/** A trade at the gateway that was paid by card: 150.00 BRL. */
async function sold(): Promise<string> {
  await world.gateway.addTrade('sold', { method: 'CreditCard' });
  return 'sold';
}

describe('a failure of a payment fits its schema:', () => {
  test('InvalidRequest', () => fails(FAILURE.invalidRequest, created(order({ order_amount: '-1' }))));

  test('NotCreated', async () => {
    world.gateway.mishaps = [{ refuse: { code: '40002', sub_code: 'no-method-supported' } }];
    await fails(FAILURE.notCreated, created(order()));
  });

  test('DuplicateOrder', async () => {
    await world.gateway.addTrade('elsewhere');
    await fails(FAILURE.duplicateOrder, created(order({ out_trade_no: 'elsewhere' })));
  });

  test('DifferentRequest and NotCanceled', async () => {
    const payment = order();
    await created(payment);
    await fails(FAILURE.differentRequest, created({ ...payment, request: { ...payment.request, subject: 'Another' } }));
    const handle = world.temporal.client.workflow.getHandle(
      paymentWorkflowId(APP.app_id, payment.request.out_trade_no),
    );
    await fails(FAILURE.notCanceled, handle.executeUpdate(UPDATE.cancel));
  });

  test('PaymentPending', async () => {
    world.gateway.isDown = true;
    await fails(FAILURE.pending, created(order()));
  });
});

describe('a failure of a refund fits its schema:', () => {
  test('OverRefund and NotRefunded', async () => {
    const number = await sold();
    await fails(FAILURE.overRefund, refund(number, '150.01', { out_request_no: 'a' }));
    world.gateway.refundMishaps = [{ refuse: { code: '40002', sub_code: 'no-method-supported' } }];
    await fails(FAILURE.notRefunded, refund(number, '10.00', { out_request_no: 'b' }));
  });

  test('NotFound', () => fails(FAILURE.notFound, refund('mistyped', '10.00')));

  test('DuplicateRefund', async () => {
    const number = await sold();
    world.gateway.refundMishaps = [{ refuse: { code: '40002', sub_code: 'duplicate-out_request_no' } }];
    await fails(FAILURE.duplicateRefund, refund(number, '10.00', { out_request_no: 'a' }));
  });

  test('RefundPending', async () => {
    const number = await sold();
    world.gateway.refundMishaps = Array(200).fill('unreachable');
    await fails(FAILURE.refundPending, refund(number, '10.00', { out_request_no: 'a' }));
  });
});

test('a failure of a question fits its schema: NotAnswered', async () => {
  const fields = {
    outcome: 'not-created',
    retryable: false,
    operation: '/bank/list',
    code: '40002',
    http_status: 200,
  } as const;
  const refuse = () => Promise.reject(new GatewayError('The gateway refused.', fields));
  const gateway = { banks: refuse, installments: refuse, walletToken: refuse };
  world.temporal.work(lookupActivities(new Map([[APP.app_id, gateway]])));
  const question = world.temporal.client.workflow.execute(WORKFLOW.bankList, {
    workflowId: `lookup:${APP.app_id}:bankList:1`,
    taskQueue: 'simulated',
    args: [{ app_id: APP.app_id, request: { method: 'BankTransfer' } }],
  });
  await fails(FAILURE.notAnswered, question);
});

/** Closing is in real-server/after-sale/refunds.test.ts, AccountCanceled in clients/cases.json, and those of a merchant's own workflow in calls/. */
const ELSEWHERE = [FAILURE.closing, FAILURE.accountCanceled, FAILURE.notAWorkflow, FAILURE.withoutResult];

test('every type of failure is tested here, or in the files that are named', () => {
  expect([...seen, ...ELSEWHERE].sort()).toEqual(Object.values(FAILURE).sort());
});

test.each([
  { type: 'OverRefund', message: 'm', details: {} },
  { type: 'InvalidRequest', message: 'm', details: { issues: [{ field: 'a' }] } },
  { type: 'InvalidRequest', message: 'm', details: {} },
  { type: 'DifferentRequest', message: 'm', details: { fields: 'subject' } },
  { type: 'DuplicateOrder', message: 'm', details: { trade_no: null } },
  { type: 'PaymentPending', message: 'm', details: { outcome: 'perhaps' } },
  { type: 'Nameless', message: 'm' },
  { type: 'Closing' },
])('what is no failure of ours does not fit: %j', (wrong) => {
  expect(problemsWith('TypedFailure', wrong)).not.toBeNull();
});
