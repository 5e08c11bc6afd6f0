import { z } from 'zod';
import { accountLedgerSchema } from './ledger';
import * as records from './records';

// Parsing a record with a view shows it: times become ISO texts, and fields that the view lacks disappear.
const when = z
  .number()
  .transform((time) => new Date(time).toISOString())
  .pipe(z.iso.datetime());

/** A trade as the control API shows it: no personal data, no nonce. */
export const tradeView = records.tradeSchema.omit({ user: true, page_nonce: true }).extend({
  created_at: when,
  updated_at: when.nullable(),
  expires_at: when.describe('When INITIAL ends in EXPIRED.'),
  cancels_at: when.describe('When PROCESSING ends in CANCEL.'),
  stands_again_at: when.nullable().describe('When REFUND_REVOKE or CHARGEBACK_REVERSED ends in SUCCESS.'),
  history: z.array(records.tradeSchema.shape.history.element.extend({ at: when })),
  page_url: z.string().describe('The page for its buyer.'),
});

/** A notification as the control API shows it. */
export const notificationView = records.notificationSchema.extend({
  body: z.string().describe('The exact text that is signed and sent.'),
  first_at: when,
  next_at: when.nullable().describe('When the next attempt is due; null if there is none.'),
  attempts: z.array(records.attemptSchema.extend({ at: when })),
});

/** A logged request as the control API shows it. */
export const requestView = records.requestSchema.extend({ at: when });

/** A refund as the control API shows it: no nonce. */
export const refundView = records.refundSchema.omit({ page_nonce: true }).extend({
  created_at: when,
  updated_at: when,
  due_at: when.nullable().describe('When the present state ends by itself.'),
  history: z.array(records.refundSchema.shape.history.element.extend({ at: when })),
  page_url: z.string().describe('The page on which the buyer names an account.'),
});

/** A virtual account as the control API shows it: no personal data. */
export const accountView = records.accountSchema.omit({ user: true }).extend({
  created_at: when,
  canceled_at: when.nullable(),
  deposits: accountLedgerSchema.pick({ count: true, total: true }),
});

const text = z.string().optional();
const byOrder = { app_id: text, out_trade_no: text, trade_no: text };

/** Which records to show. A field that is left out does not matter. */
export const filters = {
  trades: z.strictObject({ ...byOrder, trade_status: z.enum(records.tradeStates).optional() }),
  refunds: z.strictObject({ ...byOrder, out_request_no: text, refund_status: z.enum(records.refundStates).optional() }),
  accounts: z.strictObject({ app_id: text, buyer_id: text, status: z.enum(records.accountStates).optional() }),
  ledger: z.strictObject({ app_id: text, out_trade_no: text }),
  notifications: z.strictObject(byOrder),
  requests: z.strictObject({ ...byOrder, path: text }),
};

/** A filter of these records. */
export type Filter<Records extends keyof typeof filters> = z.output<(typeof filters)[Records]>;
export type TradeView = z.output<typeof tradeView>;
export type NotificationView = z.output<typeof notificationView>;
export type RequestView = z.output<typeof requestView>;
export type RefundView = z.output<typeof refundView>;
export type AccountView = z.output<typeof accountView>;
