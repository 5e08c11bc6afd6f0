import { randomBytes } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { LogDetails, Settings } from '../options';
import { hasCentsAtMost, isBetween, LARGEST_AMOUNT, SMALLEST_AMOUNT, twoDecimals } from '../rules/amount';
import type { Store } from '../store';
import { clabe } from '../trades/clabe';
import { IllegalAction } from '../trades/errors';
import type { Lifecycle } from '../trades/lifecycle';
import type { Trade, TransferAccount } from '../trades/trade';
import type { Account } from './account';

/** What a new account is made of; the rest follows from it. */
export type NewAccount = Pick<Account, 'app_id' | 'buyer_id' | 'notify_url' | 'user'>;

/** Money that comes into an account. */
export interface Deposit {
  /** An exact decimal, as a text. */
  amount: string;
  /** `false`: this deposit is never notified of its own accord. */
  notify?: boolean | undefined;
  /** What the notification says in place of the truth, to see a merchant notice. */
  says?: { [Field in keyof TransferAccount]?: TransferAccount[Field] | undefined } | undefined;
}

/** What virtual accounts need from the rest of the simulator. */
export interface AccountParts {
  store: Store;
  clock: SimulatorClock;
  lifecycle: Lifecycle;
  settings: () => Settings;
  log: (message: string, details: LogDetails) => void;
}

/** Virtual accounts: opened from a limited pool, canceled, and paid into. */
export class Accounts {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /** How many accounts an app may still open. */
  available(appId: string): number {
    const { store, settings } = this.#parts;
    const { accountPool, canceledAccounts } = settings();
    const taken = [...store.accounts()].filter(
      ({ app_id, status }) => app_id === appId && (status === 'ACTIVE' || canceledAccounts === 'kept'),
    );
    return Math.max(0, accountPool - taken.length);
  }

  /** Opens an account; whoever calls has looked whether one is left. */
  open(terms: NewAccount): Account {
    const { store, clock, log } = this.#parts;
    const account: Account = {
      ...terms,
      account_id: randomBytes(8).toString('hex').toUpperCase(),
      // Another town than the CLABEs of orders, so that no two are ever the same.
      account_number: clabe('646', '181', store.nextCount()),
      provider: 'STP',
      beneficiary_name: 'SIMULATED GATEWAY SA DE CV',
      status: 'ACTIVE',
      created_at: clock.now(),
      canceled_at: null,
    };
    store.addAccount(account);
    log('account opened', { account_id: account.account_id });
    return account;
  }

  /** Cancels an account; one that is canceled already stays so. */
  cancel(account: Account): void {
    if (account.status === 'CANCELED') return;
    account.status = 'CANCELED';
    account.canceled_at = this.#parts.clock.now();
    this.#parts.log('account canceled', { account_id: account.account_id });
  }

  /** Money comes in, and with it a paid order. Throws {@link IllegalAction} where the account takes none. */
  deposit(account: Account, { amount, notify = true, says = {} }: Deposit): Trade {
    const { clock, lifecycle, settings } = this.#parts;
    if (!isBetween(amount, SMALLEST_AMOUNT, LARGEST_AMOUNT) || !hasCentsAtMost(amount)) {
      throw new RangeError(
        `A deposit must be a decimal from ${SMALLEST_AMOUNT} to ${LARGEST_AMOUNT} with at most two decimals.`,
      );
    }
    if (account.status === 'CANCELED' && settings().depositsAfterCancel === 'refused') {
      throw new IllegalAction(
        `Account ${account.account_id} is canceled and takes no deposits (setting depositsAfterCancel).`,
      );
    }
    const { app_id, buyer_id, notify_url, user, account_id, account_number, provider, beneficiary_name } = account;
    const transfer_timestamp = Math.floor(clock.now() / 1000);
    const truth = { account_id, account_number, provider, buyer_id, beneficiary_name, transfer_timestamp };
    return lifecycle.deposit({
      app_id,
      order_amount: twoDecimals(amount),
      buyer_id,
      notify_url,
      user: { ...user },
      notifications: notify,
      account_id,
      transfer_account: { ...truth, ...given(says) },
    });
  }
}

/** The fields of a change that are not left out. */
function given(says: NonNullable<Deposit['says']>): Partial<TransferAccount> {
  return Object.fromEntries(Object.entries(says).filter(([, value]) => value !== undefined));
}
