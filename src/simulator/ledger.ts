import Big from 'big.js';
import { z } from 'zod';
import { isPendingRefund, type RefundRecord, refundSchema, type TradeRecord } from './records';
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
  return [...store.orders()].map((trades) => {
    const refunds = trades.flatMap(({ trade_no }) => store.refundsOf(trade_no));
    const paid = trades.filter(({ kind, history }) => kind === 'deposit' || history.some(({ to }) => to === 'SUCCESS'));
    return ledgerEntrySchema.parse({
      ...trades[0],
      currency: trades[0]?.order_currency,
      orders: trades.length,
      charges: paid.length,
      charged_amount: sumOf(paid.map(({ order_amount }) => order_amount)).toFixed(2),
      refunds,
      refunded_amount: refundedOf(refunds).toFixed(2),
      refunding_amount: refundingOf(refunds).toFixed(2),
      charged_back: trades.some(({ trade_status }) => trade_status === 'CHARGEBACK'),
    });
  });
}

/** The deposits of an account, by its `account_id`. */
export function depositsOf(account_id: string, store: Store): AccountLedger {
  const trades = [...store.trades.values()].filter((trade) => trade.account_id === account_id);
  const deposits = trades.map(({ trade_no, out_trade_no, order_amount, created_at }) => {
    return { trade_no, out_trade_no, amount: order_amount, at: new Date(created_at).toISOString() };
  });
  const total = sumOf(deposits.map(({ amount }) => amount)).toFixed(2);
  return { account_id, count: deposits.length, total, deposits };
}

/** What of a trade's money these refunds gave back; exact. */
export function refundedOf(refunds: readonly RefundRecord[]): Big {
  const done = refunds.filter(({ refund_status: is }) => is === 'REFUNDED' || is === 'PARTIAL_REFUND');
  return sumOf(done.map(({ refund_amount }) => refund_amount));
}

function refundingOf(refunds: readonly RefundRecord[]): Big {
  const pending = refunds.filter(({ refund_status }) => isPendingRefund(refund_status));
  return sumOf(pending.map(({ refund_amount }) => refund_amount));
}

/** What is left of a trade's money after its refunds; exact. */
export function leftOf({ order_amount }: TradeRecord, refunds: readonly RefundRecord[]): Big {
  return new Big(order_amount).minus(refundedOf(refunds)).minus(refundingOf(refunds));
}

function sumOf(amounts: readonly string[]): Big {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0));
}
