/** The deposits of one virtual account, each counted exactly once. Pure: `now` is ms since the epoch. */
import type { CarriedLedger, Deposit, Deposits, NotifiedDeposit, SetAsideDeposit } from '../../contract';
import { outcomeOf } from '../../contract';
import { sumOf } from '../../gateway/pure/money';

/** How many counted deposits the public state shows. */
const LATEST_DEPOSITS = 20;
/** How many deposits that were not counted the state keeps. The events `deposit-set-aside` show all of them. */
const SET_ASIDE_DEPOSITS = 500;

/**
 * How many counted deposits are remembered by their `out_trade_no`: for one buyer's account, all of them. A busier
 * account forgets the oldest first, and still counts none twice: from then on it counts only deposits that were sent
 * later than all that it has forgotten. A deposit that was sent earlier, or does not say when, goes to a person. So
 * counting does not depend on Temporal's retention, nor on how long the gateway repeats notifications. 10,000 entries
 * of at most 64 characters are 0.8 MB, of the 2 MB that Temporal carries into the next run.
 */
const REMEMBERED_DEPOSITS = 10_000;

/** `repeat`: it is counted, pending or set aside already. `forgotten`: it may be one of the forgotten deposits. */
export type DepositVerdict = 'new' | 'repeat' | 'forgotten';

export class DepositLedger {
  private count = 0;
  private total = new Map<string, string>();
  private latest: Deposit[] = [];
  /** In the order in which they were set aside. */
  private setAsideDeposits = new SizedMap<SetAsideDeposit>();
  private pendingDeposits = new SizedMap<NotifiedDeposit>();
  private counted = new SizedMap<number>();
  private forgottenUntil: number | null = null;

  constructor(
    carried?: CarriedLedger,
    private readonly remembered = REMEMBERED_DEPOSITS,
  ) {
    if (carried) this.restore(carried);
  }

  /** Goes on from what an earlier run had, in the place of all that is here. */
  restore(carried: CarriedLedger): void {
    this.count = carried.count;
    this.total = new Map(Object.entries(carried.total));
    this.latest = [...carried.latest];
    this.setAsideDeposits = new SizedMap(
      carried.set_aside.toReversed().map((deposit) => [deposit.out_trade_no, deposit]),
    );
    this.pendingDeposits = new SizedMap(carried.pending.map((deposit) => [deposit.out_trade_no, deposit]));
    this.counted = new SizedMap(carried.counted);
    this.forgottenUntil = carried.forgotten_until;
  }

  /** Whether a notified deposit is new. */
  classify({ out_trade_no, transferred_s }: NotifiedDeposit): DepositVerdict {
    if (this.counted.has(out_trade_no) || this.pendingDeposits.has(out_trade_no)) return 'repeat';
    if (this.forgottenUntil === null) return 'new';
    if (transferred_s !== undefined && transferred_s > this.forgottenUntil) return 'new';
    return this.setAsideDeposits.has(out_trade_no) ? 'repeat' : 'forgotten';
  }

  /** Adds a deposit that has to be confirmed. */
  addPending(deposit: NotifiedDeposit): void {
    this.pendingDeposits.set(deposit.out_trade_no, deposit);
  }

  /** Records that the payment of a deposit is being started. */
  markStarted(out_trade_no: string): void {
    const deposit = this.pendingDeposits.get(out_trade_no);
    if (deposit) this.pendingDeposits.set(out_trade_no, { ...deposit, begun: true });
  }

  /** A deposit that was notified as paid and is not confirmed for long; undefined where that was told before, or it is none. */
  overdue(out_trade_no: string): NotifiedDeposit | undefined {
    const deposit = this.pendingDeposits.get(out_trade_no);
    if (!deposit || deposit.overdue || !isNotifiedAsPaid(deposit)) return undefined;
    this.pendingDeposits.set(out_trade_no, { ...deposit, overdue: true });
    return deposit;
  }

  /**
   * Applies a further notification of a pending deposit; one that says `paid` stays. True if this one is the first to
   * say so.
   */
  updatePending(deposit: NotifiedDeposit): boolean {
    const earlier = this.pendingDeposits.get(deposit.out_trade_no);
    if (!earlier || isNotifiedAsPaid(earlier)) return false;
    this.pendingDeposits.set(deposit.out_trade_no, { ...earlier, ...deposit });
    return isNotifiedAsPaid(deposit);
  }

  /** What is known by now of a pending deposit. */
  currentOf(deposit: NotifiedDeposit): NotifiedDeposit {
    return this.pendingDeposits.get(deposit.out_trade_no) ?? deposit;
  }

