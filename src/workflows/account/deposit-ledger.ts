/** The deposits of one virtual account, each counted exactly once. Pure: `now` is ms since the epoch. */
import type {
  CarriedLedger,
  CountedDeposit,
  Deposit,
  DepositPaymentRun,
  DepositStanding,
  Deposits,
  NotifiedDeposit,
  SetAsideDeposit,
} from '../../contract';
import { sumOf } from '../../gateway/pure/money';
import {
  amountsOf,
  hasOtherAmount,
  isNotifiedAsPaid,
  isOfOtherTrade,
  keyOf,
  orderAmountOf,
  transferredAt,
} from './notified-deposit';
import { SizedMap } from './sized-map';

/** How many counted deposits the public state shows. */
const LATEST_DEPOSITS = 20;
/** How many deposits that were not counted the state keeps. The events `deposit-set-aside` show all of them. */
const SET_ASIDE_DEPOSITS = 500;

/**
 * How many counted deposits are remembered by their `out_trade_no`: for one buyer's account, all of them. A busier
 * account forgets the oldest first, and still counts none twice: from then on it counts only deposits that were sent
 * later than all that it has forgotten. A deposit that was sent earlier, or does not say when, goes to a person. So
 * counting does not depend on Temporal's retention, nor on how long the gateway repeats notifications. The bytes are
 * a part of the 2 MB that Temporal hands on to the next run: 10,000 deposits with numbers of 24 characters.
 */
const REMEMBERED_DEPOSITS = 10_000;
const REMEMBERED_BYTES = 1_000_000;

/**
 * `repeat`: it is counted, pending or set aside already. `second`: another deposit has its number, or its trade another number.
 * `forgotten`: it may be one of the forgotten deposits.
 */
export type DepositVerdict = 'new' | 'repeat' | 'second' | 'forgotten';

export class DepositLedger {
  private count = 0;
  private total = new Map<string, string>();
  private latest: Deposit[] = [];
  /** In the order in which they were set aside. */
  private setAsideDeposits = new SizedMap<SetAsideDeposit>();
  private pendingDeposits = new SizedMap<NotifiedDeposit>();
  private counted = new SizedMap<CountedDeposit>();
  private forgottenUntil: number | null = null;
  /** The number under which each counted or pending trade is known. */
  private numbers = new Map<string, string>();

  constructor(
    carried?: CarriedLedger,
    private readonly remembered = REMEMBERED_DEPOSITS,
  ) {
    if (carried) this.restore(carried);
  }

  restore(carried: CarriedLedger): void {
    this.count = carried.count;
    this.total = new Map(Object.entries(carried.total));
    this.latest = [...carried.latest];
    this.setAsideDeposits = new SizedMap(carried.set_aside.toReversed().map((deposit) => [keyOf(deposit), deposit]));
    this.pendingDeposits = new SizedMap(carried.pending.map((deposit) => [deposit.out_trade_no, deposit]));
    this.counted = new SizedMap(carried.counted);
    this.forgottenUntil = carried.forgotten_until;
    this.numbers = new Map();
    for (const { out_trade_no, trade_no } of carried.pending) this.noteTrade(out_trade_no, trade_no);
    for (const [out_trade_no, [, trade_no]] of carried.counted) this.noteTrade(out_trade_no, trade_no);
  }

  classify(deposit: NotifiedDeposit): DepositVerdict {
    const { out_trade_no, transferred_s } = deposit;
    if (this.isOfOtherNumber(deposit)) return this.isSetAside(deposit) ? 'repeat' : 'second';
    if (this.counted.has(out_trade_no) || this.pendingDeposits.has(out_trade_no))
      return this.isSecond(deposit) ? 'second' : 'repeat';
    if (this.forgottenUntil === null) return 'new';
    if (transferred_s !== undefined && transferred_s > this.forgottenUntil) return 'new';
    const aside = this.setAsideDeposits.get(out_trade_no);
    if (!aside) return 'forgotten';
    const isOther =
      isOfOtherTrade(aside, deposit) || hasOtherAmount(aside.amount === null ? [] : [aside.amount], deposit);
    return isOther && !this.isSetAside(deposit) ? 'second' : 'repeat';
  }

