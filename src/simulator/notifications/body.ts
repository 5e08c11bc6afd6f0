import type { Settings } from '../options';
import type { Trade, TransferAccount } from '../trades/trade';

/** What a notification tells besides the trade itself. */
export interface BodyTerms {
  now: number;
  settings: Settings;
  /** The number of the refund that it is about. */
  out_request_no: string | null;
}

/** The body of a trade's notification, as the text that is signed and sent. */
export function notificationBody(trade: Trade, { now, settings, out_request_no }: BodyTerms): string {
  const { user } = trade;
  return JSON.stringify({
    app_id: trade.app_id,
    trade_no: trade.trade_no,
    out_trade_no: trade.out_trade_no,
    // Empty where there is no refund, not absent.
    out_request_no: out_request_no ?? '',
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
    ...(trade.transfer_account ? { transfer_account: transferAccount(trade.transfer_account, settings) } : {}),
  });
}

function transferAccount({ buyer_id, transfer_timestamp, ...account }: TransferAccount, settings: Settings) {
  return {
    ...account,
    ...(settings.transferBuyerId === 'present' ? { buyer_id } : {}),
    transfer_timestamp: settings.transferTimestamp === 'number' ? transfer_timestamp : String(transfer_timestamp),
  };
}
