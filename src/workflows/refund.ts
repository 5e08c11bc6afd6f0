/**
 * One refund: wait until the trade lets it begin, ask the gateway for it and never twice blindly, follow it to its end.
 * Started by an after-sale alone, which keeps the refunds of a trade apart in time. `refund-fate.ts` says what states mean.
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
import type { TradeId } from '../gateway/query';
import { type PaymentPolicy, policyFor, queryTrade, type RefundResult, refundTrade, settleTrade } from './activities';
import {
  type AfterSaleResolution,
  type Attention,
  FAILURE,
  type NotificationSignal,
  QUERY,
  type RefundChange,
  type RefundInput,
  type RefundOutcome,
  type RefundState,
  SIGNAL,
} from './contract';
import { runUnless } from './cut-short';
import { FIRST_PAUSE_MS, longerThan } from './pauses';
import { nextNews } from './polling';
import { fateOf, readiness, tellsNothingWasMade } from './refund-fate';
import { refundAttributes, Visibility, whatToDo } from './visibility';
import { scheduleOf } from './watching';

export const refundStateQuery = defineQuery<RefundState>(QUERY.state);
export const refundChangedSignal = defineSignal<[RefundChange]>(SIGNAL.refundChanged);
export const resolveRefundSignal = defineSignal<[AfterSaleResolution]>(SIGNAL.resolve);
const notificationSignal = defineSignal<[NotificationSignal]>(SIGNAL.notification);

/** Returns the refund's final state. */
export async function refund(input: RefundInput): Promise<RefundState> {
  const life = new RefundLife(input);
  await life.run();
  return life.state;
}

class RefundLife {
  private readonly refund: RefundState;
  private readonly id: TradeId;
  private readonly visibility = new Visibility();
  private policy: PaymentPolicy | undefined;
  /** The trade's state as the gateway showed it last, and just before the refund was sent. */
  private status: string | null = null;
  private before = '';
  /** Whether the trade showed another state since it was sent, or the present one is known to be this refund's. */
  private moved = false;
  /** Whether the gateway is known to have the refund. */
  private taken = false;
  private sent = false;
  private mail: NotificationSignal[] = [];
  private resolution: AfterSaleResolution | undefined;
  private waitingFor = 'its turn';
  private told = '';

  constructor(private readonly input: RefundInput) {
    this.refund = { ...input.state };
    const { trade_no, out_trade_no } = input;
    this.id = { ...(trade_no ? { trade_no } : {}), ...(out_trade_no ? { out_trade_no } : {}) };
    setHandler(refundStateQuery, () => this.state);
    setHandler(notificationSignal, (notification) => {
      this.mail.push(notification);
      // Who sends one may be an after-sale that knows nothing of us yet.
      this.told = '';
    });
    setHandler(resolveRefundSignal, (resolution) => {
      this.resolution = resolution;
    });
  }

  get state(): RefundState {
    return { ...this.refund };
  }

  async run(): Promise<void> {
    this.show();
    await runUnless(
      () => this.resolution !== undefined && !this.isOver,
      () => this.live(),
    );
    if (this.resolution && !this.isOver) this.resolve(this.resolution);
    await this.tell();
  }

  private get isOver(): boolean {
    return this.refund.outcome !== null;
  }

  private async live(): Promise<void> {
    this.policy = await policyFor({ method: this.input.trade.method });
    await this.turn();
    if (!this.isOver) await this.make();
    while (!this.isOver) await this.follow();
  }

  /** Waits until the trade's state lets a refund begin. */
  private async turn(): Promise<void> {
    for (await this.look(); readiness(this.before) !== 'now'; await this.news(this.before)) {
      if (readiness(this.before) === 'no') {
        return this.failed({
          type: FAILURE.notRefunded,
          message: `A trade that is ${this.before} cannot be refunded. Nothing was sent.`,
          details: { trade_status: this.before },
        });
      }
      await this.waitFor(`the trade, which is ${this.before}, to be one that can be refunded`);
    }
  }

