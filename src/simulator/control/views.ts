import { z } from 'zod';
import { type Account, accountSchema } from '../accounts/account';
import { type DepositLedger, depositLedgerSchema } from '../ledger';
import { attemptSchema, type Notification, notificationSchema } from '../notifications/notification';
import { type LoggedRequest, loggedRequestSchema } from '../operations/request-log';
import { type Refund, refundSchema } from '../refunds/refund';
import { type Trade, tradeSchema } from '../trades/trade';

const when = z.iso.datetime();

/** A trade as the control API shows it: times as ISO texts, no personal data, no nonce. */
export const tradeViewSchema = tradeSchema.omit({ user: true, page_nonce: true }).extend({
  created_at: when,
  updated_at: when.nullable(),
  expires_at: when.describe('When INITIAL ends in EXPIRED.'),
  cancels_at: when.describe('When PROCESSING ends in CANCEL.'),
  stands_again_at: when.nullable().describe('When REFUND_REVOKE or CHARGEBACK_REVERSED ends in SUCCESS.'),
  history: z.array(tradeSchema.shape.history.element.extend({ at: when })),
  page_url: z.string().describe('The page for its buyer.'),
});

/** A notification as the control API shows it; `body` is the exact text that is signed and sent. */
export const notificationViewSchema = notificationSchema.extend({
  body: z.string().describe('The exact text that is signed and sent.'),
  first_at: when,
  next_at: when.nullable().describe('When the next attempt is due; null when there is none any more.'),
  attempts: z.array(attemptSchema.extend({ at: when })),
});

/** A logged request as the control API shows it. */
export const requestViewSchema = loggedRequestSchema.extend({ at: when });

/** A refund as the control API shows it. */
export const refundViewSchema = refundSchema.omit({ page_nonce: true }).extend({
  created_at: when,
  updated_at: when,
  due_at: when.nullable().describe('When the present state ends by itself.'),
  history: z.array(refundSchema.shape.history.element.extend({ at: when })),
  page_url: z.string().describe('The page on which the buyer says where the money goes.'),
});

/** A virtual account as the control API shows it: no personal data. */
export const accountViewSchema = accountSchema.omit({ user: true }).extend({
  created_at: when,
  canceled_at: when.nullable(),
  deposits: depositLedgerSchema.pick({ count: true, total: true }),
});

export type TradeView = z.output<typeof tradeViewSchema>;
export type NotificationView = z.output<typeof notificationViewSchema>;
export type RequestView = z.output<typeof requestViewSchema>;
export type RefundView = z.output<typeof refundViewSchema>;
export type AccountView = z.output<typeof accountViewSchema>;

const iso = (time: number) => new Date(time).toISOString();
const isoOrNull = (time: number | null) => (time === null ? null : iso(time));

/** Shows a trade. */
export function tradeView(trade: Trade, pageUrl: string): TradeView {
  const { user: _user, page_nonce: _nonce, ...shown } = trade;
  return {
    ...shown,
    payment_data: { ...trade.payment_data },
    created_at: iso(trade.created_at),
    updated_at: isoOrNull(trade.updated_at),
    expires_at: iso(trade.expires_at),
    cancels_at: iso(trade.cancels_at),
    stands_again_at: isoOrNull(trade.stands_again_at),
    page_url: pageUrl,
    history: trade.history.map((step) => ({ ...step, at: iso(step.at) })),
  };
}

/** Shows a notification. */
export function notificationView(notification: Notification): NotificationView {
  return {
    ...notification,
    first_at: iso(notification.first_at),
    next_at: isoOrNull(notification.next_at),
    attempts: notification.attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
  };
}

/** Shows a logged request. */
export function requestView(request: LoggedRequest): RequestView {
  return { ...request, at: iso(request.at) };
}

/** Shows a refund. */
export function refundView(refund: Refund, pageUrl: string): RefundView {
  const { page_nonce: _nonce, ...shown } = refund;
  return {
    ...shown,
    created_at: iso(refund.created_at),
    updated_at: iso(refund.updated_at),
    due_at: isoOrNull(refund.due_at),
    page_url: pageUrl,
    history: refund.history.map((step) => ({ ...step, at: iso(step.at) })),
  };
}

/** Shows a virtual account, with what came into it. */
export function accountView(account: Account, { count, total }: DepositLedger): AccountView {
  const { user: _user, ...shown } = account;
  return {
    ...shown,
    created_at: iso(account.created_at),
    canceled_at: isoOrNull(account.canceled_at),
    deposits: { count, total },
  };
}
