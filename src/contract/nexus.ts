/** Payments over Nexus: the service that a workflow of another namespace calls. Plain JSON, as the rest of the contract. */
import { operation, service } from 'nexus-rpc';
import type { RefundAnswer, RefundOrder } from './after-sale';
import type { OrderRequest, PaymentData, PaymentState } from './payment';

/** A new order: a direct payment for `pay`, a hosted checkout for `checkout`. */
export interface NexusOrder {
  app_id: string;
  /** The body of the gateway's request without `app_id` and `timestamp`. */
  request: OrderRequest;
}

/** An order that was made before. */
export interface NexusOrderNumber {
  app_id: string;
  out_trade_no: string;
}

export interface NexusRefund extends NexusOrderNumber {
  request: RefundOrder;
}

/**
 * The service and its operations. Each answers within seconds. If the gateway has not answered by then, the operation fails as
 * `PaymentPending`, and the caller asks again. A worker serves it if `PAYMENTS_NEXUS` is `true`.
 */
export const paymentsService = service('temporal-payment-gateway', {
  pay: operation<NexusOrder, PaymentData>(),
  checkout: operation<NexusOrder, PaymentData>(),
  refund: operation<NexusRefund, RefundAnswer>(),
  state: operation<NexusOrderNumber, PaymentState>(),
  /** It fails as `PaymentPending` until the payment has ended, and with the payment's failure if there is no order. */
  outcome: operation<NexusOrderNumber, PaymentState>(),
  cancel: operation<NexusOrderNumber, PaymentState>(),
});
