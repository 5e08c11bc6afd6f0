/** What comes from outside while a payment waits: notifications, and wishes to ask the gateway now. */
import { condition } from '@temporalio/workflow';
import type { NotificationSignal } from './contract';
import { Rechecks } from './rechecks';

export class Inbox extends Rechecks {
  private notifications: NotificationSignal[] = [];

  get isEmpty(): boolean {
    return this.notifications.length === 0 && !this.wantsCheck;
  }

  put(notification: NotificationSignal): void {
    this.notifications.push(notification);
  }

  /** Asks for a look at the trade; resolves when there was one that began later, or when `enough` says so. */
  async recheck(enough: () => boolean): Promise<void> {
    const isAnswered = this.ask();
    await condition(() => isAnswered() || enough());
  }

  /** What was notified and not read yet. */
  peek(): readonly NotificationSignal[] {
    return this.notifications;
  }

  take(): NotificationSignal[] {
    return this.notifications.splice(0);
  }
}
