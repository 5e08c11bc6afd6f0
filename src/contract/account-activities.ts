/** The activities that the workflows of virtual accounts call. */
import type {
  AnsweredCancellation,
  Cancellation,
  CarriedAccount,
  CreateSpeiAccountInput,
  DepositSignal,
  NotifiedDeposit,
  SpeiAccountData,
} from './account';
import type { ForRun, NotCreated, NotSent, PaymentPolicy } from './activities';
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

export interface AccountPolicy
  extends Pick<PaymentPolicy, 'listeners' | 'settling_ms' | 'patience_ms' | 'overdue_ms' | 'create_within_ms'> {
  /** How often an account is polled, in ms. */
  check_every_ms: number;
  /** How often the number of accounts left is polled, in ms. */
  quantity_every_ms: number;
  /** A person is told when fewer accounts than this are left. */
  low_quantity: number;
  /** Whether a creation whose outcome is unknown is tried once more. */
  creates_again: boolean;
}

/** The worker's settings differ from those that the workflow uses: a run may last for years. */
export interface NewSettings {
  is: 'settings';
  policy: AccountPolicy;
}

/** The query `carried`: what a run of an account would hand on now. */
export interface AccountHandover {
  /** Null if it does not know all runs before it: it has not read them yet, or is a reset. */
  carried: CarriedAccount | null;
  cancel: Cancellation | null;
  /** How many signals `deposit` of its history it has taken: the others are not in its ledger. */
  seen: number;
  /** Events that no handler has taken yet. */
  undelivered: MerchantEvent[];
}

/** A page of what runs left that could not hand it on, because they were terminated or failed. The first page has the ledger. */
export interface EarlierAccount {
  carried: CarriedAccount | null;
  cancel: Cancellation | null;
  /** A run was deleted before it was read. */
  is_lost: boolean;
  undelivered: MerchantEvent[];
  /** Deposits that the ledger may lack. */
  deposits: DepositSignal[];
  /** The keys for which the account was created, as digests. */
  keys: string[];
  /** What the inputs of runs without a ledger say of the account itself, but for its status, which may have changed since. */
  account: Partial<SpeiAccountData>;
  /** The run that has read this. */
  read_by: string;
  /** What is left for the next pages, the oldest run first. */
  left: LeftByRun[];
}

/** What a closed run left, and how much of it earlier pages had. The first page decides, so that no later page reads another ledger. */
export interface LeftByRun {
  run_id: string;
  /** How many of its signals `deposit` are in the ledger, or on a page already. */
  deposits_from: number;
  /** How many of its events are on a page already; null if it left none, or cannot be asked. */
  events_from: number | null;
}

export interface AccountOfCreation {
  account_id: string | null;
  /** The digest of the key, by which a search attribute finds the account. */
  key: string;
  /** The run that has read this. */
  read_by: string;
  /** An earlier run under this key that may have made an account that nobody knows. */
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
  /** Null if it ended without a result. */
  state: PaymentState | null;
  /** Whether Temporal has forgotten it. */
  is_gone: boolean;
}

export interface AccountActivities {
  /**
   * Tries once to create an account. Repeats the try only if the gateway certainly made none. From `send_before` on, in ms since the
   * epoch, nothing is sent.
   */
  'gateway.create-account'(input: CreateAccountInput): Promise<CreateAccountResult>;
  /** Queries until the gateway answers; null if it says that it has no such account. */
  'gateway.find-account'(input: AccountId & Partial<ForRun>): Promise<Told<SpeiAccount | null>>;
  /** Polls slowly, and returns once the status differs from `seen`, or the worker's settings from `policy`. */
  'gateway.watch-account'(
    input: AccountId & ForRun & { seen: string | null; first_ms: number; policy: AccountPolicy },
  ): Promise<Told<SpeiAccount | NewSettings>>;
  /**
   * Cancels until the gateway answers. Returns the account if a query says CANCELED at once. `left_at`: until when activities before this one
   * may have sent such a request, in ms since the epoch; 0 if none may have.
   */
  'gateway.cancel-account'(
    input: AccountId & ForRun & { left_at: number },
  ): Promise<Told<SpeiAccount | AnsweredCancellation>>;
  /** How many accounts are left to create. */
  'gateway.account-quantity'(input: { app_id: string }): Promise<Told<number>>;
  /** Polls slowly how many accounts are left, and returns once the number differs from `seen`, or the worker's settings from `policy`. */
  'gateway.watch-account-quantity'(input: {
    app_id: string;
    seen: number;
    policy: AccountPolicy;
  }): Promise<Told<number | NewSettings>>;
  /** The account that an earlier creation under the same key made (null if none is known), and the digest of the key. */
  'payments.account-of-creation'(input: { app_id: string; workflow_id: string }): Promise<Told<AccountOfCreation>>;
  /**
   * If the account belongs to another key than this digest: the id of the creation that started it or, if unknown, of the account's own
   * workflow. Null if Temporal has no such account, or the account has no key, as when a deposit has started it.
   */
  'payments.account-holder'(input: AccountId & { key: string }): Promise<Told<string | null>>;
  /**
   * What earlier runs of the asking account knew, if they did not hand it on. In pages: Temporal takes 2 MB at a time. `left`: null for
   * the first page, then what the page before left.
   */
  'payments.account-before'(input: { left: LeftByRun[] | null }): Promise<Told<EarlierAccount>>;
  /**
   * Waits for the end of a payment that is not a child of the caller.
   */
  'payments.ended-payment'(input: { workflow_id: string }): Promise<Told<EndedPayment>>;
  /**
   * Tells an order that was made here what was notified under its number. False if the number is no order's, and so a deposit's:
   * then nobody is told.
   */
  'payments.tell-order'(input: { app_id: string; deposit: NotifiedDeposit }): Promise<Told<boolean>>;
  /**
   * The account whose deposit a payment is: the starter of the first run that ended as paid. Null if no account has started such
   * a run.
   */
  'payments.deposit-owner'(input: { app_id: string; workflow_id: string }): Promise<Told<string | null>>;
  /** The worker's settings for virtual accounts. Never fails. */
  'gateway.account-policy'(): Promise<Told<AccountPolicy>>;
}
