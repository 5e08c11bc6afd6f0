/** That the bank takes the money back, however it was heard: no refund is sent while a copy of the gateway may not show it. Pure. */
import type { Transition } from '../../contract';
import type { TradeSeen } from '../../contract/gateway';
import { MINUTE } from '../../gateway/pure/durations';
import { takesMoneyBack } from './refund/interpret';

/** A copy of the gateway may be behind for so long. */
const BEHIND_MS = 10 * MINUTE;

export class BankWord {
  private constructor(private last: TradeSeen | null) {}

  /** As an earlier run has carried it, or as the history shows it of a run that carried nothing. */
  static of(carried: TradeSeen | null | undefined, history: readonly Transition[]): BankWord {
    const shown = history.findLast(({ to, source }) => source === 'query' && takesMoneyBack(to));
    return new BankWord(carried ?? (shown ? { trade_status: shown.to, asked_at: Date.parse(shown.time) } : null));
  }

  get carried(): TradeSeen | null {
    return this.last;
  }

  /** A notification, or a look of whoever, says so. `at` is ms since the epoch. */
  hear(trade_status: string, at: number): void {
    if (takesMoneyBack(trade_status)) this.last = { trade_status, asked_at: Math.max(at, this.last?.asked_at ?? 0) };
  }

  /** A look has shown the first reversal of this trade: no copy can show it of an earlier chargeback. */
  end(): void {
    this.last = null;
  }

  /** What was said, where a copy may be behind it. But for a first reversal, only time takes it back: what shows another status may be such a copy. */
  saidLately(now: number): string | null {
    return this.countsFor(now) > 0 ? (this.last?.trade_status ?? null) : null;
  }

  /** For how long that counts from now on, in ms. */
  countsFor(now: number): number {
    return this.last === null ? 0 : Math.max(this.last.asked_at + BEHIND_MS - now, 0);
  }
}
