/** Orders that were sold through a whole stack, and requests to refund them. */
import { setTimeout as delay } from 'node:timers/promises';
import { type AfterSaleState, type Attention, afterSaleWorkflowId } from '../../src/contract';
import type { DirectPayment, RefundOptions } from '../../src/gateway';
import { APP, type Stack } from '../../src/testing/stack';
import type { AfterSaleWorkflow } from '../../src/workflows';
import { publishedOrder } from './orders';

/** The buyer, as refunds to a bank account need it. */
export const USER = {
  name: 'Mariana Souza Lima',
  email: 'mariana@example.com',
  identify: { number: '50284414727', type: 'CPF' },
};

/** Makes a published order, and waits until it is paid. */
export async function sold(
  { payments, simulator }: Pick<Stack, 'payments' | 'simulator'>,
  name: string,
  changes: Partial<DirectPayment> = {},
) {
  const order = publishedOrder(name, changes);
  await payments.pay(order);
  await simulator.pay(order.out_trade_no);
  await payments.outcome(order.out_trade_no);
  return order;
}

export const part = (amount: string, out_request_no: string): RefundOptions => ({ amount, out_request_no });

/** The after-sale of an order: the latest run, or one of those before. */
export const afterSaleOf = ({ client }: Pick<Stack, 'client'>, out_trade_no: string, runId?: string) =>
  client.workflow.getHandle<AfterSaleWorkflow>(afterSaleWorkflowId(APP.app_id, out_trade_no), runId);

/** The state of an after-sale, once it waits for a person for this reason, and the gateway has answered what was notified. */
export async function waitsForAPerson(stack: Pick<Stack, 'client'>, out_trade_no: string, attention: Attention) {
  const handle = afterSaleOf(stack, out_trade_no);
  // It may not have begun.
  const read = () => handle.query<AfterSaleState>('state').catch(() => undefined);
  let state = await read();
  const isThere = () => state?.attention === attention && state.claims.length === 0;
  for (; !isThere(); state = await read()) await delay(50);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  return state;
}
