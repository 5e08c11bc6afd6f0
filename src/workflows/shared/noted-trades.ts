/** What is known of the other trades under an order's number. Pure. */
import { laterStatus, type NotedTrade, type OtherTrade } from '../../contract';

type Said = Pick<NotedTrade, 'trade_no'> & Partial<NotedTrade>;

/**
 * The trades with what was said of one of them, which comes last. A replica may be stale, so money that was reported stays reported. The
 * gateway's answer about the amount counts more than a notification.
 */
export function withNoted(others: readonly NotedTrade[], said: Said): NotedTrade[] {
  const { trade_no, order_amount: amount = null } = said;
  const before = others.find((one) => one.trade_no === trade_no);
  const known = before?.order_amount ?? null;
  const other: NotedTrade = {
    trade_no,
    trade_status: laterStatus(before?.trade_status ?? null, said.trade_status ?? null),
    order_amount: said.asked === 'answered' ? (amount ?? known) : (known ?? amount),
    asked: before?.asked === 'answered' ? 'answered' : (said.asked ?? before?.asked ?? 'not yet'),
    shown: said.shown ?? before?.shown,
  };
  return [...others.filter((one) => one !== before), other];
}

/** The trades as they are shown to people. */
export const shownTrades = (others: readonly NotedTrade[]): OtherTrade[] =>
  others.map(({ asked: _asked, shown: _shown, ...other }) => other);
