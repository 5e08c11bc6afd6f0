import Big from 'big.js';
import { balanceOf } from './refunds/balance';
import type { Refund } from './refunds/refund';
import type { Store } from './store';
import type { Trade } from './trades/trade';

/** What became of one merchant's order in money: the truth that a test compares with. Amounts are exact, as texts. */
export interface LedgerEntry {
  app_id: string;
  out_trade_no: string;
  currency: string;
  /** Trades that came into being under this number; more than one only where the setting `duplicateOrders` lets them. */
  orders: number;
  /** How often the buyer was charged. */
  charges: number;
  charged_amount: string;
  refunds: Pick<Refund, 'refund_id' | 'trade_no' | 'out_request_no' | 'refund_amount' | 'refund_status' | 'forced'>[];
  /** What was given back, and what is on its way back. */
  refunded_amount: string;
  refunding_amount: string;
  /** Whether the bank has taken the money back. */
  charged_back: boolean;
}

/** What came into one virtual account. Amounts are exact, as texts. */
export interface DepositLedger {
  account_id: string;
  count: number;
  total: string;
  deposits: { trade_no: string; out_trade_no: string; amount: string; at: string }[];
}

/** The ledger of all orders, oldest first; deposits are orders too, under the service's own numbers. */
export function ledgerOf(store: Store): LedgerEntry[] {
  const orders = new Map<string, Trade[]>();
  for (const trade of store.trades()) {
    const key = JSON.stringify([trade.app_id, trade.out_trade_no]);
    orders.set(key, [...(orders.get(key) ?? []), trade]);
  }
  return [...orders.values()].flatMap((trades) => entryOf(trades, store) ?? []);
}

/** What came into an account. */
export function depositsOf(accountId: string, store: Store): DepositLedger {
  const deposits = [...store.trades()].filter(({ account_id }) => account_id === accountId);
  return {
    account_id: accountId,
    count: deposits.length,
    total: sum(deposits.map(({ order_amount }) => order_amount)),
    deposits: deposits.map(({ trade_no, out_trade_no, order_amount, created_at }) => ({
      trade_no,
      out_trade_no,
      amount: order_amount,
      at: new Date(created_at).toISOString(),
    })),
  };
}

function entryOf(trades: readonly Trade[], store: Store): LedgerEntry | undefined {
  const [first] = trades;
  if (!first) return undefined;
  const paid = trades.filter(wasPaid);
  const refunds = trades.flatMap(({ trade_no }) => store.refundsOf(trade_no));
  const balances = trades.map((trade) => balanceOf(trade, store.refundsOf(trade.trade_no)));
  return {
    app_id: first.app_id,
    out_trade_no: first.out_trade_no,
    currency: first.order_currency,
    orders: trades.length,
    charges: paid.length,
    charged_amount: sum(paid.map(({ order_amount }) => order_amount)),
    refunds: refunds.map(({ refund_id, trade_no, out_request_no, refund_amount, refund_status, forced }) => {
      return { refund_id, trade_no, out_request_no, refund_amount, refund_status, forced };
    }),
    refunded_amount: sum(balances.map(({ refunded }) => refunded)),
    refunding_amount: sum(balances.map(({ refunding }) => refunding)),
    charged_back: trades.some(({ trade_status }) => trade_status === 'CHARGEBACK'),
  };
}

function wasPaid({ kind, history }: Trade): boolean {
  return kind === 'deposit' || history.some(({ to }) => to === 'SUCCESS');
}

function sum(amounts: readonly (string | Big)[]): string {
  return amounts.reduce((total: Big, amount) => total.plus(amount), new Big(0)).toFixed(2);
}
