/** Keeps an account's record in step with the gateway: polls slowly, queries on request, and cancels the account. */

import type { ApplicationFailure } from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  type AccountId,
  type AccountPolicy,
  type Cancellation,
  FAILURE,
  type Silence,
  typedFailure,
  WANTED,
  wantedAfter,
} from '../../contract';
import type { SpeiAccount } from '../../contract/gateway';
import { replicaLag } from '../../gateway/pure/durations';
import { pollUntil } from '../shared/polling';
import type { RecheckRequests } from '../shared/recheck-requests';
import { accountGateway, untilGatewayAnswers } from './activities';
import type { AccountRecord } from './record';

/** The first look after an answer to a cancellation comes after this long, in ms; each further one after twice as long. */
const LOOK_AGAIN_MS = 10_000;

export class AccountSync {
  /** Why the gateway does not cancel the account. Callers who wait get this failure. */
  refusal: ApplicationFailure | undefined;
  private hasQueried = false;
  private readonly scope = new CancellationScope();

  constructor(
    private readonly id: AccountId,
    private readonly record: AccountRecord,
    /** Called after each change of the record. */
    private readonly show: () => void,
    private readonly checks: { since: number; policy: AccountPolicy; read_by: string },
    /** Called when the worker's settings have changed. */
    private readonly follow: (policy: AccountPolicy) => void,
    private readonly rechecks: RecheckRequests,
    public wish: Cancellation | null,
  ) {}

  /** Runs until {@link stop}. Throws `WasReset` in a reset: its ledger may not be the latest. */
  async run(): Promise<void> {
    try {
      await this.scope.run(async () => {
        for (;;) await this.step();
      });
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  stop(): void {
    this.scope.cancel();
  }

  private async step(): Promise<void> {
    const { wish } = this;
    if (this.isToSend) await this.cancel();
    else if (this.rechecks.isRequested || (this.record.status === null && !this.hasQueried)) await this.query();
    else if (wish === null) await this.watch();
    else await this.lookAfter(wish);
    this.show();
  }

  want(): void {
    this.refusal = undefined;
    this.wish = wantedAfter(this.wish);
  }

  private get isToSend(): boolean {
    return this.wish !== null && this.wish.is !== 'answered';
  }

  private async cancel(): Promise<void> {
    const { policy, read_by } = this.checks;
    const next = () => {
      const { is, left_at: before } = this.wish ?? WANTED;
      // The requests before this one have ended, in whatever way.
      const left_at = is === 'begun' ? Date.now() : before;
      this.wish = { is: 'begun', left_at, refusal: null };
      return { ...this.id, read_by, left_at };
    };
    const ask = (within_ms: number) => accountGateway.cancel(next, within_ms);
    const answer = await untilGatewayAnswers(policy.patience_ms, ask, (why) => this.onSilence(why));
    if (isOfKind('answered', answer)) {
      this.record.settleSilence();
      // What was confirmed has left by now. The activity does not know how long it has waited for a worker.
      this.wish = answer.refusal ? answer : { ...answer, left_at: Date.now() };
    } else this.apply(answer, Date.now());
  }

  /** Looks, ever less often, until no query can be behind a request that may have left. Sends nothing. */
  private async lookAfter(answer: Cancellation): Promise<void> {
    const { left_at, refusal } = answer;
    const waited_ms = Date.now() - left_at;
    const left_ms = replicaLag(this.checks.policy) - waited_ms;
    if (left_ms > 0) {
      const pause_ms = Math.min(Math.max(waited_ms, LOOK_AGAIN_MS), left_ms);
      if ((await this.watch(pause_ms)) === 'timeout') await this.query();
      return;
    }
    await this.query();
    // It is canceled, or somebody has called again.
    if (this.wish !== answer) return;
    this.wish = null;
    if (refusal) this.refusal = typedFailure(FAILURE.notCanceled, refusal.message, { ...refusal.error });
    else {
      this.record.raise('not-canceled');
      this.refusal = notShown(this.id.account_id);
    }
  }

  private async query(): Promise<void> {
    this.hasQueried = true;
    const { policy, read_by } = this.checks;
    const ask = (within_ms: number) => accountGateway.find({ ...this.id, read_by }, within_ms);
    await this.rechecks.fulfil(async () => {
      const asked_at = Date.now();
      this.apply(await untilGatewayAnswers(policy.patience_ms, ask, (why) => this.onSilence(why)), asked_at);
    });
  }

  /** Until there is news, or this part has something to do, or `timeout_ms` are over: the latter is its result. */
  private async watch(timeout_ms?: number): Promise<'timeout' | undefined> {
    const { since, policy, read_by } = this.checks;
    const every_ms = policy.check_every_ms;
    // The polls keep their times however often the account continues as new.
    const first_ms = every_ms - ((Date.now() - since) % every_ms);
    const watching = () => accountGateway.watch({ ...this.id, seen: this.record.status, first_ms, policy, read_by });
    const isInterrupted = () => this.isToSend || this.rechecks.isRequested;
    const summary = 'until the next look whether it is canceled';
    const news = await pollUntil(watching, { isInterrupted, timeout_ms, summary });
    if (typeof news !== 'object') return news === 'timeout' ? news : undefined;
    if (isOfKind('settings', news)) {
      this.checks.policy = news.policy;
      this.follow(news.policy);
    } else if (this.record.isCanceled) {
      // The poll does not say when it asked, and may be behind the cancellation.
      await this.query();
    } else this.apply(news, Date.now());
    return undefined;
  }

  /** `asked_at`: when the gateway was asked at the earliest, if its answer may be behind what is known. */
  private apply(found: SpeiAccount | null, asked_at: number): void {
    if (found) this.record.applyQuery(found, { asked_at, told_at: Date.now(), lag_ms: replicaLag(this.checks.policy) });
    else {
      this.record.settleSilence();
      this.record.raise('unknown-account');
    }
    if (this.record.isCanceled) this.wish = null;
  }

  private onSilence(why: Silence): void {
    this.record.raiseSilence(why);
    this.show();
  }
}

/** Whether an activity tells this instead of the account. */
const isOfKind = <Kind extends string, Answer extends { is: Kind }>(
  kind: Kind,
  told: SpeiAccount | Answer,
): told is Answer => 'is' in told && told.is === kind;

/** What callers who wait for the gateway are told when the wait is over. */
export function notAnswered(account_id: string, done: string): ApplicationFailure {
  const message = `Account ${account_id} is not ${done} yet: the gateway has not said so. We keep asking it; ask again.`;
  return typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
}

/** What callers are told whose cancellation the gateway has confirmed and does not show. */
function notShown(account_id: string): ApplicationFailure {
  const message = `The gateway has confirmed the cancellation of account ${account_id}, and does not show it: a person is asked.`;
  return typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
}
