import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import type { Context } from '../context';
import {
  type DeliveryResult,
  type NotificationRecord,
  notificationSchema,
  type TradeRecord,
  type TradeState,
} from '../records';
import { MINUTE_MS } from '../time';
import { notificationBody } from './body';
import { postNotification, signatureValue } from './sender';

/** When each attempt is due, in ms after the first one (section 6.3 of the interface). There are no others. */
const attemptOffsets: readonly number[] = [0, 10, 30, 60, 120, 360, 840].map((minutes) => minutes * MINUTE_MS);

// How long an attempt waits for a later one, if the fault `reorder` does not say.
const LONGEST_HOLD = 10 * MINUTE_MS;

const notSent = (error: string): DeliveryResult => ({ http_status: null, acknowledged: false, error });

/** Delivers notifications to merchants: at once, and again by the schedule until the merchant acknowledges. */
export class NotificationQueue {
  readonly #connections = new Agent({ keepAliveTimeout: 4_000, pipelining: 1 });
  // Notifications that wait until a later one of the same trade or account was attempted.
  readonly #held = new Set<NotificationRecord>();

  constructor(private readonly context: Context) {}

  /** Schedules what an earlier process did not deliver. */
  resume(): void {
    for (const notification of this.context.store.notifications.values()) this.#schedule(notification);
  }

  /** Notifies the merchant of a trade's state, if the settings and the trade allow it. */
  notify(trade: TradeRecord, out_request_no: string | null): void {
    const { notifications, notifyStatuses } = this.context.settings;
    const isNotified = trade.trade_status === 'SUCCESS' || notifyStatuses.includes(trade.trade_status);
    if (!notifications || !trade.notifications || !isNotified) return;
    this.#schedule(this.#write(trade, out_request_no, false));
  }

  /** Makes the first attempts of a trade's notifications now. Resolves when they were made. */
  async hurry({ trade_no }: TradeRecord): Promise<void> {
    const waiting = [...this.context.store.notifications.values()].filter(
      (one) => one.trade_no === trade_no && one.attempts.length === 0 && this.context.deadlines.has(one.id),
    );
    for (const notification of waiting) {
      this.context.deadlines.cancel(notification.id);
      await this.#run(notification);
    }
  }

  /** Sends a false state of a trade, signed with another key. The simulator does not keep this notification. */
  forge(trade: TradeRecord, trade_status: TradeState): Promise<DeliveryResult> {
    const body = this.#bodyOf({ ...trade, trade_status }, null);
    return this.#post({ app_id: trade.app_id, notify_url: trade.notify_url, body }, true);
  }

  /** The dashboard's callback button: one attempt now, whatever the settings say. Resolves when it was made. */
  async callback(trade: TradeRecord): Promise<NotificationRecord> {
    const latest = this.context.store.refundsOf(trade.trade_no).at(-1);
    const isOfRefund = latest !== undefined && latest.refund_status === trade.trade_status;
    const notification = this.#write(trade, isOfRefund ? latest.out_request_no : null, true);
    await this.#attempt(notification);
    // This does something only if a fault delayed the attempt.
    this.#schedule(notification);
    return notification;
  }

  /** Cuts what is under way short. */
  close(): Promise<void> {
    return this.#connections.destroy();
  }

