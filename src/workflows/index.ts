/**
 * workflows/: the lifecycles. Deterministic; this room touches no network, clock or environment, and of `gateway/` it
 * takes only types and the pure files. A worker's bundle re-exports it: `export * from 'temporal-payment-gateway/workflows'`.
 */
export * from './account-contract';
export { afterSale, afterSaleStateQuery, refundUpdate, resolveAfterSaleUpdate } from './after-sale';
export * from './contract';
export {
  createSpeiAccount,
  resolveCreationUpdate,
  speiAccountCreationStateQuery,
} from './create-spei-account';
export { type MerchantEvent, paymentEvents } from './events';
export {
  createdUpdate,
  notificationSignal,
  payment,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
} from './payment';
export { refund } from './refund';
export {
  cancelAccountUpdate,
  depositSignal,
  recheckAccountUpdate,
  resolveAccountUpdate,
  speiAccount,
  speiAccountStateQuery,
} from './spei-account';
export {
  recheckQuantityUpdate,
  speiAccountQuantity,
  speiAccountQuantityStateQuery,
} from './spei-account-quantity';
export { strayNotification } from './stray-notification';
