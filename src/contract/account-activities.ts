/** The activities that the workflows of virtual accounts call. */
import type { CarriedAccount, CreateSpeiAccountInput, DepositSignal } from './account';
import type { ForRun, NotCreated, NotSent } from './activities';
import type { MerchantEvent } from './events';
import type { SpeiAccount } from './gateway';
import type { PaymentState } from './payment';
import type { Told } from './told';

export interface CreateAccountInput extends CreateSpeiAccountInput, ForRun {
  send_before: number;
}

/** The outcome of one try to create an account. */
export type CreateAccountResult =
  | { is: 'created'; account: SpeiAccount }
  | NotCreated
  | { is: 'unknown'; message: string }
  | NotSent;

export interface AccountPolicy {
  /** Who hears events, as the worker has it. */
  listeners: readonly string[];
  /** How often an account is polled, in ms. */
  check_every_ms: number;
  /** How often the number of accounts left is polled, in ms. */
  quantity_every_ms: number;
  /** A person is told when fewer accounts than this are left. */
  low_quantity: number;
  /** How long the gateway may be silent before a person is asked, in ms. */
  patience_ms: number;
  /** What waits for a person longer than this is told, in ms. */
  overdue_ms: number;
  /** How long a creation may wait before it is sent, in ms. */
  create_within_ms: number;
  /** Whether a creation whose outcome is unknown is tried once more. */
  creates_again: boolean;
}

/** The worker has other settings than the workflow goes by, whose run may last for years. */
export interface NewSettings {
  is: 'settings';
  policy: AccountPolicy;
}

/** The query `carried`: what a run of an account would hand on now. */
export interface AccountHandover {
  /** Null where it does not know of all runs before it: it has not read them yet, or is a reset. */
  carried: CarriedAccount | null;
  /** Somebody was told that the gateway is asked to cancel the account, and it has not answered. */
  cancel_wanted: boolean;
  /** How many signals `deposit` of its history it has taken: the others are not in its ledger. */
  seen: number;
  /** Events that no handler has taken yet. */
  undelivered: MerchantEvent[];
}

/** A page of what runs of an account left that did not hand it on: they were terminated, or failed. The first has the ledger. */
export interface EarlierAccount {
  carried: CarriedAccount | null;
  cancel_wanted: boolean;
  /** A run was deleted before it was read. */
  is_lost: boolean;
  undelivered: MerchantEvent[];
  /** Those that the run may not have in the ledger that was handed on. */
  deposits: DepositSignal[];
  /** The keys for which the account was created, as digests. */
  keys: string[];
  /** The run that has read. */
  read_by: string;
  /** What the next pages have, the oldest run first. */
  left: LeftByRun[];
}

/** What a closed run left, and how much of it the pages so far had. The first page decides it, so that no later one reads another ledger. */
export interface LeftByRun {
  run_id: string;
  /** How many of its signals `deposit` are in the ledger, or on a page. */
  deposits_from: number;
  /** How many of its events are on a page; null where it left none, or cannot be asked. */
  events_from: number | null;
}

export interface AccountOfCreation {
  account_id: string | null;
  /** What finds the account by its search attribute. */
  key: string;
  /** The run that has asked. */
  read_by: string;
  /** An earlier run under this key that may have made an account which nobody knows. */
  unknown_run: string | null;
}

/** The signal `keyed`. */
export interface KeyedSignal {
  key: string;
}

export interface AccountId {
  app_id: string;
  account_id: string;
}

/** The latest run of a payment, after its end. */
export interface EndedPayment {
  parent: string | null;
  /** The first run of its chain. */
  run_id: string | null;
  /** Null where it ended without a result. */
  state: PaymentState | null;
  /** Temporal has forgotten it. */
  is_gone: boolean;
}

export interface AccountActivities {
  /**
   * Tries once to create an account. Repeats the try only where the gateway certainly made none. From `send_before` on, in ms since the
   * epoch, nothing is sent.
   */
  'gateway.create-account'(input: CreateAccountInput): Promise<CreateAccountResult>;
  /** Queries until the gateway answers; null where it says that it has no such account. */
  'gateway.find-account'(input: AccountId): Promise<Told<SpeiAccount | null>>;
  /** Polls slowly, and returns once the status differs from `seen`, or the worker's settings from `policy`. */
  'gateway.watch-account'(
    input: AccountId & ForRun & { seen: string | null; first_ms: number; policy: AccountPolicy },
  ): Promise<Told<SpeiAccount | NewSettings>>;
  /**
   * Cancels until a query says CANCELED. Fails (`NotCanceled`) where the gateway refuses, and a query says otherwise.
   * `may_be_canceled`: an earlier request may have done it, so a refusal says nothing.
   */
  'gateway.cancel-account'(input: AccountId & { may_be_canceled: boolean }): Promise<Told<SpeiAccount>>;
  /** How many accounts are left to create. */
  'gateway.account-quantity'(input: { app_id: string }): Promise<Told<number>>;
  /** Polls slowly how many accounts are left, and returns once the number differs from `seen`, or the worker's settings from `policy`. */
  'gateway.watch-account-quantity'(input: {
    app_id: string;
    seen: number;
    policy: AccountPolicy;
  }): Promise<Told<number | NewSettings>>;
  /** The account that an earlier creation under the same key made (null where none is known), and the digest of the key. */
  'payments.account-of-creation'(input: { app_id: string; workflow_id: string }): Promise<Told<AccountOfCreation>>;
  /**
   * For what Temporal has the account already, where that is another key than the digest that is asked for: the creation that started
   * it, or else the account's own workflow. Null where it has none, or one without a key, as a deposit starts it.
   */
  'payments.account-holder'(input: AccountId & { key: string }): Promise<Told<string | null>>;
  /**
   * What earlier runs of the account that asks knew, if they did not hand it on. In pages: Temporal takes 2 MB at a time. The first
   * is asked for with null, each further one with what the page before left.
   */
  'payments.account-before'(input: { left: LeftByRun[] | null }): Promise<Told<EarlierAccount>>;
  /**
   * Waits until a payment that the caller does not wait for as its parent has ended.
   */
  'payments.ended-payment'(input: { workflow_id: string }): Promise<Told<EndedPayment>>;
  /** Whether a payment is that of an order which was made here: its number is no deposit's. */
  'payments.is-of-order'(input: { workflow_id: string }): Promise<Told<boolean>>;
  /**
   * The account whose deposit a payment is: that of the first run that ended as paid. Null where no account has started such
   * a run.
   */
  'payments.deposit-owner'(input: { app_id: string; workflow_id: string }): Promise<Told<string | null>>;
  /** The worker's settings for virtual accounts. Never fails. */
  'gateway.account-policy'(): Promise<Told<AccountPolicy>>;
}
