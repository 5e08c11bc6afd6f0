/**
 * The workflow `refund`: wait until the trade can be refunded, request the refund and never blindly repeat that, track
 * it to its outcome. Only an after-sale starts it, one refund of a trade at a time. `progress.ts` says what statuses
 * mean.
 */

import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  type AfterSaleResolution,
  type Attention,
  detailsOf,
  FAILURE,
  type NotificationSignal,
  type PaymentPolicy,
  pollSchedule,
  QUERY,
  type RefundChange,
  type RefundInput,
  type RefundOutcome,
  type RefundResult,
  type RefundState,
  SIGNAL,
} from '../../../contract';
import type { TradeId } from '../../../contract/gateway';
import { gateway, loadPolicy } from '../../shared/activities';
import { FIRST_BACKOFF_MS, nextBackoff } from '../../shared/backoff';
import { runUntilResolved } from '../../shared/cancellable';
import { waitForTradeChange } from '../../shared/polling';
import { Visibility } from '../../shared/visibility';
import { refundAttributes, refundDetails } from '../visibility';
import { readiness, refundProgress, unchangedMeansNoRefund } from './progress';

export const refundStateQuery = defineQuery<RefundState>(QUERY.state);
export const refundChangedSignal = defineSignal<[RefundChange]>(SIGNAL.refundChanged);
export const resolveRefundSignal = defineSignal<[AfterSaleResolution]>(SIGNAL.resolve);
const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);

/** Returns the refund's final state. */
export async function refund(input: RefundInput): Promise<RefundState> {
  const run = new RefundRun(input);
  await run.execute();
  return run.state;
}

class RefundRun {
  private readonly refund: RefundState;
  private readonly id: TradeId;
  private readonly visibility = new Visibility();
  private policy: PaymentPolicy | undefined;
  /** The trade's status as the gateway showed it last, and (`baseline`) just before the refund was sent. */
  private status: string | null = null;
  private baseline = '';
  /** The observed status can be attributed to this refund. */
  private attributed = false;
  /** The gateway certainly has the refund. */
  private accepted = false;
  private sent = false;
  private notifications: NotificationSignal[] = [];
  private resolution: AfterSaleResolution | undefined;
  private waitingFor = 'its turn';
  private lastSignal = '';

  constructor(private readonly input: RefundInput) {
    this.refund = { ...input.state };
    const { trade_no, out_trade_no } = input;
    this.id = { ...(trade_no ? { trade_no } : {}), ...(out_trade_no ? { out_trade_no } : {}) };
    setHandler(refundStateQuery, () => this.state);
    setHandler(notificationSignal, (notification) => {
      this.notifications.push(notification);
      // A new after-sale may have sent it, which knows nothing yet: report again.
      this.lastSignal = '';
    });
    setHandler(resolveRefundSignal, (resolution) => {
      this.resolution = resolution;
    });
  }

  get state(): RefundState {
    return { ...this.refund };
  }

  async execute(): Promise<void> {
    this.show();
    await runUntilResolved(
      () => this.resolution !== undefined && !this.isOver,
      () => this.proceed(),
    );
    if (this.resolution && !this.isOver) this.resolve(this.resolution);
    await this.report();
  }

  private get isOver(): boolean {
    return this.refund.outcome !== null;
  }

  private async proceed(): Promise<void> {
    this.policy = await loadPolicy({ method: this.input.trade.method });
    await this.awaitRefundable();
    if (!this.isOver) await this.submit();
    while (!this.isOver) await this.track();
  }

  /** Waits until the trade can be refunded. */
  private async awaitRefundable(): Promise<void> {
    for (await this.query(); readiness(this.baseline) !== 'now'; await this.waitForNews(this.baseline)) {
      if (readiness(this.baseline) === 'no') {
        return this.fail({
          type: FAILURE.notRefunded,
          message: `A trade that is ${this.baseline} cannot be refunded. Nothing was sent.`,
          details: { trade_status: this.baseline },
        });
      }
      await this.waitFor(`the trade, which is ${this.baseline}, to be one that can be refunded`);
    }
  }

