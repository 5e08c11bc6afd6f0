/** What a notification says of a deposit, and whether two notifications are about the same deposit. Pure. */
import { isAfterSaleStatus, type NotifiedDeposit, outcomeOf, type SetAsideDeposit } from '../../contract';
import { sameAmount } from '../../gateway/pure/money';

export function isNotifiedAsPaid({ trade_status }: NotifiedDeposit): boolean {
  return outcomeOf(trade_status ?? '') === 'SUCCESS';
}

/** The key of a deposit that is set aside: its number; for a second deposit under the number, all that is known of it. */
export function keyOf({ out_trade_no, trade_no, amount, because }: Aside): string {
  return because === 'second-deposit' ? JSON.stringify([out_trade_no, trade_no ?? null, amount ?? null]) : out_trade_no;
}

interface Aside extends Pick<SetAsideDeposit, 'out_trade_no' | 'because'> {
  readonly trade_no?: string | null | undefined;
  readonly amount?: string | null | undefined;
}

/** An unknown trade_no does not count as another trade. */
export function isOfOtherTrade(
  known: { trade_no?: string | null | undefined },
  { trade_no }: Pick<NotifiedDeposit, 'trade_no'>,
): boolean {
  return trade_no !== undefined && (known.trade_no ?? trade_no) !== trade_no;
}

/** The order's amount that is notified. News of a refund or of a dispute has none: its amount may be the sum that goes back (section 6.2). */
export function orderAmountOf({ trade_status, amount }: NotifiedDeposit): string | undefined {
  return isAfterSaleStatus(trade_status ?? '') ? undefined : amount;
}

/** Whether the notification is of another amount than those that are known. An amount that is unknown does not count as another. */
export function hasOtherAmount(known: readonly string[], deposit: NotifiedDeposit): boolean {
  const amount = orderAmountOf(deposit);
  return amount !== undefined && known.length > 0 && !known.some((one) => one === amount || sameAmount(one, amount));
}

/** The amount to compare: only a deposit that was notified as paid has one. */
export function amountsOf(deposit: NotifiedDeposit | undefined): string[] {
  const amount = deposit && isNotifiedAsPaid(deposit) ? orderAmountOf(deposit) : undefined;
  return amount === undefined ? [] : [amount];
}

export function transferredAt({ transferred_s }: NotifiedDeposit): string | null {
  return transferred_s === undefined ? null : new Date(transferred_s * 1000).toISOString();
}
