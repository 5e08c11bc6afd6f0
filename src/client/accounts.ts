/** Virtual accounts (SPEI) for a merchant's backend. Other languages do the same by the contract (see contract/). */
import { createHash } from 'node:crypto';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type {
  CreatedSpeiAccount,
  CreateSpeiAccountInput,
  DepositStanding,
  SpeiAccountData,
  SpeiAccountQuantityState,
  SpeiAccountState,
} from '../contract';
import {
  createSpeiAccountWorkflowId,
  type PaymentOutcome,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  priorityOf,
  QUERY,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
  UPDATE,
  WORKFLOW,
} from '../contract';
import type { NewSpeiAccount, RuleSettings } from '../gateway';
import { InvalidRequestError } from '../gateway/errors';
import { parseNewSpeiAccount } from '../gateway/virtual-accounts';
import {
  GRPC_STATUS,
  grpcCodeOf,
  isTaskFailing,
  isUnreachable,
  isUnreadable,
  isWithoutAnswer,
} from '../temporal/call-errors';
import { childrenOf } from '../temporal/list-query';
import { allRuns, ifExists } from '../temporal/runs';
import type { CallOptions } from './client-error';
import {
  AccountCanceledError,
  type AccountError,
  AccountNotFoundError,
  AccountPendingError,
  InvalidAccountError,
} from './errors';
import { accountErrorOf } from './failures';

type CreateWorkflow = (input: CreateSpeiAccountInput) => Promise<CreatedSpeiAccount>;
type QuantityWorkflow = (input: { app_id: string }) => Promise<void>;

/**
 * A deposit for which an account has started a payment. Credit the buyer by `is`: a `set-aside` deposit is not counted (`because` says why),
 * even if its payment has ended as SUCCESS.
 */
export type DepositPayment = DepositStanding & PaymentOfDeposit;

interface PaymentOfDeposit {
  out_trade_no: string;
  trade_no: string | null;
  /** How its payment ended. Null while it is being confirmed, or if the payment was terminated. */
  outcome: PaymentOutcome | null;
  /** Decimal string in currency units; null while it is being confirmed. */
  amount: string | null;
  currency: string | null;
  /** When its notification came: ISO 8601, UTC. */
  time: string;
}

export interface DepositPage {
  /** The latest first. */
  deposits: DepositPayment[];
  /** The `page` to pass to the next call; null after the last page. */
  next_page: string | null;
}

type ListedRun = temporal.api.workflow.v1.IWorkflowExecutionInfo;

const PAGE_SIZE = 20;
const CONTINUED_AS_NEW = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW;

/**
 * The default key of a buyer: `buyer-` and 32 hexadecimal digits of the SHA-256 of the `buyer_id`. A digest, because the key stands
 * in a workflow id, which everybody who reads Temporal sees, and some merchants use e-mail addresses as buyer_ids.
 *
 * @example
 * const key = accountKeyOf('buyer-mx-1');
 */
export function accountKeyOf(buyer_id: string): string {
  return `buyer-${createHash('sha256').update(buyer_id).digest('hex').slice(0, 32)}`;
}

/** The virtual accounts of one app. */
export class AccountsClient {
  constructor(private readonly options: CallOptions & { rules: Partial<RuleSettings> }) {}

