/** What virtual accounts need of the gateway and of Temporal, as a workflow sees it, and how each may be repeated. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { SpeiAccount } from '../gateway/virtual-accounts';
import type { CreateSpeiAccountInput } from './account-contract';
import type { NotCreated } from './activities';
import { ASKING, CREATING, WATCHING } from './activity-options';
import type { PaymentState } from './contract';

/** What became of one try to create an account. */
export type CreateAccountResult =
  | { is: 'created'; account: SpeiAccount }
  | NotCreated
  | { is: 'unknown'; message: string };

export interface AccountPolicy {
  /** How often the gateway is asked what has become of an account, in ms. */
  check_every_ms: number;
  /** How often it is asked how many accounts are left, in ms. */
  quantity_every_ms: number;
  /** Fewer accounts than this are a person's business. */
  low_quantity: number;
  /** Whether a creation whose outcome is unknown is tried once more. */
  creates_again: boolean;
  /** Whether the worker has a merchant's handler for events. */
  has_listener: boolean;
}

export interface AccountId {
  app_id: string;
  account_id: string;
}

export interface AccountActivities {
  /** Tries to create an account once. Repeats itself only where the gateway certainly has made none. */
  'gateway.create-account'(input: CreateSpeiAccountInput): Promise<CreateAccountResult>;
  /** Asks until the gateway answers; null where it says that it has no such account. */
  'gateway.find-account'(input: AccountId): Promise<SpeiAccount | null>;
  /** Asks now and then, and answers once the status is another than `seen`. */
  'gateway.watch-account'(
    input: AccountId & { seen: string | null; first_ms: number; every_ms: number },
  ): Promise<SpeiAccount>;
  /** Cancels until a query says CANCELED. Fails (`NotCanceled`) where the gateway refuses. */
  'gateway.cancel-account'(input: AccountId): Promise<SpeiAccount>;
  /** How many accounts are left. */
  'gateway.account-quantity'(input: { app_id: string }): Promise<number>;
  /** Asks now and then how many accounts are left, and answers once that is another number. */
  'gateway.watch-account-quantity'(input: { app_id: string; seen: number; every_ms: number }): Promise<number>;
  /** The account that an earlier creation under the same key made, however long ago; null where there is none. */
  'payments.account-of-creation'(input: { app_id: string; workflow_id: string }): Promise<string | null>;
  /** Waits until a payment that this account did not start has ended. `state` is null where it came to no end of its own. */
  'payments.ended-payment'(input: {
    workflow_id: string;
  }): Promise<{ parent: string | null; state: PaymentState | null }>;
}

export interface LocalAccountActivities {
  /** The worker's settings for virtual accounts. Never fails. */
  'gateway.account-policy'(): Promise<AccountPolicy>;
}

export const { 'gateway.create-account': createAccount } = proxyActivities<AccountActivities>(CREATING);

export const {
  'gateway.find-account': findAccount,
  'gateway.account-quantity': askQuantity,
  'payments.account-of-creation': accountOfCreation,
  'payments.ended-payment': endedPayment,
} = proxyActivities<AccountActivities>(ASKING);

// Two exchanges one after the other.
export const { 'gateway.cancel-account': cancelAccount } = proxyActivities<AccountActivities>({
  ...ASKING,
  startToCloseTimeout: '2 minutes',
});

// Evidence is good to have and must not hold up a creation.
export const { 'gateway.account-quantity': askQuantityBriefly } = proxyActivities<AccountActivities>({
  startToCloseTimeout: ASKING.startToCloseTimeout,
  scheduleToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

export const { 'gateway.watch-account': watchAccount, 'gateway.watch-account-quantity': watchQuantity } =
  proxyActivities<AccountActivities>(WATCHING);

export const { 'gateway.account-policy': accountPolicy } = proxyLocalActivities<LocalAccountActivities>({
  startToCloseTimeout: '10 seconds',
});
