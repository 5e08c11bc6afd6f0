import { randomUUID } from 'node:crypto';
import type { Context } from '../context';
import { IllegalAction } from '../errors';
import type { NotificationQueue } from '../notifications/queue';
import type { TradeRecord, TradeState } from '../records';
import { methodNamed, methodsFor } from '../rules/methods';
import { duration } from '../time';
import { type DatedOrder, deadlinesOf } from './deadlines';
import { paymentDataOf } from './payment-data';
import { bankStep, stepsBetween, type TradeAction, type TradeStep, tradeActions, tradeStep } from './steps';

/** What a trade has not, unless its terms say otherwise. */
const absent = {
  channel: null,
  content: null,
  return_url: null,
  timeout_express: null,
  cancellation_express: null,
  updated_at: null,
  stands_again_at: null,
  account_id: null,
  transfer_account: null,
};
type Derived = 'trade_no' | 'created_at' | 'expires_at' | 'cancels_at' | 'payment_data' | 'page_nonce' | 'history';

/** What an order says; the rest of a trade follows from it. */
export type NewOrder = Omit<TradeRecord, Derived | keyof typeof absent> & Partial<TradeRecord>;

/** Creates trades, carries out what buyers and banks do, and ends trades at their deadlines. */
export class Lifecycle {
  constructor(
    private readonly context: Context,
    private readonly notifications: NotificationQueue,
  ) {}

  /** Sets the deadlines of the trades of an earlier process. */
  resume(): void {
    for (const trade of this.context.store.trades.values()) this.#setDeadline(trade);
  }

  /** Makes a trade. A deposit is SUCCESS from the start, so it is notified at once. */
  create(order: NewOrder): TradeRecord {
    const trade = this.#add(order);
    if (trade.kind === 'direct') this.#givePaymentData(trade);
    if (trade.kind === 'deposit') this.notifications.notify(trade, null);
    this.#setDeadline(trade);
    return trade;
  }

  /**
   * Sets the method of a checkout that left it to the buyer. Throws {@link IllegalAction} if there is no such method, or
   * if the order or an earlier step has fixed another one.
   */
  chooseMethod(trade: TradeRecord, name: string): void {
    const method = methodNamed(name);
    if (method === undefined) throw new IllegalAction(`There is no method ${name}.`);
    if (trade.method === method) return;
    if (trade.kind === 'direct' || trade.trade_status !== 'INITIAL') {
      throw new IllegalAction(`The method of trade ${trade.trade_no} can not be changed any more.`);
    }
    if (trade.method !== null) throw new IllegalAction(`The shop ordered this payment in ${trade.method}.`);
    trade.method = method;
    // Deadlines that the order does not give depend on the method.
    Object.assign(trade, deadlinesOf(trade));
    this.#setDeadline(trade);
  }

  /** Carries out an action, or throws {@link IllegalAction} if the trade's state forbids it. */
  act(trade: TradeRecord, action: TradeAction): void {
    const { by, to } = tradeActions[action];
    const steps = by === 'bank' ? [bankStepOf(trade, action)] : stepsBetween(trade.trade_status, to);
    if (!steps) throw impossible(trade, to);
    if (action === 'risk' && trade.method !== 'CreditCard') {
      throw new IllegalAction(`Risk control looks at cards only; this trade is ${trade.method ?? 'without a method'}.`);
    }
    if (trade.method === null) this.chooseMethod(trade, methodsFor(trade.order_currency)[0] ?? 'CreditCard');
    for (const step of steps) this.move(trade, step);
  }

  /** Takes one step. `out_request_no` is the number of the refund that causes it. */
  move(trade: TradeRecord, step: TradeStep, out_request_no: string | null = null): void {
    const { clock, log, settings } = this.context;
    const at = clock.now();
    trade.trade_status = step.to;
    trade.updated_at = at;
    trade.history.push({ from: step.from, to: step.to, at, why: step.why });
    if (step.to === 'PROCESSING' && Object.keys(trade.payment_data).length === 0) this.#givePaymentData(trade);
    const standsAgain = tradeStep(step.to, 'SUCCESS')?.silent;
    trade.stands_again_at = standsAgain ? at + duration(settings.standsAgainAfter) : null;
    this.#setDeadline(trade);
    log('trade moved', { trade_no: trade.trade_no, from: step.from, to: step.to });
    if (!step.silent) this.notifications.notify(trade, out_request_no);
  }

  #add(terms: NewOrder): TradeRecord {
    const { store, clock } = this.context;
    const created_at = clock.now();
    const trade_no = store.nextTradeNo();
    const trade: TradeRecord = {
      ...absent,
      ...deadlinesOf({ ...absent, ...terms, created_at }),
      ...terms,
      trade_no,
      out_trade_no: terms.out_trade_no || `VA${trade_no}`,
      created_at,
      payment_data: {},
      page_nonce: randomUUID(),
      history: [],
    };
    store.addTrade(trade);
    return trade;
  }

  #givePaymentData(trade: TradeRecord): void {
    const method = methodNamed(trade.method ?? '');
    if (method === undefined) return;
    const { store, publicUrl } = this.context;
    trade.payment_data = paymentDataOf(method, { trade, count: store.nextCount(), publicUrl });
  }

  #setDeadline(trade: TradeRecord): void {
    const end = ends[trade.trade_status];
    this.context.deadlines.set(trade.trade_no, end ? trade[end.at] : null, async () => {
      if (end) this.move(trade, stepTo(trade, end.to));
      await this.context.store.save();
    });
  }
}

/** The states that end by themselves: when, and in which state. */
const ends: Partial<Record<TradeState, { at: 'expires_at' | 'cancels_at' | 'stands_again_at'; to: TradeState }>> = {
  INITIAL: { at: 'expires_at', to: 'EXPIRED' },
  PROCESSING: { at: 'cancels_at', to: 'CANCEL' },
  REFUND_REVOKE: { at: 'stands_again_at', to: 'SUCCESS' },
  CHARGEBACK_REVERSED: { at: 'stands_again_at', to: 'SUCCESS' },
};

/** The state of an order at a moment, in ms since 1970, as long as nobody pays it. */
export function stateUnpaid(order: DatedOrder, first: TradeState, now: number): TradeState {
  const end = ends[first];
  const due = end && { ...deadlinesOf(order), stands_again_at: null }[end.at];
  return end && due !== undefined && due !== null && now >= due ? end.to : first;
}

/** The step from a trade's state to another. Throws {@link IllegalAction} if the table has none. */
export function stepTo(trade: TradeRecord, to: TradeState): TradeStep {
  const step = tradeStep(trade.trade_status, to);
  if (!step) throw impossible(trade, to);
  return step;
}

/** The step of a bank's action on a trade. Throws {@link IllegalAction} if the state forbids it. */
export function bankStepOf(trade: TradeRecord, action: TradeAction): TradeStep {
  const step = bankStep(trade.trade_status, action);
  if (!step) throw impossible(trade, tradeActions[action].to);
  return step;
}

function impossible({ trade_status }: TradeRecord, to: TradeState): IllegalAction {
  return new IllegalAction(`A trade that is ${trade_status} can not become ${to}.`);
}
