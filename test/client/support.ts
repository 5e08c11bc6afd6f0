/** What the tests of the client share: orders with unique numbers, and the errors of calls. */
import { randomUUID } from 'node:crypto';
import { PaymentError } from '../../src/client';
import { publishedOrders } from '../harness/orders';

/** A published order with a unique number. */
export function orderOf(name: string) {
  const published = publishedOrders().find((one) => one.name === name);
  if (!published) throw new Error(`examples/orders has no ${name}.json`);
  return { ...published.request, out_trade_no: `${name}-${randomUUID()}` };
}

/** The PaymentError that a call throws. */
export async function errorOf(call: Promise<unknown>): Promise<PaymentError> {
  const error = await call.then(
    (answer) => new Error(`The call succeeded: ${JSON.stringify(answer)}`),
    (failure: unknown) => failure,
  );
  if (error instanceof PaymentError) return error;
  throw error;
}
