/**
 * What the simulator keeps. The data file is read back with these schemas. Times are in ms since 1970, amounts are decimal
 * texts with two decimals.
 */
import { z } from 'zod';

/** The states of a refund. Its trade has the same state while the refund is under way. */
export const refundStates = [
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUNDED',
  'PARTIAL_REFUND',
  'REFUND_REFUSED',
  'REFUND_REVOKE',
] as const;

/** The states of a trade: those of the interface, and four more that occur in the field. */
export const tradeStates = [
  'INITIAL',
  'PROCESSING',
  'SUCCESS',
  'CANCEL',
  'EXPIRED',
  'RISK_CONTROLLING',
  'REFUSED',
  'DISPUTE',
  'CHARGEBACK',
  'CHARGEBACK_REVERSED',
  ...refundStates,
] as const;

/** The states of a virtual account. */
export const accountStates = ['ACTIVE', 'CANCELED'] as const;

const tradeState = z.enum(tradeStates);
const refundState = z.enum(refundStates);
const time = z.number();
const textOrNull = z.string().nullable();

/** What a notification says about the virtual account that received a deposit. */
export const transferAccountSchema = z.object({
  account_id: z.string(),
  account_number: z.string(),
  provider: z.string(),
  buyer_id: z.string(),
  beneficiary_name: z.string(),
  /** Unix seconds. */
  transfer_timestamp: z.int(),
});

/** What a notification says about the buyer. Card tokens, PINs and account numbers are never kept. */
const buyerSchema = z.object({
  name: textOrNull,
  email: textOrNull,
  phone: textOrNull,
  ip: textOrNull,
  identify: z.object({ number: z.string(), type: z.string() }).nullable(),
});

export const tradeSchema = z.object({
  trade_no: z.string(),
  out_trade_no: z.string(),
  app_id: z.string(),
  kind: z.enum(['direct', 'checkout', 'deposit']),
  trade_status: tradeState,
  order_amount: z.string(),
  order_currency: z.string(),
  /** `null` while a checkout leaves the method to the buyer. */
  method: textOrNull,
  channel: textOrNull,
  subject: z.string(),
  content: textOrNull,
  buyer_id: z.string(),
  notify_url: z.string(),
  return_url: textOrNull,
  timeout_express: textOrNull,
  cancellation_express: textOrNull,
  created_at: time,
  updated_at: time.nullable(),
  /** When INITIAL ends in EXPIRED. */
  expires_at: time,
  /** When PROCESSING ends in CANCEL. */
  cancels_at: time,
  /** When REFUND_REVOKE or CHARGEBACK_REVERSED ends in SUCCESS. */
  stands_again_at: time.nullable(),
  /** The virtual account that received a deposit; `null` for all other trades. */
  account_id: textOrNull,
  /** What a deposit's notification says about that account. A test can make it say something false. */
  transfer_account: transferAccountSchema.nullable(),
  user: buyerSchema,
  payment_data: z.record(z.string(), z.string()),
  /** Proves that a button was pressed on the buyer's page and not on another site. */
  page_nonce: z.string(),
  /** `false`: only the callback button sends notifications of this trade. */
  notifications: z.boolean(),
  history: z.array(z.object({ from: tradeState, to: tradeState, at: time, why: z.string() })),
});

export const refundSchema = tradeSchema.pick({ app_id: true, trade_no: true, out_trade_no: true }).extend({
  refund_id: z.string(),
  /** The merchant's number; `null` if the merchant gave none, or if a bank forced the refund. */
  out_request_no: textOrNull,
  refund_currency: z.string(),
  refund_amount: z.string(),
  refund_status: refundState,
  /** Where the money goes. The account number is never kept. */
  goes_to: z.enum(['account', 'clabe', 'source']),
  /** A bank gave the money back; the merchant did not ask for it. */
  forced: z.boolean(),
  created_at: time,
  updated_at: time,
  /** When the present state ends by itself; `null` if it does not. */
  due_at: time.nullable(),
  /** Proves that a button was pressed on the buyer's page and not on another site. */
  page_nonce: z.string(),
  history: z.array(z.object({ status: refundState, at: time })),
});

/** A virtual account (SPEI CLABE). */
export const accountSchema = z.object({
  account_id: z.string(),
  account_number: z.string(),
  app_id: z.string(),
  provider: z.string(),
  beneficiary_name: z.string(),
  status: z.enum(accountStates),
  notify_url: z.string(),
  buyer_id: z.string(),
  user: buyerSchema,
  created_at: time,
  canceled_at: time.nullable(),
});

/** One attempt to deliver a notification. */
export const attemptSchema = z.object({
  at: time,
  http_status: z.number().nullable().describe('null if no HTTP answer came.'),
  acknowledged: z.boolean(),
  error: textOrNull.describe('Why no answer came, or the fault that was injected.'),
});

export const notificationSchema = z.object({
  id: z.string(),
  app_id: z.string(),
  trade_no: z.string(),
  out_trade_no: z.string(),
  trade_status: tradeState,
  /** The number of the refund that the notification is about. */
  out_request_no: textOrNull,
  /** The virtual account, if the trade is a deposit. */
  account_id: textOrNull,
  notify_url: z.string(),
  /** The exact text that is signed and sent. A retry sends it unchanged. */
  body: z.string(),
  /** Sent by the callback button: one attempt, no retries. */
  by_hand: z.boolean(),
  first_at: time,
  /** When the next attempt is due; `null` if there is none. */
  next_at: time.nullable(),
  acknowledged: z.boolean(),
  attempts: z.array(attemptSchema),
});

/** One request that the gateway received, without credentials and without its body. */
export const requestSchema = z.object({
  at: time,
  path: z.string(),
  app_id: textOrNull,
  out_trade_no: textOrNull,
  trade_no: textOrNull,
  out_request_no: textOrNull.describe('The number of the refund, if the request gives one.'),
  account_id: textOrNull,
  processed: z.boolean().describe('Whether the gateway did what was asked. false if a fault prevented it.'),
  created: z.boolean().describe('Whether a trade, a refund or an account was created. Count charges by this.'),
  http_status: z
    .int()
    .nullable()
    .describe('The status of the answer, even if a fault kept the answer back. So for the fields that follow.'),
  code: textOrNull,
  sub_code: textOrNull,
  trade_status: textOrNull,
  fault: textOrNull.describe('The fault that was injected.'),
});

export type TradeState = z.output<typeof tradeState>;
export type TradeRecord = z.output<typeof tradeSchema>;
export type TransferAccount = z.output<typeof transferAccountSchema>;
export type RefundStatus = z.output<typeof refundState>;
export type RefundRecord = z.output<typeof refundSchema>;
export type VirtualAccount = z.output<typeof accountSchema>;
export type NotificationRecord = z.output<typeof notificationSchema>;
/** The result of one HTTP POST of a notification. */
export type DeliveryResult = Omit<z.output<typeof attemptSchema>, 'at'>;
export type RequestRecord = z.output<typeof requestSchema>;

/** Whether a refund is still under way. */
export function isPendingRefund(status: RefundStatus): boolean {
  return status === 'REFUND_VERIFYING' || status === 'REFUND_PROCESSING';
}
