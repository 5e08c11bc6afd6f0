/** Starts follow-ups: they watch trades that may still be paid, and keep what waits for a person. */
import { workflowInfo } from '@temporalio/workflow';
import {
  answerToKeep,
  isOfAnother,
  orderOf,
  type PaymentFollowUpInput,
  type PaymentInput,
  type PaymentState,
  type PreviousRun,
  paymentFollowUpWorkflowId,
  pollSchedule,
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
  /** Until when it watches, in ms since the epoch. One that knew of the payment's end watches as long as is needed. */
  private watchesUntil = 0;

  constructor(
    private readonly input: PaymentInput,
    private readonly context: PaymentContext,
  ) {}

  /** Whether a trade or an attention is left that no follow-up has. */
  isNeeded(mayStillBePaid: boolean): boolean {
    const { attention } = this.context.record.snapshot;
    const isOver = mayStillBePaid && this.watchesUntil <= Date.now();
    return (mayStillBePaid || attention !== null) && (this.startedFor !== this.reason || isOver);
  }

  /** What one that is started now would be started for. */
  private get reason(): string {
    const { attention, trade_no, other_trades } = this.context.record.snapshot;
    return JSON.stringify([attention, trade_no, other_trades.map((other) => other.trade_no)]);
  }

  /** Started apart, so that callers who wait for the outcome do not wait for the follow-up. */
  async start(reasons: FollowUpReasons): Promise<void> {
    const { app_id, out_trade_no, attention, outcome } = this.context.record.snapshot;
    const input = this.inputFor(reasons);
    this.startedFor = this.reason;
    this.watchesUntil = outcome === null ? input.watch_until : Number.POSITIVE_INFINITY;
    if (out_trade_no === null) return;
    this.count += 1;
    const { runId } = workflowInfo();
    // One follow-up waits for all orders that failed by our credentials.
    const isShared = !reasons.mayStillBePaid && isOfTheApp(attention);
    await startAbandoned(WORKFLOW.paymentFollowUp, {
      workflowId: isShared
        ? paymentFollowUpWorkflowId(app_id, '', 'credentials')
        : paymentFollowUpWorkflowId(app_id, out_trade_no, this.count === 1 ? runId : `${runId}:${this.count}`),
      args: [input],
      staticSummary: `After payment ${out_trade_no}`,
    });
  }

  private inputFor({ mayStillBePaid, sent_again, failure }: FollowUpReasons): PaymentFollowUpInput {
    const { policy, record } = this.context;
    const { payment_data: _data, ...payment } = record.snapshot;
    const { runStartTime } = workflowInfo();
    const deadline = orderDeadlines(orderTimes(this.input), runStartTime.getTime(), policy).at(-1)?.at ?? 0;
    const previous = asPrevious(record.snapshot, this.input, failure);
    return {
      payment,
      // An order with a bare secret is kept in no second history.
      previous: payment.attention === 'bare-secret' ? { ...previous, order: undefined } : previous,
      sent_again,
      watch_until: mayStillBePaid ? Math.max(deadline, Date.now() + policy.grace_ms) : 0,
      schedule: pollSchedule(policy),
    };
  }
}

/** This run as the next one needs it. */
export function asPrevious(state: PaymentState, input: PaymentInput, failure: unknown): PreviousRun {
  const { outcome, confirmed_by, trade_no, trade_status, order_amount, order_currency, other_trades } = state;
  const payment_data = answerToKeep(state);
  const { runId: run_id } = workflowInfo();
  const order = saysWithoutOrder(failure) || isOfAnother(input) ? null : orderOf(input);
  const trade = { trade_no, trade_status, order_amount, order_currency };
  return { run_id, outcome, confirmed_by, order, payment_data, ...trade, other_trades };
}
