/**
 * workflows/: the lifecycles. Deterministic; this room touches no network, clock or environment, and of other
 * rooms it imports contract/ and gateway/pure/ only. Every function here is a workflow type, so what a merchant's own workflow
 * calls is in calls/; a merchant's bundle re-exports both: `export * from 'temporal-payment-gateway/workflows'`.
 */
import './versioning';

export type * from '../contract';
export { FAILURE, QUERY, SEARCH_ATTRIBUTE, SIGNAL, UPDATE, WORKFLOW } from '../contract';
export { createSpeiAccount } from './account/create';
export { speiAccountQuantity } from './account/quantity';
export { speiAccount } from './account/workflow';
export { afterSale } from './after-sale/workflow';
export { eventDelivery } from './events/delivery';
export { bankList, installments, walletToken } from './lookup/workflow';
export { payment } from './payment/workflow';
export { stuckSweep } from './reconciliation/stuck-sweep';
export { reconciliation } from './reconciliation/workflow';
export { appAttention, strayNotification } from './shared/until-seen';
