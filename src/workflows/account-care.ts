/** What the gateway says of an account: asked now and then at constant history, when somebody wishes it, and to cancel. */

import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { SpeiAccount } from '../gateway/virtual-accounts';
import { type AccountId, cancelAccount, findAccount, watchAccount } from './account-activities';
import type { AccountRecord } from './account-record';
import { FAILURE } from './contract';

export class AccountCare {
  /** Why the gateway does not cancel the account; those who wait for it are told. */
  refusal: ApplicationFailure | undefined;
  private wanted = 0;
  private answered = 0;
  private hasAsked = false;
  private readonly scope = new CancellationScope();

  constructor(
    private readonly id: AccountId,
    private readonly record: AccountRecord,
    /** Shows everybody what is new. */
    private readonly show: () => void,
    private readonly checks: { since: number; every_ms: number },
    public cancelWanted: boolean,
  ) {}

  /** Goes on until {@link stop}. */
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

  /** Asks for a look, and resolves after one that began later, or when `enough` says so. */
  async recheck(enough: () => boolean): Promise<void> {
    const mine = ++this.wanted;
    await condition(() => this.answered >= mine || enough());
  }

  private async step(): Promise<void> {
    if (this.cancelWanted) await this.cancel();
    else if (this.answered < this.wanted || (this.record.status === null && !this.hasAsked)) await this.ask();
    else await this.watch();
    this.show();
  }

  private async cancel(): Promise<void> {
    try {
      this.record.learn(await cancelAccount(this.id));
    } catch (error) {
      if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) throw error;
      if (error.cause.type !== FAILURE.notCanceled) throw error;
      this.refusal = error.cause;
    }
    this.cancelWanted = false;
  }

  private async ask(): Promise<void> {
    const { wanted } = this;
    this.hasAsked = true;
    this.take(await findAccount(this.id));
    this.answered = wanted;
  }

  private async watch(): Promise<void> {
    const watch: { found?: SpeiAccount; failure?: unknown } = {};
    const scope = new CancellationScope();
    const { since, every_ms } = this.checks;
    // The checks keep their times however often the account continues as new.
    const first_ms = every_ms - ((Date.now() - since) % every_ms);
    const watching = scope
      .run(() => watchAccount({ ...this.id, seen: this.record.status, first_ms, every_ms }))
      .then(
        (found) => Object.assign(watch, { found }),
        (failure) => Object.assign(watch, { failure }),
      );
    const ended = () => watch.found !== undefined || watch.failure !== undefined;
    await condition(() => ended() || this.cancelWanted || this.answered < this.wanted);
    if (!ended()) {
      scope.cancel();
      await watching;
    }
    if (watch.found) this.take(watch.found);
    else if (!isCancellation(watch.failure)) throw watch.failure;
  }

  private take(found: SpeiAccount | null): void {
    if (found) this.record.learn(found);
    else this.record.raise('unknown-account');
  }
}
