/** Virtual accounts (SPEI) for a merchant's backend. Reachable from any language by the contract, too. */
import {
  type Client,
  isGrpcDeadlineError,
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { InvalidRequestError, type NewSpeiAccount, parseNewSpeiAccount, type RuleSettings } from '../gateway';
import { childrenOf } from '../visibility-query';
import type {
  CreateSpeiAccountInput,
  SpeiAccountData,
  SpeiAccountQuantityState,
  SpeiAccountState,
} from '../workflows/account-contract';
import {
  createSpeiAccountWorkflowId,
  type Outcome,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  QUERY,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
  UPDATE,
  WORKFLOW,
} from '../workflows/contract';
import {
  type AccountError,
  AccountNotFoundError,
  AccountPendingError,
  fromAccountFailure,
  InvalidAccountError,
} from './account-errors';

type CreateWorkflow = (input: CreateSpeiAccountInput) => Promise<SpeiAccountData>;
type QuantityWorkflow = (input: { app_id: string }) => Promise<void>;

export interface AccountsClientOptions {
  client: Client;
  app_id: string;
  taskQueue: string;
  rules: Partial<RuleSettings>;
  /** How long a call waits before it says AccountPendingError, in ms. */
  answerTimeoutMs: number;
}

/** A deposit's payment, as the account has started it. */
export interface DepositPayment {
  out_trade_no: string;
  trade_no: string | null;
  /** SUCCESS is money; null while it is being confirmed, or where somebody ended it by force. */
  outcome: Outcome | null;
  /** Decimal string in currency units; null while it is being confirmed. */
  amount: string | null;
  currency: string | null;
  /** ISO 8601, UTC: when its notification came. */
  time: string;
}

export interface DepositPage {
  /** The latest first. */
  deposits: DepositPayment[];
  /** What `page` of the next call takes; null after the last page. */
  next_page: string | null;
}

const PAGE_SIZE = 20;

export class AccountsClient {
  constructor(private readonly options: AccountsClientOptions) {}

  /**
   * The virtual account of a merchant's `key` (default: the request's `buyer_id`), created where there is none (section
   * 4.8). The same key, at any time and from anywhere, gets the same account, whatever else the request says. Throws
   * InvalidAccountError before anything is sent, AccountNotCreatedError, and AccountPendingError where the gateway takes its
   * time or nobody knows whether it has created one: call again.
   */
  async create(request: NewSpeiAccount, { key = request.customer?.buyer_id ?? '' } = {}): Promise<SpeiAccountData> {
    const { client, app_id, taskQueue, rules } = this.options;
    try {
      parseNewSpeiAccount(request, rules);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      throw new InvalidAccountError(error.message, key, error.issues);
    }
    const workflowId = createSpeiAccountWorkflowId(app_id, key);
    try {
      await client.workflow.start<CreateWorkflow>(WORKFLOW.createSpeiAccount, {
        workflowId,
        taskQueue,
        args: [{ app_id, request }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A creation that was refused may be tried again: there is no account.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return this.answer(key, () =>
      this.withinTime(() => client.workflow.getHandle<CreateWorkflow>(workflowId).result()),
    );
  }

  /** The account's whole public state now. Throws AccountNotFoundError. */
  get(account_id: string): Promise<SpeiAccountState> {
    const ask = () => this.handle(account_id).query<SpeiAccountState>(QUERY.state);
    // A query may meet the moment between two runs.
    return this.answer(account_id, () => ask().catch((error: unknown) => (isBetweenRuns(error) ? ask() : fail(error))));
  }

  /**
   * The account's deposits as Temporal lists their payments, the latest first, page by page: those of its retention. The
   * account's own count and total have no such end. One that has just come may be missing for a moment.
   */
  async deposits(
    account_id: string,
    { pageSize = PAGE_SIZE, page }: { pageSize?: number; page?: string } = {},
  ): Promise<DepositPage> {
    const { client, app_id } = this.options;
    const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: childrenOf(speiAccountWorkflowId(app_id, account_id), WORKFLOW.payment),
      pageSize,
      nextPageToken: page === undefined ? null : Buffer.from(page, 'base64url'),
    });
    const deposits = await Promise.all((executions ?? []).map((one) => this.deposit(one)));
    const token = Buffer.from(nextPageToken ?? []);
    return { deposits, next_page: token.length > 0 ? token.toString('base64url') : null };
  }

  /** Cancels the account, and answers once the gateway confirms it. Again is no harm. Throws AccountNotCanceledError, AccountPendingError. */
  cancel(account_id: string): Promise<SpeiAccountState> {
    return this.update(account_id, UPDATE.cancel);
  }

  /** Asks the gateway now what has become of the account. Throws AccountPendingError where it does not answer. */
  recheck(account_id: string): Promise<SpeiAccountState> {
    return this.update(account_id, UPDATE.recheck);
  }

  /** How many accounts are left to create, asked now. Throws AccountPendingError where the gateway does not answer. */
  quantity(): Promise<SpeiAccountQuantityState> {
    const { client, app_id, taskQueue } = this.options;
    const startWorkflowOperation = new WithStartWorkflowOperation<QuantityWorkflow>(WORKFLOW.speiAccountQuantity, {
      workflowId: speiAccountQuantityWorkflowId(app_id),
      taskQueue,
      args: [{ app_id }],
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return this.answer('quantity', () =>
      this.withinTime(() =>
        client.workflow.executeUpdateWithStart<QuantityWorkflow, SpeiAccountQuantityState, []>(UPDATE.recheck, {
          startWorkflowOperation,
        }),
      ),
    );
  }

  private async deposit(one: temporal.api.workflow.v1.IWorkflowExecutionInfo): Promise<DepositPayment> {
    const { client, app_id } = this.options;
    const workflowId = one.execution?.workflowId ?? '';
    const isOver = one.status === temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED;
    const handle = client.workflow.getHandle<PaymentWorkflow>(workflowId, one.execution?.runId ?? undefined);
    // Search attributes hold the amount as a double: only the result is exact.
    const state: PaymentState | undefined = isOver ? await handle.result() : undefined;
    return {
      out_trade_no: workflowId.slice(paymentWorkflowId(app_id, '').length),
      trade_no: state?.trade_no ?? null,
      outcome: state?.outcome ?? null,
      amount: state?.order_amount ?? null,
      currency: state?.order_currency ?? null,
      time: new Date(Number(one.startTime?.seconds ?? 0) * 1000).toISOString(),
    };
  }

  private update(account_id: string, name: string): Promise<SpeiAccountState> {
    return this.answer(account_id, () => this.withinTime(() => this.handle(account_id).executeUpdate(name)));
  }

  private handle(account_id: string) {
    return this.options.client.workflow.getHandle(speiAccountWorkflowId(this.options.app_id, account_id));
  }

  private withinTime<T>(call: () => Promise<T>): Promise<T> {
    const { client, answerTimeoutMs } = this.options;
    return client.withDeadline(Date.now() + answerTimeoutMs, call);
  }

  private async answer<T>(key: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) {
        throw new AccountNotFoundError(
          `Nobody follows the virtual account ${key} here: that begins with its creation, or with its first deposit.`,
          key,
        );
      }
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error))
        throw this.noAnswer(key);
      const cause =
        error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError ? error.cause : error;
      throw fromAccountFailure(cause, key) ?? error;
    }
  }

  private noAnswer(key: string): AccountError {
    const { taskQueue } = this.options;
    return new AccountPendingError(
      `Temporal keeps what was asked for ${key}, but there is no answer yet: is a worker running on the task queue ${taskQueue}, and does PaymentAttention say something? Ask again.`,
      key,
    );
  }
}

const FAILED_PRECONDITION = 9;

function isBetweenRuns(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === FAILED_PRECONDITION;
}

function fail(error: unknown): never {
  throw error;
}
