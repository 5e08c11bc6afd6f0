/** Starts payments, or answers from the payment that is known under the order's number. */
import { createHash, randomUUID } from 'node:crypto';
import {
  type Client,
  QueryNotRegisteredError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import {
  ANSWER_WAIT_MS,
  attributesAtStart,
  creationAnswer,
  differentOrder,
  endedFromOutside,
  fieldsUnlikeKnown,
  isNotCreatedFailure,
  isTradeOfOthers,
  madeElsewhere,
  type NewPayment,
  type PaymentData,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  priorityOf,
  startSummary,
  UPDATE,
  WORKFLOW,
} from '../contract';
import {
  askWhileClosing,
  GRPC_STATUS,
  grpcCodeOf,
  isEndedBeforeItBegan,
  isTaskFailing,
  isUnreachable,
  isUnreadable,
  isWithoutAnswer,
} from '../temporal/call-errors';
import { isEndedFromOutside, latestState, latestTakenRun, resultOf } from '../temporal/runs';
import { explainIfNotSetUp } from '../temporal/search-attributes';
import { orderUnder } from '../temporal/workflow-history';
import type { CallOptions } from './client-error';
import { DuplicateOrderError, PaymentPendingError } from './errors';
import { paymentErrorOf } from './failures';

export class PaymentStarter {
  constructor(private readonly options: CallOptions) {}

  private get client(): Client {
    return this.options.client;
  }

  /**
   * Starts the payment, or answers from the one that is known under the number, which adds nothing to its history. Throws
   * PaymentError: NotCreatedError, DuplicateOrderError, InvalidOrderError, PaymentPendingError; and NotSetUpError if nobody has
   * prepared the namespace.
   */
  async start(payment: NewPayment): Promise<PaymentData> {
    const { out_trade_no } = payment.request;
    const end = Date.now() + this.options.answerTimeoutMs;
    try {
      // A corrected order may come while the run of the wrong order is just failing.
      return await this.client.withDeadline(end, () => askWhileClosing(() => this.startOrAnswer(payment), end));
    } catch (error) {
      if (grpcCodeOf(error) === GRPC_STATUS.INVALID_ARGUMENT) await explainIfNotSetUp(this.client);
      throw this.errorOf(error, out_trade_no);
    }
  }

  private async startOrAnswer(payment: NewPayment): Promise<PaymentData> {
    const state = await this.stateIfKnown(payment.request.out_trade_no);
    if (state === 'ended before it began') return this.afterFailure(payment);
    return state ? this.answerOf(payment, state) : this.startNew(payment, 'REJECT_DUPLICATE');
  }

  /** Starts the payment, or joins the one that runs under its number: Temporal allows one workflow per id. */
  private async startNew(
    payment: NewPayment,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY',
  ): Promise<PaymentData> {
    // A number that is used again has an earlier run, which is looked at before the order is sent.
    const isFirst = workflowIdReusePolicy === 'REJECT_DUPLICATE';
    const started = isFirst ? { ...payment, first_start_id: randomUUID() } : payment;
    const startWorkflowOperation = new WithStartWorkflowOperation<PaymentWorkflow>(WORKFLOW.payment, {
      workflowId: this.id(payment.request.out_trade_no),
      taskQueue: this.options.taskQueue,
      args: [started],
      staticSummary: startSummary(payment),
      priority: priorityOf(this.id(payment.request.out_trade_no)),
      typedSearchAttributes: attributesAtStart(payment.request),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy,
    });
    try {
      return await this.client.workflow.executeUpdateWithStart<PaymentWorkflow, PaymentData, [NewPayment]>(
        UPDATE.created,
        { args: [started], startWorkflowOperation, updateId: updateIdOf(payment) },
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // The payment has ended this very moment.
      return this.answerOf(payment, await this.stateOf(payment.request.out_trade_no));
    }
  }

  /** What the payment under this number answers to this order. Throws DuplicateOrderError if it is another order. */
  private async answerOf(payment: NewPayment, known: PaymentState): Promise<PaymentData> {
    if (await this.isFailed(payment.request.out_trade_no)) return this.afterFailure(payment);
    return (await this.answerIfSame(payment, known)) ?? this.startNew(payment, 'REJECT_DUPLICATE');
  }

  /** The payment's answer, if it has one. Throws DuplicateOrderError if this is another order. */
  private async answerIfSame(payment: NewPayment, known: PaymentState): Promise<PaymentData | undefined> {
    const { out_trade_no } = payment.request;
    const order = await orderUnder(this.client, this.id(out_trade_no));
    if (isTradeOfOthers(order, known)) throw new DuplicateOrderError(madeElsewhere(out_trade_no), out_trade_no);
    const answer = creationAnswer(known);
    const fields = fieldsUnlikeKnown(payment, order ?? undefined, known);
    // If the order has no answer, only its run knows whether it has failed: then the number can be used again.
    if (answer && fields.length > 0) throw paymentErrorOf(differentOrder(known, fields), out_trade_no);
    return answer;
  }

  /** The payment failed. Its number can be used again if no order of ours can exist: the one rule of the contract. */
  private async afterFailure(payment: NewPayment): Promise<PaymentData> {
    const { out_trade_no } = payment.request;
    try {
      // Another run may have started under the number meanwhile.
      const state = await resultOf<PaymentWorkflow>(this.client, this.id(out_trade_no));
      const answer = await this.answerIfSame(payment, state);
      if (answer) return answer;
    } catch (error) {
      if (!(error instanceof WorkflowFailedError) || !isNotCreatedFailure(error.cause)) throw error;
      return this.startNew(payment, 'ALLOW_DUPLICATE_FAILED_ONLY');
    }
    throw noAnswer(out_trade_no, this.options.taskQueue);
  }

  private async isFailed(out_trade_no: string): Promise<boolean> {
    const { status } = await latestTakenRun(this.client, this.id(out_trade_no));
    return status.name !== 'RUNNING' && status.name !== 'COMPLETED';
  }

  private async stateIfKnown(out_trade_no: string): Promise<PaymentState | 'ended before it began' | undefined> {
    try {
      return await this.stateOf(out_trade_no);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      if (isTaskFailing(error) || isUnreadable(error)) throw error;
      // The run was refused at its start.
      if (error instanceof QueryNotRegisteredError) return 'ended before it began';
      if (isEndedBeforeItBegan(error)) return 'ended before it began';
      throw error;
    }
  }

  /** The error that callers get for an error of Temporal's. */
  errorOf(error: unknown, out_trade_no: string): unknown {
    if (isNoAnswer(error)) return noAnswer(out_trade_no, this.options.taskQueue);
    if (isUnreachable(error)) return unreachable(out_trade_no);
    if (isTaskFailing(error) || isUnreadable(error)) return taskFailing(out_trade_no, this.options.taskQueue);
    if (isEndedFromOutside(error)) return new PaymentPendingError(endedFromOutside(out_trade_no), out_trade_no);
    const isFailure = error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError;
    return (isFailure && paymentErrorOf(error.cause, out_trade_no)) || error;
  }

  private stateOf(out_trade_no: string): Promise<PaymentState> {
    return latestState<PaymentState>(this.client, this.id(out_trade_no));
  }

  private id(out_trade_no: string): string {
    return paymentWorkflowId(this.options.app_id, out_trade_no);
  }
}

/**
 * Callers of the same order share an update, because Temporal takes few updates at a time, and 2,000 in a run. They share it for as long as
 * it waits before it fails as pending, so nobody gets the failure of an earlier call.
 */
function updateIdOf({ kind, request }: NewPayment): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, request]))
    .digest('hex')
    .slice(0, 32);
  return `created:${Math.floor(Date.now() / ANSWER_WAIT_MS)}:${digest}`;
}

