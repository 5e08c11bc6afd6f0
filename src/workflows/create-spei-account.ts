/**
 * Creates one virtual account for a merchant's key. The gateway knows no key, and accounts are scarce: a creation whose
 * outcome is unknown goes to a person instead of being repeated, unless a setting allows one more try.
 */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  defineQuery,
  defineUpdate,
  ParentClosePolicy,
  setHandler,
  startChild,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AccountPolicy,
  accountOfCreation,
  accountPolicy,
  askQuantityBriefly,
  type CreateAccountResult,
  createAccount,
  findAccount,
} from './account-activities';
import type {
  CreateSpeiAccountInput,
  CreationResolution,
  SpeiAccountCreation,
  SpeiAccountData,
} from './account-contract';
import { accountData } from './account-record';
import { AccountAttributes, creationDetails } from './account-visibility';
import { FAILURE, QUERY, speiAccountQuantityWorkflowId, speiAccountWorkflowId, UPDATE, WORKFLOW } from './contract';
import { demandName } from './spei-account';

export const speiAccountCreationStateQuery = defineQuery<SpeiAccountCreation>(QUERY.state);
export const resolveCreationUpdate = defineUpdate<SpeiAccountCreation, [CreationResolution]>(UPDATE.resolve);

/** Returns the account. Fails (`InvalidRequest`, `NotCreated`) only where there certainly is none. */
export async function createSpeiAccount(input: CreateSpeiAccountInput): Promise<SpeiAccountData> {
  const creation = new Creation(input);
  try {
    return await creation.run();
  } finally {
    await condition(allHandlersFinished);
  }
}

class Creation {
  private readonly state: SpeiAccountCreation;
  private readonly attributes = new AccountAttributes();

  constructor(private readonly input: CreateSpeiAccountInput) {
    const { app_id } = input;
    this.state = { app_id, account: null, attention: null, unknown_tries: [], resolved: [] };
    setHandler(speiAccountCreationStateQuery, () => this.state);
    setHandler(resolveCreationUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
  }

  async run(): Promise<SpeiAccountData> {
    this.show();
    const policy = await accountPolicy();
    await this.beginToWatchQuantity();
    const earlier = await accountOfCreation({ app_id: this.input.app_id, workflow_id: workflowInfo().workflowId });
    const account = earlier === null ? await this.create(policy) : await this.known(earlier);
    await this.beginToFollow(account);
    this.state.account = account;
    this.show();
    return account;
  }

  private async create({ creates_again }: AccountPolicy): Promise<SpeiAccountData> {
    for (let mayTryAgain = creates_again; ; mayTryAgain = false) {
      const before = await this.quantity();
      const tried = await tryToCreate(this.input);
      if (tried.is === 'created') return accountData(tried.account);
      if (tried.is === 'not-created') {
        if (tried.credentials) this.raise('credentials');
        throw notCreated(tried);
      }
      const after = await this.quantity();
      const time = new Date().toISOString();
      this.state.unknown_tries.push({ time, message: tried.message, quantity_before: before, quantity_after: after });
      // One account fewer than before is most likely this one.
      const isMostLikelyThere = before !== null && after !== null && after < before;
      if (mayTryAgain && !isMostLikelyThere) continue;
      const found = await this.decision();
      if (found !== undefined) return found;
    }
  }

  /** The account that a person has found; undefined where it is to be created again. */
  private async decision(): Promise<SpeiAccountData | undefined> {
    const decided = this.state.resolved.length;
    this.raise('unknown-outcome');
    await condition(() => this.state.resolved.length > decided);
    const account_id = this.state.resolved.at(-1)?.account_id;
    return account_id === undefined ? undefined : this.known(account_id);
  }

  /** An account that exists already. What a creation answers, a query mostly says as well. */
  private async known(account_id: string): Promise<SpeiAccountData> {
    const { app_id } = this.input;
    return accountData((await findAccount({ app_id, account_id })) ?? { account_id });
  }

  private async quantity(): Promise<number | null> {
    try {
      return await askQuantityBriefly({ app_id: this.input.app_id });
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  }

  private beginToFollow(account: SpeiAccountData): Promise<void> {
    const { app_id, request } = this.input;
    const { account_id } = account;
    const buyer_id = account.buyer_id ?? request.customer?.buyer_id;
    return startAbandoned(WORKFLOW.speiAccount, speiAccountWorkflowId(app_id, account_id), {
      app_id,
      account_id,
      account: { ...account, buyer_id },
    });
  }

  private beginToWatchQuantity(): Promise<void> {
    const { app_id } = this.input;
    return startAbandoned(WORKFLOW.speiAccountQuantity, speiAccountQuantityWorkflowId(app_id), { app_id });
  }

  private resolve(resolution: CreationResolution): SpeiAccountCreation {
    this.state.resolved.push(resolution);
    this.state.attention = null;
    this.show();
    return this.state;
  }

  private checkResolution(resolution: CreationResolution | undefined): void {
    demandName(resolution);
    if (this.state.attention === 'unknown-outcome') return;
    throw ApplicationFailure.create({
      type: FAILURE.invalidRequest,
      message: 'Nothing was resolved: the outcome of this creation is not unknown (see its query `state`).',
      nonRetryable: true,
    });
  }

  private raise(attention: NonNullable<SpeiAccountCreation['attention']>): void {
    this.state.attention = attention;
    this.show();
  }

  private show(): void {
    this.attributes.update(this.state.account?.status ?? 'CREATING', this.state.attention);
    creationDetails(this.state);
  }
}

async function tryToCreate(input: CreateSpeiAccountInput): Promise<CreateAccountResult> {
  try {
    return await createAccount(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (!(error.cause instanceof TimeoutFailure)) throw error.cause ?? error;
    return { is: 'unknown', message: 'The worker died with the creation under way.' };
  }
}

/** Starts a workflow that outlives this one. One that runs already, begun by an early deposit, goes on. */
async function startAbandoned(type: string, workflowId: string, input: object): Promise<void> {
  try {
    await startChild(type, { workflowId, args: [input], parentClosePolicy: ParentClosePolicy.ABANDON });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function notCreated({ message, error }: { message: string; error: object }): ApplicationFailure {
  return ApplicationFailure.create({ type: FAILURE.notCreated, message, nonRetryable: true, details: [error] });
}
