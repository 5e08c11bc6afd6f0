/**
 * How a payment waits for its outcome: by notifications, by polls that add no history, and by its deadlines. `next-step.ts` says what is done
 * next; this file does it.
 */
import { ApplicationFailure, condition } from '@temporalio/workflow';
import {
  detailsOf,
  type LookResult,
  POLL_STOPPED,
  pollSchedule,
  type QueriedTrade,
  TOLD_BY_POLLS,
  type ToldByPolls,
  timeText,
  type WatchInput,
} from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { causeOf, hasFailedWith } from '../shared/activity-failure';
import { assertReadHere } from '../shared/continued';
import { glance, type LookTimes, lookOnce, searchOn } from '../shared/look';
import { RunningWatch } from '../shared/polling';
import type { PaymentContext } from './context';
import { type Deadline, orderDeadlines } from './deadlines';
import {
  hasSentAgain,
  idOf,
  isOver,
  isUnanswered,
  type KnownPayment,
  namedTrades,
  nameOf,
  otherTrades,
  type PendingClaim,
  seenStatus,
} from './known-payment';
import { ofShown, ofUnanswered } from './look-results';
import { doubtToTellAt, nextPaymentStep, type PaymentStep } from './next-step';
import { beginLook, hasNews, lookAtOtherTrades, numberToo, settlesForeign } from './trade-looks';

export class OutcomeWait {
  private readonly watch = new RunningWatch();
  private readonly stages: readonly [Deadline, ...Deadline[]];

  constructor(
    private readonly context: PaymentContext,
    order: Parameters<typeof orderDeadlines>[0],
  ) {
    this.stages = orderDeadlines(order, Date.now(), context.policy);
  }

  /** Returns once the payment has an outcome; after the last deadline that is EXPIRED. */
  async run(): Promise<void> {
    this.context.learn({ is: 'dated', expires_at: this.stages[0].at });
    for (let step = this.step; step.take !== 'end'; step = this.step) await this.take(step);
  }

  private get step(): PaymentStep {
    const { known, requests, policy } = this.context;
    return nextPaymentStep(known, Date.now(), { isAsked: requests.isRequested, stages: this.stages }, policy);
  }

  private async take(step: PaymentStep): Promise<void> {
    const { context } = this;
    switch (step.take) {
      case 'end':
        return;
      case 'believe':
        await assertReadHere(context.policy);
        return context.learn({ is: 'believed', claim: step.claim });
      case 'look':
        return this.look();
      case 'watch':
        this.tellOfWatch(step);
        return this.watchTrade(step.due_at);
      case 'decide':
        // The trade is polled meanwhile: the money may go back.
        context.waitFor('a person’s decision: the update `resolve`');
        return this.watchTrade();
      case 'doubt':
        return context.raise('unconfirmed-notification');
      case 'insist':
        return this.insist();
      case 'expire':
        return context.learn({ is: 'expired' });
    }
  }

  // — Polling —

  private tellOfWatch({ stage }: WatchStep): void {
    const { known, policy } = this.context;
    const later = this.stages.filter(({ at }) => at > stage.at);
    const deadlines = [stage, ...later].map(({ name, at }) => `${DEADLINE_WORDS[name]} (${timeText(at)})`).join(', ');
    const doubtDue = doubtToTellAt(known, policy);
    const doubted =
      doubtDue === null
        ? ''
        : `the gateway’s answer to confirm the SUCCESS that was notified: it has not yet, and a person is asked on ${timeText(doubtDue)}. Else for `;
    this.context.waitFor(
      `${doubted}the buyer, or a notification. The gateway is asked again and again: the pending activity says when next. It is asked, too, at ${deadlines}; then it is EXPIRED.`,
    );
  }

  /** Watches the trade until there is news. `due_at`: when something else is due; absent: nothing is. */
  private async watchTrade(due_at?: number): Promise<void> {
    const { context } = this;
    const news = await this.nextNews(due_at);
    if (news === 'interrupted') return;
    if (news === 'due') {
      // The poll may have ended earlier, if its worker has died or has a clock that is ahead.
      const left = (due_at ?? 0) - Date.now();
      if (left > 0) await condition(() => hasNews(context), left, { summary: 'until the gateway is asked' });
      return;
    }
    if (typeof news === 'string') return context.raise(news);
    context.learn(...ofShown(news, context.known.looked_after));
  }

  private async nextNews(due_at?: number): Promise<News> {
    const { known, policy, app_id } = this.context;
    // An earlier look did not find the trade: any answer settles its notifications, and clears the attention that it raised.
    const isAnswerAwaited = known.claims.length > 0 || isUnanswered(known);
    const watch: WatchInput = {
      app_id,
      id: idOf(known),
      ...this.numberToo,
      read_by: policy.read_by,
      seen: seenStatus(known),
      // The order was sent more than once: nobody knows which of its trades the buyer pays.
      ...(hasSentAgain(known) ? { others: [{ out_trade_no: nameOf(known) }], known: otherTrades(known) } : {}),
      schedule: pollSchedule(policy),
      until: isAnswerAwaited ? 'answered' : undefined,
      tell: toTell(known, policy),
      due_at,
    };
    try {
      return await this.watch.next(watch, () => hasNews(this.context));
    } catch (error) {
      const why = TOLD_BY_POLLS.find((one) => hasFailedWith(error, POLL_STOPPED[one]));
      if (why === undefined) throw error;
      return why === 'unknown-trade' && hasLookedSince(known, causeOf(error)) ? 'interrupted' : why;
    }
  }

