import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../context';
import { IllegalAction } from '../errors';
import { type TradeRecord, transferAccountSchema, type VirtualAccount } from '../records';
import { amountRange, cents, twoDecimals } from '../rules/values';
import { simulatedClabe } from '../trades/clabe';
import type { Lifecycle } from '../trades/lifecycle';

/** What a new account is made of; the rest follows from it. */
type NewAccount = Pick<VirtualAccount, 'app_id' | 'buyer_id' | 'notify_url' | 'user'>;

/** Money that comes into a virtual account. */
export const depositSchema = z.strictObject({
  amount: z.string().describe('A decimal text with at most two decimals.'),
  notify: z.boolean().optional().describe('false: only the callback button sends notifications of this deposit.'),
  says: transferAccountSchema.partial().optional().describe('What the notification says instead of the truth.'),
});
export type DepositOptions = z.input<typeof depositSchema>;

const depositAmount = amountRange();

/** Opens virtual accounts from a limited pool, cancels them, and puts money into them. */
export class Accounts {
  constructor(
    private readonly context: Context,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** How many accounts an app may still open. */
  available(appId: string): number {
    const { store, settings } = this.context;
    const taken = [...store.accounts.values()].filter(
      ({ app_id, status }) => app_id === appId && (status === 'ACTIVE' || settings.canceledAccounts === 'kept'),
    );
    return Math.max(0, settings.accountPool - taken.length);
  }

  /** Opens an account. The caller checks before that one is available. */
  open(terms: NewAccount): VirtualAccount {
    const { store, clock, log } = this.context;
    const account: VirtualAccount = {
      ...terms,
      account_id: randomBytes(8).toString('hex').toUpperCase(),
      // Another town than in the CLABEs of orders, so that no two CLABEs are the same.
      account_number: simulatedClabe('181', store.nextCount()),
      provider: 'STP',
      beneficiary_name: 'SIMULATED GATEWAY SA DE CV',
      status: 'ACTIVE',
      created_at: clock.now(),
      canceled_at: null,
    };
    store.accounts.set(account.account_id, account);
    log('account opened', { account_id: account.account_id });
    return account;
  }

  /** Cancels an account. A canceled account stays as it is. */
  cancel(account: VirtualAccount): void {
    if (account.status === 'CANCELED') return;
    account.status = 'CANCELED';
    account.canceled_at = this.context.clock.now();
    this.context.log('account canceled', { account_id: account.account_id });
  }

  /**
   * Money comes in: a trade that is SUCCESS. Throws a RangeError if the amount is wrong, and {@link IllegalAction} if the
   * account is canceled and takes no more money.
   */
  deposit(account: VirtualAccount, { amount, notify = true, says = {} }: DepositOptions): TradeRecord {
    const { clock, settings, log } = this.context;
    const broken = [depositAmount, cents].find(({ value }) => !value?.safeParse(amount).success);
    if (broken) throw new RangeError(`A deposit ${broken.says}.`);
    if (account.status === 'CANCELED' && settings.depositsAfterCancel === 'refused') {
      throw new IllegalAction(
        `Account ${account.account_id} is canceled and takes no deposits (setting depositsAfterCancel).`,
      );
    }
    const { app_id, buyer_id, notify_url, user, account_id } = account;
    const now = clock.now();
    const overrides = Object.fromEntries(Object.entries(says).filter(([, value]) => value !== undefined));
    const transfer_timestamp = Math.floor(now / 1000);
    const transfer_account = transferAccountSchema.parse({ ...account, transfer_timestamp, ...overrides });
    const trade = this.lifecycle.create({
      app_id,
      // The merchant gave this order no number, so the service names it after its trade.
      out_trade_no: '',
      kind: 'deposit',
      trade_status: 'SUCCESS',
      order_amount: twoDecimals(amount),
      order_currency: 'MXN',
      method: 'SPEI',
      subject: `Deposit into ${transfer_account.account_number}`,
      buyer_id,
      notify_url,
      user,
      notifications: notify,
      account_id,
      transfer_account,
      updated_at: now,
      expires_at: now,
      cancels_at: now,
    });
    log('deposit received', { trade_no: trade.trade_no, account_id });
    return trade;
  }
}
