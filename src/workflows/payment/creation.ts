/** Creates the order, never twice. What may be done next is the table in creation-steps.ts; this file does it. */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { GatewayErrorFields, NotificationSignal, Trade } from '../../contract';
import {
  type CreateResult,
  contradictsRefusal,
  detailsOf,
  type EarlierRun,
  FAILURE,
  type NewPayment,
  typedFailure,
} from '../../contract';
import { attentionAfter, type NotFound } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import type { PaymentContext } from './context';
import { CreationAttempts } from './creation-attempt';
import { duplicateOrderFailure, notCreatedFailure } from './creation-failures';
import { CREATION_SAID, type CreationFacts, nextCreationStep } from './creation-steps';
import { sendingEnd } from './deadlines';
import { EarlierRuns } from './earlier-runs';
import { FRESH_LOOK_MS, Resends } from './resends';
import { TradeLooks } from './trade-looks';

export class OrderCreation {
  private mayExist = false;
  /** Whether a request of this run may have reached the gateway. */
  private hasSent = false;
  private said: CreationFacts['said'] = 'nothing';
  private looked: CreationFacts['looked'] = 'not-yet';
  /** How many notifications had come when the last look began. */
  private lookedFor = 0;
  private readonly looks: TradeLooks;
  private last: { message: string; error: GatewayErrorFields } | undefined;
  /** How often an attempt at the creation was begun. */
  sends = 0;
  private readonly resends: Resends;
  readonly attempts: CreationAttempts;
  /** The run whose activities may send. Told by history, so that a reset run does not take itself for it. */
  private owner = workflowInfo().originalExecutionRunId;
  readonly earlier: EarlierRuns;
  private readonly until: number;
  /** Whether a try had all of the order's time and was not sent. */
  private isLate = false;

  constructor(
    private readonly order: NewPayment,
    private readonly context: PaymentContext,
    private readonly pending: PendingNotifications,
    private readonly isWithdrawn: () => boolean,
    private readonly isFirst: boolean,
  ) {
    this.earlier = new EarlierRuns(order, { ...context, pending }, isFirst);
    this.resends = new Resends(context, pending);
    this.attempts = new CreationAttempts(order, {
      isUnwanted: () => this.isNotified || this.isWithdrawn(),
      onBareSecret: () => context.raise('bare-secret'),
    });
    // Our own number comes before one that a notification named: that may be another's.
    this.looks = new TradeLooks(order.app_id, context, pending, () => [...this.earlier.ids, ...pending.named]);
    // From the start on: the first task may have waited for a worker.
    this.until = sendingEnd(order.request, workflowInfo().runStartTime.getTime(), context.policy);
  }

  /** Whether an order of ours may exist at the gateway although the creation has not ended. */
  get mayHaveSent(): boolean {
    return this.mayExist || (this.said === 'created-refused' && this.looked === 'no-answer');
  }

  /** Whether a request followed one that may have made the order: there may be more than one trade of ours. */
  get hasSentAgain(): boolean {
    return this.resends.count > 0;
  }

  /** Whether the gateway has, or may have, an order under the number. */
  get cannotBeWithdrawn(): boolean {
    return this.mayExist || this.isNotified;
  }

  /** Neither this run nor an earlier one has sent the order. The first try shows whether this run is a reset of one that did. */
  get isCertainlyUnsent(): boolean {
    return this.attempts.areUnsent && this.earlier.isNone && !this.cannotBeWithdrawn;
  }

  /** A notification has come. None is settled while the order is created. */
  private get isNotified(): boolean {
    return this.pending.all.length > 0;
  }

  /** Returns once the order's trade is known. Throws `NotCreated`, `DuplicateOrder` or `InvalidRequest` where none is ours. */
  async run(): Promise<void> {
    // A start under another reuse policy than the contract's may be the second one of an order that was sent already.
    if (!this.isFirst && (await this.earlier.latest())) this.said = 'duplicate';
    for (let isDone = false; !isDone; ) isDone = await this.take();
  }

  /** Takes one step. Returns whether the trade is known. */
  private async take(): Promise<boolean> {
    const step = nextCreationStep(this.facts);
    // Callers of `created` wait without a timer for a short try only.
    if (step !== 'send') this.attempts.isPastFirst = true;
    switch (step) {
      case 'send':
        return this.send();
      case 'look':
        return this.look();
      case 'look-on':
        return this.lookOn();
      case 'ask':
        return this.askAfterRefusal();
      case 'compare':
        return this.compare();
      case 'end-as-before':
        this.context.record.restore(this.earlier.ended ?? {});
        return true;
      case 'end-refused':
        this.raiseIfMayExist();
        this.context.record.applyRefusal(this.last?.error ?? {}, Date.now());
        return true;
      case 'end-not-created':
        this.raiseIfMayExist();
        throw this.notCreated('not-created');
      case 'end-not-sent':
        return this.endNotSent();
    }
  }

