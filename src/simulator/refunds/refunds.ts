import { randomUUID } from 'node:crypto';
import { Deadlines } from '../clock';
import { IllegalAction } from '../errors';
import { balanceOf } from '../ledger';
import type { Context } from '../options';
import { type RefundRecord, type RefundStatus, refundSchema, type TradeRecord } from '../records';
import { duration } from '../time';
import { bankStepOf, type Lifecycle, stepTo } from '../trades/lifecycle';
import { pageAddress } from '../trades/payment-data';
import { type RefundAction, refundActions, stepsBetween } from '../trades/states';

/** What a new refund is made of; the rest follows from it and its trade. */
type NewRefund = Pick<RefundRecord, 'out_request_no' | 'refund_amount' | 'goes_to'> & {
  /** Whether the merchant named the account that receives the money. */
  accountGiven: boolean;
};

/** The address of the page on which a buyer names the account for a refund. */
export function refundPageAddress(publicUrl: string, refundId: string): string {
  return pageAddress(publicUrl, 'refund', 'refund_id', refundId);
}

/** Creates refunds, carries out what buyers and banks do with them, and ends them at their deadlines. */
export class Refunds {
  readonly #context: Context;
  readonly #lifecycle: Lifecycle;
  readonly #deadlines: Deadlines;

  constructor(context: Context, lifecycle: Lifecycle) {
    this.#context = context;
    this.#lifecycle = lifecycle;
    this.#deadlines = new Deadlines(context.clock);
  }

  /** Sets the deadlines of the refunds of an earlier process. */
  resume(): void {
    for (const refund of this.#context.store.refunds.values()) this.#setDeadline(refund);
  }

  close(): void {
    this.#deadlines.close();
  }

  /**
   * Begins a refund. It waits for the buyer if the money goes to an account that nobody named; otherwise it is processed
   * at once. Throws {@link IllegalAction} if the trade's state forbids a refund.
   */
  request(trade: TradeRecord, { accountGiven, ...terms }: NewRefund): RefundRecord {
    stepTo(trade, 'REFUND_VERIFYING');
    const refund = this.#add(trade, { ...terms, forced: false, refund_status: 'REFUND_VERIFYING' });
    this.#step(trade, refund, 'REFUND_VERIFYING');
    if (accountGiven || terms.goes_to === 'source') this.#step(trade, refund, 'REFUND_PROCESSING');
    return refund;
  }

  /** Carries out an action, or throws {@link IllegalAction} if the refund's state forbids it. */
  act(refund: RefundRecord, action: RefundAction): void {
    const trade = this.#tradeOf(refund);
    const to = action === 'approve' ? this.#doneState(trade, refund) : refundActions[action].to;
    const steps = stepsBetween(refund.refund_status, to);
    if (!steps) throw new IllegalAction(`A refund that is ${refund.refund_status} can not become ${to}.`);
    // The buyer names an account and the bank decides in one action.
    if (steps.length > 1) this.#enter(trade, refund, 'REFUND_PROCESSING');
    this.#step(trade, refund, to);
  }

  /** The bank gives back all that is left. Throws {@link IllegalAction} if the trade's state forbids it. */
  force(trade: TradeRecord): RefundRecord {
    bankStepOf(trade, 'force-refund');
    const { left } = balanceOf(trade, this.#context.store.refundsOf(trade.trade_no));
    const terms = { out_request_no: null, refund_amount: left.toFixed(2), goes_to: 'source' } as const;
    const refund = this.#add(trade, { ...terms, forced: true, refund_status: 'REFUNDED' });
    this.#lifecycle.act(trade, 'force-refund');
    refund.history.push({ status: 'REFUNDED', at: refund.created_at });
    return refund;
  }

  #add(
    trade: TradeRecord,
    terms: Pick<RefundRecord, 'out_request_no' | 'refund_amount' | 'goes_to' | 'forced' | 'refund_status'>,
  ): RefundRecord {
    const now = this.#context.clock.now();
    const refund = refundSchema.parse({
      ...trade,
      ...terms,
      refund_id: randomUUID(),
      refund_currency: trade.order_currency,
      created_at: now,
      updated_at: now,
      due_at: null,
      page_nonce: randomUUID(),
      history: [],
    });
    this.#context.store.addRefund(refund);
    return refund;
  }

  #doneState(trade: TradeRecord, { refund_amount }: RefundRecord): RefundStatus {
    const { store, settings } = this.#context;
    const { refunded } = balanceOf(trade, store.refundsOf(trade.trade_no));
    return refunded.plus(refund_amount).gte(trade.order_amount) ? 'REFUNDED' : settings.partialRefundStatus;
  }

  // A refund that takes no time is done within the step.
  #step(trade: TradeRecord, refund: RefundRecord, to: RefundStatus): void {
    this.#enter(trade, refund, to);
    const { refundTakes } = this.#context.settings;
    if (to === 'REFUND_PROCESSING' && refundTakes !== 'manual' && duration(refundTakes) === 0) {
      this.act(refund, 'approve');
    }
  }

  #enter(trade: TradeRecord, refund: RefundRecord, to: RefundStatus): void {
    const now = this.#context.clock.now();
    const step = stepTo(trade, to);
    refund.refund_status = to;
    refund.updated_at = now;
    refund.history.push({ status: to, at: now });
    refund.due_at = this.#dueAt(to, now);
    this.#lifecycle.move(trade, step, refund.out_request_no);
    this.#setDeadline(refund);
  }

  #dueAt(status: RefundStatus, now: number): number | null {
    const { refundTakes, refundConfirmWithin } = this.#context.settings;
    if (status === 'REFUND_VERIFYING') return now + duration(refundConfirmWithin);
    if (status === 'REFUND_PROCESSING' && refundTakes !== 'manual') return now + duration(refundTakes);
    return null;
  }

  #setDeadline(refund: RefundRecord): void {
    this.#deadlines.set(refund.refund_id, refund.due_at, async () => {
      this.act(refund, refund.refund_status === 'REFUND_VERIFYING' ? 'revoke' : 'approve');
      await this.#context.store.save();
    });
  }

  #tradeOf({ refund_id, trade_no }: RefundRecord): TradeRecord {
    const trade = this.#context.store.trades.get(trade_no);
    if (!trade) throw new IllegalAction(`The data file lacks trade ${trade_no} of refund ${refund_id}.`);
    return trade;
  }
}
