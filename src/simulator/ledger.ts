import Big from 'big.js';
import { z } from 'zod';
import { type RefundRecord, type RefundStatus, refundSchema, type TradeRecord } from './records';
import type { Store } from './store';

/** The money of one order: what a test compares with. Amounts are decimal texts. */
export const ledgerEntrySchema = z.object({
  app_id: z.string(),
  out_trade_no: z.string(),
  currency: z.string(),
  orders: z.int().describe('Trades with this number. Only the setting `duplicateOrders` allows more than one.'),
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
  refunding_amount: z.string().describe('What is under way back.'),
  charged_back: z.boolean().describe('Whether the bank has taken the money back.'),
});

/** The deposits of one virtual account. Amounts are decimal texts. */
export const accountLedgerSchema = z.object({
  account_id: z.string(),
  count: z.int(),
  total: z.string(),
  deposits: z.array(
    z.object({ trade_no: z.string(), out_trade_no: z.string(), amount: z.string(), at: z.iso.datetime() }),
  ),
});

export type LedgerEntry = z.output<typeof ledgerEntrySchema>;

export type AccountLedger = z.output<typeof accountLedgerSchema>;

/** The ledger of all orders, oldest first. Deposits are orders too, with numbers of the service. */
export function ledgerOf(store: Store): LedgerEntry[] {
  const orders = new Map<string, [TradeRecord, ...TradeRecord[]]>();
  for (const trade of store.trades.values()) {
    const key = JSON.stringify([trade.app_id, trade.out_trade_no]);
    const order = orders.get(key);
    if (order) order.push(trade);
    else orders.set(key, [trade]);
  }
  return [...orders.values()].map((trades) => entryOf(trades, store));
}

/** The deposits of an account, by its `account_id`. */
export function depositsOf(accountId: string, store: Store): AccountLedger {
  const deposits = [...store.trades.values()].filter(({ account_id }) => account_id === accountId);
  return {
    account_id: accountId,
    count: deposits.length,
    total: sumOf(deposits.map(({ order_amount }) => order_amount)),
    deposits: deposits.map(({ trade_no, out_trade_no, order_amount, created_at }) => ({
      trade_no,
      out_trade_no,
      amount: order_amount,
      at: new Date(created_at).toISOString(),
    })),
  };
}

function entryOf(trades: [TradeRecord, ...TradeRecord[]], store: Store): LedgerEntry {
  const [{ app_id, out_trade_no, order_currency }] = trades;
  const paid = trades.filter(wasPaid);
  const balances = trades.map((trade) => balanceOf(trade, store.refundsOf(trade.trade_no)));
  return ledgerEntrySchema.parse({
    app_id,
    out_trade_no,
    currency: order_currency,
    orders: trades.length,
    charges: paid.length,
    charged_amount: sumOf(paid.map(({ order_amount }) => order_amount)),
    refunds: trades.flatMap(({ trade_no }) => store.refundsOf(trade_no)),
    refunded_amount: sumOf(balances.map(({ refunded }) => refunded)),
    refunding_amount: sumOf(balances.map(({ refunding }) => refunding)),
    charged_back: trades.some(({ trade_status }) => trade_status === 'CHARGEBACK'),
  });
}

function wasPaid({ kind, history }: TradeRecord): boolean {
  return kind === 'deposit' || history.some(({ to }) => to === 'SUCCESS');
}

function sumOf(amounts: readonly (string | Big)[]): string {
  return amounts.reduce((total: Big, amount) => total.plus(amount), new Big(0)).toFixed(2);
}

/** What of a trade's money was given back, is under way back to the buyer, and is left; exact. */
interface TradeBalance {
  refunded: Big;
  refunding: Big;
  left: Big;
}

/** What a refund's amount counts as, by the refund's state. */
const countsAs: Readonly<Record<RefundStatus, 'refunded' | 'refunding' | 'nothing'>> = {
  REFUND_VERIFYING: 'refunding',
  REFUND_PROCESSING: 'refunding',
  REFUNDED: 'refunded',
  PARTIAL_REFUND: 'refunded',
  REFUND_REFUSED: 'nothing',
  REFUND_REVOKE: 'nothing',
};

/** The balance of a trade after its refunds. */
export function balanceOf(
  { order_amount }: Pick<TradeRecord, 'order_amount'>,
  refunds: readonly RefundRecord[],
): TradeBalance {
  const total = (kind: 'refunded' | 'refunding') =>
    refunds
      .filter(({ refund_status }) => countsAs[refund_status] === kind)
      .reduce((sum, { refund_amount }) => sum.plus(refund_amount), new Big(0));
  const [refunded, refunding] = [total('refunded'), total('refunding')];
  return { refunded, refunding, left: new Big(order_amount).minus(refunded).minus(refunding) };
}