  /**
   * Requests the refund, and returns once the gateway may have it. Repeats the request only where it certainly has not.
   */
  private async submit(): Promise<void> {
    const { settling_ms } = this.settings;
    let mayExist = false;
    for (let backoff_ms = FIRST_BACKOFF_MS; ; backoff_ms = nextBackoff(backoff_ms)) {
      const tried = await this.tryOnce();
      if (tried.is === 'accepted') return this.onAccepted(tried.answer);
      if (!mayExist && tried.is === 'not-created') return this.fail(notRefunded(tried));
      if (!mayExist && tried.is === 'duplicate' && tried.attempt === 1) return this.fail(duplicate(tried));
      if (tried.is === 'duplicate') return this.onExisting();
      mayExist = true;
      await this.waitFor('the trade to show whether the gateway has the refund: the outcome of the request is unknown');
      const { trade_status } = await gateway.settleTrade({ ...this.trade, seen: this.baseline, settling_ms });
      this.observe(trade_status);
      this.applyNotifications();
      if (this.attributed) return this.onExisting();
      // The status cannot show whether the refund was made. Only a later status, or a person, can.
      if (!unchangedMeansNoRefund(this.baseline)) return;
      if (tried.error.code !== undefined) return this.fail(notRefunded(tried));
      if (backoff_ms > FIRST_BACKOFF_MS) this.raise('unknown-refund');
      await this.waitFor('a while, before the refund is requested again under the same number');
      await sleep(backoff_ms, { summary: 'before the refund is requested again' });
    }
  }

  /** Acts on the trade's status, and waits for the next one. */
  private async track(): Promise<void> {
    const status = this.status ?? this.baseline;
    switch (refundProgress(status, { baseline: this.baseline, attributed: this.attributed })) {
      case 'refunded':
        return status === this.baseline ? this.endIfStable(status, 'REFUNDED') : this.end('REFUNDED');
      case 'refused':
        return this.endIfStable(status, 'REFUND_REFUSED');
      case 'revoked':
        return this.endIfStable(status, 'REFUND_REVOKE');
      case 'pending':
        this.settle('unknown-refund');
        await this.waitFor(PENDING[status] ?? 'the gateway');
        return this.waitForNews(status);
      case 'unchanged':
        if (!(await this.isStable(status)) || this.attributed) return;
        // When unsure, count it as refunded: then it can never be refunded twice.
        if (this.accepted && refundProgress(status, { baseline: this.baseline, attributed: true }) === 'refunded') {
          return this.end('REFUNDED');
        }
    }
    this.raise('unknown-refund');
    await this.waitFor('news of the refund, about which the trade’s status says nothing, or a person’s decision');
    await this.waitForNews(status);
  }

  /** Ends the refund only where the status is stable: a stale one would free its amount for another refund. */
  private async endIfStable(status: string, outcome: RefundOutcome): Promise<void> {
    if (await this.isStable(status)) this.end(outcome);
  }

  private async isStable(status: string): Promise<boolean> {
    await this.waitFor(`the status to stay ${status}`);
    const { settling_ms } = this.settings;
    const { trade_status } = await gateway.settleTrade({ ...this.trade, seen: status, settling_ms });
    this.observe(trade_status);
    this.applyNotifications();
    return trade_status === status;
  }

  /** Waits for another status than `seen`, or for a notification, which only causes a query. */
  private async waitForNews(seen: string): Promise<void> {
    const watch = { ...this.trade, seen, schedule: pollSchedule(this.settings) };
    const news = await waitForTradeChange(watch, { isInterrupted: () => this.notifications.length > 0 });
    if (news === 'interrupted') await this.query();
    else if (news !== 'timeout') this.observe(news.trade_status);
    this.applyNotifications();
  }

  private async query(): Promise<void> {
    this.observe((await gateway.queryTrade(this.trade)).trade_status);
  }

  private observe(status: string): void {
    this.status = status;
    if (!this.sent) this.baseline = status;
    else if (status !== this.baseline) this.attributed = true;
  }

  /**
   * Two refunds look alike in the trade's status; only a notification names its `out_request_no`. Believe it where the
   * query agrees.
   */
  private applyNotifications(): void {
    const { out_request_no } = this.refund;
    const meaning = (status: string) => refundProgress(status, { baseline: this.baseline, attributed: true });
    for (const { out_request_no: named, trade_status = '' } of this.notifications.splice(0)) {
      const isOurs = this.sent && out_request_no !== null && named === out_request_no;
      if (isOurs && meaning(trade_status) === meaning(this.status ?? '')) this.attributed = true;
    }
  }

