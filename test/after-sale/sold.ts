/** Orders that were sold through a whole stack, and what refunds of them need. */
import { randomUUID } from 'node:crypto';
import type { DirectPayment, RefundRequest } from '../../src/gateway';
import type { AfterSaleWorkflow } from '../../src/workflows';
import { afterSaleWorkflowId } from '../../src/workflows/contract';
import { publishedOrders } from '../harness/orders';
import { APP, type Stack } from '../harness/stack';

/** What a refund to a bank account has to say of the buyer. */
export const USER = {
  name: 'Mariana Souza Lima',
  email: 'mariana@example.com',
  identify: { number: '50284414727', type: 'CPF' },
};

/** A published order under a number of its own. */
export function orderOf(name: string, changes: Partial<DirectPayment> = {}): DirectPayment {
  const found = publishedOrders().find((one) => one.name === name);
  if (!found) throw new Error(`examples/orders has no ${name}.json`);
  return { ...found.request, out_trade_no: `${name}-${randomUUID()}`, ...changes };
}

/** The same, paid and known to be. */
export async function sold(
  { payments, simulator }: Pick<Stack, 'payments' | 'simulator'>,
  name: string,
  changes: Partial<DirectPayment> = {},
) {
  const order = orderOf(name, changes);
  await payments.pay(order);
  await simulator.pay(order.out_trade_no);
  await payments.outcome(order.out_trade_no);
  return order;
}

export const whole = ({ order_amount, order_currency }: DirectPayment): RefundRequest => ({
  refund_amount: order_amount,
  refund_currency: order_currency,
});

export const part = (order: DirectPayment, refund_amount: string, out_request_no: string): RefundRequest => ({
  ...whole(order),
  refund_amount,
  out_request_no,
});

/** The after-sale of an order: the latest run, or one of those before. */
export const afterSaleOf = ({ client }: Pick<Stack, 'client'>, out_trade_no: string, runId?: string) =>
  client.workflow.getHandle<AfterSaleWorkflow>(afterSaleWorkflowId(APP.app_id, out_trade_no), runId);
