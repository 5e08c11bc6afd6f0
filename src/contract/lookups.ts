/** Questions to the gateway that change nothing: banks, installments, and a wallet's client token (sections 4.5 to 4.7). */
import type { Bank, BankListRequest, InstallmentPlan, InstallmentsRequest, WalletTokenRequest } from './gateway';

/** The input of the workflow `bankList`. `request` is the body of the gateway's request without `app_id` and `timestamp`. */
export interface BankListInput {
  app_id: string;
  request: BankListRequest;
}

/** The result of `bankList`. An order names a bank by its `bank_id`. */
export interface BankListAnswer {
  banks: Bank[];
}

/** The input of the workflow `installments`. */
export interface InstallmentsInput {
  app_id: string;
  request: InstallmentsRequest;
}

/** The result of `installments`: the ways to pay the amount. */
export interface InstallmentsAnswer {
  plans: InstallmentPlan[];
}

/** The input of the workflow `walletToken`. */
export interface WalletTokenInput {
  app_id: string;
  request: WalletTokenRequest;
  /** The caller's public key (JWK, P-256): the token is sealed to it, so that no history ever has the token in clear. */
  seal_to: { readonly kty: string; readonly [field: string]: unknown };
}

/** The result of `walletToken`: the token as a compact JWE. `apu` is the app's id, `apv` is `wallet-token`. */
export interface WalletTokenAnswer {
  sealed: string;
}

/** The `apv` of a sealed wallet token. */
export const WALLET_TOKEN = 'wallet-token';

/** How long a question waits for the gateway, in ms. Then it fails with `NotAnswered`. */
export const LOOKUP_TIMEOUT_MS = 30_000;

export interface LookupActivities {
  'gateway.banks'(input: BankListInput): Promise<BankListAnswer>;
  'gateway.installments'(input: InstallmentsInput): Promise<InstallmentsAnswer>;
  'gateway.wallet-token'(input: WalletTokenInput): Promise<WalletTokenAnswer>;
}
