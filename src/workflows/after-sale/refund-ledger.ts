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
import { COUNTS_AS, countsAs, isOnlySeen, isSpent, mayHaveLeft, newRefund } from './refund-entry';

const INTERRUPTED = {
  type: FAILURE.notRefunded,
  message: 'The after-sale ended before it sent this refund. Request it again.',
  details: {},
};

/** The answer to a request: the refund that it made or repeated, or why there is none. */
export type RefundDecision =
  | { is: 'granted' | 'known'; refund: RefundState }
  | { is: 'different'; fields: string[] }
  /** The refund under this number was refused or revoked: it paid nothing, and its number is used up. */
  | { is: 'spent'; refund: RefundState }
  /** Nobody knows how much is left. */
  | { is: 'incomplete' }
  | { is: 'over-refund'; left: string };

/** The ledger of an earlier run, as its public state shows it. */
export type RestoredLedger = Pick<AfterSaleState, 'refunds' | 'refunded_elsewhere' | 'ledger_complete'>;

export interface PaidTrade {
  order_amount: string;
  order_currency: string;
}

/** The numbers of the trade, which the generated numbers of its refunds are made of. */
export type NumberedTrade = Pick<AfterSaleState, 'out_trade_no' | 'trade_no'>;

export class RefundLedger {
  private readonly entries: RefundState[] = [];
  /** The requests of this run. They hold personal data, so they are not in the public state. */
  private readonly requests = new Map<string, RefundOrder>();
  /** Refunds that were under way when one from elsewhere became known. */
  private readonly besideOthers = new Set<RefundState>();
  /** Tries under a number of which a person has said that no refund was made before. */
  private readonly afterDecision = new Set<RefundState>();
  /** What went back by refunds that are not in the ledger, as a person has named it. */
  private elsewhere = '0.00';
  private isComplete = true;

  get refunds(): RefundState[] {
    return this.entries.map((entry) => ({ ...entry }));
  }

  /** The sums that the public state shows. */
  get sums() {
    return {
      refunded_amount: this.sum('refunded'),
      refunding_amount: this.sum('refunding'),
      refunded_elsewhere: this.elsewhere,
      ledger_complete: this.isComplete,
    };
  }

  /** Whether a refund that is under way may have reached the gateway: it explains what the trade shows of refunds. */
  get hasSent(): boolean {
    return this.entries.some(({ outcome, sent_at }) => outcome === null && sent_at !== null);
  }

  /** The refund whose turn it is: the one that has started, else the one that was requested first. */
  get next(): RefundState | undefined {
    const open = this.entries.filter(({ outcome }) => outcome === null);
    return open.find(({ started_at }) => started_at !== null) ?? open[0];
  }

  /** What refunds that have ended have shown of themselves, or may still show on a copy that is behind. */
  get lastStatuses(): string[] {
    const made = this.entries.filter((entry) => isSpent(entry) || entry.outcome === 'REFUNDED');
    const ends = made.flatMap(({ refund_status, outcome }) => [refund_status, outcome === 'REFUNDED' ? null : outcome]);
    return made.length === 0 ? [] : ['REFUND_VERIFYING', 'REFUND_PROCESSING', ...ends.flatMap((one) => one ?? [])];
  }

  /** Whether money may have gone back before the refund that is next. */
  get mayHavePaid(): boolean {
    return isMore(this.elsewhere, '0') || this.entries.some((entry) => entry.outcome !== null && mayHaveLeft(entry));
  }

  /** How much may still be refunded. */
  left({ order_amount }: PaidTrade): string {
    return less(order_amount, sumOf([this.sum('refunded'), this.sum('refunding'), this.elsewhere]));
  }

  /** How much certainly is at the gateway still: a refund that waits for its turn has taken nothing. */
  leftAtGateway({ order_amount }: PaidTrade): string {
    const gone = this.entries.filter(mayHaveLeft).map(({ refund_amount }) => refund_amount);
    return less(order_amount, sumOf([this.elsewhere, ...gone]));
  }

