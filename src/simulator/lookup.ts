import type { Account } from './accounts/account';
import type { GatewayApp } from './options';
import type { Refund } from './refunds/refund';
import type { Store } from './store';
import { UnknownAccount, UnknownRefund, UnknownTrade } from './trades/errors';
import type { Trade } from './trades/trade';

/** The trade of a `trade_no` or an `out_trade_no`. Throws {@link UnknownTrade} where there is none, or more than one. */
export function findTrade(no: string, store: Store, apps: readonly GatewayApp[]): Trade {
  const trade = store.trade(no);
  if (trade) return trade;
  const [found, another] = apps.flatMap(({ app_id }) => store.tradeOfMerchant(app_id, no) ?? []);
  if (!found) throw new UnknownTrade(`There is no trade ${no}.`);
  if (another) throw new UnknownTrade(`Several apps have an order ${no}: name it by its trade_no.`);
  return found;
}

/**
 * The refund of a `refund_id` or an `out_request_no`, or else the latest of the trade named. Throws {@link UnknownRefund}
 * where there is none, or more than one.
 */
export function findRefund(no: string, store: Store, apps: readonly GatewayApp[]): Refund {
  const refund = store.refund(no);
  if (refund) return refund;
  const [found, another] = [...store.refunds()].filter(({ out_request_no }) => out_request_no === no);
  if (another) throw new UnknownRefund(`Several refunds have the number ${no}: name it by its refund_id.`);
  const latest = found ?? latestRefund(no, store, apps);
  if (!latest) throw new UnknownRefund(`There is no refund ${no}.`);
  return latest;
}

/** The virtual account of an `account_id` or an `account_number`. Throws {@link UnknownAccount}. */
export function findAccount(no: string, store: Store): Account {
  const account = store.account(no) ?? [...store.accounts()].find(({ account_number }) => account_number === no);
  if (!account) throw new UnknownAccount(`There is no virtual account ${no}.`);
  return account;
}

/** Whether a record has the values that a filter names; what the filter leaves out does not matter. */
export function fits(record: object, filter: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(record));
  return Object.entries(filter).every(([name, value]) => value === undefined || fields.get(name) === value);
}

function latestRefund(no: string, store: Store, apps: readonly GatewayApp[]): Refund | undefined {
  const trades = [store.trade(no), ...apps.map(({ app_id }) => store.tradeOfMerchant(app_id, no))];
  const [refund, another] = trades.flatMap((trade) => (trade ? (store.refundsOf(trade.trade_no).at(-1) ?? []) : []));
  if (another) throw new UnknownRefund(`Several apps have an order ${no}: name the refund by its refund_id.`);
  return refund;
}
