/**
 * The confirmations of an account's deposits: a bounded queue. A deposit that nobody has looked at comes first. One that the
 * gateway does not confirm gives its place to the next, so that however many of them never stop the others; it is confirmed all
 * the same, whenever its payment ends.
 */
import { condition } from '@temporalio/workflow';
import type { NotifiedDeposit } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { uncancelled } from '../shared/cancellable';
import type { DepositAnswer } from './deposit-counting';
import type { DepositLedger } from './deposit-ledger';
import { awaitDepositPayment, signalPayment } from './deposit-payment';

/** Within this time the payment of a new deposit has looked at the gateway. */
const FIRST_LOOK_MS = 1_000;
/** What an earlier run has begun may be hopeless, and each start of it again costs history: so its places come free slowly. */
const AGAIN_MS = 10 * MINUTE;
/** A person hears of a deposit that is not confirmed for so long: it is more than the gateway is ever late. */
const OVERDUE_MS = 10 * MINUTE;

export interface ConfirmationListener {
  /** The payment of a deposit has ended: see {@link awaitDepositPayment}. */
  onEnd(deposit: NotifiedDeposit, payment: DepositAnswer): void;
  /** The gateway has not confirmed a deposit for long. */
  onOverdue(deposit: NotifiedDeposit): void;
  onFailure(error: unknown): void;
}

/** Deposits that wait for a place, and for how long each that is begun holds one, in ms. */
interface Queue {
  readonly held_ms: number;
  waiting: NotifiedDeposit[];
}

export class Confirmations {
  private readonly fresh: Queue = { held_ms: FIRST_LOOK_MS, waiting: [] };
  private readonly again: Queue = { held_ms: AGAIN_MS, waiting: [] };
  /** By the number of each deposit whose payment is awaited: since when this run does, and out of which queue. */
  private readonly awaited = new Map<string, { readonly since: number; readonly of: Queue }>();
  /** When this run began to end, in ms since the epoch; it starts no more from then on. Before it is open, that is since ever. */
  private closed_at: number | null = 0;
  private isSweeping = false;

  constructor(
    private readonly app_id: string,
    private readonly ledger: DepositLedger,
    private readonly listener: ConfirmationListener,
  ) {}

  /** Whether the payment of every deposit that was begun has had the time to look. */
  get isIdle(): boolean {
    return !this.begunFor(({ ms }) => ms < FIRST_LOOK_MS).length;
  }

  add(deposit: NotifiedDeposit): void {
    this.fresh.waiting.push(deposit);
    this.fill();
  }

  /** Confirms what is pending and not awaited yet. */
  open(): void {
    this.closed_at = null;
    const pending = this.ledger.pending.filter(({ out_trade_no }) => !this.awaited.has(out_trade_no));
    this.fresh.waiting = pending.filter(({ begun }) => !begun);
    this.again.waiting = pending.filter(({ begun }) => begun);
    this.fill();
  }

  /** Starts no more. */
  close(): void {
    this.closed_at = Date.now();
    this.watch();
  }

  private get isOpen(): boolean {
    return this.closed_at === null;
  }

  private fill(): void {
    for (const queue of [this.fresh, this.again]) {
      const free = freePlaces(this.holdersOf(queue).length, this.awaited.size);
      for (let left = free; this.isOpen && left > 0; left -= 1) {
        const next = queue.waiting.shift();
        if (next === undefined) break;
        this.begin(next, queue);
      }
    }
    this.watch();
  }

  private begin(deposit: NotifiedDeposit, of: Queue): void {
    const now = Date.now();
    this.awaited.set(deposit.out_trade_no, { since: now, of });
    this.ledger.markStarted(deposit.out_trade_no, now);
    uncancelled(() => this.confirm(deposit)).catch((error: unknown) => this.listener.onFailure(error));
  }