  /** Asks the gateway for the refund, and returns once it may have it; a try is repeated only where it certainly has not. */
  private async make(): Promise<void> {
    const { settling_ms } = this.settings;
    let mayExist = false;
    for (let pause = FIRST_PAUSE_MS; ; pause = longerThan(pause)) {
      const tried = await this.tryOnce();
      if (tried.is === 'accepted') return this.accepted(tried.answer);
      if (!mayExist && tried.is === 'not-created') return this.failed(notRefunded(tried));
      if (!mayExist && tried.is === 'duplicate' && tried.attempt === 1) return this.failed(duplicate(tried));
      if (tried.is === 'duplicate') return this.existsAlready();
      mayExist = true;
      await this.waitFor(
        'the trade to show whether the gateway has the refund: the outcome of asking for it is unknown',
      );
      const { trade_status } = await settleTrade({ ...this.trade, seen: this.before, settling_ms });
      this.saw(trade_status);
      this.readMail();
      if (this.moved) return this.existsAlready();
      // Nothing tells whether it was made: from here on only news, or a person, can say.
      if (!tellsNothingWasMade(this.before)) return;
      if (tried.error.code !== undefined) return this.failed(notRefunded(tried));
      if (pause > FIRST_PAUSE_MS) this.raise('unknown-refund');
      await this.waitFor('a while, before the refund is asked for again under the same number');
      await sleep(pause, { summary: 'before the refund is asked for again' });
    }
  }

  /** Draws what can be drawn from the trade's state, and waits for the next one. */
  private async follow(): Promise<void> {
    const status = this.status ?? this.before;
    switch (fateOf(status, { before: this.before, moved: this.moved })) {
      case 'given back':
        return status === this.before ? this.endedIfItLasts(status, 'REFUNDED') : this.ended('REFUNDED');
      case 'refused':
        return this.endedIfItLasts(status, 'REFUND_REFUSED');
      case 'revoked':
        return this.endedIfItLasts(status, 'REFUND_REVOKE');
      case 'pending':
        this.settle('unknown-refund');
        await this.waitFor(PENDING[status] ?? 'the gateway');
        return this.news(status);
      case 'as before':
        if (!(await this.lasts(status)) || this.moved) return;
        // What counts as given back is not given back twice, should that be wrong.
        if (this.taken && fateOf(status, { before: this.before, moved: true }) === 'given back') {
          return this.ended('REFUNDED');
        }
    }
    this.raise('unknown-refund');
    await this.waitFor('news of the refund, of which the trade’s state says nothing, or a person’s decision');
    await this.news(status);
  }

  /** Money that would be free for another refund is freed only where the state lasts: a gateway may answer with an old one. */
  private async endedIfItLasts(status: string, outcome: RefundOutcome): Promise<void> {
    if (await this.lasts(status)) this.ended(outcome);
  }

  private async lasts(status: string): Promise<boolean> {
    await this.waitFor(`${status} to last`);
    const { settling_ms } = this.settings;
    const { trade_status } = await settleTrade({ ...this.trade, seen: status, settling_ms });
    this.saw(trade_status);
    this.readMail();
    return trade_status === status;
  }

  /** Waits for another state of the trade than `seen`, or for a notification, which is only a reason to ask. */
  private async news(seen: string): Promise<void> {
    const watch = { ...this.trade, seen, schedule: scheduleOf(this.settings) };
    const news = await nextNews(watch, () => this.mail.length > 0);
    if (news === 'mail') await this.look();
    else if (news !== 'time') this.saw(news.trade_status);
    this.readMail();
  }

  private async look(): Promise<void> {
    this.saw((await queryTrade(this.trade)).trade_status);
  }

  private saw(status: string): void {
    this.status = status;
    if (!this.sent) this.before = status;
    else if (status !== this.before) this.moved = true;
  }

  /** Alike as the states of two refunds are, a notification names its own; it counts where the gateway says the same. */
  private readMail(): void {
    const { out_request_no } = this.refund;
    const meaning = (status: string) => fateOf(status, { before: this.before, moved: true });
    for (const { out_request_no: named, trade_status = '' } of this.mail.splice(0)) {
      const isOurs = this.sent && out_request_no !== null && named === out_request_no;
      if (isOurs && meaning(trade_status) === meaning(this.status ?? '')) this.moved = true;
    }
  }