  #bodyOf(trade: TradeRecord, out_request_no: string | null): string {
    const { clock, settings } = this.context;
    return notificationBody(trade, { now: clock.now(), settings, out_request_no });
  }

  #write(trade: TradeRecord, out_request_no: string | null, by_hand: boolean): NotificationRecord {
    const { store, clock } = this.context;
    const now = clock.now();
    const notification = notificationSchema.parse({
      ...trade,
      id: randomUUID(),
      out_request_no,
      body: this.#bodyOf(trade, out_request_no),
      by_hand,
      first_at: now,
      next_at: now,
      acknowledged: false,
      attempts: [],
    });
    store.notifications.set(notification.id, notification);
    return notification;
  }

  #schedule(notification: NotificationRecord): void {
    this.context.deadlines.set(notification.id, notification.next_at, () => this.#run(notification));
  }

  async #run(notification: NotificationRecord): Promise<void> {
    const { clock, log } = this.context;
    try {
      await this.#attempt(notification);
    } catch (error) {
      // The data file could not be written, so nothing was sent. Try again soon.
      log('notification not kept', { trade_no: notification.trade_no, error: String(error) });
      notification.next_at = clock.now() + MINUTE_MS;
    }
    this.#schedule(notification);
  }

  async #attempt(notification: NotificationRecord): Promise<void> {
    const { store, clock, faults } = this.context;
    // Save first: the merchant must not hear of something that a crash makes the gateway forget.
    await store.save();
    const trade = store.trades.get(notification.trade_no);
    const fault = faults.onNotification({ ...notification, buyer_id: trade?.buyer_id });
    if (fault?.name === 'delay') {
      notification.next_at = clock.now() + fault.ms;
      return;
    }
    if (fault?.name === 'reorder') {
      notification.next_at = clock.now() + (fault.ms || LONGEST_HOLD);
      this.#held.add(notification);
      return;
    }
    // The false state: SUCCESS, or REFUNDED if SUCCESS is true.
    if (fault?.name === 'forge' && trade) {
      await this.forge(trade, notification.trade_status === 'SUCCESS' ? 'REFUNDED' : 'SUCCESS');
    }
    const at = clock.now();
    const isDropped = fault?.name === 'drop';
    const wrongKey = fault?.name === 'wrong-signature';
    const result = isDropped ? notSent('dropped by a fault') : await this.#post(notification, wrongKey);
    if (fault?.name === 'duplicate') await this.#post(notification, false);
    // Closing has cut this attempt short. It does not count and is made again after a restart.
    if (this.context.closing.signal.aborted) return;
    this.#record(notification, at, result);
    this.#release(notification);
    await store.save();
  }

  #record(notification: NotificationRecord, at: number, result: DeliveryResult): void {
    const { attempts, first_at, trade_no, trade_status } = notification;
    attempts.push({ at, ...result });
    notification.acknowledged = result.acknowledged;
    const offset = result.acknowledged || notification.by_hand ? undefined : attemptOffsets[attempts.length];
    notification.next_at = offset === undefined ? null : first_at + offset;
    this.context.log('notification attempted', { trade_no, trade_status, attempt: attempts.length, ...result });
  }

  // Sends what waited for this attempt.
  #release(later: NotificationRecord): void {
    for (const notification of this.#held) {
      if (groupOf(notification) !== groupOf(later)) continue;
      this.#held.delete(notification);
      if (notification === later || !this.context.deadlines.has(notification.id)) continue;
      notification.next_at = this.context.clock.now();
      this.#schedule(notification);
    }
  }

  async #post(
    { app_id, notify_url, body }: Pick<NotificationRecord, 'app_id' | 'notify_url' | 'body'>,
    wrongKey: boolean,
  ): Promise<DeliveryResult> {
    const { apps, settings, clock } = this.context;
    const app = apps.find((one) => one.app_id === app_id);
    // A data file can have trades of an app that is not configured any more. There is no key to sign with.
    if (!app) return notSent('the app is not served any more');
    const bytes = Buffer.from(body, 'utf8');
    const key = wrongKey ? `not ${app.secret_key}` : app.secret_key;
    const value = signatureValue(settings.signatureScheme, bytes, key, clock.now());
    const signal = AbortSignal.timeout(settings.ackTimeoutMs);
    const headers = { [settings.signatureHeader]: value };
    return postNotification(notify_url, bytes, headers, { dispatcher: this.#connections, signal });
  }
}

/** Notifications of one virtual account, or of one trade, can overtake each other. */
function groupOf({ account_id, trade_no }: NotificationRecord): string {
  return account_id ?? trade_no;
}
