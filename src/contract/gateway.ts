/**
 * The gateway's types that workflows handle. Sandbox code takes them from here: the files that define them hold schemas
 * too, and no schema may get into a workflow bundle.
 */
import type { Trade } from '../gateway/query';

export type { Bank, BankListRequest } from '../gateway/banks';
export type { FieldIssue, GatewayErrorFields } from '../gateway/errors';
export type { InstallmentPlan, InstallmentsRequest } from '../gateway/installments';
export type { Checkout, DirectPayment, RefundOptions } from '../gateway/orders';
export type { Trade, TradeId } from '../gateway/query';
export type { GatewayResponse } from '../gateway/response';
export type { NewSpeiAccount, SpeiAccount } from '../gateway/virtual-accounts';
export type { WalletTokenRequest } from '../gateway/wallet-token';

/** What a query showed of a trade. */
export interface TradeSeen {
  readonly trade_status: string;
  /** When the gateway was asked, in ms since the epoch: of two answers, the answer to the later question counts. */
  readonly asked_at: number;
}

/** A trade as an activity has queried it. `second`: another trade that the gateway shows under the order's number. */
export type QueriedTrade = Trade & TradeSeen & { readonly second?: Trade & TradeSeen };
