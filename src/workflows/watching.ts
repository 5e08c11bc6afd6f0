/** How a payment waits for its outcome: by notifications, by polls at constant history, and by its deadlines. */
import { condition } from '@temporalio/workflow';
import { queryTrade } from './activities';
import { type Deadline, deadlines, endOfRiskControl } from './deadlines';
import type { Inbox } from './inbox';
import type { Life } from './life';
import { type News, nextNews } from './polling';
import { outcomeOf } from './transitions';

export class Watching {
  /** When a SUCCESS that was notified but not confirmed becomes a person's business; ms since the epoch. */
  private claimedUntil: number | undefined;

  constructor(
    private readonly app_id: string,
    private readonly order: Parameters<typeof deadlines>[0],
    private readonly life: Life,
    private readonly inbox: Inbox,
  ) {}

  /** Returns once the payment is over, at the latest when its time is. */
  async run(): Promise<void> {
    const { record, policy } = this.life;
    for (const notification of this.inbox.peek()) record.learnMethod(notification.method);
    const stages = deadlines(this.order, Date.now(), policy);
    record.expiresAt(stages[0].at);
    // A SUCCESS that only the creation's answer has told is asked for at once.
    if (record.seen === 'SUCCESS' && !record.isOver) await this.check();
    for (const stage of stages) await this.pass(stage);
    await this.pass({ name: 'risk control', at: endOfRiskControl(record.public, policy) });
    await this.pass({ name: 'confirmation', at: this.claimedUntil ?? 0 });
    if (!record.isOver) record.gaveUp(Date.now());
  }

  /** Waits until a deadline, and asks what has become of the trade by then. */
  private async pass(stage: Deadline): Promise<void> {
    if (this.life.record.isOver || stage.at <= Date.now()) return;
    await this.until(stage);
    if (!this.life.record.isOver) await this.check();
  }

  /** Returns at the deadline, or once the payment is over. */
  private async until(stage: Deadline): Promise<void> {
    const { record } = this.life;
    while (!record.isOver) {
      if (record.needsDecision) await this.decision();
      else if (Date.now() >= stage.at) return;
      else await this.step(stage);
    }
  }

  private async step(stage: Deadline): Promise<void> {
    this.life.waitFor(`the buyer, a notification, or ${stage.name} at ${new Date(stage.at).toISOString()}`);
    const news = await this.nextNews(stage);
    if (news === 'mail') return this.heed();
    if (news !== 'time') return this.life.record.queried(news, Date.now());
    if (this.claimedUntil === undefined || Date.now() < this.claimedUntil) return;
    this.life.record.raise('unconfirmed-notification');
    this.claimedUntil = undefined;
  }

  private nextNews(stage: Deadline): Promise<News> {
    const { record, policy } = this.life;
    const watch = { app_id: this.app_id, id: record.id, seen: record.seen, schedule: scheduleOf(policy) };
    const left = Math.min(stage.at, this.claimedUntil ?? stage.at) - Date.now();
    return nextNews(watch, () => !this.inbox.isEmpty, left, stage.name);
  }

  /** A notification is a hint: the query says what is true, unless a setting believes notifications. */
  private async heed(): Promise<void> {
    const { record, policy } = this.life;
    const notifications = this.inbox.take();
    for (const notification of notifications) record.learnMethod(notification.method);
    if (!policy.confirm_by_query) {
      for (const notification of notifications) record.notified(notification, Date.now());
      if (!this.inbox.wantsCheck) return;
    }
    await this.check();
    // What the query does not say of it is not read yet.
    if (record.isOver) for (const notification of notifications) this.inbox.put(notification);
    if (record.isOver || record.needsDecision) return;
    if (notifications.some(({ trade_status = '' }) => outcomeOf(trade_status) === 'SUCCESS')) this.claimed();
  }

  /** Somebody says that money came, and the query does not: the polls begin anew, and after their schedule a person is told. */
  private claimed(): void {
    const last = this.life.policy.poll_schedule_ms.at(-1) ?? 0;
    this.claimedUntil ??= Date.now() + last;
  }

  private async check(): Promise<void> {
    const { record } = this.life;
    await this.inbox.looking(async () => {
      record.queried(await queryTrade({ app_id: this.app_id, id: record.id }), Date.now());
    });
  }

  /** Money came that is not what was ordered. Only a person ends this, or the gateway by moving the trade on. */
  private async decision(): Promise<void> {
    this.life.waitFor('a person’s decision: the update `resolve`');
    await condition(() => !this.inbox.isEmpty);
    this.inbox.take();
    await this.check();
  }
}

export function scheduleOf({ poll_schedule_ms, poll_every_ms }: Life['policy']) {
  return { poll_schedule_ms, poll_every_ms };
}
