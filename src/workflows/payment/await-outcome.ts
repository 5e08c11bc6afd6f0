/** How a payment waits for its outcome: by notifications, by polls at constant history, and by its deadlines. */
import { ActivityFailure, ApplicationFailure, condition } from '@temporalio/workflow';
import type { LookResult, Trade } from '../../contract';
import { CREDENTIALS_REFUSED, isOfTrade, type NotificationSignal, pollSchedule, tradesNamedBy } from '../../contract';
import { FIRST_BACKOFF_MS, nextBackoff } from '../shared/backoff';
import { attentionAfter, glance, lookOnce } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import { RunningWatch } from '../shared/running-watch';
import type { PaymentContext } from './context';
import { type Deadline, endOfRiskControl, orderDeadlines } from './deadlines';
import { lookAtOtherTrade, otherTradesIn } from './other-trades';

export class OutcomeWait {
  /** When a person has to look at a SUCCESS that was notified and not confirmed; ms since the epoch. */
  private confirmationDue: number | undefined;
  /** Whether the last look had an answer of the gateway. */
  private wasAnswered = true;
  /** All deadlines of the order, for people. */
  private deadlines = '';
  private readonly watch = new RunningWatch();

  constructor(
    private readonly app_id: string,
    private readonly order: Parameters<typeof orderDeadlines>[0],
    private readonly context: PaymentContext,
    private readonly pending: PendingNotifications,
    /** The order was sent more than once: nobody knows which of its trades the buyer pays. */
    private readonly sentAgain: boolean,
  ) {}

  /** Returns once the payment has an outcome; after the last deadline that is EXPIRED. */
  async run(): Promise<void> {
    const { record, policy } = this.context;
    for (const notification of this.pending.all) record.learnMethod(notification.method);
    const stages = orderDeadlines(this.order, Date.now(), policy);
    this.deadlines = stages.map(({ name, at }) => `${name} ${isoTime(at)}`).join(', ');
    record.setExpiry(stages[0].at);
    // The creation's answer alone does not prove a SUCCESS, so it is queried at once.
    if (record.lastReported === 'SUCCESS' && !record.isOver) await this.look();
    for (const stage of stages) await this.waitUntil(stage);
    await this.waitUntil({ name: 'risk control', at: endOfRiskControl(record.snapshot, policy) });
    await this.waitUntil({ name: 'confirmation', at: this.confirmationDue ?? 0 });
    // Money that came at the last moment in another amount waits for a person, however long.
    while (record.needsDecision) await this.awaitDecision();
    // EXPIRED is our own word for it, so it follows an answer of the gateway, and never a silence.
    if (!this.wasAnswered) this.context.waitFor('an answer of the gateway: without one the payment does not expire');
    for (let pause_ms = FIRST_BACKOFF_MS; !record.isOver && !this.wasAnswered; pause_ms = nextBackoff(pause_ms)) {
      await condition(() => this.pending.hasNews, pause_ms, { summary: 'before the gateway is asked again' });
      if (!record.isOver) await this.look();
      while (record.needsDecision) await this.awaitDecision();
    }
    if (!record.isOver) record.expire(Date.now());
  }

  /** Waits until a deadline, then queries the trade. */
  private async waitUntil(stage: Deadline): Promise<void> {
    if (this.context.record.isOver || stage.at <= Date.now()) return;
    await this.waitUntilDueOrOver(stage);
    if (!this.context.record.isOver) await this.look();
  }

  /** Returns at the deadline, or once the payment has an outcome. */
  private async waitUntilDueOrOver(stage: Deadline): Promise<void> {
    const { record } = this.context;
    while (!record.isOver) {
      if (record.needsDecision) await this.awaitDecision();
      else if (Date.now() >= stage.at) return;
      else await this.onNextEvent(stage);
    }
  }

