/**
 * calls/: what a merchant's own workflow calls. It runs in the sandbox and imports contract/ and workflows/ only. It stands
 * beside workflows/, because a Worker takes every function that its bundle exports for a workflow.
 */
export * from '../contract';
export { type NexusPayments, type NexusPaymentsOptions, nexusPayments } from './nexus-payments';
export { refundPayment } from './refund-payment';
export { startPayment } from './start-payment';
