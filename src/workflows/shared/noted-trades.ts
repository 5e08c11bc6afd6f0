/** Other trades under an order's number. */
import { laterStatus, type NotedTrade } from '../../contract';

/** The trades with what was said of one of them; `asked`: whether the gateway has said it. */
export function withNoted(
  others: readonly NotedTrade[],
  said: Pick<NotedTrade, 'trade_no'> & { readonly [Name in keyof NotedTrade]?: NotedTrade[Name] | undefined },
): NotedTrade[] {
  const { trade_no, asked } = said;
  const before = others.find((one) => one.trade_no === trade_no);
  // Of two amounts the gateway's answer counts, and of two that were only notified the first.
  const [amount, otherwise] = asked === 'answered' ? [said, before] : [before, said];
  const other: NotedTrade = {
    trade_no,
    // A replica may be behind: the status that the other one leads to stays.
    trade_status: laterStatus(before?.trade_status ?? null, said.trade_status ?? null),
    order_amount: amount?.order_amount ?? otherwise?.order_amount ?? null,
    asked: before?.asked === 'answered' ? 'answered' : (asked ?? before?.asked ?? 'not yet'),
  };
  return [...others.filter((one) => one !== before), other];
}
