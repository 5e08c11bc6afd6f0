/** What a payment hands on when its outcome is known: to its after-sale, to a follow-up, or to a new run. */
import { ActivityFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  isAfterSaleStatus,
  isDecided,
  knownIds,
  type NotificationSignal,
  type PaymentInput,
  type PaymentState,
  type PaymentWorkflow,
  SIGNAL,
  tradesNamedBy,
  WORKFLOW,
} from '../../contract';
import { requestLatePaymentRefund } from '../shared/activities';
import type { PaymentOutbox } from '../shared/outbox/payment-outbox';
import type { PendingNotifications } from '../shared/pending-notifications';
import { signalIfRunning } from '../shared/signal-if-running';
import { startAbandoned } from '../shared/start-abandoned';
import type { Visibility } from '../shared/visibility';
import type { PaymentContext } from './context';
import type { OrderCreation } from './creation';
import { type Ending, endingOf } from './ending';
import { asPrevious, type FollowUps } from './follow-ups';
import { lookAtOtherTrade, lookAtOtherTrades } from './other-trades';
import { lookAtSale } from './sale';

/** The payment at its end. */
interface EndedPayment {
  readonly input: PaymentInput;
  readonly context: PaymentContext;
  readonly pending: PendingNotifications;
  readonly visibility: Visibility;
  readonly outbox: PaymentOutbox | undefined;
  readonly creation: OrderCreation | undefined;
  readonly followUps: FollowUps;
  /** What ended the payment before there was an order. */
  readonly failure: unknown;
}

/** Whether its own word, and neither a person nor a deadline, ended the payment. */
const isEndedByTheGateway = ({ confirmed_by }: PaymentState) =>
  confirmed_by === 'query' || confirmed_by === 'notification';

const isOfSale = ({ trade_status = '' }: NotificationSignal) => !isAfterSaleStatus(trade_status);

export class AfterEnd {
  constructor(private readonly ended: EndedPayment) {}

  async run(): Promise<void> {
    const { failure, outbox, pending, context, followUps } = this.ended;
    // It ended without the money that was notified: that is compared once more, unless a person is asked about it already.
    const isAsked = context.record.reasons.has('unconfirmed-notification');
    if (isEndedByTheGateway(this.state) || !isAsked) pending.restoreContradicted();
    if (failure === undefined) {
      await this.startAfterSaleIfNeeded();
      await this.refundLatePayment();
      await outbox?.close();
    }
    // Nothing of this payment waits for the list of workflows.
    if (context.record.isUnread) await followUps.startReading();
    await this.handOnAll();
  }

  /** Hands on what is left. Each step takes time in which more may come, so it is repeated until nothing is left. */
  async handOnAll(): Promise<void> {
    while (await this.handOn());
  }

  private get state(): PaymentState {
    return this.ended.context.record.snapshot;
  }

  /** Hands on one thing that is left. Returns false if nothing is. */
  private async handOn(): Promise<boolean> {
    const { state, sentAgain, mayHaveSent } = this;
    const { input, context, pending, outbox } = this.ended;
    const ending = endingOf({ state, pending: pending.all, mayHaveSent, sentAgain });
    const { forAfterSale, otherTrades, isRevoked, reopenFor, mayStillBePaid } = ending;
    if (state.outcome !== null && state.trade_no === null) context.record.others.noteCandidate(ending.trade_no);
    // Another amount of the trade that was sold is no news of its money for the after-sale: a person compares it.
    const ofSale = pending.ofTrade(state.trade_no).filter((one) => isOfSale(one) && !isDecided(state, one));
    if (state.outcome === 'SUCCESS' && context.record.hasOtherAmount(ofSale)) context.raise('amount-mismatch');
    const unseen = state.trade_no === null ? [] : context.record.others.unseen(state.trade_no);
    const others = [...new Set([...otherTrades, ...unseen])];
    if (others.length > 0) await lookAtOtherTrades(others, input.app_id, context, pending);
    else if (forAfterSale.length > 0) {
      // A person resolved it as sold before its trade_no was known, so a person says which of these trades is ours.
      const named = state.trade_no === null ? tradesNamedBy(forAfterSale) : [];
      for (const trade_no of named) await lookAtOtherTrade(input.app_id, trade_no, context, forAfterSale);
      for (const notification of forAfterSale) await this.forwardToAfterSale(notification);
      pending.settle(forAfterSale);
    } else if (this.isToFollowUp(ending)) {
      await outbox?.close();
      const { failure } = this.ended;
      await this.ended.followUps.start({
        mayStillBePaid,
        goes_on: this.goesOn(ending),
        sent_again: sentAgain,
        failure,
      });
    } else if (isRevoked) await lookAtSale(input.app_id, context, pending);
    else if (reopenFor) await this.reopenFor(reopenFor);
    else return false;
    return true;
  }

