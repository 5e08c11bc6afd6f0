/**
 * Notifications and requests to look now, as they come. A notification is pending until it is settled: until a look that
 * began after it came has been recorded.
 */
import { isOfTrade, type NotificationSignal, outcomeOf, readSignal, tradesNamedBy } from '../../contract';
import { RecheckRequests } from './recheck-requests';

/** A notification, whether a look has begun since it came, and whether the gateway denied its trade at one. */
interface Entry {
  readonly notification: NotificationSignal;
  isLookedInto: boolean;
  isDenied: boolean;
}

const saysTheSame = (one: NotificationSignal, other: NotificationSignal) =>
  (['trade_no', 'trade_status', 'amount', 'currency'] as const).every((field) => one[field] === other[field]);

export class PendingNotifications extends RecheckRequests {
  private entries: Entry[] = [];
  /** Those of money that a look has contradicted. They count again where the trade ends without what they say. */
  private contradicted: NotificationSignal[] = [];
  /** The last notification that came, and when. */
  latest: { trade_status: string | undefined; trade_no: string | undefined; at: string } | undefined;

  add(signal: NotificationSignal): void {
    const notification = readSignal(signal) ?? {};
    const { trade_status, trade_no } = notification;
    this.latest = { trade_status, trade_no, at: new Date().toISOString() };
    this.entries.push({ notification, isLookedInto: false, isDenied: false });
  }

  /** All that have come and are not settled. */
  get all(): readonly NotificationSignal[] {
    return this.entries.map(({ notification }) => notification);
  }

  /** What has come and no look has confirmed: a run that takes over has to hear of it. */
  get unsettled(): readonly NotificationSignal[] {
    return [...this.contradicted, ...this.all];
  }

  /** Takes out everything that has come: the payment has ended, and hands it over. */
  takeAll(): { notified: readonly NotificationSignal[]; contradicted: readonly NotificationSignal[] } {
    const { all: notified, contradicted } = this;
    this.entries = [];
    this.contradicted = [];
    return { notified, contradicted };
  }

  /** The trades that the pending notifications name, each by its own number. */
  get named(): { trade_no: string }[] {
    return tradesNamedBy(this.all).map((trade_no) => ({ trade_no }));
  }

  /** Those that name this trade, and those that name none. */
  ofTrade(trade_no: string | null | undefined): readonly NotificationSignal[] {
    return this.all.filter((one) => isOfTrade(one, trade_no));
  }

  /** Those for which a look has begun that is not recorded yet. */
  get lookedInto(): readonly NotificationSignal[] {
    return this.entries.flatMap(({ notification, isLookedInto }) => (isLookedInto ? [notification] : []));
  }

  /** Those of whose trades the gateway said that it knows nothing. It may be behind, so they stay. */
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
    return this.all;
  }

  /**
   * A look has contradicted these: they wait no longer for one. Those of money are remembered; a repetition is no more than the
   * first. Returns whether there are any.
   */
  contradict(notifications: readonly NotificationSignal[]): boolean {
    const claims = notifications.filter(({ trade_status = '' }) => outcomeOf(trade_status) === 'SUCCESS');
    for (const one of claims)
      if (!this.contradicted.some((known) => saysTheSame(known, one))) this.contradicted.push(one);
    this.settle(notifications);
    return claims.length > 0;
  }

  /** A person, who was shown what the gateway contradicts or denies, has said that there is no money. */
  forgetContradicted(): void {
    this.contradicted = [];
    this.settle(this.denied);
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
