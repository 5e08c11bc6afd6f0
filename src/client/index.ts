/** client/: what a merchant's backend calls. It needs a Temporal client, and nothing of a worker's native code. */
export { withReturnUrl } from '../gateway';
export * from './account-errors';
export { AccountsClient, type DepositPage, type DepositPayment } from './accounts-client';
export * from './errors';
export { type CheckoutCreated, PaymentsClient, type PaymentsClientOptions } from './payments-client';
