/** Trade states: the twelve of section 3.1 and the four more that gateways of this family send. Pure. */
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

/** Whether the interface or the field knows this state; others are kept and put under attention, never dropped. */
export function isKnownStatus(status: string): status is TradeStatus {
  return (TRADE_STATUSES as readonly string[]).includes(status);
}
