/** What is known of one virtual account, and how each answer changes it. Pure. */
import {
  type AccountAttention,
  type CarriedAccount,
  type DepositSignal,
  type NotifiedDeposit,
  SILENCES,
  type Silence,
  type SpeiAccountData,
  shownOf,
  type Taking,
  type UnseenEntry,
  unseenLine,
  type Wait,
} from '../../contract';
import { isClabe, isId } from '../../gateway/pure/ids';
import { readInstant } from '../../gateway/pure/timestamps';
import type { RequestIssue } from '../shared/request-rules';
import { takenOn, waitAfter } from '../shared/wait';
import { isOfOtherTrade } from './notified-deposit';

/** The statuses of section 3.2. */
const STATUSES = ['ACTIVE', 'CANCELED'];

const FIELDS = ['account_number', 'provider', 'status', 'notify_url', 'beneficiary_name', 'buyer_id'] as const;

/** The account's fields that a deposit's notification repeats. They are compared with the account. */
const REPEATED = ['account_number', 'buyer_id', 'provider'] as const;

/** How many entries are kept with their deposits. Of older entries only the reason stays. */
const MOST_UNSEEN = 500;

/** When the gateway was asked at the earliest and answered at the latest, in ms since the epoch; how far its replicas may be behind, in ms. */
export interface AskedTimes {
  readonly asked_at: number;
  readonly told_at: number;
  readonly lag_ms: number;
}

type CarriedRecord = Pick<CarriedAccount, 'account' | 'unseen' | 'asked' | 'wait' | 'canceled_at'>;

export class AccountRecord {
  readonly account: SpeiAccountData;
  /** What no person has seen yet, oldest first. Each entry stays until a person has seen it, or it is settled otherwise. */
  unseen: readonly UnseenEntry[] = [];
  /** How many entries there were. Each entry has its number, so that nobody settles one that they were not shown. */
  asked = 0;
  /** Since when the present reason is shown, and who has taken it on. */
  wait: Wait<AccountAttention> | null = null;
  /** Who has decided last, as far as this run knows. */
  decided_by: string | undefined;
  /** Since when it is known to be canceled, in ms since the epoch; null if it is not. */
  canceled_at: number | null;

  /** `at`: when this was known, in ms since the epoch. `carried`: what the run before knew, and has compared. */
  constructor(account: SpeiAccountData, at: number, carried?: CarriedRecord) {
    this.account = accountData(account);
    this.canceled_at = this.isCanceled ? at : null;
    if (carried) this.restore(carried);
    else this.check();
  }

  restore({ account, unseen, asked, wait, canceled_at }: CarriedRecord): void {
    const since = this.unseen;
    Object.assign(this.account, account);
    this.canceled_at = canceled_at;
    this.unseen = unseen;
    this.asked = asked;
    for (const { because, deposit } of since) this.add(because, deposit);
    this.wait = wait;
  }

  /** A creation has asked the gateway right before this run. */
  startedWith(status: string, canceled_at: number | null): void {
    this.account.status = status;
    this.canceled_at = canceled_at;
  }

  get carried(): CarriedRecord {
    const { account, unseen, asked, wait, canceled_at } = this;
    return { account: { ...account }, unseen, asked, wait, canceled_at };
  }

  /** Takes fields that it lacks. */
  complete(account: Partial<SpeiAccountData>): void {
    Object.assign(this.account, { ...account, ...this.account });
  }

  /** Starts the wait for the present reason at this time (ms since the epoch), unless it has started before. */
  noteWait(at: number): void {
    this.wait = waitAfter(this.wait, this.attention, at);
  }

  /** A person takes on the wait, at this time (ms since the epoch). */
  takeOn({ by, note }: Taking, at: number): void {
    this.wait = takenOn(this.wait, { by, note, at });
  }

  get attention(): AccountAttention | null {
    return this.unseen[0]?.because ?? null;
  }

  get status(): string | null {
    return this.account.status ?? null;
  }

  get isCanceled(): boolean {
    return this.status === 'CANCELED';
  }

  /**
   * Applies the gateway's answer about the account. A field that it leaves out keeps its value, and so does a status that the answer may be
   * behind: a canceled account is another again only where no replica can be behind its cancellation.
   */
  applyQuery(answer: object, { asked_at, told_at, lag_ms }: AskedTimes): void {
    const { status, ...shown } = accountData({ ...answer, account_id: this.account.account_id });
    const wasCanceled = this.isCanceled;
    const isBehind = wasCanceled && status !== 'CANCELED' && asked_at < (this.canceled_at ?? 0) + lag_ms;
    Object.assign(this.account, shown, isBehind ? {} : defined({ status }));
    if (this.isCanceled !== wasCanceled) this.canceled_at = wasCanceled ? null : told_at;
    this.settle('unknown-account');
    if (this.isCanceled) this.settle('not-canceled');
    this.settleSilence();
    this.check();
  }