  private async tryOnce(): Promise<RefundResult> {
    this.sent = true;
    await this.waitFor('the gateway to take the refund');
    try {
      return await gateway.requestRefund({ ...this.trade, trade: this.input.trade, request: this.input.request });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const fields = { operation: '/trade/refund', retryable: true };
      if (error.cause instanceof TimeoutFailure) {
        const message = 'The worker died during the request.';
        return { is: 'unknown', message, error: { ...fields, outcome: 'unknown' } };
      }
      if (!(error.cause instanceof ApplicationFailure) || error.cause.type !== FAILURE.invalidRequest) throw error;
      this.fail({ type: FAILURE.invalidRequest, message: error.cause.message, details: detailsOf(error.cause) ?? {} });
      return {
        is: 'not-created',
        message: error.cause.message,
        credentials: false,
        error: { ...fields, outcome: 'not-sent' },
      };
    }
  }

  private async onAccepted(answer: { readonly [field: string]: unknown }): Promise<void> {
    this.accepted = true;
    this.settle('unknown-refund');
    this.refund.answer = { ...answer, recovered: false };
    this.refund.refund_status = typeof answer.refund_status === 'string' ? answer.refund_status : null;
    await this.report();
    await this.query();
  }

  private async onExisting(): Promise<void> {
    this.accepted = true;
    this.settle('unknown-refund');
    const { out_request_no, refund_amount, refund_currency } = this.refund;
    const { trade_no, out_trade_no } = this.input;
    const ids = { out_trade_no, trade_no, ...(out_request_no === null ? {} : { out_request_no }) };
    await this.query();
    this.refund.answer = { ...ids, refund_currency, refund_amount, refund_status: this.status, recovered: true };
    await this.report();
  }

  private end(outcome: RefundOutcome): void {
    this.refund.outcome = outcome;
    this.refund.confirmed_by = 'query';
    this.refund.refund_status = this.status;
    this.refund.attention = null;
  }

  private fail(failure: NonNullable<RefundState['failure']>): void {
    if (this.isOver) return;
    this.refund.failure = failure;
    this.refund.outcome = 'NOT_CREATED';
    this.refund.attention = null;
  }

  private resolve({ outcome, by, reason }: AfterSaleResolution): void {
    this.refund.outcome = outcome ?? null;
    this.refund.confirmed_by = 'operator';
    this.refund.attention = null;
    this.refund.resolved = { by, reason };
  }

  private raise(attention: Attention): void {
    this.refund.attention ??= attention;
  }

  private settle(attention: Attention): void {
    if (this.refund.attention === attention) this.refund.attention = null;
  }

  private get trade() {
    return { app_id: this.input.app_id, id: this.id };
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The refund has not loaded its policy yet.');
  }

  private async waitFor(what: string): Promise<void> {
    this.waitingFor = what;
    await this.report();
  }

  /** Shows what has changed, and signals it to the after-sale. */
  private async report(): Promise<void> {
    if (this.accepted && this.attributed && !this.isOver) this.refund.refund_status = this.status;
    this.show();
    const change: RefundChange = { refund: this.state, trade_status: this.status };
    const text = JSON.stringify(change);
    if (text === this.lastSignal) return;
    this.lastSignal = text;
    await CancellationScope.nonCancellable(async () => {
      // An after-sale that has ended gets nothing. The next one asks for it.
      await getExternalWorkflowHandle(this.input.after_sale_id)
        .signal(refundChangedSignal, change)
        .catch(() => undefined);
    });
  }

  private show(): void {
    this.visibility.show(refundAttributes(this.refund), refundDetails(this.refund, this.waitingFor));
  }
}

/** What a pending refund waits for, by the trade's status. */
const PENDING: Record<string, string | undefined> = {
  REFUND_VERIFYING: 'the buyer, who has to name an account for the money',
  REFUND_PROCESSING: 'the gateway, which is refunding the money',
};

function notRefunded({ message, error }: { message: string; error: object }) {
  return { type: FAILURE.notRefunded, message, details: { ...error } };
}

function duplicate({ error }: { error: object }) {
  const message =
    'The gateway has another refund under this number already, which we did not make. Nothing was refunded now.';
  return { type: FAILURE.duplicateRefund, message, details: { ...error } };
}
