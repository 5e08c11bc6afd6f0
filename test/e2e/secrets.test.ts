/** Marked secrets in every order: with keys set, no complete history of a whole run has any of them. */
import { makeKeys } from '../../src/cli/keys';
import type { PaymentData } from '../../src/workflows';
import { type PublishedOrder, publishedOrders } from '../harness/orders';
import { APP, type Stack, startStack } from '../harness/stack';

/** Each marked so that it is found wherever it stands, in clear or in base64 that is opened. */
const MARK = 'zqxMarkedSecret';
const marked = {
  name: `Mariana ${MARK}name Souza`,
  email: `${MARK}email@example.com`,
  phone: `55119${MARK}phone`,
  token: `tok_${MARK}token`,
};

function plant({ kind, request }: PublishedOrder): PublishedOrder['request'] {
  if (kind === 'checkout') return request;
  const { name: _name, email, phone, ...customer } = { ...request.customer };
  return {
    ...request,
    ...(request.token === undefined ? {} : { token: marked.token }),
    customer: {
      ...customer,
      ...(_name === undefined ? {} : { name: marked.name }),
      ...(email === undefined ? {} : { email: marked.email }),
      ...(phone === undefined ? {} : { phone: marked.phone }),
    },
  };
}

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: (await makeKeys()).encryption_key } });
});
afterAll(() => stack?.close());

it('none is anywhere but in the gateway’s own books', async () => {
  const orders = publishedOrders();
  for (const order of orders) {
    const request = plant(order);
    const data: PaymentData = await (order.kind === 'checkout'
      ? stack.payments.createCheckout(request)
      : stack.payments.pay(request));
    expect(data.trade_no).toBeDefined();
    await stack.simulator.pay(request.out_trade_no);
    await stack.payments.outcome(request.out_trade_no);
    // The client of the test server has no key: it sees what Temporal keeps.
    const handle = stack.temporal.client.workflow.getHandle(`payment:${APP.app_id}:${request.out_trade_no}`);
    expect(opened(JSON.stringify(await handle.fetchHistory()))).not.toContain(MARK);
  }
});

/** A history's text with its payloads' base64 opened. */
const opened = (history: string) =>
  history.replace(/"([A-Za-z0-9+/=]{8,})"/g, (_, data: string) => `${data} ${Buffer.from(data, 'base64').toString()}`);