  /** Compares a deposit's `transfer_account` with the account. A field that one of them lacks is not compared. */
  compare({ transfer_account }: DepositSignal, deposit: NotifiedDeposit): void {
    const notifiedAs = transfer_account ?? {};
    const differs = REPEATED.some((field) => {
      const [notified, known] = [textOf(notifiedAs[field]), this.account[field]];
      return notified !== undefined && known !== undefined && notified !== known;
    });
    if (differs) this.raise('account-mismatch', deposit);
    const number = textOf(notifiedAs.account_number);
    if (number !== undefined && !isClabe(number)) this.raise('clabe-check-digit', deposit);
  }

  /** Asks a person to see this, about a deposit or about the account. The same entry is not added twice. */
  raise(because: AccountAttention, deposit?: NotifiedDeposit): void {
    this.add(because, deposit === undefined ? null : named(deposit));
  }

  private add(because: AccountAttention, deposit: UnseenEntry['deposit']): void {
    const about = JSON.stringify(deposit);
    if (this.unseen.some((one) => one.because === because && JSON.stringify(one.deposit) === about)) return;
    this.asked += 1;
    this.unseen = bounded([...this.unseen, { no: this.asked, because, deposit }]);
  }

  /** The gateway has not answered for long. Only the latest reason of a silence is kept. */
  raiseSilence(why: Silence): void {
    if (this.unseen.some(({ because }) => because === why)) return;
    this.settleSilence();
    this.raise(why);
  }

  /** The gateway has answered. */
  settleSilence(): void {
    for (const why of SILENCES) this.settle(why);
  }

  /** Nobody needs to look at this reason any more: the one about this deposit or, without a deposit, about the account. */
  settle(attention: AccountAttention, about?: Pick<NotifiedDeposit, 'out_trade_no' | 'trade_no'>): void {
    this.unseen = this.unseen.filter(({ because, deposit }) => {
      if (because !== attention || deposit?.out_trade_no !== about?.out_trade_no) return true;
      return deposit !== null && about !== undefined && isOfOtherTrade(deposit, about);
    });
  }

  /** Why a person's decision is refused: it has to name what they were shown, and that has to wait now. */
  issuesWith(seen: unknown): RequestIssue[] {
    const waiting = shownOf(this.unseen);
    if (waiting === undefined) return [{ field: 'seen', rule: 'nothing of this account waits for a person' }];
    const given = shownIn(seen);
    if (given?.because === this.attention && given.no <= this.asked) return [];
    const waits = this.unseen.filter(({ because }) => because === this.attention);
    const few = waits.slice(0, MOST_LISTED).map(unseenLine).join('; ');
    const more = waits.length > MOST_LISTED ? `; and ${waits.length - MOST_LISTED} more` : '';
    return [
      { field: 'seen', rule: `what waits now is “${waiting}” (${few}${more}). Look at it first, then name it here` },
    ];
  }

  /** A person has looked at what they were shown. Entries that came since stay, and wait from now on. */
  resolve(by: string, shown: string, at: number): void {
    this.decided_by = by;
    const seen = shownIn(shown);
    if (seen === undefined) return;
    this.unseen = this.unseen.filter(({ because, no }) => because !== seen.because || no > seen.no);
    this.wait = this.wait && { ...this.wait, since: at };
  }

  private check(): void {
    const { account_number, status } = this.account;
    if (account_number !== undefined && !isClabe(account_number)) this.raise('clabe-check-digit');
    if (status !== undefined && !STATUSES.includes(status)) this.raise('unknown-status');
    else this.settle('unknown-status');
  }
}

function named({ out_trade_no, trade_no, amount, currency }: NotifiedDeposit): UnseenEntry['deposit'] {
  return { out_trade_no, trade_no: trade_no ?? null, amount: amount ?? null, currency: currency ?? null };
}

/** How many entries a refusal lists: it is one line for a person. */
const MOST_LISTED = 5;

/** What a person was shown: `old-deposit:7`. */
function shownIn(text: unknown): { because: string; no: number } | undefined {
  const [, because, no] = typeof text === 'string' ? (/^([a-z-]+):(\d{1,9})$/.exec(text.trim()) ?? []) : [];
  return because === undefined ? undefined : { because, no: Number(no) };
}

/** The latest entries, and for each reason among the older ones one entry without a deposit. */
function bounded(entries: readonly UnseenEntry[]): readonly UnseenEntry[] {
  if (entries.length <= MOST_UNSEEN) return entries;
  const older = entries.slice(0, -MOST_UNSEEN);
  const last = new Map(older.map(({ because, no }) => [because, { no, because, deposit: null }]));
  return [...last.values(), ...entries.slice(-MOST_UNSEEN)];
}

/** The fields of an account that we know, from the gateway's answer. */
export function accountData(answer: { account_id: string }): SpeiAccountData {
  const known = FIELDS.map((field) => [field, textOf(Reflect.get(answer, field))]);
  return { account_id: answer.account_id, ...defined(Object.fromEntries(known)) };
}

/** The deposit of a notification; undefined if a number is invalid, as in a signal that a person sent by hand. */
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
