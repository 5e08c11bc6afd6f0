/** Why an after-sale needs a person. Pure. */
import { type Attention, attentionOfStatus, type KnownOrder } from '../../contract';
import { OF_THE_BANK, shownAttention } from '../shared/attention-reasons';
import { attentionOfRefund, REFUND_REASONS, refundsOf } from './ledger';

/** Whether the gateway goes on contradicting what was notified, and no person has looked yet. */
export const isContradicted = ({ contradicted }: KnownOrder): boolean => contradicted.length > 0;

/**
 * Why the after-sale needs a person: what the bank is said to do comes first, then what only a person settles. If a refund needs a
 * person, so does the after-sale.
 */
export function attentionOf(order: KnownOrder): Attention | null {
  const { reasons, held, seen } = order;
  // Of a trade that nobody has seen, no status can be confirmed.
  if (seen === null && reasons.includes('unknown-trade')) return 'unknown-trade';
  const claimed = held.map(({ claim }) => attentionOfStatus(claim.trade_status)).find((one) => one !== undefined);
  const ofTheBank = reasons.find((one) => OF_THE_BANK.includes(one));
  const contradicted = isContradicted(order) ? 'unconfirmed-notification' : null;
  const ofRefunds = refundsOf(order).map(attentionOfRefund);
  const ofRefund = REFUND_REASONS.find((reason) => ofRefunds.includes(reason)) ?? null;
  return claimed ?? ofTheBank ?? shownAttention(reasons) ?? contradicted ?? ofRefund;
}
