import Big from 'big.js';
import { z } from 'zod';
import { balanceOf } from './refunds/balance';
import { refundSchema } from './refunds/refund';
import type { Store } from './store';
import type { Trade } from './trades/trade';

/** What became of one merchant's order in money: the truth that a test compares with. Amounts are exact, as texts. */
export const ledgerEntrySchema = z.object({
  app_id: z.string(),
  out_trade_no: z.string(),
  currency: z.string(),
  orders: z
    .int()
    .describe('Trades under this number; more than one only where the setting `duplicateOrders` lets them.'),
  charges: z.int().describe('How often the buyer was charged.'),
  charged_amount: z.string(),
  refunds: z.array(
    refundSchema.pick({
      refund_id: true,
      trade_no: true,
      out_request_no: true,
      refund_amount: true,
      refund_status: true,
      forced: true,
    }),
  ),
  refunded_amount: z.string().describe('What was given back.'),
  refunding_amount: z.string().describe('What is on its way back.'),
  charged_back: z.boolean().describe('Whether the bank has taken the money back.'),
});

/** What came into one virtual account. Amounts are exact, as texts. */
export const depositLedgerSchema = z.object({
  account_id: z.string(),
  count: z.int(),
  total: z.string(),
  deposits: z.array(
    z.object({ trade_no: z.string(), out_trade_no: z.string(), amount: z.string(), at: z.iso.datetime() }),
  ),
});

/** A line of the ledger. */
export type LedgerEntry = z.output<typeof ledgerEntrySchema>;

/** The deposits of a virtual account. */
export type DepositLedger = z.output<typeof depositLedgerSchema>;

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
