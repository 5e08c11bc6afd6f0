/**
 * The confirmations of an account's deposits: a bounded queue. A deposit that the gateway does not confirm gives its slot
 * back, so that however many of them never stop the others; it is confirmed all the same, whenever its payment ends.
 */
import { condition } from '@temporalio/workflow';
import type { NotifiedDeposit } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { uncancelled } from '../shared/cancellable';
import type { DepositAnswer } from './counting';
import type { DepositLedger } from './deposit-ledger';
import { awaitDepositPayment, signalPayment } from './deposit-payment';

/** How many deposits are confirmed at the same time. The next run starts those again that are open when a run ends. */
const AT_ONCE = 50;
/** A confirmation gives its slot back after this long, which is more than the gateway is ever late. */
const SLOT_MS = 10 * MINUTE;

export interface ConfirmationListener {
  /** The payment of a deposit has ended: see {@link awaitDepositPayment}. */
  onEnd(deposit: NotifiedDeposit, payment: DepositAnswer): void;
  /** The gateway has not confirmed a deposit for long. */
  onOverdue(): void;
  onFailure(error: unknown): void;
}

export class Confirmations {
  private readonly queue: NotifiedDeposit[] = [];
  /** By the number of each deposit whose payment is awaited: since when this run does, and whether it holds a slot. */
  private readonly awaited = new Map<string, { readonly since: number; holdsSlot: boolean }>();
  private slots = 0;
  private isOpen = false;
  private isSweeping = false;

  constructor(
    private readonly app_id: string,
    private readonly ledger: DepositLedger,
    private readonly listener: ConfirmationListener,
  ) {}

  /** Whether no confirmation holds a slot. */
  get isIdle(): boolean {
    return this.slots === 0;
  }

  add(deposit: NotifiedDeposit): void {
    this.queue.push(deposit);
    this.fill();
  }

  /** Confirms what is pending and not awaited yet. What an earlier run has begun comes last: it may be hopeless. */
  open(): void {
    this.isOpen = true;
    const pending = this.ledger.pending.filter(({ out_trade_no }) => !this.awaited.has(out_trade_no));
    this.queue.splice(
      0,
      this.queue.length,
      ...pending.filter((one) => !one.begun),
      ...pending.filter((one) => one.begun),
    );
    this.fill();
  }

  /** Starts no more. */
  close(): void {
    this.isOpen = false;
  }

  private fill(): void {
    while (this.isOpen && this.slots < AT_ONCE) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.slots += 1;
      const now = Date.now();
      this.awaited.set(next.out_trade_no, { since: now, holdsSlot: true });
      this.ledger.markStarted(next.out_trade_no, now);
      this.tellIfOverdue(next.out_trade_no);
      uncancelled(() => this.confirm(next)).catch((error: unknown) => this.listener.onFailure(error));
      this.watchOverdue();
    }
  }

  /** A deposit whose payment is awaited is notified as paid only now: its payment looks, and from now on it may be overdue. */
  onPaid(deposit: NotifiedDeposit): void {
    signalPayment(this.app_id, deposit);
    this.watchOverdue();
  }

  private watchOverdue(): void {
    if (!this.isSweeping) uncancelled(() => this.sweep()).catch((error: unknown) => this.listener.onFailure(error));
  }

  /** Whether a slot is to be given back, or a deposit to be told as overdue. */
  private get isSweepNeeded(): boolean {
    if (!this.isOpen) return false;
    return this.slots > 0 || [...this.awaited.keys()].some((one) => this.ledger.mayBecomeOverdue(one));
  }

  private async confirm(deposit: NotifiedDeposit): Promise<void> {
    const { out_trade_no } = deposit;
    const payment = await awaitDepositPayment(this.app_id, deposit, this.ledger);
    this.release(out_trade_no);
    this.awaited.delete(out_trade_no);
    this.listener.onEnd(deposit, payment);
    this.fill();
  }

  private release(out_trade_no: string): void {
    const awaited = this.awaited.get(out_trade_no);
    if (!awaited?.holdsSlot) return;
    awaited.holdsSlot = false;
    this.slots -= 1;
  }

  /** One timer for all confirmations: one for each would double what a deposit adds to the history. */
  private async sweep(): Promise<void> {
    this.isSweeping = true;
    while (this.isSweepNeeded) {
      const isOver = () => !this.isSweepNeeded;
      if (await condition(isOver, this.untilNext, { summary: 'how long deposits may wait' })) break;
      for (const [out_trade_no, { since }] of this.awaited) {
        if (isPast(since)) this.release(out_trade_no);
        this.tellIfOverdue(out_trade_no);
      }
      this.fill();
    }
    this.isSweeping = false;
  }

  /** Ms until the next slot is freed, or until the next deposit from an earlier run is overdue. */
  private get untilNext(): number {
    const others = [...this.awaited].flatMap(([out_trade_no, { since }]) => {
      const waits_since = this.ledger.waitsSince(out_trade_no) ?? since;
      return waits_since !== since && !isPast(waits_since) ? waits_since : [];
    });
    return Math.min(SLOT_MS, ...others.map((since) => since + SLOT_MS - Date.now()));
  }

  private tellIfOverdue(out_trade_no: string): void {
    if (!isPast(this.ledger.waitsSince(out_trade_no) ?? Date.now())) return;
    if (this.ledger.noteOverdue(out_trade_no)) this.listener.onOverdue();
  }
}

const isPast = (since: number) => Date.now() - since >= SLOT_MS;
