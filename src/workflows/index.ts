/**
 * workflows/: the lifecycles. Deterministic; this room touches no network, clock or environment, and of `gateway/` it
 * takes only types and the pure files. A worker's bundle re-exports it: `export * from 'temporal-payment-gateway/workflows'`.
 */
export * from './contract';
export { paymentEvents } from './events';
export {
  createdUpdate,
  notificationSignal,
  payment,
  recheckUpdate,
  resolveUpdate,
  stateQuery,
} from './payment';
export { strayNotification } from './stray-notification';
