/**
 * workflows/: the lifecycles. Deterministic; this room touches no network, clock or environment, and of other
 * rooms it imports contract/ and gateway/pure/ only. Every function here is a workflow type, so what a merchant's own workflow
 * calls is in calls/; a merchant's bundle re-exports both: `export * from 'temporal-payment-gateway/workflows'`.
 */
import './versioning';

export type * from '../contract';
export { FAILURE, QUERY, SEARCH_ATTRIBUTE, SIGNAL, UPDATE, WORKFLOW } from '../contract';
export {
  createSpeiAccount,
  resolveCreationUpdate,
  speiAccountCreationStateQuery,
} from './account/create';
export {
  cancelAccountUpdate,
  depositSignal,
  recheckAccountUpdate,
  resolveAccountUpdate,
  speiAccountStateQuery,
} from './account/messages';
export {
  recheckQuantityUpdate,
  speiAccountQuantity,
  speiAccountQuantityStateQuery,
} from './account/quantity';
export { speiAccount } from './account/workflow';
export { afterSaleStateQuery, refundUpdate, resolveAfterSaleUpdate } from './after-sale/messages';
export { afterSale } from './after-sale/workflow';
export { appAttention, appAttentionStateQuery, resolveAppAttentionUpdate } from './app-attention/workflow';
export {
  deliverAgainUpdate,
  dropEventUpdate,
  eventDelivery,
  eventDeliveryStateQuery,
} from './events/delivery';
export { bankList, installments, walletToken } from './lookup/workflow';
export {
  createdUpdate,
  notificationSignal,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
} from './payment/messages';
export { payment } from './payment/workflow';
export { stuckSweep } from './reconciliation/stuck-sweep';
export { reconciliation } from './reconciliation/workflow';
export { strayNotification } from './shared/stray-notification';
