import { z } from 'zod';
import { tradeStatuses } from './states';

const status = z.enum(tradeStatuses);
const time = z.number();

/** What a deposit's notification says about the virtual account that it came into. */
export const transferAccountSchema = z.object({
  account_id: z.string(),
  account_number: z.string(),
  provider: z.string(),
  buyer_id: z.string(),
  beneficiary_name: z.string(),
  /** Unix seconds. */
  transfer_timestamp: z.int(),
});

/** A trade as the simulator keeps it. A schema, since the data file is read back with it. */
export const tradeSchema = z.object({
  trade_no: z.string(),
  out_trade_no: z.string(),
  app_id: z.string(),
  kind: z.enum(['direct', 'checkout', 'deposit']),
  trade_status: status,
  /** Always two decimals, never a float. */
  order_amount: z.string(),
  order_currency: z.string(),
  /** A checkout may leave the method to the buyer. */
  method: z.string().nullable(),
  channel: z.string().nullable(),
  subject: z.string(),
  content: z.string().nullable(),
  buyer_id: z.string(),
  notify_url: z.string(),
  return_url: z.string().nullable(),
  timeout_express: z.string().nullable(),
  cancellation_express: z.string().nullable(),
  created_at: time,
  updated_at: time.nullable(),
  /** When INITIAL ends in EXPIRED. */
  expires_at: time,
  /** When PROCESSING ends in CANCEL. */
  cancels_at: time,
  /** When REFUND_REVOKE or CHARGEBACK_REVERSED ends in SUCCESS. */
  stands_again_at: time.nullable().default(null),
  /** The virtual account that a deposit came into; `null` for every other trade. Files of earlier versions lack it. */
  account_id: z.string().nullable().default(null),
  /** What a deposit's notification says about that account; a test may make it say something else than the truth. */
  transfer_account: transferAccountSchema.nullable().default(null),
  /** What a notification says about the buyer; a card's token, a PIN or an account number is never kept. */
  user: z.object({
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    ip: z.string().nullable(),
    identify: z.object({ number: z.string(), type: z.string() }).nullable(),
  }),
  payment_data: z.record(z.string(), z.string()),
  /** Proves that a button was pressed on the buyer's page and not by another site. */
  page_nonce: z.string(),
  /** Off: this trade's merchant hears nothing of its own accord. */
  notifications: z.boolean(),
  history: z.array(z.object({ from: status, to: status, at: time, why: z.string() })),
});

/** A trade (order) of the simulated gateway. */
export type Trade = z.output<typeof tradeSchema>;

/** The virtual account of a deposit, as its notification tells it. */
export type TransferAccount = z.output<typeof transferAccountSchema>;
