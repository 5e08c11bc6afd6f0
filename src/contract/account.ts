/**
 * The shapes of virtual accounts (SPEI): plain JSON, amounts as decimal strings in currency units, times in ISO 8601
 * and UTC.
 */
import type { ShownWait, Silence, Wait } from './attention';
import type { GatewayErrorFields, NewSpeiAccount } from './gateway';
import type { NotificationSignal } from './notification';

/** Creates one account for a merchant's key. The key is a part of the workflow's id. */
export interface CreateSpeiAccountInput {
  app_id: string;
  /** The body of the creation (section 4.8) without `app_id` and `timestamp`; `notify_url` may be left out. */
  request: NewSpeiAccount;
}

/** The result of `createSpeiAccount`. The account may be canceled by now: its own workflow knows its present state. */
export interface CreatedSpeiAccount {
  account_id: string;
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

/** Follows an account for ever: money can come after a cancellation. */
export interface SpeiAccountInput {
  app_id: string;
  account_id: string;
  /** Absent if the account was made elsewhere: then the gateway is queried. */
  account?: SpeiAccountData | undefined;
  /** The state of the run before. */
  carried?: CarriedAccount | undefined;
}

/** A deposit as notified. It is kept until its payment has ended. */
export interface NotifiedDeposit {
  out_trade_no: string;
  trade_no?: string | undefined;
  trade_status?: string | undefined;
  /** As notified. Only the queried amount is counted. */
  amount?: string | undefined;
  currency?: string | undefined;
  /** When the buyer sent it, in seconds since the epoch. */
  transferred_s?: number | undefined;
  /** This run, or an earlier one, has started its payment. */
  begun?: boolean | undefined;
  /** The run of its payment that was started last. Its result counts, unless the deposit was notified as paid since. */
  payment_run?: DepositPaymentRun | undefined;
  /** Since when it waits, in ms since the epoch: since its payment was begun or, if later, since it was notified as paid. */
  since?: number | undefined;
  /** The gateway has not confirmed it for long, and a person was told. */
  overdue?: boolean | undefined;
}

export interface DepositPaymentRun {
  /** The first run of a chain. */
  run_id: string;
  /** No run was before it, so no other account can have counted the deposit. */
  is_first: boolean;
  /** When the deposit was notified as paid after that, in ms since the epoch: then only a later decision of a person counts. */
  notified_at?: number | undefined;
}

/** One deposit that was counted. */
export interface Deposit {
  out_trade_no: string;
  trade_no: string | null;
  amount: string;
  currency: string;
  /** When the buyer sent it; null if the gateway does not say. */
  transferred_at: string | null;
  counted_at: string;
}

/** A deposit that was notified and is not counted: a person has to look. Its fields are those of the notification. */
export interface SetAsideDeposit {
  out_trade_no: string;
  trade_no: string | null;
  amount: string | null;
  currency: string | null;
  transferred_at: string | null;
  /**
   * The gateway did not confirm it, or it may be counted already, or its money went back before the first look, or another
   * deposit has its number.
   */
  because: 'unconfirmed-deposit' | 'old-deposit' | 'returned-deposit' | 'second-deposit';
}

/** What the account has done with a deposit. `older`: the account does not remember it, and only the end of its payment is known. */
export type DepositStanding =
  | { is: 'counted' | 'pending' | 'older'; because: null }
  | { is: 'set-aside'; because: SetAsideDeposit['because'] };

export interface Deposits {
  count: number;
  /** Exact sums by currency: `{ "MXN": "123.45" }`. */
  total: Record<string, string>;
  /** The latest deposits, the newest first. Older ones: `accounts.deposits`. */
  latest: Deposit[];
  /** How many are known and not confirmed yet. */
  pending: number;
  /** The latest deposits that were notified and not counted, the newest first. */
  set_aside: SetAsideDeposit[];
}

/** Why a virtual account needs a person. Confirmed deposits are counted meanwhile. */
export type AccountAttention =
  | 'account-mismatch'
  | 'amount-mismatch'
  | 'unconfirmed-deposit'
  | 'old-deposit'
  | 'returned-deposit'
  | 'second-deposit'
  | 'overdue-deposit'
  | 'lost-deposits'
  | 'clabe-check-digit'
  | 'unknown-account'
  | 'not-canceled'
  | 'unknown-status'
  | 'unexpected-signal'
  | Silence;

/** Something about an account that a person has to see, and nobody has seen yet. */
export interface UnseenEntry {
  /** It counts up for the whole life of the account: a resolution names the last number that the person was shown. */
  no: number;
  because: AccountAttention;
  /** The deposit that it is about; null if it is about the account, or stands for entries that are too old to be kept. */
  deposit: Pick<SetAsideDeposit, 'out_trade_no' | 'trade_no' | 'amount' | 'currency'> | null;
}

/** The update `resolve` of `speiAccount`: somebody has taken care of what they were shown. */
export interface AccountResolution {
  /** The reason, and the last number under it that they were shown: see {@link shownOf}. */
  seen: string;
  reason: string;
  by: string;
}

/** The query `state` of `speiAccount`. */
export interface SpeiAccountState extends ShownWait {
  app_id: string;
  account_id: string;
  account: SpeiAccountData;
  /** ACTIVE or CANCELED; null until the gateway has told it. */
  status: string | null;
  /** The reason of the oldest entry that nobody has seen. */
  attention: AccountAttention | null;
  /** The oldest first. */
  unseen: UnseenEntry[];
  deposits: Deposits;
}

/** What a run carries over to the next one. Its size is bounded: see workflows/account/deposit-ledger.ts. */
export interface CarriedAccount {
  /** When the account was first followed, in ms since the epoch: polls keep their times across runs. */
  since: number;
  /** What is known of the account itself. */
  account: SpeiAccountData;
  /** Why it needs a person: how many entries there were, and those that nobody has seen. */
  asked: number;
  unseen: readonly UnseenEntry[];
  /** Since when the shown reason waits, and who has taken it on. */
  wait: Wait<AccountAttention> | null;
  /** What the last events said. `overdue`: since when the wait lasts that was told last as overdue. */
  published: { status: string | null; attention: AccountAttention | null; overdue: string | null };
  cancel: Cancellation | null;
  /** Since when it is known to be canceled, in ms since the epoch: a query that was asked soon after may be behind. */
  canceled_at: number | null;
  ledger: CarriedLedger;
}

/** A cancellation that somebody waits for, and how far it has come. */
export interface Cancellation {
  /** `wanted`: it is to be sent. `begun`: a request may have left. `answered`: the gateway has answered, and queries tell what came of it. */
  is: 'wanted' | 'begun' | 'answered';
  /** Until when requests may have left that the gateway has not refused, but for one that is under way; 0 if none may have. In ms since the epoch. */
  left_at: number;
  /** Why the gateway refuses; null if it says that it has canceled the account, and before its answer. */
  refusal: { message: string; error: GatewayErrorFields } | null;
}

export type AnsweredCancellation = Cancellation & { is: 'answered' };

export const WANTED: Cancellation = { is: 'wanted', left_at: 0, refusal: null };

/** Somebody calls `cancel`. What was refused is sent again, and what the gateway has confirmed is not. */
export const wantedAfter = (before: Cancellation | null): Cancellation =>
  before === null || before.refusal ? { ...(before ?? WANTED), is: 'wanted', refusal: null } : before;

/**
 * What is left of a cancellation, as two runs of an account know it; null: nothing. Undefined: the later run does not know what the earlier one
 * knew. Without such knowledge it can only have been called.
 */
export function cancellationAfter(
  before: Cancellation | null,
  later: Cancellation | null | undefined,
): Cancellation | null {
  if (later === undefined) return before;
  return later?.is === 'wanted' ? wantedAfter(before) : later;
}

export interface CarriedLedger extends Omit<Deposits, 'pending'> {
  pending: NotifiedDeposit[];
  /** The counted deposits by `out_trade_no`, oldest first. */
  counted: [string, CountedDeposit][];
  /** The latest time, in seconds, of the counted deposits that are no longer in `counted`. */
  forgotten_until: number | null;
}

/**
 * What is remembered of a counted deposit: the time in seconds, its trade, and the amounts that it was confirmed and notified
 * with.
 */
export type CountedDeposit = [time_s: number, trade_no: string | null, amounts: string[]];

/** The signal `deposit`: a verified notification with `transfer_account` (section 6.5). */
export interface DepositSignal extends NotificationSignal {
  readonly transfer_account?:
    | { readonly [field in 'account_id' | 'account_number' | 'provider' | 'buyer_id' | 'transfer_timestamp']?: unknown }
    | undefined;
}

/** The query `state` of `createSpeiAccount`. */
export interface SpeiAccountCreation extends ShownWait {
  app_id: string;
  /** For whom the account is: the gateway's dashboard lists accounts by it. Null if the request names nobody. */
  buyer_id: string | null;
  account: SpeiAccountData | null;
  attention: 'unknown-outcome' | Silence | null;
  /**
   * Each try whose outcome stayed unknown, with the number of accounts left before and after; null if the number is not
   * known.
   */
  unknown_tries: { time: string; message: string; quantity_before: number | null; quantity_after: number | null }[];
  resolved: CreationResolution[];
}

/**
 * A person's decision on a creation whose outcome is unknown: the account that it made; without an account it is created
 * again.
 */
export interface CreationResolution {
  account_id?: string | undefined;
  reason: string;
  by: string;
}

/** The query `state`, and the answer to `recheck`, of `speiAccountQuantity`. */
export interface SpeiAccountQuantityState extends ShownWait {
  app_id: string;
  /** How many accounts are left to create; null until the gateway has told it. */
  available_quantity: number | null;
  /** Below this a person is told. */
  low: number | null;
  /** The number that a person has seen as too few: they are told again once there are fewer. */
  seen: number | null;
  checked_at: string | null;
  attention: 'few-accounts' | Silence | null;
}