  /** How much can have gone back by others: what the trade's status alone calls given back may have been theirs. */
  mostElsewhere({ order_amount }: PaidTrade): string {
    const certain = this.entries.filter((entry) => countsAs(entry) === 'refunded' && entry.confirmed_by !== 'query');
    return less(order_amount, sumOf(certain.map(({ refund_amount }) => refund_amount)));
  }

  /** How much this refund may give back, which has reserved its amount. Others that wait for their turn are asked after it. */
  leftFor(entry: RefundState, { order_amount }: PaidTrade): string {
    const before = this.entries.filter((one) => one.out_request_no !== entry.out_request_no && mayHaveLeft(one));
    return less(order_amount, sumOf([this.elsewhere, ...before.map(({ refund_amount }) => refund_amount)]));
  }

  /** Something contradicts what is known of a refund: until a person decides, its amount stays reserved. */
  doubt(entry: RefundState): void {
    entry.attention = 'unknown-refund';
  }

  /** Whether there is a refund that counts as given back. */
  get hasRefunded(): boolean {
    return this.entries.some((entry) => countsAs(entry) === 'refunded');
  }

  /** The trade shows none of the refunds that count as given back. */
  doubtRefunded(): void {
    for (const entry of this.entries) if (countsAs(entry) === 'refunded') this.doubt(entry);
  }

  /**
   * While this refund was under way, the gateway showed or said that one paid nothing, and two refunds look alike in the trade's
   * status. Where earlier ones count as given back, only the end of this one by its number, or a person, tells whose end it was:
   * what a notification has called given back may have come back since.
   */
  doubtOthers({ out_request_no, outcome, confirmed_by }: RefundState): void {
    const isOwn = (entry: RefundState) => entry.out_request_no === out_request_no;
    const earlier = this.entries.filter((entry) => !isOwn(entry) && entry.outcome === 'REFUNDED');
    const isDecided = confirmed_by === 'operator';
    const isOwnEnd = outcome === 'REFUND_REVOKE' || outcome === 'REFUND_REFUSED';
    if (earlier.length === 0 || (isOwnEnd && (isDecided || confirmed_by === 'notification'))) return;
    const isCertain = isDecided || outcome === null || outcome === 'NOT_CREATED';
    const unnamed = this.entries.filter((entry) => isOwn(entry) && !isCertain);
    for (const entry of [...earlier, ...unnamed]) this.doubt(entry);
  }

  /** A person has decided what became of a refund. */
  decide(entry: RefundState, outcome: RefundOutcome, resolved: RefundState['resolved']): void {
    Object.assign(entry, { outcome, confirmed_by: 'operator', attention: null, resolved });
  }

  /** There are refunds that are neither in the ledger nor named by a person. */
  addUnknown(): void {
    this.isComplete = false;
    this.noteBesideOthers();
    // A refund that only a query has confirmed may be somebody else's.
    const isSeen = (entry: RefundState) =>
      isOnlySeen(entry) || (isSpent(entry) && entry.confirmed_by === 'query' && entry.attention === null);
    for (const entry of this.entries) if (entry.outcome !== null && isSeen(entry)) this.doubt(entry);
  }

  private noteBesideOthers(): void {
    for (const entry of this.entries) if (entry.outcome === null) this.besideOthers.add(entry);
  }

  /**
   * A person has named all that went back by refunds that are not in the ledger. No more than was paid can be gone: otherwise what
   * the trade's status alone called given back may be another's, and a person says which refund it is.
   */
  complete(elsewhere: string, trade: PaidTrade | undefined): void {
    this.elsewhere = sumOf([elsewhere]);
    this.isComplete = true;
    if (!trade || !isMore(sumOf([elsewhere, this.sum('refunded')]), trade.order_amount)) return;
    for (const entry of this.entries)
      if (countsAs(entry) === 'refunded' && entry.confirmed_by === 'query') this.doubt(entry);
  }

