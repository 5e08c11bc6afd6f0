/**
 * Notifications and requests to look now, as they come. A notification leaves the mailbox only when it is settled: when a
 * look that began after it came has been recorded.
 */
import { isOfTrade, type NotificationSignal, tradesNamedBy } from '../../contract';
import { RecheckRequests } from './recheck-requests';

/** A notification that has come, whether a look has begun since, and whether the gateway denied it at one. */
interface Entry {
  readonly notification: NotificationSignal;
  isLookedInto: boolean;
  isDenied: boolean;
}

export class Mailbox extends RecheckRequests {
  private entries: Entry[] = [];
  /** The last notification that came, and when. */
  latest: { trade_status: string | undefined; trade_no: string | undefined; at: string } | undefined;

  add(notification: NotificationSignal): void {
    const { trade_status, trade_no } = notification;
    this.latest = { trade_status, trade_no, at: new Date().toISOString() };
    this.entries.push({ notification, isLookedInto: false, isDenied: false });
  }

  /** What has come and is not settled. */
  get unsettled(): readonly NotificationSignal[] {
    return this.entries.map(({ notification }) => notification);
  }

  /** The trades that were named, by their own numbers. */
  get named(): { trade_no: string }[] {
    return tradesNamedBy(this.unsettled).map((trade_no) => ({ trade_no }));
  }

  /** What has come of one trade, and of none in particular. */
  unsettledOf(trade_no: string | null | undefined): readonly NotificationSignal[] {
    return this.unsettled.filter((one) => isOfTrade(one, trade_no));
  }

  /** What a look has begun for that was not recorded yet. */
  get lookedInto(): readonly NotificationSignal[] {
    return this.entries.flatMap(({ notification, isLookedInto }) => (isLookedInto ? [notification] : []));
  }

  /** What the gateway said that it knows nothing of. It may be behind, so it is looked at again. */
  get denied(): readonly NotificationSignal[] {
    return this.entries.flatMap(({ notification, isDenied }) => (isDenied ? [notification] : []));
  }

  deny(notifications: readonly NotificationSignal[]): void {
    for (const entry of this.entries) entry.isDenied ||= notifications.includes(entry.notification);
  }

  /** Whether something has come since the last look began. */
  get hasNews(): boolean {
    return this.isRequested || this.entries.some(({ isLookedInto }) => !isLookedInto);
  }

  /** Call it when a look begins. Returns the notifications that this look settles once it is recorded. */
  beginLook(): readonly NotificationSignal[] {
    for (const entry of this.entries) entry.isLookedInto = true;
    return this.unsettled;
  }

  /** These were not looked at after all: they are news again. */
  putBack(notifications: readonly NotificationSignal[]): void {
    for (const entry of this.entries) if (notifications.includes(entry.notification)) entry.isLookedInto = false;
  }

  /** Takes out what was looked into. Others that came meanwhile stay. */
  settle(notifications: readonly NotificationSignal[]): void {
    this.entries = this.entries.filter(({ notification }) => !notifications.includes(notification));
  }
}