  // — Looking —

  /** Looks at our trade first, so that nobody waits for the looks at other trades named under its number. */
  private async look(): Promise<void> {
    const { context } = this;
    context.waitFor('the gateway to say what it has now', 'later');
    const others = beginLook(context);
    const { claims, looked_after: after } = context.known;
    await context.requests.fulfil(async () => {
      const looked = await this.lookAtOurs(claims);
      if (looked.is === 'found') return context.learn(...ofShown(looked.trade, after));
      // The poll began before this look and may know less: what it has found settles no notification.
      const heard = this.watch.stop();
      if (heard) context.learn(...ofShown(heard, 0));
      if (isOver(context.known)) return;
      context.learn(...ofUnanswered(looked, after));
    });
    // After the end, the after-sale looks at them.
    if (!isOver(context.known)) await lookAtOtherTrades(others, context);
  }

  /**
   * Before our order ends without a sale, its number is asked for, too: where the gateway has ended our trade and, once no deadline of the
   * order is left, where it is open still.
   */
  private get numberToo(): ReturnType<typeof numberToo> {
    const isLast = this.stages.every(({ at }) => at <= Date.now());
    return numberToo(this.context.known, isLast ? 'unless sold' : 'at an end');
  }

  /** Keeps asking a silent gateway, ever less often, in one activity however long that takes. */
  private async insist(): Promise<void> {
    const { app_id, known, policy, waitFor, learn } = this.context;
    const { settling_ms, read_by } = policy;
    waitFor('an answer of the gateway: without one the payment does not expire');
    const search = { app_id, id: idOf(known), ...this.numberToo, after: 'no-answer' as const, settling_ms, read_by };
    const after = known.looked_after;
    const searched = await searchOn(search, { isInterrupted: () => hasNews(this.context) });
    if (searched.is === 'interrupted') return this.look();
    if (searched.is === 'found') return learn(...ofShown(searched.trade, after));
    learn(...ofUnanswered({ is: 'no-such-order' }, after));
  }

  /** If our trade_no is unknown, the trade may be found by one that a notification names. */
  private async lookAtOurs(claims: readonly PendingClaim[]): Promise<LookResult> {
    const { context } = this;
    const { app_id, policy } = context;
    const id = idOf(context.known);
    const { numberToo } = this;
    const trade = await glance({ app_id, id, ...numberToo, read_by: policy.read_by });
    if (trade) return { is: 'found', trade };
    const looked = await lookOnce(app_id, id, { ...policy, ...numberToo });
    if (looked.is !== 'no-such-order' || id.trade_no !== undefined) return looked;
    let worst: LookResult = looked;
    for (const named of namedTrades({ claims })) {
      const byItsOwn = await lookOnce(app_id, named, policy);
      if (byItsOwn.is === 'no-answer') worst = byItsOwn;
      if (byItsOwn.is !== 'found' || settlesForeign(byItsOwn.trade, context)) continue;
      context.raise('unproven-trade');
      return byItsOwn;
    }
    return worst;
  }
}

/** Whether a look came between two denials of the poll that has stopped for them: it has found the trade, or it would be unknown already. */
function hasLookedSince({ look }: KnownPayment, stopped: unknown): boolean {
  const { denied_since } = (stopped instanceof ApplicationFailure && detailsOf(stopped)) || {};
  return look !== null && typeof denied_since === 'number' && look.at > denied_since && !look.isSilent;
}

/** A poll that ended at each refusal would be started again and again, also where only one of two workers has the app. */
const toTell = ({ reasons, told_at }: KnownPayment, { patience_ms, settling_ms }: LookTimes) => ({
  from: Object.fromEntries(
    TOLD_BY_POLLS.filter((why) => !reasons.includes(why)).map((why) => [why, (told_at[why] ?? -DAY) + DAY]),
  ),
  lasting_ms: Math.max(patience_ms, settling_ms),
});

type WatchStep = Extract<PaymentStep, { take: 'watch' }>;
type News = QueriedTrade | 'interrupted' | 'due' | ToldByPolls;

const DEADLINE_WORDS: Readonly<Record<Deadline['name'], string>> = {
  timeout_express: 'the end of the order’s time',
  'usual expiry': 'the usual end of its method’s time',
  cancellation_express: 'the time at which the gateway cancels it',
  'last notification': 'the last notification that may come',
  settlement: 'the last time at which its method settles',
  'risk control': 'the longest that the gateway examines it',
  confirmation: 'the last look for what was notified',
};
