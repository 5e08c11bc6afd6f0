import type { Trade } from '../trades/trade';

/** The body of a trade's notification, as the text that is signed and sent. */
export function notificationBody(trade: Trade, now: number): string {
  const { user } = trade;
  return JSON.stringify({
    app_id: trade.app_id,
    trade_no: trade.trade_no,
    out_trade_no: trade.out_trade_no,
    // Empty where there is no refund, not absent.
    out_request_no: '',
    method: trade.method ?? '',
    channel: trade.channel ?? '',
    trade_status: trade.trade_status,
    currency: trade.order_currency,
    amount: trade.order_amount,
    timestamp: String(Math.floor(now / 1000)),
    // What is not known is an empty text, and there is more of it than the interface says.
    user: {
      buyer_id: trade.buyer_id,
      name: user.name ?? '',
      email: user.email ?? '',
      phone: user.phone ?? '',
      ip: user.ip ?? '',
      identify: user.identify ?? { number: '', type: '' },
    },
    ...(trade.method === 'CreditCard' ? { card: { card_no: '411111******1111' } } : {}),
  });
}
