/** `temporal-payment-gateway/workflows`: what a merchant's bundle re-exports, and what its own workflows call. */
export { refundPayment, startPayment } from './calls';
export * from './workflows';