  /** Counts a confirmed deposit. Null where it was counted before. */
  confirm(
    deposit: NotifiedDeposit,
    paid: Pick<Deposit, 'trade_no' | 'amount' | 'currency'>,
    now: number,
  ): Deposit | null {
    const { out_trade_no, transferred_s } = deposit;
    this.pendingDeposits.delete(out_trade_no);
    if (this.counted.has(out_trade_no)) return null;
    const counted: Deposit = {
      out_trade_no,
      ...paid,
      transferred_at: transferredAt(deposit),
      counted_at: new Date(now).toISOString(),
    };
    this.count += 1;
    this.total.set(paid.currency, sumOf([this.total.get(paid.currency) ?? '0', paid.amount]));
    this.latest.unshift(counted);
    this.latest.splice(LATEST_DEPOSITS);
    this.remember(out_trade_no, transferred_s ?? Math.floor(now / 1000));
    this.setAsideDeposits.delete(out_trade_no);
    return counted;
  }

  /** Does not count a deposit: a person has to look. The same deposit may be notified again. */
  setAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): SetAsideDeposit {
    const { out_trade_no, trade_no = null, amount = null, currency = null } = deposit;
    const aside = { out_trade_no, trade_no, amount, currency, transferred_at: transferredAt(deposit), because };
    this.pendingDeposits.delete(out_trade_no);
    this.setAsideDeposits.delete(out_trade_no);
    this.setAsideDeposits.set(out_trade_no, aside);
    for (const oldest of this.setAsideDeposits.keys()) {
      if (this.setAsideDeposits.size <= SET_ASIDE_DEPOSITS) break;
      this.setAsideDeposits.delete(oldest);
    }
    return aside;
  }

  /** Removes a pending deposit that was not paid, and of which no notification said so. */
  drop({ out_trade_no }: NotifiedDeposit): void {
    this.pendingDeposits.delete(out_trade_no);
  }

  get pending(): NotifiedDeposit[] {
    return [...this.pendingDeposits.values()];
  }

  /** What people see first. It is made at every step, so it is small. */
  get summary(): Pick<Deposits, 'count' | 'total' | 'pending'> {
    return { count: this.count, total: Object.fromEntries(this.total), pending: this.pendingDeposits.size };
  }

  /** About how many bytes `carried` has as JSON, without making it. */
  get carriedBytes(): number {
    return this.pendingDeposits.bytes + this.counted.bytes + this.setAsideDeposits.bytes;
  }

  get snapshot(): Deposits {
    return { ...this.sums, pending: this.pendingDeposits.size };
  }

  /** With deposits that wait until it is known what an earlier run knew. */
  snapshotWith(early: number): Deposits {
    const { pending, ...sums } = this.snapshot;
    return { ...sums, pending: pending + early };
  }

  get carried(): CarriedLedger {
    return {
      ...this.sums,
      pending: this.pending,
      counted: [...this.counted],
      forgotten_until: this.forgottenUntil,
    };
  }

  /** The part that people see. It is made at every step, so it must not grow with the remembered deposits. */
  private get sums() {
    const { count } = this;
    const set_aside = [...this.setAsideDeposits.values()].reverse();
    return { count, total: Object.fromEntries(this.total), latest: [...this.latest], set_aside };
  }

  private remember(out_trade_no: string, time_s: number): void {
    this.counted.set(out_trade_no, time_s);
    for (const [oldest, at] of this.counted) {
      if (this.counted.size <= this.remembered) return;
      this.counted.delete(oldest);
      this.forgottenUntil = Math.max(this.forgottenUntil ?? at, at);
    }
  }
}

/** A map that knows how many bytes its entries have as JSON. */
class SizedMap<Value> extends Map<string, Value> {
  private sum = 0;

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  get bytes(): number {
    return this.sum;
  }

  override set(key: string, value: Value): this {
    const before = this.get(key);
    this.sum += bytesOf([key, value]) - (before === undefined ? 0 : bytesOf([key, before]));
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined) this.sum -= bytesOf([key, value]);
    return super.delete(key);
  }
}

/** How many bytes a value has as JSON in UTF-8. */
export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Whether a notification said that the deposit was paid. */
export function isNotifiedAsPaid({ trade_status }: NotifiedDeposit): boolean {
  return outcomeOf(trade_status ?? '') === 'SUCCESS';
}

function transferredAt({ transferred_s }: NotifiedDeposit): string | null {
  return transferred_s === undefined ? null : new Date(transferred_s * 1000).toISOString();
}
