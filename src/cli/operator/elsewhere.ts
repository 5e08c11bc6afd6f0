/** What a person said of money that was refunded in ways which are not in an after-sale's list. */
import type { AfterSaleState } from '../../contract';
import { utc } from './times';

/** The sum that counts, who said it, when and why, and the sum before it; undefined if nobody said anything. */
export function elsewhereLine({ history, order_currency, refunded_elsewhere }: AfterSaleState): string | undefined {
  const said = history.filter((one) => one.refunded_elsewhere !== undefined);
  const [last, before] = said.reverse();
  if (last === undefined) return undefined;
  const replaced = before === undefined ? '' : `; before that, ${before.by} had said ${before.refunded_elsewhere}`;
  return `${refunded_elsewhere} ${order_currency ?? ''} went back by refunds that are not in the list, as ${last.by} said at ${utc(last.time)} (${last.reason}${replaced}).`;
}
