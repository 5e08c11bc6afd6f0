/**
 * gateway/: the gateway's interface in code: schemas, rules, a typed client, signing, sealing, errors. It knows nothing of
 * Temporal and imports no other room. `pure/` holds what runs in a workflow too: it imports nothing but `big.js`.
 */

export type { Bank, BankListRequest } from './banks';
export { type CheckOptions, type Warning, warningsFor } from './check';
export { parseCheckout, withReturnUrl } from './checkout';
export { type BeforeSending, type GatewayApp, GatewayClient, type GatewaySettings } from './client';
export { OtherAnswerError, otherThanAsked } from './echo';
export {
  type CallOutcome,
  type FieldIssue,
  GatewayError,
  type GatewayErrorFields,
  InvalidRequestError,
} from './errors';
export type { InstallmentPlan, InstallmentsRequest } from './installments';
export { type Notification, readNotification } from './notification';
export {
  isSignedBy,
  looksSigned,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
  signatureHeader,
} from './notification-signature';
export type {
  Address,
  BankInfo,
  Checkout,
  Customer,
  DirectPayment,
  Identity,
  RefundedUser,
  RefundOptions,
  RefundRequest,
} from './orders';
export { parseDirectPayment } from './pay';
export {
  type CurrencyCode,
  type CurrencyOf,
  type KnownCurrency,
  type KnownMethod,
  type OpenEnd,
  type PaymentMethod,
  type Spelt,
  type SpeltMethod,
  TRADE_STATUSES,
  type TradeStatus,
  type TradeStatusName,
} from './pure/names';
export type { Trade, TradeId } from './query';
export { parseRefund, type Refund, type RefundOfTrade } from './refund';
export { type GatewayResponse, textField } from './response';
export type { RefundedTrade, RuleSettings } from './rules';
export { newSealingKeys, open, type Sealed, SealingError, seal, UnknownSealingKeyError } from './sealing';
export {
  type NewSpeiAccount,
  parseNewSpeiAccount,
  type SpeiAccount,
  type SpeiAccountId,
  type SpeiAccountQuantity,
} from './virtual-accounts';
export type { WalletTokenRequest } from './wallet-token';
