/**
 * Sections 4 and 8 of the interface as rows that can be driven: a correct request, changes with which it is still accepted,
 * and changes one past that. Written from the interface alone, so that neither side's reading of it comes in here. This is
 * the test of every rule that both the client and the simulator know.
 */
import { fieldRows } from './fields';
import { accountRows, lookupRows } from './lookups';
import { methodRows } from './methods';
import { checkoutRows, orderRows, payRows } from './orders';
import { refundRows } from './refunds';
import type { Row } from './row';

export { NOTIFICATION, PAYMENT_DATA } from './answers';
export { METHODS, orderIn } from './methods';
export type { Row } from './row';

/** Every row of the request's tables. */
export const ROWS: readonly Row[] = [
  ...fieldRows,
  ...methodRows,
  ...orderRows,
  ...payRows,
  ...checkoutRows,
  ...refundRows,
  ...lookupRows,
  ...accountRows,
];