  /** This run sent nothing. After a reset, the run before may have sent the order. */
  private async endNotSent(): Promise<false> {
    this.mayExist = (await this.earlier.latest())?.is_same_order === true;
    if (this.mayExist) return false;
    // The merchant hears that it was not sent: nothing is left that the gateway could tell.
    this.context.record.reasons.settleSilence();
    throw this.notCreated('not-sent');
  }

  /** The last try was refused, and an earlier one may still show an order: its after-sale watches, and a person knows. */
  private raiseIfMayExist(): void {
    if (this.mayExist) this.context.raise('unknown-outcome');
  }

  private get facts(): CreationFacts {
    return {
      hasEnded: this.earlier.ended !== null,
      mayExist: this.mayExist,
      wasBusy: this.attempts.hasReached,
      said: this.said,
      looked: this.looked,
      isNotified: this.isNotified,
      isWithdrawn: this.isWithdrawn(),
      isInTime: !this.isLate && Date.now() < this.until,
    };
  }

  // — Sending —

  private async send(): Promise<boolean> {
    const { record } = this.context;
    if (this.mayExist && this.resends.needsRest) {
      await this.resends.rest();
      // The order may have shown itself during the pause, so the last look does not count any more.
      this.looked = 'not-yet';
      return false;
    }
    if (this.mayExist) this.resends.begin();
    this.sends += 1;
    // A person hears of a gateway that cannot be reached; then the order waits for the rest of its time.
    const patience_ms = this.sends === 1 ? this.context.policy.patience_ms : Number.POSITIVE_INFINITY;
    const send_before = Math.min(this.until, Date.now() + (this.mayExist ? FRESH_LOOK_MS : patience_ms));
    const tried = await this.attempts.next(send_before, this.owner).catch((error: unknown) => this.failed(error));
    if (tried === 'interrupted') return false;
    if (tried.is === 'created') {
      record.applyCreation({ ...tried.answer, recovered: false }, Date.now());
      return true;
    }
    if (tried.is === 'reset') return this.onReset(tried.run_id);
    this.last = tried;
    this.context.onGatewayError(tried);
    this.learn(tried);
    return false;
  }

  /** After a reset: the run before may have sent the order. If it certainly did not, this run may. */
  private async onReset(run_id: string): Promise<boolean> {
    this.owner = run_id;
    this.earlier.onReset();
    this.looked = 'not-yet';
    if (await this.earlier.latest()) this.said = 'duplicate';
    return false;
  }

  private learn(tried: Exclude<CreateResult, { is: 'busy' | 'created' | 'reset' }>): void {
    const { record } = this.context;
    this.said = CREATION_SAID[tried.is];
    this.looked = 'not-yet';
    this.hasSent ||= tried.is === 'unknown';
    // A gateway that was busy at an earlier attempt may have made the order all the same.
    this.mayExist ||= this.hasSent || (tried.is === 'duplicate' && this.attempts.hasReached);
    if (tried.is !== 'not-sent') record.reasons.settleSilence();
    if (tried.is === 'not-created' && tried.credentials) this.context.raise('credentials');
    // A person hears of it after `patience_ms`. Then the order waits for the rest of its time, once.
    if (tried.is === 'not-sent' && !this.mayExist) this.isLate = this.sends > 1;
    if (tried.is === 'not-sent' && !this.isLate && Date.now() < this.until) this.context.raise(tried.why);
  }

  /** Our own rules refuse a resend where the settings changed in between: the earlier try may still have made the order. */
  private failed(error: unknown): never {
    if (!this.mayExist || !(error instanceof ApplicationFailure)) throw error;
    this.raiseIfMayExist();
    const details = { ...detailsOf(error), may_exist: true };
    throw typedFailure(error.type ?? FAILURE.invalidRequest, error.message, details);
  }

  // — Looking —

  private async look(): Promise<boolean> {
    this.context.waitFor('the gateway to say whether it has the order: the creation’s outcome is unknown');
    const notifications = this.pending.all;
    const looked = await this.looks.byAll();
    if (looked.is === 'found') return this.recover(looked.trade);
    return this.onNotFound(looked, notifications);
  }

