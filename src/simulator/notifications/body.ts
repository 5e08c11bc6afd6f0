import type { TradeRecord, TransferAccount } from '../records';
import type { Settings } from '../settings';

interface BodyTerms {
  /** The simulator's time, in ms since 1970. */
  now: number;
  settings: Settings;
  /** The number of the refund that the notification is about. */
  out_request_no: string | null;
}

/** The body of a trade's notification: the exact text that is signed and sent (section 6.5 of the interface). */
export function notificationBody(trade: TradeRecord, { now, settings, out_request_no }: BodyTerms): string {
  const { user } = trade;
  return JSON.stringify({
    app_id: trade.app_id,
    trade_no: trade.trade_no,
    out_trade_no: trade.out_trade_no,
    // Without a refund the text is empty; the field is there.
    out_request_no: out_request_no ?? '',
    method: trade.method ?? '',
    channel: trade.channel ?? '',
    trade_status: trade.trade_status,
    currency: trade.order_currency,
    amount: trade.order_amount,
    timestamp: String(Math.floor(now / 1000)),
    // An unknown value is an empty text. Real gateways send these fields; the interface does not list all of them.
    user: {
      buyer_id: trade.buyer_id,
      name: user.name ?? '',
      email: user.email ?? '',
      phone: user.phone ?? '',
      ip: user.ip ?? '',
      identify: user.identify ?? { number: '', type: '' },
    },
    ...(trade.method === 'CreditCard' ? { card: { card_no: '411111******1111' } } : {}),
    ...(trade.transfer_account ? { transfer_account: transferAccountOf(trade.transfer_account, settings) } : {}),
  });
}

function transferAccountOf({ buyer_id, transfer_timestamp, ...account }: TransferAccount, settings: Settings) {
  return {
    ...account,
    ...(settings.transferBuyerId === 'present' ? { buyer_id } : {}),
    transfer_timestamp: settings.transferTimestamp === 'number' ? transfer_timestamp : String(transfer_timestamp),
  };
}
