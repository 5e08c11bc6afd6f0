/** The deposits of an account, page after page, on a whole stack. */
import type { DepositPayment } from '../../src/client';
import { paymentWorkflowId } from '../../src/contract';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { accountRequest } from '../harness/accounts';
import { eventually } from '../harness/eventually';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

/** Every deposit of all pages, one a page. */
async function pagesOf(account_id: string): Promise<DepositPayment[]> {
  const all: DepositPayment[] = [];
  for (let page: string | null = ''; page !== null; ) {
    const of = page === '' ? {} : { page };
    const { deposits, next_page } = await stack.payments.accounts.deposits(account_id, { pageSize: 1, ...of });
    all.push(...deposits);
    page = next_page;
  }
  return all;
}

test('a deposit that a second payment has confirmed is on one page alone, as counted', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  const isKnown = async (counted: number, set_aside: number) => {
    const { deposits } = await stack.payments.accounts.get(account_id);
    return deposits.count === counted && deposits.set_aside.length === set_aside;
  };
  stack.simulator.addFault({ on: 'query', fault: 'delay', ms: 30_000, times: 1 });
  const { out_trade_no } = await stack.simulator.deposit(account_id, '100.00');
  const workflowId = paymentWorkflowId(APP.app_id, out_trade_no);
  await eventually('its payment runs', () =>
    stack.client.workflow
      .getHandle(workflowId)
      .terminate('by hand')
      .then(
        () => true,
        () => false,
      ),
  );
  await eventually('it is set aside', () => isKnown(0, 1));
  await stack.simulator.deposit(account_id, '7.00');
  await eventually('another one is counted', () => isKnown(1, 1));
  // Somebody presses the callback button, until it helps: within one second it sends the same bytes, which count once.
  await eventually('it is counted', async () => {
    await stack.simulator.notify(out_trade_no);
    return isKnown(2, 0);
  });
  const ended = "WorkflowType = 'payment' AND ExecutionStatus != 'Running'";
  await eventually('all three payments are listed', async () => (await stack.client.workflow.count(ended)).count === 3);
  const counted = [
    { out_trade_no, amount: '100.00', is: 'counted' },
    { amount: '7.00', is: 'counted' },
  ];
  expect(await pagesOf(account_id)).toMatchObject(counted);

  // A payment that no account has started takes no deposit's place.
  await stack.client.workflow.execute('payment', {
    ...{ workflowId, taskQueue: stack.taskQueue },
    args: [{ kind: 'adopt', app_id: APP.app_id, out_trade_no }],
  });
  expect(await pagesOf(account_id)).toMatchObject(counted);
});
