/** The sums of a trade's refunds in words, as `show`, `refunds` and Temporal UI have them. */
import { isMore, less, sumOf } from '../gateway/pure/money';
import type { AfterSaleState } from './after-sale';

type Sums = Pick<AfterSaleState, 'refunds' | 'refunded_amount' | 'refunding_amount'>;

/**
 * Each sum that is not zero with what can be said of it, the surest first; empty where nothing was asked for. `refunded_amount` counts what
 * is ACCEPTED, so that it is never given out twice: to say of it that it went back would be more than anybody knows.
 */
export function refundSums({ refunds, refunded_amount, refunding_amount }: Sums): string[] {
  const isAccepted = ({ outcome, attention }: Sums['refunds'][number]) => outcome === 'ACCEPTED' && attention === null;
  const accepted = sumOf(refunds.filter(isAccepted).map(({ refund_amount }) => refund_amount));
  const sums: [amount: string, words: string][] = [
    [less(refunded_amount, accepted), 'refunded'],
    [accepted, 'accepted by the gateway and not confirmed'],
    [refunding_amount, 'being refunded'],
  ];
  return sums.flatMap(([amount, words]) => (isMore(amount, '0') ? [`${amount} ${words}`] : []));
}
