import pix from '../../examples/orders/pix.json';
import { type Stack, startStack } from '../harness/stack';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

it('pix paid by notification', async () => {
  const data = await stack.payments.pay({ ...pix.request });
  console.log(data);
  await stack.simulator.pay('2026-0001-PIX');
  const state = await stack.payments.outcome('2026-0001-PIX');
  console.log(state);
  expect(state.outcome).toBe('SUCCESS');
  const handle = stack.temporal.client.workflow.getHandle('payment:test-app:2026-0001-PIX');
  const { events } = await handle.fetchHistory();
  console.log(events?.map((e) => e.eventType).join(' '), events?.length);
  expect(await stack.payments.pay({ ...pix.request })).toEqual(data);
});
