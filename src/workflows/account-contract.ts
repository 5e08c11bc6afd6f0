/**
 * The shapes of virtual accounts (SPEI), as they cross languages: plain JSON, amounts as decimal strings, times in ISO 8601
 * and UTC. Names and ids stand in contract.ts.
 */
import type { NewSpeiAccount } from '../gateway/virtual-accounts';
import type { NotificationSignal } from './contract';

/** Creates one account for a merchant's key, which stands in the workflow's id. */
export interface CreateSpeiAccountInput {
  app_id: string;
  /** The body of the creation (section 4.8) without `app_id` and `timestamp`; `notify_url` may be left out. */
  request: NewSpeiAccount;
}

/** What is known of an account (section 2.3). `account_number` is the CLABE. */
export interface SpeiAccountData {
  account_id: string;
  account_number?: string | undefined;
  provider?: string | undefined;
  status?: string | undefined;
  notify_url?: string | undefined;
  beneficiary_name?: string | undefined;
  buyer_id?: string | undefined;
}

/** Follows an account for as long as it lives, which is for good: money can come after a cancellation. */
export interface SpeiAccountInput {
  app_id: string;
  account_id: string;
  /** Absent where the account was made elsewhere: then the gateway is asked. */
  account?: SpeiAccountData | undefined;
  /** What the run before this one hands on. */
  carried?: CarriedAccount | undefined;
}

/** A deposit as its notification tells of it; kept until its payment has ended. */
export interface NotifiedDeposit {
  out_trade_no: string;
  trade_no?: string | undefined;
  trade_status?: string | undefined;
  /** As notified. What counts is what the query says. */
  amount?: string | undefined;
  currency?: string | undefined;
  /** When the buyer sent it, in seconds since the epoch. */
  transferred_s?: number | undefined;
  /** Its payment was started by this run, or by one before it. */
  begun?: boolean | undefined;
}

/** One deposit that was counted. */
export interface Deposit {
  out_trade_no: string;
  trade_no: string | null;
  amount: string;
  currency: string;
  /** When the buyer sent it; null where the gateway does not say. */
  transferred_at: string | null;
  counted_at: string;
}

/** One that was announced and is not counted: a person has to look. What it says is what its notification says. */
export interface SetAsideDeposit {
  out_trade_no: string;
  trade_no: string | null;
  amount: string | null;
  currency: string | null;
  transferred_at: string | null;
  /** Not confirmed as paid, or maybe counted already. */
  because: 'unconfirmed-deposit' | 'old-deposit';
}

export interface Deposits {
  count: number;
  /** Exact sums by currency: `{ "MXN": "123.45" }`. */
  total: Record<string, string>;
  /** The last ones, the newest first. Older ones: `accounts.deposits`. */
  latest: Deposit[];
  /** How many are known of and not confirmed yet. */
  pending: number;
  /** The last ones that were announced and not counted, the newest first. */
  set_aside: SetAsideDeposit[];
}

/** Why a virtual account needs a person. The money of a deposit that is confirmed is counted all the same. */
export type AccountAttention =
  | 'account-mismatch'
  | 'amount-mismatch'
  | 'unconfirmed-deposit'
  | 'old-deposit'
  | 'clabe-check-digit'
  | 'unknown-account'
  | 'unknown-status'
  | 'unexpected-signal';

/** The query `state` of `speiAccount`. */
export interface SpeiAccountState {
  app_id: string;
  account_id: string;
  account: SpeiAccountData;
  /** ACTIVE or CANCELED; null until the gateway has said it. */
  status: string | null;
  attention: AccountAttention | null;
  deposits: Deposits;
}

/** What a run hands to the next one. Bounded: see deposit-ledger.ts. */
export interface CarriedAccount {
  /** When the account was first followed, in ms: its checks keep their times across runs. */
  since: number;
  attention: AccountAttention | null;
  /** What the merchant's handler was told last. */
  told: { status: string | null; attention: AccountAttention | null };
  cancel_wanted: boolean;
  ledger: CarriedLedger;
}

export interface CarriedLedger extends Omit<Deposits, 'pending'> {
  pending: NotifiedDeposit[];
  /** What was counted, oldest first: `out_trade_no`, and its time in seconds. */
  counted: [string, number][];
  /** Of what was counted and is no longer remembered, the latest time in seconds. */
  forgotten_until: number | null;
}

/** The signal `deposit`: a verified notification with `transfer_account` (section 6.5). */
export interface DepositSignal extends NotificationSignal {
  readonly transfer_account?:
    | { readonly [field in 'account_id' | 'account_number' | 'provider' | 'buyer_id' | 'transfer_timestamp']?: unknown }
    | undefined;
}

/** The query `state` of `createSpeiAccount`. */
export interface SpeiAccountCreation {
  app_id: string;
  account: SpeiAccountData | null;
  attention: 'unknown-outcome' | 'credentials' | null;
  /** Each try whose outcome stayed unknown, with what `quantity` said before and after; null where it said nothing. */
  unknown_tries: { time: string; message: string; quantity_before: number | null; quantity_after: number | null }[];
  resolved: CreationResolution[];
}

/** A person's word on a creation whose outcome is unknown: the account that it made, or none, and then it is made again. */
export interface CreationResolution {
  account_id?: string | undefined;
  reason: string;
  by: string;
}

/** The query `state`, and the answer to `recheck`, of `speiAccountQuantity`. */
export interface SpeiAccountQuantityState {
  app_id: string;
  /** How many accounts are left to create; null until the gateway has said it. */
  available_quantity: number | null;
  /** Below this a person is told. */
  low: number | null;
  checked_at: string | null;
  attention: 'few-accounts' | null;
}

/** What a merchant's handler hears of an account, besides the events of each deposit's own payment. */
export interface AccountEvent {
  /** The same for every repetition: the idempotency key of the handler. */
  readonly id: string;
  readonly type: 'deposit' | 'deposit-set-aside' | 'account-status' | 'account-attention';
  readonly time: string;
  /** The account right after it, without its `latest` deposits. */
  readonly account: Omit<SpeiAccountState, 'deposits'> & { deposits: Pick<Deposits, 'count' | 'total'> };
  /** The deposit that was counted, for a `deposit`. */
  readonly deposit?: Deposit;
  /** The one that was not, for a `deposit-set-aside`. */
  readonly set_aside?: SetAsideDeposit;
}
