/** What is asked of the gateway once a week: each order has its day of the week. Pure. */
import { createHash } from 'node:crypto';
import { DAY } from '../gateway/pure/durations';

const DAYS = 7;

/** Whether the day of an order is one of those in [since, until). Days are spread by the number's digest, so that each has as many orders. */
export function isDueWithin(out_trade_no: string, { since, until }: { since: string; until: string }): boolean {
  const [first, last] = [Math.floor(Date.parse(since) / DAY), Math.floor((Date.parse(until) - 1) / DAY)];
  const day = createHash('sha256').update(out_trade_no).digest().readUInt32BE() % DAYS;
  return Array.from({ length: Math.min(last - first + 1, DAYS) }, (_, i) => (first + i) % DAYS).includes(day);
}
