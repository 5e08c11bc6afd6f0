/** What a merchant's backend calls. Everything here is also reachable from any language by the contract in workflows/contract.ts. */
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { JWK } from 'jose';
import {
  type Checkout,
  type DirectPayment,
  InvalidRequestError,
  parseCheckout,
  parseDirectPayment,
  type RefundRequest,
  type RuleSettings,
  seal,
} from '../gateway';
import { SECRET_FIELDS } from '../gateway/sealing';
import { refundFailure, requestRefund } from '../refund-request';
import { originalRun } from '../runs';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  type NewPayment,
  type OrderRequest,
  type PaymentData,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  QUERY,
  type RefundAnswer,
  UPDATE,
  WORKFLOW,
} from '../workflows/contract';
import { creationAnswer } from '../workflows/creation-answer';
import { differingFields, orderOf } from '../workflows/requests';
import { AccountsClient } from './accounts-client';
import {
  DuplicateOrderError,
  fromFailure,
  fromRefundFailure,
  InvalidOrderError,
  PaymentNotFoundError,
  PaymentPendingError,
} from './errors';

/** Longer than `created` itself waits in the workflow, so that its own answer comes first wherever a worker runs. */
const ANSWER_TIMEOUT_MS = 45_000;

export interface PaymentsClientOptions {
  /** A Temporal client that the caller connects and closes. */
  client: Client;
  app_id: string;
  /** Default `payments`. */
  taskQueue?: string;
  /** The worker's public sealing key (`PAYMENTS_SEALING_PUBLIC_JWK`): needed for orders with a token or a PIN. */
  sealingKey?: JWK | undefined;
  /** How orders are checked before they are sent, where the worker's settings for that are not the defaults. */
  rules?: Partial<RuleSettings>;
  /** How long `pay` and `createCheckout` wait before they say PaymentPendingError, in ms. Default 45 000. */
  answerTimeoutMs?: number;
}

/** A checkout's payment data. `withReturnUrl(web_url, …)` gives it another `return_url` than the order's. */
export interface CheckoutCreated extends PaymentData {
  /** Where the buyer pays. */
  readonly web_url: string;
}

export class PaymentsClient {
  /** Virtual accounts (SPEI). */
  readonly accounts: AccountsClient;
  private readonly client: Client;
  private readonly app_id: string;
  private readonly taskQueue: string;
  private readonly sealingKey: JWK | undefined;
  private readonly rules: Partial<RuleSettings>;
  private readonly answerTimeoutMs: number;

  constructor(options: PaymentsClientOptions) {
    this.client = options.client;
    this.app_id = options.app_id;
    this.taskQueue = options.taskQueue ?? 'payments';
    this.sealingKey = options.sealingKey;
    this.rules = options.rules ?? {};
    this.answerTimeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    const { client, app_id, taskQueue, rules, answerTimeoutMs } = this;
    this.accounts = new AccountsClient({ client, app_id, taskQueue, rules, answerTimeoutMs });
  }

  /**
   * Starts a direct payment (section 4.1) and answers with the gateway's payment data as soon as it is there. The same
   * order again gets the same answer. Throws InvalidOrderError before anything is sent, NotCreatedError,
   * DuplicateOrderError, and PaymentPendingError where the gateway takes its time: the payment goes on, call again.
   */
  async pay(order: DirectPayment): Promise<PaymentData> {
    const request = validated(() => parseDirectPayment(order, this.rules));
    return this.start({ kind: 'direct', app_id: this.app_id, request: await this.sealed(request) });
  }

  /** Creates a hosted checkout (section 4.2). Errors as for {@link pay}. */
  async createCheckout(order: Checkout): Promise<CheckoutCreated> {
    const request = validated(() => parseCheckout(order, this.rules));
    const data = await this.start({ kind: 'checkout', app_id: this.app_id, request: { ...request } });
    return { ...data, web_url: String(data.web_url ?? '') };
  }

  /** The payment's whole public state now. Throws PaymentNotFoundError. */
  async state(out_trade_no: string): Promise<PaymentState> {
    return this.known(out_trade_no, () =>
      this.client.workflow.getHandle(this.id(out_trade_no)).query<PaymentState>(QUERY.state),
    );
  }

  /**
   * Waits for the payment's end, for days if need be, and returns its final state: its `outcome` says how it went.
   * Throws PaymentNotFoundError, and NotCreatedError or another PaymentError where there never was an order.
   */
  async outcome(out_trade_no: string): Promise<PaymentState> {
    return this.known(out_trade_no, () => this.result(out_trade_no));
  }

