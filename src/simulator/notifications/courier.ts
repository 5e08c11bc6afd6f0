import { randomUUID } from 'node:crypto';
import type { SimulatorClock } from '../clock';
import type { Faults } from '../faults/faults';
import type { GatewayApp, LogDetails, Settings } from '../options';
import type { Store } from '../store';
import { MINUTE } from '../time';
import type { Trade } from '../trades/trade';
import { notificationBody } from './body';
import type { Notification } from './notification';
import { type Delivery, Postman } from './post';
import { nextAttempt } from './schedule';
import { signatureHeader } from './signature';

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
  #closed = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Goes on with what an earlier process left undelivered. */
  resume(): void {
    for (const notification of this.#parts.store.notifications()) this.#schedule(notification);
  }

  /** Tells a trade's state to its merchant, where the settings and the trade let it. */
  announce(trade: Trade): void {
    const { notifications, notifyStatuses } = this.#parts.settings();
    const isTold = trade.trade_status === 'SUCCESS' || notifyStatuses.includes(trade.trade_status);
    if (!notifications || !trade.notifications || !isTold) return;
    this.#schedule(this.#write(trade, false));
  }

  /** The dashboard's callback button: one attempt now, whatever the settings say. Resolves when it was made. */
  async callback(trade: Trade): Promise<Notification> {
    const notification = this.#write(trade, true);
    await this.#attempt(notification);
    // Nothing is left to do unless a fault delayed it.
    this.#schedule(notification);
    return notification;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
    await this.#postman.close();
  }

  #write(trade: Trade, byHand: boolean): Notification {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const notification: Notification = {
      id: randomUUID(),
      app_id: trade.app_id,
      trade_no: trade.trade_no,
      out_trade_no: trade.out_trade_no,
      trade_status: trade.trade_status,
      notify_url: trade.notify_url,
      body: notificationBody(trade, now),
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
    const { clock, log } = this.#parts;
    const cancel = clock.at(notification.next_at, async () => {
      this.#due.delete(notification.id);
      try {
        await this.#attempt(notification);
      } catch (error) {
        // The data file could not be written: nothing was sent that is not kept, and it is tried again soon.
        log('notification not kept', { trade_no: notification.trade_no, error: String(error) });
        notification.next_at = clock.now() + MINUTE;
      }
      this.#schedule(notification);
    });
    this.#due.set(notification.id, cancel);
  }

  async #attempt(notification: Notification): Promise<void> {
    const { store, clock, faults, log } = this.#parts;
    // The merchant must not hear of something that a crash would make the gateway forget.
    await store.save();
    const fault = faults.onNotification(notification.out_trade_no);
    if (fault?.name === 'delay') {
      notification.next_at = clock.now() + fault.ms;
      return;
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
    await store.save();
  }

  #post(notification: Notification, wrongKey: boolean): Promise<Delivery> {
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