  /**
   * The virtual account of a merchant's `key` (default: {@link accountKeyOf} of the `buyer_id`), as it is now; created if there is none
   * (section 4.8). The same key always gets the same account, whatever else the request says. Throws InvalidAccountError before
   * anything is sent; AccountNotCreatedError if there is no account; AccountCanceledError if it is canceled: create one under
   * another key; AccountPendingError if the gateway has not answered in time, or if it is unknown whether it has created one:
   * call again.
   *
   * @example
   * const identify = { type: 'CURP', number: 'HESO900101MDFRFF09' };
   * const customer = { buyer_id: 'buyer-mx-1', name: 'Sofía Hernández', email: 'sofia@example.com', identify };
   * const { account_id, account_number } = await payments.accounts.create({ customer });
   */
  async create(
    request: NewSpeiAccount,
    { key: own }: { key?: string | null | undefined } = {},
  ): Promise<SpeiAccountData> {
    // A null column names no key: all buyers without a key would share one account, and with it their deposits.
    const key = own || accountKeyOf(request.customer?.buyer_id ?? '');
    const { client, app_id, taskQueue, rules } = this.options;
    try {
      parseNewSpeiAccount(request, rules);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      throw new InvalidAccountError(error.message, key, { issues: error.issues });
    }
    const workflowId = createSpeiAccountWorkflowId(app_id, key);
    const start = () =>
      client.workflow.start<CreateWorkflow>(WORKFLOW.createSpeiAccount, {
        workflowId,
        taskQueue,
        args: [{ app_id, request }],
        priority: priorityOf(workflowId),
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A creation that failed may be tried again, because there is no account.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      });
    const { account_id } = await this.answer(key, () =>
      this.withinTime(async () => {
        await start().catch((error: unknown) => {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        });
        return client.workflow.getHandle<CreateWorkflow>(workflowId).result();
      }),
    );
    // The creation may have ended long ago, and the account been canceled since.
    const { status, account } = await this.get(account_id);
    if (status !== 'CANCELED') return account;
    const message = `The virtual account ${account_id} of the key ${key} is canceled: the buyer must not pay into it. Create another one under another key.`;
    throw new AccountCanceledError(message, key, { account_id });
  }

  /**
   * The account's state now. Throws AccountNotFoundError.
   *
   * @example
   * const { status, deposits, attention } = await payments.accounts.get(account_id);
   */
  get(account_id: string): Promise<SpeiAccountState> {
    const ask = () => this.handle(account_id).query<SpeiAccountState>(QUERY.state);
    return this.answer(account_id, () => this.withinTime(() => twice(ask)));
  }

  /**
   * The account's deposits, the latest first, page by page, each once: with the latest payment that the account has started for it. Temporal
   * lists the payments within its retention only; the account's own count and total include all, and its `set_aside` has those that no payment
   * was started for. A deposit that has just come, or has just come again, may be missing for a moment. Throws AccountNotFoundError; AccountPendingError if no worker answers for the account.
   *
   * @example
   * const { deposits, next_page } = await payments.accounts.deposits(account_id, { pageSize: 50 });
   */
  async deposits(account_id: string, options: { pageSize?: number; page?: string } = {}): Promise<DepositPage> {
    return this.answer(account_id, () => this.withinTime(() => this.pageOf(account_id, options)));
  }

