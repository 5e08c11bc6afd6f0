import { z } from 'zod';
import { tradeStatuses } from '../trades/states';

/** One try to deliver a notification. */
export const attemptSchema = z.object({
  at: z.number(),
  http_status: z.number().nullable().describe('null where no HTTP answer came.'),
  acknowledged: z.boolean(),
  error: z.string().nullable().describe('Why no answer came, or the fault that was injected.'),
});

/** A notification as the simulator keeps it. A schema, since the data file is read back with it. */
export const notificationSchema = z.object({
  id: z.string(),
  app_id: z.string(),
  trade_no: z.string(),
  out_trade_no: z.string(),
  trade_status: z.enum(tradeStatuses),
  /** The refund it is about, and the virtual account; files of earlier versions lack both. */
  out_request_no: z.string().nullable().default(null),
  account_id: z.string().nullable().default(null),
  notify_url: z.string(),
  /** The very text that is signed and sent; a retry sends it unchanged. */
  body: z.string(),
  /** Sent by the dashboard's callback button: one attempt, no retries. */
  by_hand: z.boolean(),
  first_at: z.number(),
  /** When the next attempt is due; `null` when there is none any more. */
  next_at: z.number().nullable(),
  acknowledged: z.boolean(),
  attempts: z.array(attemptSchema),
});

/** One try to deliver a notification. */
export type Attempt = z.output<typeof attemptSchema>;

/** An instant payment notification (IPN) and what became of it. */
export type Notification = z.output<typeof notificationSchema>;
