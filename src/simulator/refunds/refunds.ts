import { randomUUID } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { Settings } from '../options';
import type { Store } from '../store';
import { duration } from '../time';
import { IllegalAction } from '../trades/errors';
import { bankStepOf, type Lifecycle, stepTo } from '../trades/lifecycle';
import { route } from '../trades/states';
import type { Trade } from '../trades/trade';
import { balanceOf } from './balance';
import type { Refund, RefundStatus } from './refund';

/** What a new refund is made of; the rest follows from it and its trade. */
export type NewRefund = Pick<Refund, 'out_request_no' | 'refund_amount' | 'goes_to'> & {
  /** Whether the merchant named the account that the money goes to. */
  accountGiven: boolean;
};

/** What can be done with a refund; where `approve` leads depends on what is left of the trade. */
export const refundActions = ['confirm', 'approve', 'refuse', 'revoke'] as const;

/** The name of an action on a refund. */
export type RefundAction = (typeof refundActions)[number];

/** Whether a text names an action on a refund. */
export function isRefundAction(text: string): text is RefundAction {
  return refundActions.some((name) => name === text);
}

/** What the lives of refunds need from the rest of the simulator. */
export interface RefundParts {
  store: Store;
  clock: SimulatorClock;
  lifecycle: Lifecycle;
  settings: () => Settings;
}

/** Gives refunds their life; each step of a refund is one of its trade. */
export class Refunds {
  readonly #parts: RefundParts;
  readonly #due = new Map<string, () => void>();

  constructor(parts: RefundParts) {
    this.#parts = parts;
  }

  /** Sets the deadlines of the refunds that an earlier process left. */
  resume(): void {
    for (const refund of this.#parts.store.refunds()) this.#setAlarm(refund);
  }

  close(): void {
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
  }

  /**
   * Begins a refund of a trade whose state allows one. It waits for the buyer where the money goes to a bank account that
   * nobody named, and is processed at once otherwise.
   */
  request(trade: Trade, { accountGiven, ...terms }: NewRefund): Refund {
    stepTo(trade, 'REFUND_VERIFYING');
    const refund = this.#add(trade, { ...terms, forced: false, refund_status: 'REFUND_VERIFYING' });
    this.#step(trade, refund, 'REFUND_VERIFYING');
    if (accountGiven || terms.goes_to === 'source') this.#step(trade, refund, 'REFUND_PROCESSING');
    return refund;
  }

  /** Carries out an action, or throws {@link IllegalAction}. */
  act(refund: Refund, action: RefundAction): void {
    const trade = this.#tradeOf(refund);
    const to = this.#target(trade, refund, action);
    const steps = route(refund.refund_status, to);
    if (!steps) throw new IllegalAction(`A refund that is ${refund.refund_status} can not become ${to}.`);
    // Naming an account and the decision in one go.
    if (steps.length > 1) this.#enter(trade, refund, 'REFUND_PROCESSING');
    this.#step(trade, refund, to);
  }

  /** The bank gives back all that is left, unasked. Throws {@link IllegalAction} where the trade's state forbids it. */
  force(trade: Trade): Refund {
    bankStepOf(trade, 'force-refund');
    const { left } = balanceOf(trade, this.#parts.store.refundsOf(trade.trade_no));
    const terms = { out_request_no: null, refund_amount: left.toFixed(2), goes_to: 'source' } as const;
    const refund = this.#add(trade, { ...terms, forced: true, refund_status: 'REFUNDED' });
    this.#parts.lifecycle.bankAct(trade, 'force-refund');
    refund.history.push({ status: 'REFUNDED', at: refund.created_at });
    return refund;
  }

  #add(
    trade: Trade,
    terms: Pick<Refund, 'out_request_no' | 'refund_amount' | 'goes_to' | 'forced' | 'refund_status'>,
  ): Refund {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const { app_id, trade_no, out_trade_no, order_currency } = trade;
    const refund: Refund = {
      ...terms,
      refund_id: randomUUID(),
      app_id,
      trade_no,
      out_trade_no,
      refund_currency: order_currency,
      created_at: now,
      updated_at: now,
      due_at: null,
      page_nonce: randomUUID(),
      history: [],
    };
    store.addRefund(refund);
    return refund;
  }

  #target(trade: Trade, refund: Refund, action: RefundAction): RefundStatus {
    switch (action) {
      case 'confirm':
        return 'REFUND_PROCESSING';
      case 'refuse':
        return 'REFUND_REFUSED';
      case 'revoke':
        return 'REFUND_REVOKE';
      case 'approve': {
        const { store, settings } = this.#parts;
        const { refunded } = balanceOf(trade, store.refundsOf(trade.trade_no));
        const isAll = refunded.plus(refund.refund_amount).gte(trade.order_amount);
        return isAll ? 'REFUNDED' : settings().partialRefundStatus;
      }
    }
  }

  // A refund processed in no time is done within the step.
  #step(trade: Trade, refund: Refund, to: RefundStatus): void {
    this.#enter(trade, refund, to);
    const { refundTakes } = this.#parts.settings();
    if (to === 'REFUND_PROCESSING' && refundTakes !== 'manual' && duration(refundTakes) === 0)
      this.act(refund, 'approve');
  }

  #enter(trade: Trade, refund: Refund, to: RefundStatus): void {
    const { clock, lifecycle } = this.#parts;
    const now = clock.now();
    const step = stepTo(trade, to);
    refund.refund_status = to;
    refund.updated_at = now;
    refund.history.push({ status: to, at: now });
    refund.due_at = this.#dueAt(to, now);
    lifecycle.move(trade, step, refund.out_request_no);
    this.#setAlarm(refund);
  }

  #dueAt(status: RefundStatus, now: number): number | null {
    const { refundTakes, refundConfirmWithin } = this.#parts.settings();
    if (status === 'REFUND_VERIFYING') return now + duration(refundConfirmWithin);
    if (status === 'REFUND_PROCESSING' && refundTakes !== 'manual') return now + duration(refundTakes);
    return null;
  }

  #setAlarm(refund: Refund): void {
    const { clock, store } = this.#parts;
    this.#due.get(refund.refund_id)?.();
    this.#due.delete(refund.refund_id);
    if (refund.due_at === null) return;
    const cancel = clock.at(refund.due_at, async () => {
      this.act(refund, refund.refund_status === 'REFUND_VERIFYING' ? 'revoke' : 'approve');
      await store.save();
    });
    this.#due.set(refund.refund_id, cancel);
  }

  #tradeOf({ refund_id, trade_no }: Refund): Trade {
    const trade = this.#parts.store.trade(trade_no);
    if (!trade) throw new IllegalAction(`The data file lacks trade ${trade_no} of refund ${refund_id}.`);
    return trade;
  }
}
