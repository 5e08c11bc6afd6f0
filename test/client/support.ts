import { PaymentError } from '../../src/client';
import { publishedOrder } from '../harness/orders';
import { thrownBy } from '../harness/thrown';

/** The name by which test/real-server/rewritten-database.test.ts takes it. */
export const orderOf = publishedOrder;

/** The PaymentError that a call throws. */
export async function errorOf(call: Promise<unknown>): Promise<PaymentError> {
  const error = await thrownBy(call);
  if (error instanceof PaymentError) return error;
  throw error;
}
