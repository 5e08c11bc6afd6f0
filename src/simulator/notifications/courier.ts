import { randomUUID } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { Faults } from '../faults/faults';
import type { GatewayApp, LogDetails, Settings } from '../options';
import type { Store } from '../store';
import { MINUTE } from '../time';
import type { TradeStatus } from '../trades/states';
import type { Trade } from '../trades/trade';
import { notificationBody } from './body';
import type { Notification } from './notification';
import { type Delivery, Postman } from './post';
import { nextAttempt } from './schedule';
import { signatureHeader } from './signature';

// How long an attempt that waits for a later one waits at most, where the fault does not say.
const LONGEST_HOLD = 10 * MINUTE;

/** What the courier needs from the rest of the simulator. */
export interface CourierParts {
  store: Store;
  clock: SimulatorClock;
  faults: Faults;
  apps: readonly GatewayApp[];
  settings: () => Settings;
  log: (message: string, details: LogDetails) => void;
}

/** Brings notifications to merchants: at once, and again by the schedule until one is acknowledged. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #postman = new Postman();
  readonly #due = new Map<string, () => void>();
  // Notifications that wait for a later one of the same trade or account to overtake them.
  readonly #held = new Map<string, Notification[]>();
  #closed = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Goes on with what an earlier process left undelivered. */
  resume(): void {
    for (const notification of this.#parts.store.notifications()) this.#schedule(notification);
  }

  /** Tells a trade's state to its merchant, where the settings and the trade let it; with the number of its refund. */
  announce(trade: Trade, out_request_no: string | null): void {
    const { notifications, notifyStatuses } = this.#parts.settings();
    const isTold = trade.trade_status === 'SUCCESS' || notifyStatuses.includes(trade.trade_status);
    if (!notifications || !trade.notifications || !isTold) return;
    this.#schedule(this.#write(trade, out_request_no, false));
  }

  /** Makes the first attempts of a trade's notifications at once; resolves when they were made. */
  async hurry({ trade_no }: Trade): Promise<void> {
    const waiting = [...this.#parts.store.notifications()].filter(
      (one) => one.trade_no === trade_no && one.attempts.length === 0 && this.#due.has(one.id),
    );
    for (const notification of waiting) {
      this.#due.get(notification.id)?.();
      await this.#run(notification);
    }
  }

  /** Sends a lie about a trade's state, signed with another key; nothing of it is kept. */
  forge(trade: Trade, trade_status: TradeStatus): Promise<Delivery> {
    const body = this.#bodyOf({ ...trade, trade_status }, null);
    return this.#post({ app_id: trade.app_id, notify_url: trade.notify_url, body }, true);
  }

  /** The dashboard's callback button: one attempt now, whatever the settings say. Resolves when it was made. */
  async callback(trade: Trade): Promise<Notification> {
    const latest = this.#parts.store.refundsOf(trade.trade_no).at(-1);
    const isOfRefund = latest !== undefined && latest.refund_status === trade.trade_status;
    const notification = this.#write(trade, isOfRefund ? latest.out_request_no : null, true);
    await this.#attempt(notification);
    // Nothing is left to do unless a fault delayed it.
    this.#schedule(notification);
    return notification;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
    this.#held.clear();
    await this.#postman.close();
  }

  #bodyOf(trade: Trade, out_request_no: string | null): string {
    const { clock, settings } = this.#parts;
    return notificationBody(trade, { now: clock.now(), settings: settings(), out_request_no });
  }

  #write(trade: Trade, out_request_no: string | null, byHand: boolean): Notification {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const notification: Notification = {
      id: randomUUID(),
      app_id: trade.app_id,
      trade_no: trade.trade_no,
      out_trade_no: trade.out_trade_no,
      trade_status: trade.trade_status,
      out_request_no,
      account_id: trade.account_id,
      notify_url: trade.notify_url,
      body: this.#bodyOf(trade, out_request_no),
      by_hand: byHand,
      first_at: now,
      next_at: now,
      acknowledged: false,
      attempts: [],
    };
    store.addNotification(notification);
    return notification;
  }

  #schedule(notification: Notification): void {
    if (notification.next_at === null || this.#closed) return;
    const cancel = this.#parts.clock.at(notification.next_at, () => this.#run(notification));
    this.#due.set(notification.id, cancel);
  }

  async #run(notification: Notification): Promise<void> {
    const { clock, log } = this.#parts;
    this.#due.delete(notification.id);
    try {
      await this.#attempt(notification);
    } catch (error) {
      // The data file could not be written: nothing was sent that is not kept, and it is tried again soon.
      log('notification not kept', { trade_no: notification.trade_no, error: String(error) });
      notification.next_at = clock.now() + MINUTE;
    }
    this.#schedule(notification);
  }

  async #attempt(notification: Notification): Promise<void> {
    const { store, clock, faults, log } = this.#parts;
    // The merchant must not hear of something that a crash would make the gateway forget.
    await store.save();
    const trade = store.trade(notification.trade_no);
    const fault = faults.onNotification({
      app_id: notification.app_id,
      out_trade_no: notification.out_trade_no,
      account_id: notification.account_id ?? undefined,
      buyer_id: trade?.buyer_id,
      trade_status: notification.trade_status,
    });
    if (fault?.name === 'delay') {
      notification.next_at = clock.now() + fault.ms;
      return;
    }
    if (fault?.name === 'reorder') {
      notification.next_at = clock.now() + (fault.ms || LONGEST_HOLD);
      this.#held.set(groupOf(notification), [...(this.#held.get(groupOf(notification)) ?? []), notification]);
      return;
    }
    // A lie: that it was paid, or where that is the truth, that it was given back.
    if (fault?.name === 'forge' && trade) {
      await this.forge(trade, notification.trade_status === 'SUCCESS' ? 'REFUNDED' : 'SUCCESS');
    }
    const at = clock.now();
    let delivery: Delivery = { http_status: null, acknowledged: false, error: 'dropped by a fault' };
    if (fault?.name !== 'drop') delivery = await this.#post(notification, fault?.name === 'wrong-signature');
    if (fault?.name === 'duplicate') await this.#post(notification, false);
    // An attempt that closing cut short was none: it is made again after a restart.
    if (this.#closed) return;
    notification.attempts.push({ at, ...delivery });
    notification.acknowledged = delivery.acknowledged;
    notification.next_at =
      delivery.acknowledged || notification.by_hand
        ? null
        : nextAttempt(notification.first_at, notification.attempts.length);
    log('notification attempted', {
      trade_no: notification.trade_no,
      trade_status: notification.trade_status,
      attempt: notification.attempts.length,
      ...delivery,
    });
    this.#release(notification);
    await store.save();
  }

  // What waited to be overtaken by this attempt goes now.
  #release(overtaker: Notification): void {
    const held = this.#held.get(groupOf(overtaker)) ?? [];
    this.#held.delete(groupOf(overtaker));
    for (const notification of held) {
      const cancel = this.#due.get(notification.id);
      if (notification === overtaker || !cancel) continue;
      cancel();
      notification.next_at = this.#parts.clock.now();
      this.#schedule(notification);
    }
  }

  #post(notification: Pick<Notification, 'app_id' | 'notify_url' | 'body'>, wrongKey: boolean): Promise<Delivery> {
    const { apps, settings, clock } = this.#parts;
    const { signatureHeader: name, signatureScheme, ackTimeoutMs } = settings();
    const app = apps.find(({ app_id }) => app_id === notification.app_id);
    // A data file can hold trades of an app that is no longer served: nobody can sign for it.
    if (!app)
      return Promise.resolve({ http_status: null, acknowledged: false, error: 'the app is not served any more' });
    const bytes = Buffer.from(notification.body, 'utf8');
    const key = wrongKey ? `not ${app.secret_key}` : app.secret_key;
    const value = signatureHeader(signatureScheme, bytes, key, clock.now());
    return this.#postman.post(notification.notify_url, bytes, { [name]: value }, ackTimeoutMs);
  }
}

/** Whose notifications overtake each other: a virtual account's, or a trade's. */
function groupOf({ account_id, trade_no }: Notification): string {
  return account_id ?? trade_no;
}
