/**
 * That the bank takes the money back, however it was heard: no refund is sent while a copy of the gateway may not show it.
 * Pure.
 */
import { type BankSaid, takesMoneyBack } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';

/** A copy of the gateway may be behind for so long. */
const BEHIND_MS = 10 * MINUTE;

export class BankWord {
  constructor(public said: BankSaid | null = null) {}

  /** A notification, or a look of whoever, says so. `now` is ms since the epoch. */
  hear(trade_status: string, now: number): void {
    if (takesMoneyBack(trade_status)) this.said = { trade_status, time: new Date(now).toISOString() };
  }

  /** A look has shown the first reversal of this trade: no copy can show it of an earlier chargeback. */
  end(): void {
    this.said = null;
  }

  /**
   * What was said, where a copy may be behind it. But for a first reversal, only time takes it back: what shows another
   * status may be such a copy.
   */
  saidLately(now: number): string | null {
    return this.said !== null && now - Date.parse(this.said.time) < BEHIND_MS ? this.said.trade_status : null;
  }
}
