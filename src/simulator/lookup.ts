import type { Context } from './context';
import { UnknownRecord } from './errors';
import type { RefundRecord, TradeRecord, VirtualAccount } from './records';

/** The trade with this `trade_no` or `out_trade_no`. Throws {@link UnknownRecord} if there is none, or more than one. */
export function tradeNamed(no: string, gateway: Context): TradeRecord {
  const [found, another] = tradesNamed(no, gateway);
  if (!found) throw new UnknownRecord(`There is no trade ${no}.`);
  if (another) throw new UnknownRecord(`Several apps have an order ${no}: name it by its trade_no.`);
  return found;
}

/**
 * The refund with this `refund_id` or `out_request_no`, or the latest refund of the trade with this number. Throws
 * {@link UnknownRecord} if there is none, or more than one.
 */
export function refundNamed(no: string, gateway: Context): RefundRecord {
  const { store } = gateway;
  const refund = store.refunds.get(no);
  if (refund) return refund;
  const [found, another] = [...store.refunds.values()].filter(({ out_request_no }) => out_request_no === no);
  if (another) throw new UnknownRecord(`Several refunds have the number ${no}: name it by its refund_id.`);
  if (found) return found;
  const [latest, ofAnother] = tradesNamed(no, gateway).flatMap(({ trade_no }) => store.refundsOf(trade_no).slice(-1));
  if (!latest) throw new UnknownRecord(`There is no refund ${no}.`);
  if (ofAnother) throw new UnknownRecord(`Several apps have an order ${no}: name the refund by its refund_id.`);
  return latest;
}

/** The virtual account with this `account_id` or `account_number`. Throws {@link UnknownRecord}. */
export function accountNamed(no: string, { store }: Context): VirtualAccount {
  const account =
    store.accounts.get(no) ?? [...store.accounts.values()].find(({ account_number }) => account_number === no);
  if (!account) throw new UnknownRecord(`There is no virtual account ${no}.`);
  return account;
}

/** The records that have the values of a filter; what the filter leaves out does not matter. */
export function fitting<Item extends object>(records: Iterable<Item>, filter: object): Item[] {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  return [...records].filter((record) => wanted.every(([name, value]) => Reflect.get(record, name) === value));
}

function tradesNamed(no: string, { store, apps }: Context): TradeRecord[] {
  const trade = store.trades.get(no);
  return trade ? [trade] : apps.flatMap(({ app_id }) => store.tradeOfMerchant(app_id, no) ?? []);
}