  private async pageOf(
    account_id: string,
    { pageSize = PAGE_SIZE, page }: { pageSize?: number; page?: string },
  ): Promise<DepositPage> {
    const { client, app_id } = this.options;
    const account = speiAccountWorkflowId(app_id, account_id);
    const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: childrenOf(account, WORKFLOW.payment),
      pageSize,
      nextPageToken: page === undefined ? null : Buffer.from(page, 'base64url'),
    });
    // The list may hold payments of other parents.
    const own = (executions ?? []).filter(
      ({ parentExecution, status }) => parentExecution?.workflowId === account && status !== CONTINUED_AS_NEW,
    );
    const isShown = await Promise.all(own.map((one) => this.isLatest(one, account)));
    const payments = await Promise.all(own.filter((_, i) => isShown[i]).map((one) => this.paymentOf(one)));
    const numbers = payments.map(({ out_trade_no }) => out_trade_no);
    const ask = () => this.handle(account_id).query<DepositStanding[], [string[]]>(QUERY.deposits, numbers);
    const standings = await twice(ask);
    const deposits = payments.map((payment, i): DepositPayment => ({ ...payment, ...(standings[i] ?? OLDER) }));
    const token = Buffer.from(nextPageToken ?? []);
    return { deposits, next_page: token.length > 0 ? token.toString('base64url') : null };
  }

  /**
   * Cancels the account and waits for the gateway's confirmation. May be repeated. Throws AccountNotCanceledError,
   * AccountPendingError.
   *
   * @example
   * await payments.accounts.cancel(account_id);
   */
  cancel(account_id: string): Promise<SpeiAccountState> {
    return this.update(account_id, UPDATE.cancel);
  }

  /**
   * Queries the account at the gateway now. Throws AccountPendingError if the gateway does not answer.
   *
   * @example
   * const { status } = await payments.accounts.recheck(account_id);
   */
  recheck(account_id: string): Promise<SpeiAccountState> {
    return this.update(account_id, UPDATE.recheck);
  }

  /**
   * Queries how many accounts are left to create. Throws AccountPendingError if the gateway does not answer.
   *
   * @example
   * const { available_quantity } = await payments.accounts.quantity();
   */
  quantity(): Promise<SpeiAccountQuantityState> {
    const { client, app_id, taskQueue } = this.options;
    const startWorkflowOperation = new WithStartWorkflowOperation<QuantityWorkflow>(WORKFLOW.speiAccountQuantity, {
      workflowId: speiAccountQuantityWorkflowId(app_id),
      taskQueue,
      args: [{ app_id }],
      priority: priorityOf(speiAccountQuantityWorkflowId(app_id)),
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

  /** Whether the account has started no later payment for the deposit. A later one takes the place of this one, on whatever page it is. */
  private async isLatest({ execution }: ListedRun, account: string): Promise<boolean> {
    const { client } = this.options;
    const [workflowId, runId] = [execution?.workflowId ?? '', execution?.runId ?? ''];
    const latest = await ifExists(() => client.workflow.getHandle(workflowId).describe(), null);
    if (latest === null) return false;
    // A server answers few lists a second, so only a number with several runs is listed.
    if (latest.runId === runId) return true;
    const runs = await allRuns(client, workflowId, runId);
    return runs.find(({ parentExecution }) => parentExecution?.workflowId === account)?.runId === runId;
  }

  private async paymentOf(one: ListedRun): Promise<PaymentOfDeposit> {
    const { client, app_id } = this.options;
    const workflowId = one.execution?.workflowId ?? '';
    const isOver = one.status === temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED;
    const handle = client.workflow.getHandle<PaymentWorkflow>(workflowId, one.execution?.runId ?? undefined);
    // The search attribute holds the amount as a double; only the result is exact.
    const state: PaymentState | undefined = isOver ? await ifExists(() => handle.result(), undefined) : undefined;
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
          `Temporal has no virtual account ${key}: its workflow starts with its creation here, or with its first deposit.`,
          key,
        );
      }
      if (isUnreachable(error)) {
        throw new AccountPendingError(
          `Temporal could not be reached, or broke off the call, so it is unknown whether it has taken the call for ${key}: it may have. Make the same call again: that is safe.`,
          key,
        );
      }
      if (isWithoutAnswer(error) || isTaskFailing(error) || isUnreadable(error)) throw this.noAnswer(key);
      const cause =
        error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError ? error.cause : error;
      throw accountErrorOf(cause, key) ?? error;
    }
  }

  private noAnswer(key: string): AccountError {
    const { taskQueue } = this.options;
    return new AccountPendingError(
      `There is no answer about ${key} yet, and what Temporal has taken goes on: can Temporal be reached, and is a worker running on the task queue ${taskQueue}, with the keys of this process? Is PaymentAttention set on the workflow? Ask again.`,
      key,
    );
  }
}

const OLDER: DepositStanding = { is: 'older', because: null };

/** A query can fail at the moment between two runs, so it is made twice. */
const twice = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((error: unknown) => (isBetweenRuns(error) ? ask() : fail(error)));

function isBetweenRuns(error: unknown): boolean {
  return grpcCodeOf(error) === GRPC_STATUS.FAILED_PRECONDITION;
}

function fail(error: unknown): never {
  throw error;
}
