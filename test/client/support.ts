import { PaymentError } from '../../src/client';
import { thrownBy } from '../harness/thrown';

/** The PaymentError that a call throws. */
export async function errorOf(call: Promise<unknown>): Promise<PaymentError> {
  const error = await thrownBy(call);
  if (error instanceof PaymentError) return error;
  throw error;
}