  /**
   * Refunds a paid order (section 4.3), wholly or in part, and answers with the gateway's response. The buyer's data that
   * the payment has need not be given again. The same request again, or the same `out_request_no`, gets the same answer;
   * a partial refund without a number is given one by its amount and reason, so two alike need numbers of their own.
   * Throws OverRefundError, NotRefundedError, InvalidOrderError and DuplicateRefundError, after which there is no refund
   * of this request, and PaymentPendingError where it waits for its turn or the gateway: it goes on, ask again.
   */
  async refund(out_trade_no: string, refund: RefundRequest): Promise<RefundAnswer> {
    const { client, app_id, taskQueue } = this;
    try {
      return await requestRefund(client, { app_id, out_trade_no, taskQueue }, refund);
    } catch (error) {
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw noAnswer(out_trade_no, taskQueue);
      throw fromRefundFailure(refundFailure(error), out_trade_no) ?? error;
    }
  }

  /** What followed the sale: the refunds, their sums, disputes. Throws PaymentNotFoundError where nothing did. */
  async refunds(out_trade_no: string): Promise<AfterSaleState> {
    const workflowId = afterSaleWorkflowId(this.app_id, out_trade_no);
    return this.known(out_trade_no, () =>
      this.client.workflow.getHandle(workflowId).query<AfterSaleState>(QUERY.state),
    );
  }

  /** Starts the payment, or meets the one that runs under its number; Temporal keeps the two from becoming two. */
  private async start(payment: NewPayment): Promise<PaymentData> {
    const { out_trade_no } = payment.request;
    const startWorkflowOperation = new WithStartWorkflowOperation<PaymentWorkflow>(WORKFLOW.payment, {
      workflowId: this.id(out_trade_no),
      taskQueue: this.taskQueue,
      args: [payment],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    try {
      return await this.client.withDeadline(Date.now() + this.answerTimeoutMs, () =>
        this.client.workflow.executeUpdateWithStart<PaymentWorkflow, PaymentData, [NewPayment]>(UPDATE.created, {
          args: [payment],
          startWorkflowOperation,
        }),
      );
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return this.createdBefore(payment);
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw noAnswer(out_trade_no, this.taskQueue);
      throw (error instanceof WorkflowUpdateFailedError && fromFailure(error.cause, out_trade_no)) || error;
    }
  }

  /** The answer of a payment that has ended already: the same order gets the same answer for as long as Temporal keeps it. */
  private async createdBefore(payment: NewPayment): Promise<PaymentData> {
    const { out_trade_no } = payment.request;
    const { runId, input } = await originalRun(this.client, this.id(out_trade_no));
    const order = orderOf(input);
    if (order) {
      const fields = differingFields(
        { kind: order.kind, ...order.request },
        { kind: payment.kind, ...payment.request },
      );
      if (fields.length > 0) throw differentRequest(out_trade_no, fields);
    }
    const answer = creationAnswer(await this.result(out_trade_no, runId));
    if (answer) return answer;
    throw noAnswer(out_trade_no, this.taskQueue);
  }

  private async result(out_trade_no: string, runId?: string): Promise<PaymentState> {
    try {
      return await this.client.workflow.result<PaymentWorkflow>(this.id(out_trade_no), runId);
    } catch (error) {
      throw (error instanceof WorkflowFailedError && fromFailure(error.cause, out_trade_no)) || error;
    }
  }

  private async known<T>(out_trade_no: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      throw new PaymentNotFoundError(`No payment runs or ran here under order ${out_trade_no}.`, out_trade_no);
    }
  }

  /** The request with its secrets sealed: nothing but the gateway activity ever sees them again. */
  private async sealed(order: DirectPayment): Promise<OrderRequest> {
    const { out_trade_no } = order;
    const request: Record<string, unknown> & DirectPayment = { ...order };
    for (const field of SECRET_FIELDS) {
      const secret = order[field];
      if (typeof secret !== 'string') continue;
      if (this.sealingKey === undefined) {
        const rule = 'must be sealed: give the client the worker’s public key (PAYMENTS_SEALING_PUBLIC_JWK)';
        throw new InvalidOrderError(`Order ${out_trade_no} was not sent: ${field}: ${rule}`, out_trade_no, [
          { field, rule },
        ]);
      }
      request[field] = await seal(secret, this.sealingKey, { app_id: this.app_id, out_trade_no });
    }
    return request;
  }

  private id(out_trade_no: string): string {
    return paymentWorkflowId(this.app_id, out_trade_no);
  }
}

function validated<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new InvalidOrderError(error.message, error.out_trade_no ?? '', error.issues);
  }
}

function differentRequest(out_trade_no: string, fields: string[]): DuplicateOrderError {
  return new DuplicateOrderError(
    `Order ${out_trade_no} was made before with another request: ${fields.join(', ')} differ. Use a new out_trade_no.`,
    out_trade_no,
    { fields },
  );
}

function noAnswer(out_trade_no: string, taskQueue: string): PaymentPendingError {
  return new PaymentPendingError(
    `Order ${out_trade_no} is kept by Temporal, but nobody has answered for it yet: is a worker running on the task queue ${taskQueue}? Ask again with the same order.`,
    out_trade_no,
  );
}
