import type { Notification } from '../notifications/notification';
import type { LoggedRequest } from '../operations/request-log';
import type { Trade } from '../trades/trade';

/** A trade as the control API shows it: times as ISO texts, no personal data, no nonce. */
export interface TradeView
  extends Omit<Trade, 'created_at' | 'updated_at' | 'expires_at' | 'cancels_at' | 'user' | 'page_nonce' | 'history'> {
  created_at: string;
  updated_at: string | null;
  expires_at: string;
  cancels_at: string;
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

const iso = (time: number) => new Date(time).toISOString();

/** Shows a trade. */
export function tradeView(trade: Trade, pageUrl: string): TradeView {
  const { user: _user, page_nonce: _nonce, ...shown } = trade;
  return {
    ...shown,
    payment_data: { ...trade.payment_data },
    created_at: iso(trade.created_at),
    updated_at: trade.updated_at === null ? null : iso(trade.updated_at),
    expires_at: iso(trade.expires_at),
    cancels_at: iso(trade.cancels_at),
    page_url: pageUrl,
    history: trade.history.map((step) => ({ ...step, at: iso(step.at) })),
  };
}

/** Shows a notification. */
export function notificationView(notification: Notification): NotificationView {
  return {
    ...notification,
    first_at: iso(notification.first_at),
    next_at: notification.next_at === null ? null : iso(notification.next_at),
    attempts: notification.attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
  };
}

/** Shows a logged request. */
export function requestView(request: LoggedRequest): RequestView {
  return { ...request, at: iso(request.at) };
}