  private async confirm(deposit: NotifiedDeposit): Promise<void> {
    const payment = await awaitDepositPayment(this.app_id, deposit, this.ledger);
    this.awaited.delete(deposit.out_trade_no);
    this.listener.onEnd(deposit, payment);
    this.fill();
  }

  /** A deposit is notified as paid only now: its payment looks, and from now on it may be overdue. */
  onPaid(deposit: NotifiedDeposit): void {
    signalPayment(this.app_id, deposit);
    const isThis = ({ out_trade_no }: NotifiedDeposit) => out_trade_no === deposit.out_trade_no;
    const waits = this.again.waiting.find(isThis);
    this.again.waiting = this.again.waiting.filter((one) => !isThis(one));
    if (waits) this.fresh.waiting.push(waits);
    this.fill();
  }

  private begunFor(isMeant: (begun: { of: Queue; ms: number }) => boolean): number[] {
    const now = Date.now();
    return [...this.awaited.values()].flatMap(({ since, of }) => (isMeant({ of, ms: now - since }) ? since : []));
  }

  /** Since when each deposit that holds a place of the queue does. */
  private holdersOf(queue: Queue): number[] {
    return this.begunFor(({ of, ms }) => of === queue && ms < queue.held_ms);
  }

  private watch(): void {
    if (!this.isSweeping) uncancelled(() => this.sweep()).catch((error: unknown) => this.listener.onFailure(error));
  }

  /** One timer for all confirmations: one for each would double what a deposit adds to the history. */
  private async sweep(): Promise<void> {
    this.isSweeping = true;
    for (;;) {
      this.tellOverdue();
      this.fill();
      const next = Math.min(this.nextPlace, this.nextOverdue);
      if (next === Number.POSITIVE_INFINITY) break;
      const isEarlier = () => this.nextPlace < next;
      await condition(isEarlier, Math.max(next - Date.now(), 1), { summary: 'how long deposits may wait' });
    }
    this.isSweeping = false;
  }

  /**
   * When deposits that wait get a place, in ms since the epoch: once all that are held now come free, so that one timer serves all of
   * them. While the run ends: when the last first look is over.
   */
  private get nextPlace(): number {
    if (this.closed_at !== null) return this.isIdle ? Number.POSITIVE_INFINITY : this.closed_at + FIRST_LOOK_MS;
    // Only the end of a payment gives one.
    if (freePlaces(0, this.awaited.size) === 0) return Number.POSITIVE_INFINITY;
    const waited = [this.fresh, this.again].filter(({ waiting }) => waiting.length > 0);
    return Math.min(...waited.map((queue) => Math.max(...this.holdersOf(queue)) + queue.held_ms));
  }

  /** When the next deposit is overdue, in ms since the epoch. */
  private get nextOverdue(): number {
    if (!this.isOpen) return Number.POSITIVE_INFINITY;
    const waiting = this.ledger.pending.filter(({ out_trade_no }) => this.ledger.mayBecomeOverdue(out_trade_no));
    return Math.min(...waiting.flatMap(({ since }) => (since === undefined ? [] : since + OVERDUE_MS)));
  }

  private tellOverdue(): void {
    for (const deposit of this.ledger.pending) {
      if (deposit.since === undefined || Date.now() - deposit.since < OVERDUE_MS) continue;
      if (this.ledger.noteOverdue(deposit.out_trade_no)) this.listener.onOverdue(deposit);
    }
  }
}

/** How many of each queue hold a place. */
const AT_ONCE = 50;
/**
 * How many payments a run waits for, whether they hold a place or not. Temporal takes 2,000 open children of one run, and as many activities, and
 * fails the task that begins one more. Only a run that has too much to hand on, and so goes on, comes so far.
 */
const MOST_AWAITED = 1_000;

/** How many more deposits of a queue may begin, where so many hold its places and so many payments are awaited in all. */
export const freePlaces = (holders: number, awaited: number): number =>
  Math.max(0, Math.min(AT_ONCE - holders, MOST_AWAITED - awaited));