  /**
   * Whether a new run goes on with the same trade: it watches the trade, and raises anew what the trade itself needs of a
   * person.
   */
  private goesOn({ mayStillBePaid, reopenFor }: Ending): boolean {
    return reopenFor !== undefined && !this.sentAgain && (this.state.trade_no !== null || !mayStillBePaid);
  }

  /** Beside a new run, a follow-up keeps only what no fact settles, such as a second trade. */
  private isToFollowUp(ending: Ending): boolean {
    const { followUps, context } = this.ended;
    if (!this.goesOn(ending)) return followUps.isNeeded(ending.mayStillBePaid);
    return context.record.reasons.lasting.length > 0 && followUps.isNeeded(false);
  }

  private get mayHaveSent(): boolean {
    const { failure, creation } = this.ended;
    const hasNoOrder = failure !== undefined || this.state.refused_because !== null;
    return hasNoOrder && creation?.mayHaveSent === true;
  }

  private get sentAgain(): boolean {
    return this.ended.creation?.hasSentAgain === true;
  }

  /** A sold trade gets an after-sale at once where the settings ask for it, or where the trade has moved on already. */
  private async startAfterSaleIfNeeded(): Promise<void> {
    const { outcome, trade_status } = this.state;
    if (outcome !== 'SUCCESS') return;
    const { watch_window_ms } = this.ended.context.policy;
    if (watch_window_ms > 0 || isAfterSaleStatus(trade_status ?? '')) await this.startAfterSale();
  }

  private async startAfterSale(): Promise<void> {
    const { app_id, out_trade_no, trade_no } = this.state;
    if (out_trade_no === null) return;
    // A refund or a notification may have started the after-sale already.
    await startAbandoned<AfterSaleWorkflow>(WORKFLOW.afterSale, {
      workflowId: afterSaleWorkflowId(app_id, out_trade_no),
      args: [{ app_id, out_trade_no, trade_no: trade_no ?? undefined }],
      staticSummary: `After the sale of ${out_trade_no}`,
    });
  }

  private async forwardToAfterSale(claim: NotificationSignal): Promise<void> {
    const { app_id, out_trade_no } = this.state;
    if (out_trade_no === null) return;
    const workflowId = afterSaleWorkflowId(app_id, out_trade_no);
    // It may not run yet, or have just ended.
    while (!(await signalIfRunning(workflowId, SIGNAL.notification, claim))) await this.startAfterSale();
  }

  /** Continues as the run that the webhook would start for this trade. */
  private async reopenFor({ trade_no }: NonNullable<Ending['reopenFor']>): Promise<void> {
    const { app_id, out_trade_no } = this.state;
    const { input, failure, pending, visibility } = this.ended;
    visibility.withdraw();
    await continueAsNew<PaymentWorkflow>({
      ...{
        kind: 'adopt',
        app_id,
        previous: asPrevious(this.state, input, failure),
        pending_notifications: pending.all,
      },
      ...knownIds({ out_trade_no, trade_no }),
    });
  }

  /** Refunds a late payment, where the settings ask for it. What becomes of the refund is the after-sale's. */
  private async refundLatePayment(): Promise<void> {
    const { app_id, out_trade_no, order_amount, order_currency, method, late_payment_refund } = this.state;
    // What an earlier run has asked for is not asked for again.
    if (!late_payment_refund || late_payment_refund.refund_status !== null || late_payment_refund.reason !== null)
      return;
    const { record, waitFor } = this.ended.context;
    if (out_trade_no === null || order_amount === null || order_currency === null) {
      return record.applyLatePaymentRefund({ is: 'refused', reason: 'the gateway does not say what was paid' });
    }
    const { out_request_no } = late_payment_refund;
    const refund = { refund_amount: order_amount, refund_currency: order_currency, out_request_no };
    const { taskQueue: task_queue } = workflowInfo();
    const waitsFor = 'the after-sale to take the refund of this late payment';
    waitFor(waitsFor);
    try {
      record.applyLatePaymentRefund(
        await requestLatePaymentRefund({ app_id, out_trade_no, method, task_queue, refund }),
      );
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const reason = 'the after-sale did not answer in time. Look there whether it has taken the refund';
      record.applyLatePaymentRefund({ is: 'refused', reason });
    }
    waitFor(waitsFor);
  }
}
