/**
 * gateway/: the interface in code, and nothing of Temporal. Schemas, a typed client, signing, sealing, errors, money and
 * durations. Nothing of any other room may come in here; `workflows/` takes only the files marked pure.
 */
export { type Answer, field } from './answers';
export type { Bank, BankListRequest } from './banks';
export { type CheckOptions, type Warning, warningsFor } from './check';
export { type Checkout, parseCheckout, withReturnUrl } from './checkout';
export { type GatewayApp, GatewayClient, type GatewaySettings } from './client';
export { type FieldIssue, GatewayError, type GatewayErrorFields, InvalidRequestError, type Outcome } from './errors';
export type { InstallmentPlan, InstallmentsRequest } from './installments';
export { type Notification, readNotification } from './notification';
export { type DirectPayment, parseDirectPayment } from './pay';
export { parseTradeId, type Trade, type TradeId } from './query';
export { parseRefund, type Refund, type RefundOfTrade, type RefundRequest } from './refund';
export type { RefundedTrade, RuleSettings } from './rules';
export { newSealingKeys, open, type Sealed, SealingError, seal } from './sealing';
export { isSignedBy, looksSigned, SIGNATURE_SCHEMES, type SignatureScheme, signatureHeader } from './signing';
export { TRADE_STATUSES, type TradeStatus } from './statuses';
export {
  type NewSpeiAccount,
  parseNewSpeiAccount,
  type SpeiAccount,
  type SpeiAccountId,
  type SpeiAccountQuantity,
} from './virtual-accounts';
export type { WalletTokenRequest } from './wallet-token';
