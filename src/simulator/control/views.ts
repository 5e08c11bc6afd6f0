import type { Account } from '../accounts/account';
import type { DepositLedger } from '../ledger';
import type { Notification } from '../notifications/notification';
import type { LoggedRequest } from '../operations/request-log';
import type { Refund } from '../refunds/refund';
import type { Trade } from '../trades/trade';

/** A trade as the control API shows it: times as ISO texts, no personal data, no nonce. */
export interface TradeView
  extends Omit<
    Trade,
    'created_at' | 'updated_at' | 'expires_at' | 'cancels_at' | 'stands_again_at' | 'user' | 'page_nonce' | 'history'
  > {
  created_at: string;
  updated_at: string | null;
  expires_at: string;
  cancels_at: string;
  stands_again_at: string | null;
  /** The page for its buyer. */
  page_url: string;
  history: { from: Trade['trade_status']; to: Trade['trade_status']; at: string; why: string }[];
}

/** A notification as the control API shows it; `body` is the exact text that is signed and sent. */
export interface NotificationView extends Omit<Notification, 'first_at' | 'next_at' | 'attempts'> {
  first_at: string;
  next_at: string | null;
  attempts: { at: string; http_status: number | null; acknowledged: boolean; error: string | null }[];
}

/** A logged request as the control API shows it. */
export interface RequestView extends Omit<LoggedRequest, 'at'> {
  at: string;
}

/** A refund as the control API shows it. */
export interface RefundView extends Omit<Refund, 'created_at' | 'updated_at' | 'due_at' | 'page_nonce' | 'history'> {
  created_at: string;
  updated_at: string;
  /** When the present state ends by itself. */
  due_at: string | null;
  /** The page on which the buyer says where the money goes. */
  page_url: string;
  history: { status: Refund['refund_status']; at: string }[];
}

/** A virtual account as the control API shows it: no personal data. */
export interface AccountView extends Omit<Account, 'user' | 'created_at' | 'canceled_at'> {
  created_at: string;
  canceled_at: string | null;
  deposits: Pick<DepositLedger, 'count' | 'total'>;
}

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
