import { randomUUID } from 'node:crypto';
import type { Context } from '../context';
import { IllegalAction } from '../errors';
import { leftOf, refundedOf } from '../ledger';
import { type RefundRecord, type RefundStatus, refundSchema, type TradeRecord } from '../records';
import { duration } from '../time';
import { bankStepOf, type Lifecycle, stepTo } from '../trades/lifecycle';
import { type RefundAction, refundActions, stepsBetween } from '../trades/steps';

/** What is asked for with a refund; the rest follows from its trade. */
type RefundTerms = Pick<RefundRecord, 'out_request_no' | 'refund_amount' | 'goes_to'>;

/** The address of the page on which a buyer names the account for a refund. */
export function refundPageAddress(publicUrl: string, refund_id: string): string {
  return `${publicUrl}/refund?${new URLSearchParams({ refund_id })}`;
}

/** Creates refunds, carries out what buyers and banks do with them, and ends them at their deadlines. */
export class Refunds {
  constructor(
    private readonly context: Context,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Sets the deadlines of the refunds of an earlier process. */
  resume(): void {
    for (const refund of this.context.store.refunds.values()) this.#setDeadline(refund);
  }

  /**
   * Begins a refund. It waits for the buyer if the money goes to an account that nobody named; otherwise it is processed
   * at once. Throws {@link IllegalAction} if the trade's state forbids a refund.
   */
  request(trade: TradeRecord, terms: RefundTerms, accountGiven: boolean): RefundRecord {
    stepTo(trade, 'REFUND_VERIFYING');
    const refund = this.#add(trade, 'REFUND_VERIFYING', terms);
    this.#step(trade, refund, 'REFUND_VERIFYING');
    if (accountGiven || terms.goes_to === 'source') this.#step(trade, refund, 'REFUND_PROCESSING');
    return refund;
  }

  /** Carries out an action, or throws {@link IllegalAction} if the refund's state forbids it. */
  act(refund: RefundRecord, action: RefundAction): void {
    const trade = this.context.store.trades.get(refund.trade_no);
    if (!trade) throw new IllegalAction(`The data file lacks trade ${refund.trade_no} of this refund.`);
    const { store, settings } = this.context;
    const isAll = refundedOf(store.refundsOf(trade.trade_no)).plus(refund.refund_amount).gte(trade.order_amount);
    const to = action === 'approve' && !isAll ? settings.partialRefundStatus : refundActions[action].to;
    const steps = stepsBetween(refund.refund_status, to);
    if (!steps) throw new IllegalAction(`A refund that is ${refund.refund_status} can not become ${to}.`);
    // The buyer names an account and the bank decides in one action.
    if (steps.length > 1) this.#enter(trade, refund, 'REFUND_PROCESSING');
    this.#step(trade, refund, to);
  }

  /** The bank gives back all that is left. Throws {@link IllegalAction} if the trade's state forbids it. */
  force(trade: TradeRecord): void {
    const step = bankStepOf(trade, 'force-refund');
    const left = leftOf(trade, this.context.store.refundsOf(trade.trade_no));
    const terms = { out_request_no: null, refund_amount: left.toFixed(2), goes_to: 'source' } as const;
    const refund = this.#add(trade, 'REFUNDED', terms);
    refund.history.push({ status: 'REFUNDED', at: refund.created_at });
    this.lifecycle.move(trade, step);
  }

  // Only a bank makes a refund that is done from the start.
  #add(trade: TradeRecord, refund_status: 'REFUND_VERIFYING' | 'REFUNDED', terms: RefundTerms): RefundRecord {
    const now = this.context.clock.now();
    const refund = refundSchema.parse({
      ...trade,
      ...terms,
      refund_status,
      forced: refund_status === 'REFUNDED',
      refund_id: randomUUID(),
      refund_currency: trade.order_currency,
      created_at: now,
      updated_at: now,
      due_at: null,
      page_nonce: randomUUID(),
      history: [],
    });
    this.context.store.addRefund(refund);
    return refund;
  }

  // A refund that takes no time is done within the step.
  #step(trade: TradeRecord, refund: RefundRecord, to: RefundStatus): void {
    this.#enter(trade, refund, to);
    const { refundTakes } = this.context.settings;
    if (to === 'REFUND_PROCESSING' && refundTakes !== 'manual' && duration(refundTakes) === 0) {
      this.act(refund, 'approve');
    }
  }

  #enter(trade: TradeRecord, refund: RefundRecord, to: RefundStatus): void {
    const now = this.context.clock.now();
    const step = stepTo(trade, to);
    refund.refund_status = to;
    refund.updated_at = now;
    refund.history.push({ status: to, at: now });
    refund.due_at = this.#dueAt(to, now);
    this.lifecycle.move(trade, step, refund.out_request_no);
    this.#setDeadline(refund);
  }

  #dueAt(status: RefundStatus, now: number): number | null {
    const { refundTakes, refundConfirmWithin } = this.context.settings;
    if (status === 'REFUND_VERIFYING') return now + duration(refundConfirmWithin);
    if (status === 'REFUND_PROCESSING' && refundTakes !== 'manual') return now + duration(refundTakes);
    return null;
  }

  #setDeadline(refund: RefundRecord): void {
    this.context.deadlines.set(refund.refund_id, refund.due_at, async () => {
      this.act(refund, refund.refund_status === 'REFUND_VERIFYING' ? 'revoke' : 'approve');
      await this.context.store.save();
    });
  }
}
