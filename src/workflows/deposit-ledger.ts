/** What came into one virtual account, each deposit counted exactly once. Pure: time comes in as ms since the epoch. */
import Big from 'big.js';
import type { CarriedLedger, Deposit, Deposits, NotifiedDeposit } from './account-contract';

const LATEST = 20;

/**
 * How many counted deposits are remembered by their `out_trade_no`. For a buyer's account that is its whole life. A busier
 * one forgets the oldest first, which is safe by three bounds:
 * - The gateway repeats a notification for 840 minutes: an account had to take 10,000 deposits within those to forget one
 *   that is still repeated.
 * - Whatever was sent before the latest of what is forgotten is never counted by itself: it goes to a person.
 * - Where the gateway does not say when it was sent, the deposit's payment is in the way: its workflow id can be used once
 *   for as long as Temporal keeps it, and it names the account that has counted it.
 * 10,000 entries of at most 64 characters are 0.8 MB, of the 2 MB that Temporal carries into a next run.
 */
export const REMEMBERED = 10_000;

/** `repeat`: it is counted, or about to be, or a person knows. `forgotten`: nobody can say any more. */
export type Judgement = 'new' | 'repeat' | 'forgotten';

export class DepositLedger {
  private count: number;
  private readonly total: Map<string, string>;
  private readonly latest: Deposit[];
  private readonly setAside: string[];
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
    this.setAside = [...(carried?.set_aside ?? [])];
    this.waiting = new Map(carried?.pending.map((deposit) => [deposit.out_trade_no, deposit]));
    this.counted = new Map(carried?.counted);
    this.forgottenUntil = carried?.forgotten_until ?? null;
  }

  /** What to make of a deposit that is announced. */
  judge({ out_trade_no, transferred_s }: NotifiedDeposit): Judgement {
    if (this.counted.has(out_trade_no) || this.waiting.has(out_trade_no)) return 'repeat';
    if (this.forgottenUntil === null || transferred_s === undefined) return 'new';
    if (transferred_s > this.forgottenUntil) return 'new';
    return this.setAside.includes(out_trade_no) ? 'repeat' : 'forgotten';
  }

  /** Takes note of a deposit that is to be confirmed. */
  expect(deposit: NotifiedDeposit): void {
    this.waiting.set(deposit.out_trade_no, deposit);
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
      transferred_at: transferred_s === undefined ? null : new Date(transferred_s * 1000).toISOString(),
      counted_at: new Date(now).toISOString(),
    };
    this.count += 1;
    this.total.set(paid.currency, new Big(this.total.get(paid.currency) ?? 0).plus(paid.amount).toFixed(2));
    this.latest.unshift(counted);
    this.latest.splice(LATEST);
    this.remember(out_trade_no, transferred_s ?? Math.floor(now / 1000));
    remove(this.setAside, out_trade_no);
    return counted;
  }

  /** Not to be counted by itself: a person has to look. The same deposit may be announced again. */
  putAside({ out_trade_no }: NotifiedDeposit): void {
    this.waiting.delete(out_trade_no);
    remove(this.setAside, out_trade_no);
    this.setAside.unshift(out_trade_no);
    this.setAside.splice(LATEST);
  }

  /** Nothing was paid, and nobody said so; or it was counted long ago. */
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
    return { count, total: Object.fromEntries(this.total), latest: [...this.latest], set_aside: [...this.setAside] };
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

function remove(list: string[], item: string): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
