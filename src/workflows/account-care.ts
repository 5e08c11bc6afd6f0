/** What the gateway says of an account: asked now and then at constant history, when somebody wishes it, and to cancel. */

import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { SpeiAccount } from '../gateway/virtual-accounts';
import { type AccountId, cancelAccount, findAccount, watchAccount } from './account-activities';
import type { AccountRecord } from './account-record';
import { FAILURE } from './contract';
import { pollUntil } from './polling';
import { Rechecks } from './rechecks';

export class AccountCare {
  /** Why the gateway does not cancel the account; those who wait for it are told. */
  refusal: ApplicationFailure | undefined;
  readonly rechecks = new Rechecks();
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

  private async step(): Promise<void> {
    if (this.cancelWanted) await this.cancel();
    else if (this.rechecks.wantsCheck || (this.record.status === null && !this.hasAsked)) await this.ask();
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
    this.hasAsked = true;
    await this.rechecks.looking(async () => this.take(await findAccount(this.id)));
  }

  private async watch(): Promise<void> {
    const { since, every_ms } = this.checks;
    // The checks keep their times however often the account continues as new.
    const first_ms = every_ms - ((Date.now() - since) % every_ms);
    const watching = () => watchAccount({ ...this.id, seen: this.record.status, first_ms, every_ms });
    const news = await pollUntil(watching, () => this.cancelWanted || this.rechecks.wantsCheck);
    if (typeof news === 'object') this.take(news);
  }

  private take(found: SpeiAccount | null): void {
    if (found) this.record.learn(found);
    else this.record.raise('unknown-account');
  }
}
