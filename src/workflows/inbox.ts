/** What comes from outside while a payment waits: notifications, and wishes to ask the gateway now. */
import { condition } from '@temporalio/workflow';
import type { NotificationSignal } from './contract';

export class Inbox {
  private notifications: NotificationSignal[] = [];
  private wanted = 0;
  private answered = 0;

  get isEmpty(): boolean {
    return this.notifications.length === 0 && this.answered === this.wanted;
  }

  put(notification: NotificationSignal): void {
    this.notifications.push(notification);
  }

  /** Asks for a look at the trade; resolves when there was one that began later, or when `enough` says so. */
  async recheck(enough: () => boolean): Promise<void> {
    const mine = ++this.wanted;
    await condition(() => this.answered >= mine || enough());
  }

  /** Whether somebody waits for a look. */
  get wantsCheck(): boolean {
    return this.answered < this.wanted;
  }

  /** What was notified and not read yet. */
  peek(): readonly NotificationSignal[] {
    return this.notifications;
  }

  take(): NotificationSignal[] {
    return this.notifications.splice(0);
  }

  /** Runs a look at the trade, which answers every recheck that was asked for before it began. */
  async looking(look: () => Promise<void>): Promise<void> {
    const { wanted } = this;
    await look();
    this.answered = wanted;
  }
}
