/**
 * The confirmations of an account's deposits: a bounded queue. A deposit that nobody has looked at comes first. A deposit that the
 * gateway does not confirm gives its place to the next, so that such deposits never stop the others; it is still confirmed
 * whenever its payment ends.
 */
import { condition } from '@temporalio/workflow';
import type { NotifiedDeposit } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { uncancelled } from '../shared/scopes';
import type { DepositAnswer } from './deposit-counting';
import type { DepositLedger } from './deposit-ledger';
import { awaitDepositPayment, signalPayment } from './deposit-payment';
import { isNotifiedAsPaid } from './notified-deposit';

/** How long the payment of a new deposit takes to look at the gateway, in ms. */
const FIRST_LOOK_MS = 1_000;
/** A deposit that was begun before may be hopeless, and each new start costs history: so its place comes free slowly. In ms. */
const AGAIN_MS = 10 * MINUTE;
/** A person is told of a deposit that is not confirmed for this long: the gateway is never this late. In ms. */
const OVERDUE_MS = 10 * MINUTE;

export interface ConfirmationListener {
  /** The payment of a deposit has ended: see {@link awaitDepositPayment}. */
  onEnd(deposit: NotifiedDeposit, payment: DepositAnswer): void;
  /** The gateway has not confirmed a deposit for long. */
  onOverdue(deposit: NotifiedDeposit): void;
  onFailure(error: unknown): void;
}

/** Deposits that wait for a place, and how long a begun deposit holds its place, in ms. */
interface Queue {
  readonly held_ms: number;
  waiting: NotifiedDeposit[];
}

export class Confirmations {
  private readonly fresh: Queue = { held_ms: FIRST_LOOK_MS, waiting: [] };
  private readonly again: Queue = { held_ms: AGAIN_MS, waiting: [] };
  /** The deposits whose payments are awaited, by number: since when in this run, and from which queue. */
  private readonly awaited = new Map<string, { readonly since: number; readonly of: Queue }>();
  /** When this run began to end, in ms since the epoch: it starts no confirmation after that. 0 before it is open. */
  private closed_at: number | null = 0;
  private isSweeping = false;

  constructor(
    private readonly app_id: string,
    private readonly ledger: DepositLedger,
    private readonly listener: ConfirmationListener,
  ) {}

  /** Whether each payment that is awaited has had the time to look. */
  get isIdle(): boolean {
    return !this.begunFor(({ ms }) => ms < FIRST_LOOK_MS).length;
  }

  add(deposit: NotifiedDeposit): void {
    this.fresh.waiting.push(deposit);
    this.fill();
  }

  /** Starts to confirm the pending deposits that are not awaited yet. */
  open(): void {
    this.closed_at = null;
    const pending = this.ledger.pending.filter(({ out_trade_no }) => !this.awaited.has(out_trade_no));
    this.fresh.waiting = pending.filter(({ begun }) => !begun);
    this.again.waiting = pending.filter(({ begun }) => begun);
    this.fill();
  }

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

  /** A pending deposit is now notified as paid: its payment looks at once, and the deposit may become overdue. */
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

  /** Since when each deposit that holds a place of the queue holds it. */
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
   * When waiting deposits get a place, in ms since the epoch: once all places that are held now are free, so that one timer serves all.
   * While the run ends: when the last first look is over.
   */
  private get nextPlace(): number {
    if (this.closed_at !== null) return this.isIdle ? Number.POSITIVE_INFINITY : this.closed_at + FIRST_LOOK_MS;
    // Only the end of a payment frees a place.
    if (freePlaces(0, this.awaited.size) === 0) return Number.POSITIVE_INFINITY;
    const waited = [this.fresh, this.again].filter(({ waiting }) => waiting.length > 0);
    return Math.min(...waited.map((queue) => Math.max(...this.holdersOf(queue)) + queue.held_ms));
  }

  /** When the next deposit is overdue, in ms since the epoch. */
  private get nextOverdue(): number {
    if (!this.isOpen) return Number.POSITIVE_INFINITY;
    return Math.min(...this.ledger.pending.filter(mayBecomeOverdue).map(overdueAt));
  }

  private tellOverdue(): void {
    for (const deposit of this.ledger.pending.filter(mayBecomeOverdue)) {
      if (Date.now() < overdueAt(deposit)) continue;
      this.ledger.noteOverdue(deposit);
      this.listener.onOverdue(deposit);
    }
  }
}

/** Whether the deposit was notified as paid, and nobody was told yet that it waits for long. */
const mayBecomeOverdue = (deposit: NotifiedDeposit) => !deposit.overdue && isNotifiedAsPaid(deposit);
const overdueAt = ({ since = Number.POSITIVE_INFINITY }: NotifiedDeposit) => since + OVERDUE_MS;

/** How many deposits of each queue may hold a place. */
const AT_ONCE = 50;
/**
 * How many payments a run waits for, with or without a place. Temporal takes 2,000 open children of a run, and as many activities, and fails
 * the task that begins one more. Only a run that cannot end, because it has too much to hand on, may reach this number.
 */
const MOST_AWAITED = 1_000;

/** How many more deposits of a queue may begin. `holders`: how many hold its places. `awaited`: the payments awaited in all. */
export const freePlaces = (holders: number, awaited: number): number =>
  Math.max(0, Math.min(AT_ONCE - holders, MOST_AWAITED - awaited));