  private async onNextEvent(stage: Deadline): Promise<void> {
    this.context.waitFor(
      `the buyer, a notification, or ${stage.name} at ${isoTime(stage.at)}. ${looksFrom(Date.now(), this.context.policy)} All deadlines: ${this.deadlines}; then it is EXPIRED.`,
    );
    const news = await this.nextEvent(stage);
    // Polls report it once: one that ended on each refusal would be started again and again.
    if (news === 'credentials-refused') return this.context.raise('credentials');
    if (news === 'interrupted') return this.onNotifications();
    if (news === 'due') return this.onDue(stage);
    this.wasAnswered = true;
    const { record } = this.context;
    if (isOfTrade(news, record.snapshot.trade_no)) return this.onFound(news, this.pending.lookedInto);
    record.others.note(news.trade_no ?? '', news);
    record.others.markAnswered(news.trade_no ?? '');
    this.context.raise('second-trade');
  }

  /** The watch has ended: at the deadline, or earlier if its worker has died or has a clock that is ahead. */
  private async onDue(stage: Deadline): Promise<void> {
    const left = this.dueAt(stage) - Date.now();
    const summary = `until ${stage.name}: then the gateway is asked`;
    if (left > 0) await condition(() => this.pending.hasNews, left, { summary });
    if (this.confirmationDue === undefined || Date.now() < this.confirmationDue) return;
    this.context.raise('unconfirmed-notification');
    this.confirmationDue = undefined;
  }

  /** When the wait is over, in ms since the epoch. */
  private dueAt({ at }: Deadline): number {
    return Math.min(at, this.confirmationDue ?? at);
  }

  private async nextEvent(stage: Deadline): Promise<Trade | 'interrupted' | 'due' | 'credentials-refused'> {
    const { record, policy } = this.context;
    // Any answer settles the notifications of an earlier look without one, and the attention that says so.
    const isAnswerAwaited = this.pending.lookedInto.length > 0 || record.reasons.isUnanswered;
    const watch = {
      app_id: this.app_id,
      id: record.id,
      seen: record.seen,
      ...(this.sentAgain
        ? { others: [{ out_trade_no: record.outTradeNo }], known: record.others.beside(record.snapshot.trade_no) }
        : {}),
      schedule: pollSchedule(policy),
      ...(isAnswerAwaited ? { until: 'answered' as const } : {}),
      tell_credentials: !record.reasons.has('credentials'),
      due_at: this.dueAt(stage),
    };
    try {
      return await this.watch.next(watch, () => this.pending.hasNews);
    } catch (error) {
      if (isCredentialsRefused(error)) return 'credentials-refused';
      throw error;
    }
  }

  /** A notification is a hint: the query says what is true, unless a setting believes notifications. */
  private async onNotifications(): Promise<void> {
    const { record, policy } = this.context;
    const notifications = this.pending.all;
    for (const notification of notifications) record.learnMethod(notification.method);
    // Where ours has no number yet, a notification may name another's trade.
    if (!policy.confirm_by_query && record.id.trade_no !== undefined) {
      for (const notification of this.pending.ofTrade(record.snapshot.trade_no)) {
        // What comes after the end, as money after CANCEL, is for whatever follows this payment.
        if (record.isOver) return;
        record.applyNotification(notification, Date.now());
        this.pending.settle([notification]);
      }
      if (!this.pending.hasNews) return;
    }
    await this.look();
  }

  /** Looks at the trade, and at every other one that was named under its number. */
  private async look(): Promise<void> {
    const { record } = this.context;
    this.context.waitFor('the gateway to say what it has now', 'later');
    const notifications = this.pending.beginLook();
    const others = otherTradesIn(notifications, record.snapshot.trade_no);
    for (const other of others) await lookAtOtherTrade(this.app_id, other, this.context, notifications);
    await this.pending.fulfil(async () => {
      const looked = await this.lookAtOurs(notifications);
      this.wasAnswered = looked.is !== 'no-answer';
      if (looked.is === 'found') return this.onFound(looked.trade, notifications, others);
      // A poll that it has begun before may know less: what it has found settles no notification.
      const heard = this.watch.stop();
      if (heard) this.record(heard, []);
      if (record.isOver) return;
      this.context.raise(attentionAfter(looked));
      if (looked.is === 'no-such-order') this.onDenied(notifications, others);
    });
  }

