/**
 * The refunds of one trade, in exact decimals. It grants never more than was paid: a refund reserves its amount when it
 * is requested, and frees it only where the buyer certainly got nothing. Pure: `now` is ms since the epoch.
 */

import {
  type AfterSaleState,
  differingFields,
  FAILURE,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
} from '../../contract';
import { isMore, less, sameAmount, sumOf } from '../../gateway/pure/money';
import { generatedRefundNumber } from '../shared/refund-numbers';

/** What the amount of a refund counts as, by its outcome. */
const COUNTS_AS: Record<RefundOutcome | 'under way', 'refunded' | 'refunding' | 'nothing'> = {
  'under way': 'refunding',
  REFUNDED: 'refunded',
  REFUND_REFUSED: 'nothing',
  REFUND_REVOKE: 'nothing',
  NOT_CREATED: 'nothing',
};

const INTERRUPTED = {
  type: FAILURE.notRefunded,
  message: 'The after-sale ended before it sent this refund. Request it again.',
  details: {},
};

/** The answer to a request: the refund that it made or repeated, or why there is none. */
export type RefundDecision =
  | { is: 'granted' | 'known'; refund: RefundState }
  | { is: 'different'; fields: string[] }
  | { is: 'over-refund'; left: string };

export interface PaidTrade {
  order_amount: string;
  order_currency: string;
}

export class RefundLedger {
  private readonly entries: RefundState[] = [];
  /** The requests of this run. They hold personal data, so they are not in the public state. */
  private readonly requests = new Map<string | null, RefundOrder>();

  get refunds(): RefundState[] {
    return this.entries.map((entry) => ({ ...entry }));
  }

  /** The sums that the public state shows. */
  get sums(): Pick<AfterSaleState, 'refunded_amount' | 'refunding_amount'> {
    return { refunded_amount: this.sum('refunded'), refunding_amount: this.sum('refunding') };
  }

  /** The refund whose turn it is: the one that has started, else the one that was requested first. */
  get next(): RefundState | undefined {
    const open = this.entries.filter(({ outcome }) => outcome === null);
    return open.find(({ started_at }) => started_at !== null) ?? open[0];
  }

  /** How much may still be refunded. */
  left({ order_amount }: PaidTrade): string {
    return less(order_amount, sumOf([this.sum('refunded'), this.sum('refunding')]));
  }

  /** Takes over the refunds of an earlier run. One that had not started was never sent, and its request is lost. */
  restore(refunds: readonly RefundState[]): void {
    for (const refund of refunds) {
      const isLost = refund.outcome === null && refund.started_at === null;
      this.entries.push({ ...refund, ...(isLost ? { outcome: 'NOT_CREATED', failure: INTERRUPTED } : {}) });
    }
  }

  /** Grants a refund, finds the one that the same request made earlier, or says why there is none. */
  request(request: RefundOrder, trade: PaidTrade, now: number): RefundDecision {
    const partial = !sameAmount(request.refund_amount, trade.order_amount);
    const number = request.out_request_no ?? (partial ? generatedRefundNumber(request) : null);
    const earlier = this.find(number);
    // Where there certainly is no refund, its number may be used again.
    if (earlier && earlier.outcome !== 'NOT_CREATED') {
      const fields = this.differing(earlier, request);
      return fields.length > 0 ? { is: 'different', fields } : { is: 'known', refund: earlier };
    }
    const left = this.left(trade);
    if (isMore(request.refund_amount, left)) return { is: 'over-refund', left };
    const refund: RefundState = {
      out_request_no: number,
      refund_amount: request.refund_amount,
      refund_currency: request.refund_currency,
      partial,
      refund_status: null,
      outcome: null,
      confirmed_by: null,
      attention: null,
      requested_at: new Date(now).toISOString(),
      started_at: null,
      answer: null,
      failure: null,
      resolved: null,
    };
    if (earlier) this.entries.splice(this.entries.indexOf(earlier), 1);
    this.entries.push(refund);
    this.requests.set(number, number === null ? request : { ...request, out_request_no: number });
    return { is: 'granted', refund };
  }

  /** The request to send; undefined where an earlier run took it. */
  requestOf({ out_request_no }: RefundState): RefundOrder | undefined {
    return this.requests.get(out_request_no);
  }

  markStarted({ out_request_no }: RefundState, now: number): void {
    const entry = this.find(out_request_no);
    if (entry) entry.started_at ??= new Date(now).toISOString();
  }

  /** Applies what is known of a refund now. A refund that has an outcome does not change any more. */
  update(change: RefundState): void {
    const entry = this.find(change.out_request_no);
    if (entry && entry.outcome === null) Object.assign(entry, { ...change, started_at: entry.started_at });
  }

  find(out_request_no: string | null): RefundState | undefined {
    return this.entries.find((entry) => entry.out_request_no === out_request_no);
  }

  private differing(earlier: RefundState, request: RefundOrder): string[] {
    const { refund_amount, refund_currency } = earlier;
    const known = this.requests.get(earlier.out_request_no) ?? { refund_amount, refund_currency };
    const named = (from: RefundOrder) => ({
      ...from,
      // A number that we generated is no difference.
      out_request_no: earlier.out_request_no,
      refund_amount: sameAmount(from.refund_amount, refund_amount) ? refund_amount : from.refund_amount,
    });
    const fields = differingFields(named(known), named(request));
    // Requests of earlier runs are not kept: compare amount and currency only.
    return this.requests.has(earlier.out_request_no) ? fields : fields.filter((field) => Object.hasOwn(known, field));
  }

  private sum(kind: 'refunded' | 'refunding'): string {
    const counted = this.entries.filter(({ outcome }) => COUNTS_AS[outcome ?? 'under way'] === kind);
    return sumOf(counted.map(({ refund_amount }) => refund_amount));
  }
}
