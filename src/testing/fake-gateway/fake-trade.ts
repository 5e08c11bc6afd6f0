/** A trade of the fake gateway. */
import type { FakeRefund } from './fake-refunds';

/** A trade's status, by its age in ms. */
export type StatusAt = (elapsed_ms: number) => string;

export interface FakeTrade {
  out_trade_no: string;
  trade_no: string;
  /** Ms since the epoch. */
  created_at: number;
  /** Decimal string in currency units. */
  order_amount: string;
  order_currency: string;
  method: string;
  /** The sub-channel of a wallet. */
  channel: string | null;
  /** The trade's status without refunds and banks; a test may replace it at any time. */
  statusAt: StatusAt;
  readonly refunds: FakeRefund[];
}
