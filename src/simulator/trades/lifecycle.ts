import { randomUUID } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { LogDetails, Settings } from '../options';
import { type MethodName, methodNamed, methodsFor } from '../rules/methods';
import type { Store } from '../store';
import { duration } from '../time';
import { deadlines } from './deadlines';
import { IllegalAction } from './errors';
import { paymentData } from './payment-data';
import {
  type BankAction,
  type BuyerAction,
  bankActions,
  bankStep,
  buyerActions,
  route,
  type TradeStatus,
  type Transition,
  transition,
} from './states';
import type { Trade, TransferAccount } from './trade';

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

/** What a deposit into a virtual account is made of. */
export type NewDeposit = Pick<
  Trade,
  'app_id' | 'order_amount' | 'buyer_id' | 'notify_url' | 'user' | 'notifications'
> & {
  account_id: string;
  transfer_account: TransferAccount;
};

/** What the lives of trades need from the rest of the simulator. */
export interface LifecycleParts {
  store: Store;
  clock: SimulatorClock;
  settings: () => Settings;
  publicUrl: () => string;
  /** Hears of every step that may be notified, and of which refund it is. */
  announce: (trade: Trade, out_request_no: string | null) => void;
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
      stands_again_at: null,
      account_id: null,
      transfer_account: null,
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

  /** Money came into a virtual account: a trade that is SUCCESS from the start, and is told at once. */
  deposit(deposit: NewDeposit): Trade {
    const { store, clock, log, announce } = this.#parts;
    const created_at = clock.now();
    const trade_no = store.nextTradeNo();
    const trade: Trade = {
      ...deposit,
      trade_no,
      // The merchant never named this order, so the service does.
      out_trade_no: `VA${trade_no}`,
      kind: 'deposit',
      trade_status: 'SUCCESS',
      order_currency: 'MXN',
      method: 'SPEI',
      channel: null,
      subject: `Deposit into ${deposit.transfer_account.account_number}`,
      content: null,
      return_url: null,
      timeout_express: null,
      cancellation_express: null,
      created_at,
      updated_at: created_at,
      expires_at: created_at,
      cancels_at: created_at,
      stands_again_at: null,
      payment_data: {},
      page_nonce: randomUUID(),
      history: [],
    };
    store.addTrade(trade);
    log('deposit received', { trade_no, account_id: deposit.account_id });
    announce(trade, null);
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

  /** Carries out a bank's action on a paid trade, or throws {@link IllegalAction}. */
  bankAct(trade: Trade, action: BankAction): void {
    this.move(trade, bankStepOf(trade, action));
  }

  /** Takes one step of the transition table; `out_request_no` is the refund's whose step it is. */
  move(trade: Trade, step: Transition, out_request_no: string | null = null): void {
    const { clock, log, announce, settings } = this.#parts;
    const at = clock.now();
    trade.trade_status = step.to;
    trade.updated_at = at;
    trade.history.push({ from: step.from, to: step.to, at, why: step.why });
    if (step.to === 'PROCESSING' && Object.keys(trade.payment_data).length === 0) this.#givePaymentData(trade);
    const standsAgain = transition(step.to, 'SUCCESS')?.silent;
    trade.stands_again_at = standsAgain ? at + duration(settings().standsAgainAfter) : null;
    this.#setDeadline(trade);
    log('trade moved', { trade_no: trade.trade_no, from: step.from, to: step.to });
    if (!step.silent) announce(trade, out_request_no);
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
    const end = endOf(trade);
    if (!end) return;
    const { step } = end;
    const cancel = this.#parts.clock.at(end.at, async () => {
      this.move(trade, step);
      await this.#parts.store.save();
    });
    this.#deadlines.set(trade.trade_no, cancel);
  }
}

/** The step of the table from a trade's state to another, or {@link IllegalAction}. */
export function stepTo(trade: Trade, to: TradeStatus): Transition {
  const step = transition(trade.trade_status, to);
  if (!step) throw new IllegalAction(`A trade that is ${trade.trade_status} can not become ${to}.`);
  return step;
}

/** The step of a bank's action on a trade, or {@link IllegalAction}. */
export function bankStepOf(trade: Trade, action: BankAction): Transition {
  const step = bankStep(trade.trade_status, action);
  if (!step) throw new IllegalAction(`A trade that is ${trade.trade_status} can not become ${bankActions[action]}.`);
  return step;
}

/** When a trade's state ends by itself, and in what. */
function endOf(trade: Trade): { at: number; step: Transition } | undefined {
  const ends: Partial<Record<TradeStatus, readonly [number | null, TradeStatus]>> = {
    INITIAL: [trade.expires_at, 'EXPIRED'],
    PROCESSING: [trade.cancels_at, 'CANCEL'],
    REFUND_REVOKE: [trade.stands_again_at, 'SUCCESS'],
    CHARGEBACK_REVERSED: [trade.stands_again_at, 'SUCCESS'],
  };
  const [at, to] = ends[trade.trade_status] ?? [];
  return at === undefined || at === null || to === undefined ? undefined : { at, step: stepTo(trade, to) };
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