  /** What shows the refused order alive, or paid, is later than the refusal. */
  private async askAfterRefusal(): Promise<boolean> {
    this.context.waitFor('the gateway to say whether the order that it refused is over');
    const looked = await this.looks.briefly();
    if (looked.is === 'found' && contradictsRefusal(looked.trade.trade_status)) {
      // The refusal says that the gateway made the order.
      this.hasSent = true;
      return this.recover(looked.trade);
    }
    this.looked = looked.is === 'no-answer' ? 'no-answer' : 'no-such-order';
    return false;
  }

  private onNotFound(looked: NotFound, notifications: readonly NotificationSignal[]): false {
    this.lookedFor = notifications.length;
    this.looked = looked.is;
    // An order of ours that was not made yet is no unknown trade.
    if (looked.is === 'no-such-order') this.context.record.reasons.settleSilence();
    if (looked.is === 'no-such-order' && notifications.length === 0) return false;
    this.looks.noteNamed(notifications, looked.is === 'no-such-order');
    // The look is recorded by the attention that it raises.
    this.context.raise(attentionAfter(looked));
    return false;
  }

  /** The gateway was silent, or nothing may be sent any more and the order may exist: it is asked on, ever more slowly. */
  private async lookOn(): Promise<boolean> {
    // A person is asked next, and must not end anew what an earlier run has ended.
    const earlier = await this.earlier.latest();
    if (earlier?.ended) return false;
    const after = this.looked === 'no-answer' ? 'no-answer' : 'no-such-order';
    // Silence has its own reason, and says nothing of the order.
    if (after === 'no-such-order') this.context.raise(this.isNotified ? 'unknown-trade' : 'unknown-outcome');
    this.context.waitFor(
      after === 'no-answer'
        ? 'an answer of the gateway: it decides whether the order is sent again'
        : 'the gateway to know this order; nothing is sent any more',
    );
    const isInterrupted = () => this.pending.all.length > this.lookedFor || this.pending.isRequested;
    const found = await this.looks.untilFound(after, isInterrupted);
    if (found) return this.mayExist ? this.recover(found) : this.compareWith(found, earlier);
    // What came meanwhile is looked at by itself, and so is a denial after a silence.
    this.looked = 'not-yet';
    return false;
  }

  /** Goes on with a trade whose creation's answer was lost. Its notifications are read again once the payment waits. */
  private recover(trade: Trade): true {
    const { record } = this.context;
    const { out_trade_no } = this.order.request;
    const { trade_no, trade_status } = trade;
    const payment_data = this.earlier.answerFor(trade);
    const data = { out_trade_no, ...(trade_no ? { trade_no } : {}), trade_status, recovered: true, ...payment_data };
    record.applyCreation(data, Date.now(), payment_data ?? (record.isOfOrder(trade) ? data : null));
    record.applyQuery(trade, Date.now());
    // This run sent nothing, and no answer to an earlier one named this trade.
    if (!this.hasSent && !this.earlier.isProven(trade_no)) this.context.raise('unproven-trade');
    return true;
  }

  /** The gateway has, or is said to have, an order under this number, and this run never sent one. */
  private async compare(): Promise<boolean> {
    this.context.waitFor('the gateway to say what it has under this number: this order was not sent');
    const notifications = this.pending.all;
    // Read first: it may know the trade's own number.
    const earlier = await this.earlier.latest();
    if (earlier?.ended) return false;
    const { creationAnswer } = this.earlier;
    if (creationAnswer) {
      this.context.record.applyCreation(creationAnswer, Date.now());
      return true;
    }
    const looked = await this.looks.byAll();
    if (looked.is === 'found') return this.compareWith(looked.trade, earlier);
    // An earlier run of this payment made it: a reset, or a second start.
    if (earlier?.is_same_order) this.mayExist = true;
    else if (this.said === 'duplicate') throw duplicateOrderFailure(this.order, undefined);
    else this.onNotFound(looked, notifications);
    return false;
  }

  /** A trade is ours where an earlier run made it, or this one may have at a gateway that was busy; any other is not. */
  private compareWith(trade: Trade, earlier: EarlierRun | null): true {
    if (!earlier?.is_same_order && !this.attempts.hasReached) throw duplicateOrderFailure(this.order, trade);
    return this.recover(trade);
  }

  private notCreated(outcome: 'not-created' | 'not-sent'): ApplicationFailure {
    const message = this.last?.message;
    const details = { ...this.last?.error, outcome, may_exist: this.mayExist };
    return notCreatedFailure(this.order, { message, details, isWithdrawn: this.isWithdrawn() });
  }
}
