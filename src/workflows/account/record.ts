/** What is known of one virtual account, and how each answer changes it. Pure. */

import {
  type AccountAttention,
  type CarriedAccount,
  type DepositSignal,
  type NotifiedDeposit,
  SILENCES,
  type Silence,
  type SpeiAccountData,
  type Taking,
  type Wait,
} from '../../contract';
import { isClabe } from '../../gateway/pure/clabe';
import { isId } from '../../gateway/pure/ids';
import { readInstant } from '../../gateway/pure/timestamps';
import { takenOn, waitAfter } from '../shared/wait';

/** The statuses of section 3.2. */
const STATUSES = ['ACTIVE', 'CANCELED'];

const FIELDS = ['account_number', 'provider', 'status', 'notify_url', 'beneficiary_name', 'buyer_id'] as const;

/** The account's fields that a deposit's notification repeats. They are compared with the account. */
const REPEATED = ['account_number', 'buyer_id', 'provider'] as const;

export class AccountRecord {
  readonly account: SpeiAccountData;
  /** Why it needs a person, in the order in which the reasons came. Each stays until something settles it. */
  private readonly reasons = new Set<AccountAttention>();
  /** Since when the reason that people read is shown, and who has taken it on. */
  wait: Wait<AccountAttention> | null = null;
  /** Who has decided last, as far as this run knows. */
  decided_by: string | undefined;

  constructor(account: SpeiAccountData) {
    this.account = accountData(account);
    this.check();
  }

  /** Goes on from what an earlier run knew. */
  restore({ attentions, wait }: Pick<CarriedAccount, 'attentions' | 'wait'>): void {
    for (const reason of attentions) this.raise(reason);
    this.wait = wait;
  }

  /** The reason that is shown now waits from this time on, in ms since the epoch, unless it has waited before. */
  noteWait(at: number): void {
    this.wait = waitAfter(this.wait, this.attention, at);
  }

  /** A person takes on what waits for one, at this time. */
  takeOn({ by, note }: Taking, at: number): void {
    this.wait = takenOn(this.wait, { by, note, at });
  }

  /** The reason that people read. */
  get attention(): AccountAttention | null {
    return this.attentions[0] ?? null;
  }

  get attentions(): readonly AccountAttention[] {
    return [...this.reasons];
  }

  get status(): string | null {
    return this.account.status ?? null;
  }

  get isCanceled(): boolean {
    return this.status === 'CANCELED';
  }

  /** Applies the gateway's answer about the account. A field that it leaves out keeps its value. */
  applyQuery(answer: object): void {
    Object.assign(this.account, defined({ ...accountData({ ...answer, account_id: this.account.account_id }) }));
    this.settle('unknown-account');
    this.settleSilence();
    this.check();
  }

  /** Compares a deposit's `transfer_account` with the account. A field that one of them lacks is not compared. */
  compare({ transfer_account }: DepositSignal): void {
    const notifiedAs = transfer_account ?? {};
    const differs = REPEATED.some((field) => {
      const [notified, known] = [textOf(notifiedAs[field]), this.account[field]];
      return notified !== undefined && known !== undefined && notified !== known;
    });
    if (differs) this.raise('account-mismatch');
    const number = textOf(notifiedAs.account_number);
    if (number !== undefined && !isClabe(number)) this.raise('clabe-check-digit');
  }

  raise(attention: AccountAttention): void {
    this.reasons.add(attention);
  }

  /** The gateway does not answer for long. There is one reason for that, the latest. */
  raiseSilence(why: Silence): void {
    if (this.reasons.has(why)) return;
    this.settleSilence();
    this.raise(why);
  }

  /** The gateway has answered. */
  settleSilence(): void {
    for (const why of SILENCES) this.settle(why);
  }

  settle(attention: AccountAttention): void {
    this.reasons.delete(attention);
  }

  /** A person has looked at the reason that is shown. The next one is shown then. */
  resolve(by: string): void {
    this.decided_by = by;
    if (this.attention !== null) this.settle(this.attention);
  }

  private check(): void {
    const { account_number, status } = this.account;
    if (account_number !== undefined && !isClabe(account_number)) this.raise('clabe-check-digit');
    if (status !== undefined && !STATUSES.includes(status)) this.raise('unknown-status');
    else this.settle('unknown-status');
  }
}

/** The fields of an account that we know, out of the gateway's answer. */
export function accountData(answer: { account_id: string }): SpeiAccountData {
  const known = FIELDS.map((field) => [field, textOf(Reflect.get(answer, field))]);
  return { account_id: answer.account_id, ...defined(Object.fromEntries(known)) };
}

/** The deposit of a notification; undefined where a number is none, as in a signal that a person sent by hand. */
export function parseDeposit(signal: DepositSignal | null | undefined): NotifiedDeposit | undefined {
  const { out_trade_no, transfer_account } = signal ?? {};
  const trade_no = textOf(signal?.trade_no);
  if (typeof out_trade_no !== 'string' || !isId(out_trade_no)) return undefined;
  if (trade_no !== undefined && !isId(trade_no)) return undefined;
  const at = readInstant(textOf(transfer_account?.transfer_timestamp));
  const transferred_s = at === undefined ? undefined : Math.floor(at / 1000);
  const { trade_status, amount, currency } = signal ?? {};
  const notified = { trade_no, trade_status: textOf(trade_status), amount: textOf(amount) };
  return { out_trade_no, ...defined({ ...notified, currency: textOf(currency), transferred_s }) };
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

function defined<T extends object>(fields: T): Partial<T> {
  const given: Partial<T> = { ...fields };
  for (const name in given) if (given[name] === undefined) delete given[name];
  return given;
}
