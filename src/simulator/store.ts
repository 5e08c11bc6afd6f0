import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { types } from 'node:util';
import { z } from 'zod';
import { clockReadingSchema, type SimulatorClock } from './clock';
import type { NotificationRecord, RefundRecord, TradeRecord, VirtualAccount } from './records';
import * as records from './records';
import { utcText } from './time';

const fileSchema = z.object({
  version: z.literal(1),
  clock: clockReadingSchema,
  count: z.int(),
  trades: z.array(records.tradeSchema),
  notifications: z.array(records.notificationSchema),
  refunds: z.array(records.refundSchema),
  accounts: z.array(records.accountSchema),
});

/** All records of the simulated gateway: in memory, and in a file if one is named. */
export class Store {
  /**
   * By `trade_no`, by `refund_id`, by `account_id` and by `id`; each oldest first. Add trades and refunds by the methods
   * below.
   */
  readonly trades = new Map<string, TradeRecord>();
  readonly refunds = new Map<string, RefundRecord>();
  readonly accounts = new Map<string, VirtualAccount>();
  readonly notifications = new Map<string, NotificationRecord>();
  readonly #orders = new Map<string, TradeRecord[]>();
  readonly #refundsOfTrade = new Map<string, RefundRecord[]>();
  #count = 0;
  #writing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  private constructor(
    private readonly file: string | undefined,
    private readonly clock: SimulatorClock,
  ) {}

  /** Opens the store and reads what an earlier process left in the file. Throws if the file is not such a file. */
  static async open(file: string | undefined, clock: SimulatorClock): Promise<Store> {
    const store = new Store(file, clock);
    const text = file === undefined ? undefined : await readIfThere(file);
    if (text === undefined) return store;
    const saved = fileSchema.parse(JSON.parse(text));
    clock.resume(saved.clock);
    store.#count = saved.count;
    for (const trade of saved.trades) store.addTrade(trade);
    for (const notification of saved.notifications) store.notifications.set(notification.id, notification);
    for (const refund of saved.refunds) store.addRefund(refund);
    for (const account of saved.accounts) store.accounts.set(account.account_id, account);
    return store;
  }

  /** A new trade number; like the service's own it begins with the date. */
  nextTradeNo(): string {
    return utcText(this.clock.now()).replace(/\D/g, '') + String(this.nextCount()).padStart(6, '0');
  }

  /** Counts upwards, also over restarts. */
  nextCount(): number {
    this.#count += 1;
    return this.#count;
  }

  addTrade(trade: TradeRecord): void {
    this.trades.set(trade.trade_no, trade);
    const order = this.#orders.get(orderKey(trade.app_id, trade.out_trade_no));
    if (order) order.push(trade);
    else this.#orders.set(orderKey(trade.app_id, trade.out_trade_no), [trade]);
  }

  addRefund(refund: RefundRecord): void {
    this.refunds.set(refund.refund_id, refund);
    this.#refundsOfTrade.set(refund.trade_no, [...this.refundsOf(refund.trade_no), refund]);
  }

  /** The trades of each order, oldest first. An app's number has several if it was used twice. */
  orders(): Iterable<readonly TradeRecord[]> {
    return this.#orders.values();
  }

  /** An app's trade by the merchant's own number; the latest one if the app used the number twice. */
  tradeOfMerchant(appId: string, outTradeNo: string): TradeRecord | undefined {
    return this.#orders.get(orderKey(appId, outTradeNo))?.at(-1);
  }

  /** The refunds of a trade, oldest first. */
  refundsOf(tradeNo: string): readonly RefundRecord[] {
    return this.#refundsOfTrade.get(tradeNo) ?? [];
  }

  /**
   * Resolves when all changes so far are in the file. Wait for it before an answer or a notification leaves: it must not
   * be about something that a crash makes the gateway forget. Changes made during one write share the next one.
   */
  save(): Promise<void> {
    const file = this.file;
    if (file === undefined) return Promise.resolve();
    if (this.#queued === undefined) {
      this.#queued = this.#writing.then(() => {
        this.#queued = undefined;
        return this.#write(file);
      });
      this.#writing = this.#queued.catch(() => undefined);
    }
    return this.#queued;
  }

  async #write(file: string): Promise<void> {
    const { trades, notifications, refunds, accounts } = this;
    const lists = Object.entries({ trades, notifications, refunds, accounts }).map(([name, records]) => {
      return [name, [...records.values()]];
    });
    const state = { version: 1, clock: this.clock.reading(), count: this.#count, ...Object.fromEntries(lists) };
    const text = JSON.stringify(state);
    await mkdir(dirname(file), { recursive: true });
    // Write to a draft and rename it: a reader sees the old file or the new one, also after the machine crashed.
    const draft = `${file}.${randomUUID()}.tmp`;
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  }
}

function orderKey(appId: string, outTradeNo: string): string {
  return JSON.stringify([appId, outTradeNo]);
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}
