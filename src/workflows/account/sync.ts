/** Keeps an account's record in step with the gateway: polls slowly, queries on request, and cancels the account. */

import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  type AccountId,
  type AccountPolicy,
  type CancelStanding,
  FAILURE,
  type NewSettings,
  type Silence,
  typedFailure,
} from '../../contract';
import type { SpeiAccount } from '../../contract/gateway';
import { replicaLag } from '../../gateway/pure/durations';
import { pollUntil } from '../shared/polling';
import type { RecheckRequests } from '../shared/recheck-requests';
import { accountGateway } from './activities';
import type { AccountRecord } from './record';
import { untilGatewayAnswers } from './until-answered';

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
    public wish: CancelStanding,
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
    if (this.wish !== null) await this.cancel();
    else if (this.rechecks.isRequested || (this.record.status === null && !this.hasQueried)) await this.query();
    else await this.watch();
    this.show();
  }

  private async cancel(): Promise<void> {
    const { policy, read_by } = this.checks;
    const next = () => {
      const may_be_canceled = this.wish === 'begun';
      this.wish = 'begun';
      return { ...this.id, read_by, may_be_canceled };
    };
    const ask = (within_ms: number) => accountGateway.cancel(next, within_ms);
    try {
      const canceled = await untilGatewayAnswers(policy.patience_ms, ask, (why) => this.onSilence(why));
      this.apply(canceled, Date.now());
    } catch (error) {
      if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) throw error;
      if (error.cause.type !== FAILURE.notCanceled) throw error;
      this.record.settleSilence();
      this.refusal = error.cause;
    }
    this.wish = null;
  }

  private async query(): Promise<void> {
    this.hasQueried = true;
    const ask = (within_ms: number) => accountGateway.find(this.id, within_ms);
    await this.rechecks.fulfil(async () => {
      const asked_at = Date.now();
      const { patience_ms } = this.checks.policy;
      this.apply(await untilGatewayAnswers(patience_ms, ask, (why) => this.onSilence(why)), asked_at);
    });
  }

  private async watch(): Promise<void> {
    const { since, policy, read_by } = this.checks;
    const every_ms = policy.check_every_ms;
    // The polls keep their times however often the account continues as new.
    const first_ms = every_ms - ((Date.now() - since) % every_ms);
    const watching = () => accountGateway.watch({ ...this.id, seen: this.record.status, first_ms, policy, read_by });
    const news = await pollUntil(watching, { isInterrupted: () => this.wish !== null || this.rechecks.isRequested });
    if (typeof news !== 'object') return;
    if (isNewSettings(news)) {
      this.checks.policy = news.policy;
      this.follow(news.policy);
    } else if (this.record.isCanceled) {
      // The poll does not say when it asked, and may be behind the cancellation.
      await this.query();
    } else this.apply(news, Date.now());
  }

  /** `asked_at`: when the gateway was asked at the earliest, if its answer may be behind what is known. */
  private apply(found: SpeiAccount | null, asked_at: number): void {
    if (found) this.record.applyQuery(found, { asked_at, told_at: Date.now(), lag_ms: replicaLag(this.checks.policy) });
    else {
      this.record.settleSilence();
      this.record.raise('unknown-account');
    }
  }

  private onSilence(why: Silence): void {
    this.record.raiseSilence(why);
    this.show();
  }
}

const isNewSettings = (news: SpeiAccount | NewSettings): news is NewSettings => 'is' in news && news.is === 'settings';

/** What callers who wait for the gateway are told when the wait is over. */
export function notAnswered(account_id: string, done: string): ApplicationFailure {
  const message = `Account ${account_id} is not ${done} yet: the gateway has not answered. We keep asking it; ask again.`;
  return typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
}