  /** Whether another deposit is counted or pending under this number, and this one was not set aside before. */
  private isSecond(deposit: NotifiedDeposit): boolean {
    if (!isNotifiedAsPaid(deposit)) return false;
    const pending = this.pendingDeposits.get(deposit.out_trade_no);
    const [, trade_no, amounts] = this.counted.get(deposit.out_trade_no) ?? [0, pending?.trade_no, amountsOf(pending)];
    if (!isOfOtherTrade({ trade_no }, deposit) && !hasOtherAmount(amounts, deposit)) return false;
    return !this.isSetAside(deposit);
  }

  /** The entry, if the deposit is set aside for this reason already. */
  setAsideAs(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): SetAsideDeposit | undefined {
    return this.setAsideDeposits.get(keyOf({ ...deposit, because }));
  }

  private isSetAside(deposit: NotifiedDeposit): boolean {
    const { out_trade_no, trade_no = null } = deposit;
    if (this.setAsideAs(deposit, 'second-deposit')) return true;
    if (orderAmountOf(deposit) !== undefined) return false;
    // Without an amount its number and its trade are all that is known of it.
    return [...this.setAsideDeposits.values()].some(
      (one) => one.because === 'second-deposit' && one.out_trade_no === out_trade_no && one.trade_no === trade_no,
    );
  }

  /** The standing of the deposit with this number. A second deposit under the number is only in `set_aside`. */
  standingOf(out_trade_no: string): DepositStanding {
    if (this.counted.has(out_trade_no)) return { is: 'counted', because: null };
    if (this.pendingDeposits.has(out_trade_no)) return { is: 'pending', because: null };
    const aside =
      this.setAsideDeposits.get(out_trade_no) ??
      [...this.setAsideDeposits.values()].findLast((one) => one.out_trade_no === out_trade_no);
    return aside ? { is: 'set-aside', because: aside.because } : { is: 'older', because: null };
  }

  /** Whether the deposit's trade is counted or pending under another number: both are one transfer. */
  isOfOtherNumber({ out_trade_no, trade_no }: NotifiedDeposit): boolean {
    const known = trade_no === undefined ? undefined : this.numbers.get(trade_no);
    return known !== undefined && known !== out_trade_no;
  }

  private noteTrade(out_trade_no: string, trade_no: string | null | undefined): void {
    if (trade_no && !this.numbers.has(trade_no)) this.numbers.set(trade_no, out_trade_no);
  }

  private forgetTrade(out_trade_no: string, trade_no: string | null | undefined): void {
    if (trade_no && this.numbers.get(trade_no) === out_trade_no) this.numbers.delete(trade_no);
  }

  addPending(deposit: NotifiedDeposit): void {
    this.pendingDeposits.set(deposit.out_trade_no, deposit);
    this.noteTrade(deposit.out_trade_no, deposit.trade_no);
  }

  /** Records that the payment of a deposit is being started, and moves the deposit to the end of the pending ones. */
  markStarted(out_trade_no: string, now: number): void {
    const deposit = this.pendingDeposits.get(out_trade_no);
    if (!deposit) return;
    this.pendingDeposits.delete(out_trade_no);
    this.pendingDeposits.set(out_trade_no, { ...deposit, begun: true, since: deposit.since ?? now });
  }

  paymentRunOf(out_trade_no: string): DepositPaymentRun | undefined {
    return this.pendingDeposits.get(out_trade_no)?.payment_run;
  }

  notePaymentRun(out_trade_no: string, payment_run: DepositPaymentRun): void {
    const deposit = this.pendingDeposits.get(out_trade_no);
    if (deposit) this.pendingDeposits.set(out_trade_no, { ...deposit, payment_run });
  }

  /** A person is told that this pending deposit is not confirmed for long. */
  noteOverdue(deposit: NotifiedDeposit): void {
    this.pendingDeposits.set(deposit.out_trade_no, { ...deposit, overdue: true });
  }

