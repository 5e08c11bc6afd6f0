import { z } from 'zod';
import { tradeStatuses } from './states';

const status = z.enum(tradeStatuses);
const time = z.number();

/** A trade as the simulator keeps it. A schema, since the data file is read back with it. */
export const tradeSchema = z.object({
  trade_no: z.string(),
  out_trade_no: z.string(),
  app_id: z.string(),
  kind: z.enum(['direct', 'checkout']),
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
