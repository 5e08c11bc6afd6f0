/** Whether the gateway's answer agrees with what was notified after a sale. Pure. */
import { isBankStatus, type NotificationClaim, outcomeOf, refundMeaningOf, reportsNewMoney } from '../../contract';

/** The bank's statuses, in their order. */
const STEPS_OF_THE_BANK: readonly string[] = ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'];

/**
 * Whether a queried status shows what was notified, or what follows it. The bank's statuses can follow any other and come again, so only
 * the same or a later one of the bank answers them.
 */
export function isAnswered({ trade_status = '' }: NotificationClaim, status: string): boolean {
  if (!isBankStatus(trade_status)) return !reportsNewMoney(status, trade_status);
  // After a reversal the payment stands again.
  if (trade_status === 'CHARGEBACK_REVERSED' && status === 'SUCCESS') return true;
  return STEPS_OF_THE_BANK.indexOf(status) >= STEPS_OF_THE_BANK.indexOf(trade_status);
}

/**
 * Whether the notification says only that the order was sold, and the trade shows a later status. An old notification says nothing new; a
 * new one, after a dispute that was won, does no harm while it is not seen.
 */
export const tellsKnownSale = ({ trade_status = '' }: NotificationClaim, status: string): boolean =>
  refundMeaningOf(trade_status) === 'stands' && outcomeOf(status) === 'SUCCESS';
