/** What interrupts a workflow that waits: notifications, and requests to query the gateway now. */
import type { NotificationSignal } from '../../contract';
import { RecheckRequests } from './recheck-requests';

export class PendingNotifications extends RecheckRequests {
  private notifications: NotificationSignal[] = [];

  /** Whether neither a notification nor a recheck waits. */
  get isEmpty(): boolean {
    return this.notifications.length === 0 && !this.isRequested;
  }

  add(notification: NotificationSignal): void {
    this.notifications.push(notification);
  }

  /** The notifications that nobody has taken yet. */
  peek(): readonly NotificationSignal[] {
    return this.notifications;
  }

  takeAll(): NotificationSignal[] {
    return this.notifications.splice(0);
  }
}
