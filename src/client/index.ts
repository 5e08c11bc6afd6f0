/**
 * client/: what a merchant's backend calls. It imports contract/, gateway/, codec/, temporal/ and process/, and loads no native
 * code of the worker.
 */
export { dataConverter } from '../codec/data-converter';
export { isSold, type MerchantEvent } from '../contract';
export type {
  Checkout,
  CurrencyCode,
  DirectPayment,
  PaymentMethod,
  RefundOptions,
  TradeStatusName,
} from '../gateway';
export { withReturnUrl } from '../gateway/checkout';
export { ConfigError, loadConfig } from '../process/settings';
export { TemporalUnreachableError, UnknownNamespaceError } from '../temporal/connection';
export { NotSetUpError } from '../temporal/search-attributes';
export { startTelemetry, type TelemetryOptions } from '../temporal/telemetry/start';
export type { Telemetry } from '../temporal/telemetry/telemetry';
export { AccountsClient, accountKeyOf, type DepositPage, type DepositPayment } from './accounts';
export { type ConnectedPayments, type ConnectOptions, connectPayments } from './connect';
export * from './errors';
export { EventError, EventReader } from './event-reader';
export { type CheckoutCreated, dataOfCheckout, dataOfMethod, type PaymentDataOf, type Refunded } from './payment-data';
export { PaymentsClient, type PaymentsClientOptions } from './payments';
