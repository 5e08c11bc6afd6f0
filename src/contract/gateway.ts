/**
 * The gateway's types that workflows handle. Sandbox code takes them from here: the files that define them hold schemas
 * too, and no schema may get into a workflow bundle.
 */
export type { Bank, BankListRequest } from '../gateway/banks';
export type { FieldIssue, GatewayErrorFields } from '../gateway/errors';
export type { InstallmentPlan, InstallmentsRequest } from '../gateway/installments';
export type { Trade, TradeId } from '../gateway/query';
export type { GatewayResponse } from '../gateway/response';
export type { NewSpeiAccount, SpeiAccount } from '../gateway/virtual-accounts';
export type { WalletTokenRequest } from '../gateway/wallet-token';