  /** Takes over the refunds of an earlier run. One that had not started was never sent, and its request is lost. */
  restore({ refunds, refunded_elsewhere, ledger_complete }: RestoredLedger): void {
    this.elsewhere = refunded_elsewhere;
    this.isComplete = ledger_complete;
    for (const refund of refunds) {
      const isLost = refund.outcome === null && refund.started_at === null;
      this.entries.push({ ...refund, ...(isLost ? { outcome: 'NOT_CREATED', failure: INTERRUPTED } : {}) });
    }
    if (!ledger_complete) this.addUnknown();
    // One that is under way may have been sent before a person named what went back by others.
    else if (isMore(refunded_elsewhere, '0')) this.noteBesideOthers();
  }

  /** Grants a refund, finds the one that the same request made earlier, or says why there is none. */
  request(request: RefundOrder, trade: PaidTrade & NumberedTrade, now: number): RefundDecision {
    const partial = !sameAmount(request.refund_amount, trade.order_amount);
    const number = request.out_request_no ?? generatedRefundNumber(trade, request, !partial);
    const earlier = this.find(number);
    // Where there certainly is no refund, its number may be used again.
    if (earlier && (earlier.outcome !== 'NOT_CREATED' || earlier.attention !== null)) {
      const fields = this.differing(earlier, request);
      if (isSpent(earlier)) return { is: 'spent', refund: earlier };
      return fields.length > 0 ? { is: 'different', fields } : { is: 'known', refund: earlier };
    }
    if (!this.isComplete) return { is: 'incomplete' };
    const left = this.left(trade);
    if (isMore(request.refund_amount, left)) return { is: 'over-refund', left };
    const refund = { ...newRefund(request, now), out_request_no: number, partial };
    if (earlier) {
      refund.attempt = earlier.attempt + 1;
      if (earlier.resolved) this.afterDecision.add(refund);
      this.entries.splice(this.entries.indexOf(earlier), 1);
    }
    this.entries.push(refund);
    this.requests.set(number, { ...request, out_request_no: number });
    return { is: 'granted', refund };
  }

  /** Whether a person has said of the try before that it made no refund: what its workflow says counts no more. */
  isAfterDecision(entry: RefundState): boolean {
    return this.afterDecision.has(entry);
  }

  /** The request to send; undefined where an earlier run took it. */
  requestOf({ out_request_no }: RefundState): RefundOrder | undefined {
    return this.requests.get(out_request_no);
  }

  markStarted({ out_request_no }: RefundState, now: number): void {
    const entry = this.find(out_request_no);
    if (entry) entry.started_at ??= new Date(now).toISOString();
  }

  /**
   * Applies what is known of a refund now. News of an earlier try under its number is not its own, and a refund that has an
   * outcome does not change any more. Returns whether it was applied.
   */
  update(change: RefundState): boolean {
    const entry = this.find(change.out_request_no);
    if (!entry || entry.outcome !== null || entry.attempt !== change.attempt) return false;
    Object.assign(entry, { ...change, started_at: entry.started_at });
    if (this.besideOthers.has(entry) && isOnlySeen(entry)) this.doubt(entry);
    return true;
  }

  /**
   * Takes over the try of a refund that was made before, and no more: `update` applies the rest. What a person named as gone
   * elsewhere may contain it, and it is counted once.
   */
  adopt(entry: RefundState, { attempt, outcome }: RefundState): 'known' | 'named elsewhere' {
    entry.attempt = attempt;
    const isMoney = COUNTS_AS[outcome ?? 'under way'] !== 'nothing';
    if (!isMoney || !isMore(this.elsewhere, '0')) return 'known';
    const { refund_amount } = entry;
    this.elsewhere = isMore(this.elsewhere, refund_amount) ? less(this.elsewhere, refund_amount) : '0.00';
    return 'named elsewhere';
  }

  find(out_request_no: string): RefundState | undefined {
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
    const counted = this.entries.filter((entry) => countsAs(entry) === kind);
    return sumOf(counted.map(({ refund_amount }) => refund_amount));
  }
}
