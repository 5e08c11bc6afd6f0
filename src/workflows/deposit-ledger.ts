/** What came into one virtual account, each deposit counted exactly once. Pure: time comes in as ms since the epoch. */
import Big from 'big.js';
import type { CarriedLedger, Deposit, Deposits, NotifiedDeposit, SetAsideDeposit } from './account-contract';
import { outcomeOf } from './transitions';

const LATEST = 20;
/** Far more than people look through: the events `deposit-set-aside` have no such bound. */
const SET_ASIDE = 500;

/**
 * How many counted deposits are remembered by their `out_trade_no`. For a buyer's account that is its whole life. A busier
 * one forgets the oldest first, and never counts one twice for that: from then on it counts by itself only what was sent
 * later than everything that it has forgotten, so that it cannot be one of those. What does not say when it was sent
 * cannot be shown to be new: it goes to a person, as what was sent earlier does. Neither rests on how long Temporal keeps
 * what has ended, or on how often and for how long the gateway repeats itself.
 * 10,000 entries of at most 64 characters are 0.8 MB, of the 2 MB that Temporal carries into a next run.
 */
export const REMEMBERED = 10_000;

/** `repeat`: it is counted, or about to be, or a person knows. `forgotten`: nobody can say any more. */
export type Judgement = 'new' | 'repeat' | 'forgotten';

export class DepositLedger {
  private count: number;
  private readonly total: Map<string, string>;
  private readonly latest: Deposit[];
  /** The last one set aside is the last one here. */
  private readonly setAside: Map<string, SetAsideDeposit>;
  private readonly waiting: Map<string, NotifiedDeposit>;
  private readonly counted: Map<string, number>;
  private forgottenUntil: number | null;

  constructor(
    carried?: CarriedLedger,
    private readonly remembered = REMEMBERED,
  ) {
    this.count = carried?.count ?? 0;
    this.total = new Map(Object.entries(carried?.total ?? {}));
    this.latest = [...(carried?.latest ?? [])];
    this.setAside = new Map(carried?.set_aside.toReversed().map((deposit) => [deposit.out_trade_no, deposit]));
    this.waiting = new Map(carried?.pending.map((deposit) => [deposit.out_trade_no, deposit]));
    this.counted = new Map(carried?.counted);
    this.forgottenUntil = carried?.forgotten_until ?? null;
  }

  /** What to make of a deposit that is announced. */
  judge({ out_trade_no, transferred_s }: NotifiedDeposit): Judgement {
    if (this.counted.has(out_trade_no) || this.waiting.has(out_trade_no)) return 'repeat';
    if (this.forgottenUntil === null) return 'new';
    if (transferred_s !== undefined && transferred_s > this.forgottenUntil) return 'new';
    return this.setAside.has(out_trade_no) ? 'repeat' : 'forgotten';
  }

  /** Takes note of a deposit that is to be confirmed. */
  expect(deposit: NotifiedDeposit): void {
    this.waiting.set(deposit.out_trade_no, deposit);
  }

  /** Its payment is being started. */
  begin(out_trade_no: string): void {
    const deposit = this.waiting.get(out_trade_no);
    if (deposit) this.waiting.set(out_trade_no, { ...deposit, begun: true });
  }

  /** What is told once more of a deposit that waits. That it was paid is not unsaid again. */
  hear(deposit: NotifiedDeposit): void {
    const before = this.waiting.get(deposit.out_trade_no);
    if (before && !isSaidPaid(before)) this.waiting.set(deposit.out_trade_no, { ...before, ...deposit });
  }

  /** What is known by now of a deposit that waits. */
  latestOf(deposit: NotifiedDeposit): NotifiedDeposit {
    return this.waiting.get(deposit.out_trade_no) ?? deposit;
  }

  /** Counts what was confirmed. Null where it was counted before. */
  confirm(
    deposit: NotifiedDeposit,
    paid: Pick<Deposit, 'trade_no' | 'amount' | 'currency'>,
    now: number,
  ): Deposit | null {
    const { out_trade_no, transferred_s } = deposit;
    this.waiting.delete(out_trade_no);
    if (this.counted.has(out_trade_no)) return null;
    const counted: Deposit = {
      out_trade_no,
      ...paid,
      transferred_at: transferredAt(deposit),
      counted_at: new Date(now).toISOString(),
    };
    this.count += 1;
    this.total.set(paid.currency, new Big(this.total.get(paid.currency) ?? 0).plus(paid.amount).toFixed(2));
    this.latest.unshift(counted);
    this.latest.splice(LATEST);
    this.remember(out_trade_no, transferred_s ?? Math.floor(now / 1000));
    this.setAside.delete(out_trade_no);
    return counted;
  }

  /** Not to be counted by itself: a person has to look. The same deposit may be announced again. */
  putAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): SetAsideDeposit {
    const { out_trade_no, trade_no = null, amount = null, currency = null } = deposit;
    const aside = { out_trade_no, trade_no, amount, currency, transferred_at: transferredAt(deposit), because };
    this.waiting.delete(out_trade_no);
    this.setAside.delete(out_trade_no);
    this.setAside.set(out_trade_no, aside);
    for (const oldest of this.setAside.keys()) {
      if (this.setAside.size <= SET_ASIDE) break;
      this.setAside.delete(oldest);
    }
    return aside;
  }

  /** Nothing was paid, and nobody said so. */
  drop({ out_trade_no }: NotifiedDeposit): void {
    this.waiting.delete(out_trade_no);
  }

  get pending(): NotifiedDeposit[] {
    return [...this.waiting.values()];
  }

  get public(): Deposits {
    return { ...this.sums, pending: this.waiting.size };
  }

  get carried(): CarriedLedger {
    return {
      ...this.sums,
      pending: this.pending,
      counted: [...this.counted],
      forgotten_until: this.forgottenUntil,
    };
  }

  /** What people see. Made at every step, so that it must not grow with what is remembered. */
  private get sums() {
    const { count } = this;
    const set_aside = [...this.setAside.values()].reverse();
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

/** Whether somebody said that it was paid. */
export function isSaidPaid({ trade_status }: NotifiedDeposit): boolean {
  return outcomeOf(trade_status ?? '') === 'SUCCESS';
}

function transferredAt({ transferred_s }: NotifiedDeposit): string | null {
  return transferred_s === undefined ? null : new Date(transferred_s * 1000).toISOString();
}
