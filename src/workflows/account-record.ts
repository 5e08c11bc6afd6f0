/** What is known of one virtual account, and what news changes of it. Pure. */
import { isClabe } from '../gateway/clabe';
import { readInstant } from '../gateway/timestamps';
import type { AccountAttention, DepositSignal, NotifiedDeposit, SpeiAccountData } from './account-contract';

/** The states of section 3.2. */
const STATUSES = ['ACTIVE', 'CANCELED'];

const FIELDS = ['account_number', 'provider', 'status', 'notify_url', 'beneficiary_name', 'buyer_id'] as const;

/** What a notification repeats of the account. It is held against what the gateway said of the account itself. */
const REPEATED = ['account_number', 'buyer_id', 'provider'] as const;

export class AccountRecord {
  readonly account: SpeiAccountData;
  attention: AccountAttention | null;

  constructor(account: SpeiAccountData, attention: AccountAttention | null = null) {
    this.account = accountData(account);
    this.attention = attention;
    this.look();
  }

  get status(): string | null {
    return this.account.status ?? null;
  }

  get isCanceled(): boolean {
    return this.status === 'CANCELED';
  }

  /** Takes what the gateway says of the account. What it leaves out stands as it was. */
  learn(said: object): void {
    Object.assign(this.account, defined({ ...accountData({ ...said, account_id: this.account.account_id }) }));
    this.settle('unknown-account');
    this.look();
  }

  /** Holds a deposit's `transfer_account` against the account. What either leaves out is not compared. */
  compare({ transfer_account = {} }: DepositSignal): void {
    const differs = REPEATED.some((field) => {
      const [told, known] = [textOf(transfer_account[field]), this.account[field]];
      return told !== undefined && known !== undefined && told !== known;
    });
    if (differs) this.raise('account-mismatch');
    const number = textOf(transfer_account.account_number);
    if (number !== undefined && !isClabe(number)) this.raise('clabe-check-digit');
  }

  /** The first reason stands until a person has looked, or it has gone away. */
  raise(attention: AccountAttention): void {
    this.attention ??= attention;
  }

  settle(attention: AccountAttention): void {
    if (this.attention === attention) this.attention = null;
  }

  private look(): void {
    const { account_number, status } = this.account;
    if (account_number !== undefined && !isClabe(account_number)) this.raise('clabe-check-digit');
    if (status !== undefined && !STATUSES.includes(status)) this.raise('unknown-status');
    else this.settle('unknown-status');
  }
}

/** The known fields of what the gateway says of an account. */
export function accountData(said: { account_id: string }): SpeiAccountData {
  const known = FIELDS.map((field) => [field, textOf(Reflect.get(said, field))]);
  return { account_id: said.account_id, ...defined(Object.fromEntries(known)) };
}

/** A deposit as its notification tells of it; undefined where it cannot be told from others. */
export function depositOf(signal: DepositSignal): NotifiedDeposit | undefined {
  const { out_trade_no, trade_no, trade_status, amount, currency, transfer_account } = signal;
  if (typeof out_trade_no !== 'string' || out_trade_no === '') return undefined;
  const at = readInstant(textOf(transfer_account?.transfer_timestamp));
  const transferred_s = at === undefined ? undefined : Math.floor(at / 1000);
  return { out_trade_no, ...defined({ trade_no, trade_status, amount, currency, transferred_s }) };
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

function defined<T extends object>(fields: T): Partial<T> {
  const given: Partial<T> = { ...fields };
  for (const name in given) if (given[name] === undefined) delete given[name];
  return given;
}
