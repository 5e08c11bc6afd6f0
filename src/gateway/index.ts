/**
 * gateway/: the interface in code, and nothing of Temporal. Schemas, a typed client, signing, sealing, errors, money and
 * durations. Nothing of any other room may come in here; `workflows/` takes only the files marked pure.
 */
export { type Answer, field } from './answers';
export { type Checkout, parseCheckout, withReturnUrl } from './checkout';
export { type GatewayApp, GatewayClient } from './client';
export { type FieldIssue, GatewayError, type GatewayErrorFields, InvalidRequestError, type Outcome } from './errors';
export { type Notification, readNotification } from './notification';
export { type DirectPayment, parseDirectPayment } from './pay';
export { parseTradeId, type Trade, type TradeId } from './query';
export { newSealingKeys, open, type Sealed, SealingError, seal } from './sealing';
export { isSignedBy, type SignatureScheme, signatureHeader } from './signing';
export { TRADE_STATUSES, type TradeStatus } from './statuses';