/** Temporal has not answered, or a person or the server ended the run before it took or answered the call. */
const isNoAnswer = (error: unknown): boolean => error instanceof WorkflowNotFoundError || isWithoutAnswer(error);

function noAnswer(out_trade_no: string, taskQueue: string): PaymentPendingError {
  return new PaymentPendingError(
    `There is no answer about order ${out_trade_no} yet, and what Temporal has taken goes on: can Temporal be reached, is a worker running on the order’s task queue (new orders go to task queue ${taskQueue}), or has somebody ended the workflow? Ask again, with the same request: what was sent is not sent again.`,
    out_trade_no,
  );
}

function unreachable(out_trade_no: string): PaymentPendingError {
  return new PaymentPendingError(
    `Temporal could not be reached, or broke off the call, so it is unknown whether it has taken the call about order ${out_trade_no}: it may have. Make the same call again, with the same number: that is safe, and what was sent is not sent again.`,
    out_trade_no,
  );
}

function taskFailing(out_trade_no: string, taskQueue: string): PaymentPendingError {
  return new PaymentPendingError(
    `The worker on the task queue ${taskQueue} and this process cannot read each other about order ${out_trade_no}, or the worker cannot run its workflow, whose task fails again and again. Has the worker the same PAYMENTS_ENCRYPTION_KEYS as this process? Ask again, with the same order, once that is mended.`,
    out_trade_no,
  );
}
