import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { types } from 'node:util';
import { z } from 'zod';
import { type Account, accountSchema } from './accounts/account';
import type { SimulatorClock } from './clock';
import { type Notification, notificationSchema } from './notifications/notification';
import { type Refund, refundSchema } from './refunds/refund';
import { utcText } from './time';
import { type Trade, tradeSchema } from './trades/trade';

const fileSchema = z.object({
  version: z.literal(1),
  clock: z.object({ now: z.number(), real: z.number(), speed: z.number() }),
  count: z.int(),
  trades: z.array(tradeSchema),
  notifications: z.array(notificationSchema),
  // Files of earlier versions lack these.
  refunds: z.array(refundSchema).default([]),
  accounts: z.array(accountSchema).default([]),
});

/** Everything the simulated gateway knows: in memory, and in a file where one is named. */
export class Store {
  readonly #file: string | undefined;
  readonly #clock: SimulatorClock;
  readonly #trades = new Map<string, Trade>();
  readonly #byMerchantNumber = new Map<string, Trade>();
  readonly #notifications = new Map<string, Notification>();
  readonly #refunds = new Map<string, Refund>();
  readonly #refundsOfTrade = new Map<string, Refund[]>();
  readonly #accounts = new Map<string, Account>();
  #count = 0;
  #writing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  private constructor(file: string | undefined, clock: SimulatorClock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Opens the store, with what an earlier process left in the file. */
  static async open(file: string | undefined, clock: SimulatorClock): Promise<Store> {
    const store = new Store(file, clock);
    const text = file === undefined ? undefined : await readIfThere(file);
    if (text === undefined) return store;
    const saved = fileSchema.parse(JSON.parse(text));
    clock.resume(saved.clock);
    store.#count = saved.count;
    for (const trade of saved.trades) store.addTrade(trade);
    for (const notification of saved.notifications) store.addNotification(notification);
    for (const refund of saved.refunds) store.addRefund(refund);
    for (const account of saved.accounts) store.addAccount(account);
    return store;
  }

  /** A number never given before, with the date in front as the service does. */
  nextTradeNo(): string {
    return utcText(this.#clock.now()).replace(/\D/g, '') + String(this.nextCount()).padStart(6, '0');
  }

  /** Counts upwards over restarts: what must be unique to a trade is made of it. */
  nextCount(): number {
    this.#count += 1;
    return this.#count;
  }

  addTrade(trade: Trade): void {
    this.#trades.set(trade.trade_no, trade);
    this.#byMerchantNumber.set(merchantKey(trade.app_id, trade.out_trade_no), trade);
  }

  trades(): Iterable<Trade> {
    return this.#trades.values();
  }

  trade(tradeNo: string): Trade | undefined {
    return this.#trades.get(tradeNo);
  }

  tradeOfMerchant(appId: string, outTradeNo: string): Trade | undefined {
    return this.#byMerchantNumber.get(merchantKey(appId, outTradeNo));
  }

  addNotification(notification: Notification): void {
    this.#notifications.set(notification.id, notification);
  }

  notifications(): Iterable<Notification> {
    return this.#notifications.values();
  }

  addRefund(refund: Refund): void {
    this.#refunds.set(refund.refund_id, refund);
    this.#refundsOfTrade.set(refund.trade_no, [...this.refundsOf(refund.trade_no), refund]);
  }

  refunds(): Iterable<Refund> {
    return this.#refunds.values();
  }

  refund(refundId: string): Refund | undefined {
    return this.#refunds.get(refundId);
  }

  /** The refunds of a trade, oldest first. */
  refundsOf(tradeNo: string): readonly Refund[] {
    return this.#refundsOfTrade.get(tradeNo) ?? [];
  }

  addAccount(account: Account): void {
    this.#accounts.set(account.account_id, account);
  }

  accounts(): Iterable<Account> {
    return this.#accounts.values();
  }

  account(accountId: string): Account | undefined {
    return this.#accounts.get(accountId);
  }

  /**
   * Resolves when everything changed so far is in the file. Callers wait for it before they tell anybody: an answer or a
   * notification about a trade that a crash then forgets would be a lie. Changes made while one writing is under way
   * share the next.
   */
  save(): Promise<void> {
    const file = this.#file;
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
    const text = JSON.stringify({
      version: 1,
      clock: this.#clock.reading(),
      count: this.#count,
      trades: [...this.#trades.values()],
      notifications: [...this.#notifications.values()],
      refunds: [...this.#refunds.values()],
      accounts: [...this.#accounts.values()],
    });
    await mkdir(dirname(file), { recursive: true });
    // A reader sees the old file or the new one, never half of one, also after a crash of the machine.
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

function merchantKey(appId: string, outTradeNo: string): string {
  return JSON.stringify([appId, outTradeNo]);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
