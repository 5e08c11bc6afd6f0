/**
 * The refunds of one trade, in exact decimals. It is the only writer, so what it grants can never exceed what was paid:
 * a refund takes its amount from what is left when it is asked for, and gives it back only where it certainly gave the
 * buyer nothing. Pure: time comes in as ms since the epoch.
 */
import { isMore, less, sameAmount, sumOf } from '../gateway/money';
import { type AfterSaleState, FAILURE, type RefundOrder, type RefundOutcome, type RefundState } from './contract';
import { differingFields } from './requests';

/** What a refund's amount counts as by its outcome. */
const COUNTS_AS: Record<RefundOutcome | 'under way', 'refunded' | 'refunding' | 'nothing'> = {
  'under way': 'refunding',
  REFUNDED: 'refunded',
  REFUND_REFUSED: 'nothing',
  REFUND_REVOKE: 'nothing',
  NOT_CREATED: 'nothing',
};

const INTERRUPTED = {
  type: FAILURE.notRefunded,
  message: 'The after-sale that took this refund was ended before it was sent. Ask for it again.',
  details: {},
};

/** What was asked for, and why it is not granted. */
export type Asked =
  | { is: 'granted' | 'known'; refund: RefundState }
  | { is: 'different'; fields: string[] }
  | { is: 'too much'; left: string };

export interface PaidTrade {
  order_amount: string;
  order_currency: string;
}

export class RefundLedger {
  private readonly entries: RefundState[] = [];
  /** The requests of this run. They hold personal data, and are no part of the public state. */
  private readonly requests = new Map<string | null, RefundOrder>();

  get refunds(): RefundState[] {
    return this.entries.map((entry) => ({ ...entry }));
  }

  /** The sums that the public state shows. */
  get sums(): Pick<AfterSaleState, 'refunded_amount' | 'refunding_amount'> {
    return { refunded_amount: this.sum('refunded'), refunding_amount: this.sum('refunding') };
  }

  /** The refund whose turn it is: the one that was begun, else the one that was asked for first. */
  get next(): RefundState | undefined {
    const open = this.entries.filter(({ outcome }) => outcome === null);
    return open.find(({ started_at }) => started_at !== null) ?? open[0];
  }

  /** What may still be refunded of a trade. */
  left({ order_amount }: PaidTrade): string {
    return less(order_amount, sumOf([this.sum('refunded'), this.sum('refunding')]));
  }

  /** Takes over what a former run knew. What had not begun there was never sent, and its request is not known any more. */
  takeOver(refunds: readonly RefundState[]): void {
    for (const refund of refunds) {
      const isLost = refund.outcome === null && refund.started_at === null;
      this.entries.push({ ...refund, ...(isLost ? { outcome: 'NOT_CREATED', failure: INTERRUPTED } : {}) });
    }
  }

  /** Grants a refund, finds the one that the same request made before, or says why not. */
  ask(request: RefundOrder, trade: PaidTrade, now: number): Asked {
    const partial = !sameAmount(request.refund_amount, trade.order_amount);
    const number = request.out_request_no ?? (partial ? madeNumber(request) : null);
    const before = this.find(number);
    // Where there certainly is no refund, its number is free for another try.
    if (before && before.outcome !== 'NOT_CREATED') {
      const fields = this.differing(before, request);
      return fields.length > 0 ? { is: 'different', fields } : { is: 'known', refund: before };
    }
    const left = this.left(trade);
    if (isMore(request.refund_amount, left)) return { is: 'too much', left };
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
    if (before) this.entries.splice(this.entries.indexOf(before), 1);
    this.entries.push(refund);
    this.requests.set(number, number === null ? request : { ...request, out_request_no: number });
    return { is: 'granted', refund };
  }

  /** The request as it is to be sent; undefined where a former run took it. */
  requestOf({ out_request_no }: RefundState): RefundOrder | undefined {
    return this.requests.get(out_request_no);
  }

  begin({ out_request_no }: RefundState, now: number): void {
    const entry = this.find(out_request_no);
    if (entry) entry.started_at ??= new Date(now).toISOString();
  }

  /** Takes what is known of a refund now. What has ended stays as it ended. */
  update(change: RefundState): void {
    const entry = this.find(change.out_request_no);
    if (entry && entry.outcome === null) Object.assign(entry, { ...change, started_at: entry.started_at });
  }

  find(out_request_no: string | null): RefundState | undefined {
    return this.entries.find((entry) => entry.out_request_no === out_request_no);
  }

  private differing(before: RefundState, request: RefundOrder): string[] {
    const { refund_amount, refund_currency } = before;
    const known = this.requests.get(before.out_request_no) ?? { refund_amount, refund_currency };
    const named = (from: RefundOrder) => ({
      ...from,
      // A number that was made for the merchant is no difference.
      out_request_no: before.out_request_no,
      refund_amount: sameAmount(from.refund_amount, refund_amount) ? refund_amount : from.refund_amount,
    });
    const fields = differingFields(named(known), named(request));
    // Of a former run only the money is known.
    return this.requests.has(before.out_request_no) ? fields : fields.filter((field) => Object.hasOwn(known, field));
  }

  private sum(kind: 'refunded' | 'refunding'): string {
    const counted = this.entries.filter(({ outcome }) => COUNTS_AS[outcome ?? 'under way'] === kind);
    return sumOf(counted.map(({ refund_amount }) => refund_amount));
  }
}

/**
 * The number of a partial refund that has none: the same for the same amount, currency and reason, at most 16 characters.
 * Nothing personal goes into it: it stands in a workflow's id.
 */
function madeNumber({ refund_amount, refund_currency, refund_reason = '' }: RefundOrder): string {
  return `R${hashOf([sumOf([refund_amount]), refund_currency.toUpperCase(), refund_reason])}`;
}

/** The number of the refund of money that came too late: always the same for a trade, and another one for each. */
export function lateRefundNumber({
  out_trade_no,
  trade_no,
}: Pick<AfterSaleState, 'out_trade_no' | 'trade_no'>): string {
  return `L${hashOf([out_trade_no ?? trade_no])}`;
}

function hashOf(parts: readonly (string | null)[]): string {
  const text = JSON.stringify(parts);
  // FNV-1a with 64 bits: workflows have no crypto, and here it has only to tell a few refunds of one trade apart.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36).padStart(13, '0');
}
