import { randomUUID } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { LogDetails } from '../options';
import { type MethodName, methodNamed, methodsFor } from '../rules/methods';
import type { Store } from '../store';
import { deadlines } from './deadlines';
import { IllegalAction } from './errors';
import { paymentData } from './payment-data';
import { type BuyerAction, buyerActions, route, type Transition, transition } from './states';
import type { Trade } from './trade';

/** What a new trade is made of; the rest follows from it. */
export type NewTrade = Pick<
  Trade,
  | 'out_trade_no'
  | 'app_id'
  | 'kind'
  | 'trade_status'
  | 'order_amount'
  | 'order_currency'
  | 'method'
  | 'channel'
  | 'subject'
  | 'content'
  | 'buyer_id'
  | 'notify_url'
  | 'return_url'
  | 'timeout_express'
  | 'cancellation_express'
  | 'user'
>;

/** What the lives of trades need from the rest of the simulator. */
export interface LifecycleParts {
  store: Store;
  clock: SimulatorClock;
  publicUrl: () => string;
  /** Hears of every step that may be notified. */
  announce: (trade: Trade) => void;
  log: (message: string, details: LogDetails) => void;
}

/** Gives trades their life: creates them, lets buyers act, and ends them at their deadlines. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #deadlines = new Map<string, () => void>();

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** Sets the deadlines of the trades that an earlier process left. */
  resume(): void {
    for (const trade of this.#parts.store.trades()) this.#setDeadline(trade);
  }

  close(): void {
    for (const cancel of this.#deadlines.values()) cancel();
    this.#deadlines.clear();
  }

  create(order: NewTrade): Trade {
    const { store, clock } = this.#parts;
    const created_at = clock.now();
    const trade: Trade = {
      ...order,
      trade_no: store.nextTradeNo(),
      created_at,
      updated_at: null,
      ...deadlines({ ...order, created_at, ...methodAndChannel(order) }),
      payment_data: {},
      page_nonce: randomUUID(),
      notifications: true,
      history: [],
    };
    if (trade.kind === 'direct') this.#givePaymentData(trade);
    store.addTrade(trade);
    this.#setDeadline(trade);
    return trade;
  }

  /** The buyer's method on a checkout that left it open; only before anything was submitted. */
  chooseMethod(trade: Trade, name: string): void {
    const method = methodNamed(name);
    if (method === undefined) throw new IllegalAction(`There is no method ${name}.`);
    if (trade.method === method) return;
    if (trade.kind === 'direct' || trade.trade_status !== 'INITIAL') {
      throw new IllegalAction(`The method of trade ${trade.trade_no} can not be changed any more.`);
    }
    if (trade.method !== null) throw new IllegalAction(`The shop ordered this payment in ${trade.method}.`);
    trade.method = method;
    // What the order left open about time now follows from the method.
    Object.assign(trade, deadlines({ ...trade, ...methodAndChannel(trade) }));
    this.#setDeadline(trade);
  }

  /** Carries out a buyer's action, or throws {@link IllegalAction}. */
  act(trade: Trade, action: BuyerAction): void {
    const to = buyerActions[action];
    const steps = route(trade.trade_status, to);
    if (!steps) throw new IllegalAction(`A trade that is ${trade.trade_status} can not become ${to}.`);
    if (action === 'risk' && trade.method !== 'CreditCard') {
      throw new IllegalAction(`Risk control looks at cards only; this trade is ${trade.method ?? 'without a method'}.`);
    }
    if (trade.method === null) this.chooseMethod(trade, usualMethod(trade));
    for (const step of steps) this.move(trade, step);
  }

  /** Takes one step of the transition table. */
  move(trade: Trade, step: Transition): void {
    const { clock, log, announce } = this.#parts;
    const at = clock.now();
    trade.trade_status = step.to;
    trade.updated_at = at;
    trade.history.push({ from: step.from, to: step.to, at, why: step.why });
    if (step.to === 'PROCESSING' && Object.keys(trade.payment_data).length === 0) this.#givePaymentData(trade);
    this.#setDeadline(trade);
    log('trade moved', { trade_no: trade.trade_no, from: step.from, to: step.to });
    if (!step.silent) announce(trade);
  }

  #givePaymentData(trade: Trade): void {
    const { method, channel } = methodAndChannel(trade);
    if (method === undefined) return;
    const { trade_no, app_id, order_amount, cancels_at } = trade;
    const count = this.#parts.store.nextCount();
    const publicUrl = this.#parts.publicUrl();
    trade.payment_data = paymentData({
      trade_no,
      app_id,
      order_amount,
      method,
      channel,
      count,
      due: cancels_at,
      publicUrl,
    });
  }

  #setDeadline(trade: Trade): void {
    this.#deadlines.get(trade.trade_no)?.();
    this.#deadlines.delete(trade.trade_no);
    const end =
      trade.trade_status === 'INITIAL'
        ? { at: trade.expires_at, step: transition('INITIAL', 'EXPIRED') }
        : trade.trade_status === 'PROCESSING'
          ? { at: trade.cancels_at, step: transition('PROCESSING', 'CANCEL') }
          : undefined;
    const step = end?.step;
    if (!end || !step) return;
    const cancel = this.#parts.clock.at(end.at, async () => {
      this.move(trade, step);
      await this.#parts.store.save();
    });
    this.#deadlines.set(trade.trade_no, cancel);
  }
}

function methodAndChannel(order: Pick<Trade, 'method' | 'channel'>): {
  method: MethodName | undefined;
  channel: string | undefined;
} {
  return { method: order.method === null ? undefined : methodNamed(order.method), channel: order.channel ?? undefined };
}

function usualMethod(trade: Trade): MethodName {
  return methodsFor(trade.order_currency)[0] ?? 'CreditCard';
}