  /**
   * Applies a further notification of a pending deposit; one that says "paid" stays, unless it was news of a refund, which names no amount of
   * the deposit. True if this one is the first that says "paid".
   */
  updatePending(deposit: NotifiedDeposit, now: number): boolean {
    const earlier = this.pendingDeposits.get(deposit.out_trade_no);
    if (!earlier || isOfOtherTrade(earlier, deposit)) return false;
    const isPaid = isNotifiedAsPaid(deposit);
    // The running payment may have looked before the deposit was paid.
    const run = earlier.payment_run;
    const payment_run = isPaid && run ? { ...run, notified_at: now } : run;
    const isFirstPaid = isPaid && !isNotifiedAsPaid(earlier);
    const addsAmount = isPaid && orderAmountOf(earlier) === undefined && orderAmountOf(deposit) !== undefined;
    const stays = isNotifiedAsPaid(earlier) && !addsAmount;
    const known = stays ? earlier : { ...earlier, ...deposit, ...(isFirstPaid ? { since: now } : {}) };
    this.pendingDeposits.set(deposit.out_trade_no, { ...known, payment_run });
    return isFirstPaid;
  }

  currentOf(deposit: NotifiedDeposit): NotifiedDeposit {
    return this.pendingDeposits.get(deposit.out_trade_no) ?? deposit;
  }

  /** Counts a confirmed deposit. Null if it was counted before. */
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
    const amounts = [...new Set([paid.amount, ...amountsOf(deposit)])];
    this.noteTrade(out_trade_no, paid.trade_no);
    this.remember(out_trade_no, [transferred_s ?? Math.floor(now / 1000), paid.trade_no, amounts]);
    this.setAsideDeposits.delete(out_trade_no);
    return counted;
  }

  /** Does not count a deposit: a person has to look. The same deposit may be notified again. */
  setAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): SetAsideDeposit {
    const { out_trade_no, trade_no = null, amount = null, currency = null } = deposit;
    const aside = { out_trade_no, trade_no, amount, currency, transferred_at: transferredAt(deposit), because };
    // The number belongs to another deposit, which goes on.
    if (because !== 'second-deposit') this.pendingDeposits.delete(out_trade_no);
    this.setAsideDeposits.delete(keyOf(aside));
    this.setAsideDeposits.set(keyOf(aside), aside);
    for (const oldest of this.setAsideDeposits.keys()) {
      if (this.setAsideDeposits.size <= SET_ASIDE_DEPOSITS) break;
      this.setAsideDeposits.delete(oldest);
    }
    return aside;
  }

  drop({ out_trade_no, trade_no }: NotifiedDeposit): void {
    this.pendingDeposits.delete(out_trade_no);
    this.forgetTrade(out_trade_no, trade_no);
  }

  get pending(): NotifiedDeposit[] {
    return [...this.pendingDeposits.values()];
  }

  /** What people see first. It is made at every step, so it has to be small. */
  get summary(): Pick<Deposits, 'count' | 'total' | 'pending'> {
    return { count: this.count, total: Object.fromEntries(this.total), pending: this.pendingDeposits.size };
  }

  /** About how many bytes `carried` has as JSON, without making it. */
  get carriedBytes(): number {
    return this.pendingDeposits.bytes + this.counted.bytes + this.setAsideDeposits.bytes;
  }

  /** `early`: how many deposits wait until earlier runs are read. They count as pending. */
  snapshot(early = 0): Deposits {
    return { ...this.sums, pending: this.pendingDeposits.size + early };
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

  private remember(out_trade_no: string, counted: CountedDeposit): void {
    this.counted.set(out_trade_no, counted);
    for (const [oldest, [at, trade_no]] of this.counted) {
      if (this.counted.size <= this.remembered && this.counted.bytes <= REMEMBERED_BYTES) return;
      this.counted.delete(oldest);
      this.forgetTrade(oldest, trade_no);
      this.forgottenUntil = Math.max(this.forgottenUntil ?? at, at);
    }
  }
}
