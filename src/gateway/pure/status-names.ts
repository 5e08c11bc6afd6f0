/** Trade states: the twelve of section 3.1 and four more that gateways of this family send. */
export const TRADE_STATUSES = [
  'INITIAL',
  'PROCESSING',
  'SUCCESS',
  'CANCEL',
  'RISK_CONTROLLING',
  'DISPUTE',
  'REFUSED',
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUNDED',
  'PARTIAL_REFUND',
  'CHARGEBACK',
  'EXPIRED',
  'REFUND_REVOKE',
  'REFUND_REFUSED',
  'CHARGEBACK_REVERSED',
] as const;

export type TradeStatus = (typeof TRADE_STATUSES)[number];

/** Whether `status` is in the list above. Other states are recorded and raise attention; they are never dropped. */
export function isKnownStatus(status: string): status is TradeStatus {
  return (TRADE_STATUSES as readonly string[]).includes(status);
}
