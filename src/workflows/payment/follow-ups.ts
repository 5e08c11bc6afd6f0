/** Starts follow-ups: they watch trades that may still be paid, and keep what waits for a person. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type Attention,
  answerToKeep,
  isOfAnother,
  orderOf,
  type PaymentFollowUpInput,
  type PaymentInput,
  type PaymentState,
  type PreviousRun,
  paymentFollowUpWorkflowId,
  pollSchedule,
  saleStatus,
  saysWithoutOrder,
  WORKFLOW,
} from '../../contract';
import { startAbandoned } from '../shared/start-abandoned';
import type { PaymentContext } from './context';
import { orderDeadlines, orderTimes } from './deadlines';
import { isOfTheApp } from './ending';

interface FollowUpReasons {
  /** Whether a trade of the order may still be paid. */
  readonly mayStillBePaid: boolean;
  /** Whether a new run of the payment goes on with the trade. */
  readonly goes_on?: boolean;
  /** Whether the order was sent more than once, so that there may be more than one trade of ours. */
  readonly sent_again: boolean;
  /** What ended the payment before there was an order. */
  readonly failure?: unknown;
}

export class FollowUps {
  /** Each has an id of its own. */
  private count = 0;
  /** Why the last one was started, and by which numbers it knows trades. */
  private startedFor: string | undefined;
  /** The reasons that one of them has. */
  private readonly handedOn: Attention[] = [];
  /** Until when it watches, in ms since the epoch. One that knew of the payment's end watches as long as is needed. */
  private watchesUntil = 0;

  constructor(
    private readonly input: PaymentInput,
    private readonly context: PaymentContext,
  ) {}

  /** Whether a trade or an attention is left that no follow-up has. */
  isNeeded(mayStillBePaid: boolean): boolean {
    const { shown } = this.context.record.reasons;
    const isOver = mayStillBePaid && this.watchesUntil <= Date.now();
    return (mayStillBePaid || shown !== null) && (this.startedFor !== this.reason || isOver);
  }

  /** What one that is started now would be started for. */
  private get reason(): string {
    const { reasons, snapshot } = this.context.record;
    const { trade_no, other_trades } = snapshot;
    return JSON.stringify([reasons.all, trade_no, other_trades.map((other) => other.trade_no)]);
  }

  /** Started apart, so that callers who wait for the outcome do not wait for the follow-up. */
  async start(reasons: FollowUpReasons): Promise<void> {
    const { app_id, out_trade_no, trade_no, outcome } = this.context.record.snapshot;
    const input = this.inputFor(reasons);
    this.handedOn.push(...input.reasons);
    this.startedFor = this.reason;
    this.watchesUntil = outcome === null ? input.watch_until : Number.POSITIVE_INFINITY;
    const number = out_trade_no ?? trade_no;
    if (number === null) return;
    this.count += 1;
    const { runId } = workflowInfo();
    // One follow-up waits for all orders that failed by our credentials. Where there is an outcome, it asks for its own trade.
    const isShared = outcome === null && !reasons.mayStillBePaid && input.reasons.every(isOfTheApp);
    await startAbandoned(WORKFLOW.paymentFollowUp, {
      workflowId: isShared
        ? paymentFollowUpWorkflowId(app_id, '', 'credentials')
        : paymentFollowUpWorkflowId(app_id, number, this.count === 1 ? runId : `${runId}:${this.count}`),
      args: [input],
      staticSummary: `After payment ${number}`,
    });
  }

  /** What earlier runs left is read apart, once Temporal's list of workflows is back: for the next run, this one has taken it. */
  async startReading(): Promise<void> {
    const { workflowId: workflow_id, runId: run_id } = workflowInfo();
    const { app_id, out_trade_no, trade_no } = this.context.record.snapshot;
    const number = out_trade_no ?? trade_no;
    if (number === null) return;
    const input = this.inputFor({ mayStillBePaid: false, sent_again: false });
    await startAbandoned(WORKFLOW.paymentFollowUp, {
      workflowId: paymentFollowUpWorkflowId(app_id, number, `${run_id}:earlier`),
      args: [{ ...input, reasons: ['no-answer'], unread_run: { workflow_id, run_id } }],
      staticSummary: `Reads what earlier runs of payment ${number} left`,
    });
  }

  private inputFor({ mayStillBePaid, goes_on = false, sent_again, failure }: FollowUpReasons): PaymentFollowUpInput {
    const { policy, record } = this.context;
    const { payment_data: _data, ...payment } = record.snapshot;
    const { runStartTime } = workflowInfo();
    const deadline = orderDeadlines(orderTimes(this.input), runStartTime.getTime(), policy).at(-1)?.at ?? 0;
    const previous = asPrevious(record.snapshot, this.input, failure);
    const reasons = goes_on ? record.reasons.lasting : record.reasons.all;
    const fresh = reasons.filter((reason) => !this.handedOn.includes(reason));
    return {
      // A status that was not accepted does not count as seen, so the watch reports it.
      payment: { ...payment, trade_status: saleStatus(payment) },
      reasons: fresh.length > 0 ? fresh : reasons,
      // An order with a bare secret is kept in no second history.
      previous: record.reasons.has('bare-secret') ? { ...previous, order: undefined } : previous,
      sent_again,
      watch_until: mayStillBePaid && !goes_on ? Math.max(deadline, Date.now() + policy.grace_ms) : 0,
      schedule: pollSchedule(policy),
      patience_ms: policy.patience_ms,
    };
  }
}

/** This run as the next one needs it. */
export function asPrevious(state: PaymentState, input: PaymentInput, failure: unknown): PreviousRun {
  const {
    outcome,
    confirmed_by,
    trade_no,
    trade_status,
    order_amount,
    order_currency,
    other_trades,
    mismatch,
    late_payment_refund,
  } = state;
  const payment_data = answerToKeep(state);
  const { runId: run_id } = workflowInfo();
  const order = saysWithoutOrder(failure) || isOfAnother(input) ? null : orderOf(input);
  const trade = { trade_no, trade_status, order_amount, order_currency };
  return { run_id, outcome, confirmed_by, order, payment_data, ...trade, other_trades, mismatch, late_payment_refund };
}