  /** If our trade_no was unknown until now, other trades can be told apart only now: they are looked at next. */
  private onFound(trade: Trade, notifications: readonly NotificationSignal[], others: readonly string[] = []): void {
    const { seen, unseen } = seenIn(notifications, trade.trade_no, others);
    this.record(trade, seen);
    this.pending.putBack(unseen);
  }

  /** A denial contradicts what was notified. What names a trade stays until ours is known, which a poll may just have told. */
  private onDenied(notifications: readonly NotificationSignal[], others: readonly string[]): void {
    const ours = this.context.record.id.trade_no;
    const { seen, unseen } = seenIn(notifications, ours, others);
    this.pending.deny(seen);
    this.onContradicted(seen.filter(({ trade_no }) => !trade_no || ours !== undefined));
    this.pending.putBack(unseen);
  }

  /** Without a trade_no from the creation, the trade may be found by the one that a notification names. */
  private async lookAtOurs(notifications: readonly NotificationSignal[]): Promise<LookResult> {
    const { record, policy } = this.context;
    const trade = await glance(this.app_id, record.id);
    if (trade) return { is: 'found', trade };
    const looked = await lookOnce(this.app_id, record.id, policy);
    if (looked.is !== 'no-such-order' || record.id.trade_no !== undefined) return looked;
    for (const trade_no of tradesNamedBy(notifications)) {
      const byItsOwn = await lookOnce(this.app_id, { trade_no }, policy);
      if (byItsOwn.is !== 'found') continue;
      this.context.raise('unproven-trade');
      return byItsOwn;
    }
    return looked;
  }

  /** Takes an answer, which settles the notifications that came before its look began. */
  private record(trade: Trade, notifications: readonly NotificationSignal[]): void {
    const { record } = this.context;
    const ours = notifications.filter((one) => !one.trade_no || one.trade_no === trade.trade_no);
    record.hasOtherAmount(ours);
    record.applyQuery(trade, Date.now());
    this.pending.settle(notifications.filter((one) => !ours.includes(one)));
    // After the end, the run or the after-sale that follows this one reads these notifications.
    if (record.isOver) return;
    this.onContradicted(ours);
  }

  /**
   * The query does not show what these say. Where that is money, go on polling; after the poll schedule a person is told, who may
   * be asked about the money already.
   */
  private onContradicted(notifications: readonly NotificationSignal[]): void {
    if (!this.pending.contradict(notifications) || this.context.record.needsDecision) return;
    const last = this.context.policy.poll_schedule_ms.at(-1) ?? 0;
    this.confirmationDue ??= Date.now() + last;
  }

  /** Another amount than ordered was paid. A person ends this, or the gateway by another status. */
  private async awaitDecision(): Promise<void> {
    this.watch.stop();
    this.context.waitFor('a person’s decision: the update `resolve`');
    await condition(() => this.pending.hasNews);
    await this.look();
  }
}

/** The notifications that a look has seen: those that may be of our trade, and those of the others that it looked at. */
function seenIn(notifications: readonly NotificationSignal[], ours: string | undefined, others: readonly string[]) {
  const wasSeen = (one: NotificationSignal) => isOfTrade(one, ours) || others.includes(one.trade_no ?? '');
  return { seen: notifications.filter(wasSeen), unseen: notifications.filter((one) => !wasSeen(one)) };
}

function isCredentialsRefused(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === CREDENTIALS_REFUSED
  );
}

const isoTime = (ms: number) => new Date(ms).toISOString();

/** When the gateway is asked without a notification, in absolute times. A busy worker may do it later. */
function looksFrom(now: number, policy: Parameters<typeof pollSchedule>[0]): string {
  const { poll_schedule_ms, poll_every_ms } = pollSchedule(policy);
  const first = poll_schedule_ms.map((ms) => isoTime(now + ms)).join(', ');
  return `Looks: ${first}, then every ${poll_every_ms / 1_000} s; the pending activity has the next.`;
}