  private async tryOnce(): Promise<RefundResult> {
    this.sent = true;
    await this.waitFor('the gateway to take the refund');
    try {
      return await refundTrade({ ...this.trade, trade: this.input.trade, request: this.input.request });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const fields = { operation: '/trade/refund', retryable: true };
      if (error.cause instanceof TimeoutFailure) {
        const message = 'The worker died with the refund under way.';
        return { is: 'unknown', message, error: { ...fields, outcome: 'unknown' } };
      }
      if (!(error.cause instanceof ApplicationFailure) || error.cause.type !== FAILURE.invalidRequest) throw error;
      this.failed({ type: FAILURE.invalidRequest, message: error.cause.message, details: asRecord(error.cause) });
      return {
        is: 'not-created',
        message: error.cause.message,
        credentials: false,
        error: { ...fields, outcome: 'not-sent' },
      };
    }
  }

  private async accepted(answer: { readonly [field: string]: unknown }): Promise<void> {
    this.taken = true;
    this.settle('unknown-refund');
    this.refund.answer = { ...answer, recovered: false };
    this.refund.refund_status = typeof answer.refund_status === 'string' ? answer.refund_status : null;
    await this.tell();
    await this.look();
  }

  private async existsAlready(): Promise<void> {
    this.taken = true;
    this.settle('unknown-refund');
    const { out_request_no, refund_amount, refund_currency } = this.refund;
    const { trade_no, out_trade_no } = this.input;
    const ids = { out_trade_no, trade_no, ...(out_request_no === null ? {} : { out_request_no }) };
    await this.look();
    this.refund.answer = { ...ids, refund_currency, refund_amount, refund_status: this.status, recovered: true };
    await this.tell();
  }

  private ended(outcome: RefundOutcome): void {
    this.refund.outcome = outcome;
    this.refund.confirmed_by = 'query';
    this.refund.refund_status = this.status;
    this.refund.attention = null;
  }

  private failed(failure: NonNullable<RefundState['failure']>): void {
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
    throw ApplicationFailure.nonRetryable('A refund begins with its policy.');
  }

  private async waitFor(what: string): Promise<void> {
    this.waitingFor = what;
    await this.tell();
  }

  /** Shows everybody, and the after-sale first of all, what has changed. */
  private async tell(): Promise<void> {
    if (this.taken && this.moved && !this.isOver) this.refund.refund_status = this.status;
    this.show();
    const change: RefundChange = { refund: this.state, trade_status: this.status };
    const text = JSON.stringify(change);
    if (text === this.told) return;
    this.told = text;
    await CancellationScope.nonCancellable(async () => {
      // An after-sale that was ended cannot hear it; the next one asks.
      await getExternalWorkflowHandle(this.input.after_sale_id)
        .signal(refundChangedSignal, change)
        .catch(() => undefined);
    });
  }

  private show(): void {
    const { refund_amount, refund_currency, outcome, attention, refund_status } = this.refund;
    const lines = [
      `**${outcome ?? refund_status ?? 'ASKING'}** · ${refund_amount} ${refund_currency}`,
      outcome
        ? `Ended, known by ${this.refund.confirmed_by ?? 'the gateway’s answer'}.`
        : `Waiting for: ${this.waitingFor}`,
    ];
    if (attention) lines.push(`⚠️ **${attention}**: ${whatToDo(attention)}`);
    this.visibility.show(refundAttributes(this.refund), lines.join('\n\n'));
  }
}

const PENDING: Record<string, string | undefined> = {
  REFUND_VERIFYING: 'the buyer, who has to name an account for the money',
  REFUND_PROCESSING: 'the gateway, which is giving the money back',
};

function notRefunded({ message, error }: { message: string; error: object }) {
  return { type: FAILURE.notRefunded, message, details: { ...error } };
}

function duplicate({ error }: { error: object }) {
  const message =
    'The gateway has a refund under this number already, of which nothing is known here. Nothing was refunded now.';
  return { type: FAILURE.duplicateRefund, message, details: { ...error } };
}

function asRecord({ details }: ApplicationFailure): Record<string, unknown> {
  const [first]: unknown[] = details ?? [];
  return typeof first === 'object' && first !== null ? { ...first } : {};
}
