/**
 * The workflow `createSpeiAccount`: creates one virtual account for a merchant's key. The gateway has no idempotency
 * key for this, and accounts are scarce. So a person decides about a creation whose outcome is unknown, unless a
 * setting allows one more try.
 */

import {
  ActivityFailure,
  type ApplicationFailure,
  allHandlersFinished,
  condition,
  defineQuery,
  defineUpdate,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { CreateSpeiAccountInput, CreationResolution, SpeiAccountCreation, SpeiAccountData } from '../../contract';
import {
  type AccountPolicy,
  type CreateAccountResult,
  FAILURE,
  type KeyedSignal,
  QUERY,
  SEARCH_ATTRIBUTE,
  SIGNAL,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
  typedFailure,
  UPDATE,
  WORKFLOW,
} from '../../contract';
import { FIRST_BACKOFF_MS, nextBackoff } from '../shared/backoff';
import { assertResolution } from '../shared/resolution';
import { signalIfRunning } from '../shared/signal-if-running';
import { startAbandoned } from '../shared/start-abandoned';
import { accountGateway, accountPolicy, earlierWorkflows } from './activities';
import { accountData } from './record';
import { AccountVisibility } from './visibility';

export const speiAccountCreationStateQuery = defineQuery<SpeiAccountCreation>(QUERY.state);
export const resolveCreationUpdate = defineUpdate<SpeiAccountCreation, [CreationResolution]>(UPDATE.resolve);

/** Returns the account. Fails (`InvalidRequest`, `NotCreated`) only where certainly none was created. */
export async function createSpeiAccount(input: CreateSpeiAccountInput): Promise<SpeiAccountData> {
  const creation = new AccountCreation(input);
  try {
    return await creation.execute();
  } finally {
    await condition(allHandlersFinished);
  }
}

class AccountCreation {
  private readonly state: SpeiAccountCreation;
  private readonly visibility = new AccountVisibility();

  constructor(private readonly input: CreateSpeiAccountInput) {
    const { app_id } = input;
    this.state = { app_id, account: null, attention: null, unknown_tries: [], resolved: [] };
    setHandler(speiAccountCreationStateQuery, () => this.state);
    setHandler(resolveCreationUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
  }

  async execute(): Promise<SpeiAccountData> {
    this.show();
    const policy = await accountPolicy();
    await this.startQuantityWatch();
    const { account_id, key } = await earlierWorkflows.accountOfCreation({
      app_id: this.input.app_id,
      workflow_id: workflowInfo().workflowId,
    });
    const account = account_id === null ? await this.create(policy) : await this.loadAccount(account_id);
    await this.startAccount(account, key);
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
      // Where fewer accounts are left than before, this one most likely exists.
      const probablyExists = before !== null && after !== null && after < before;
      if (mayTryAgain && !probablyExists) continue;
      const found = await this.awaitDecision();
      if (found !== undefined) return found;
    }
  }

  /** Waits for a person: the account that they found, or undefined where it is to be created again. */
  private async awaitDecision(): Promise<SpeiAccountData | undefined> {
    const decided = this.state.resolved.length;
    this.raise('unknown-outcome');
    await condition(() => this.state.resolved.length > decided);
    const account_id = this.state.resolved.at(-1)?.account_id;
    return account_id === undefined ? undefined : this.loadAccount(account_id);
  }

  /** An account that exists already. A query returns mostly the same fields as a creation. */
  private async loadAccount(account_id: string): Promise<SpeiAccountData> {
    const { app_id } = this.input;
    return accountData((await accountGateway.find({ app_id, account_id })) ?? { account_id });
  }

  private async quantity(): Promise<number | null> {
    try {
      return await accountGateway.quantityBriefly({ app_id: this.input.app_id });
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  }

  /** An early deposit may have started it: then a signal gives it the key, by which the next creation finds it. */
  private async startAccount(account: SpeiAccountData, key: string): Promise<void> {
    const { app_id, request } = this.input;
    const { account_id } = account;
    const buyer_id = account.buyer_id ?? request.customer?.buyer_id;
    const workflowId = speiAccountWorkflowId(app_id, account_id);
    const args = [{ app_id, account_id, account: { ...account, buyer_id } }];
    const typedSearchAttributes = [{ key: SEARCH_ATTRIBUTE.accountKeys, value: [key] }];
    for (let pause_ms = FIRST_BACKOFF_MS; ; pause_ms = nextBackoff(pause_ms)) {
      if (await startAbandoned(WORKFLOW.speiAccount, { workflowId, args, typedSearchAttributes })) return;
      // Between the start and the signal, the account may end or stop taking signals.
      if (await signalIfRunning(workflowId, SIGNAL.keyed, { key } satisfies KeyedSignal)) return;
      await condition(() => false, pause_ms, { summary: 'before the account is told its key again' });
    }
  }

  private startQuantityWatch(): Promise<boolean> {
    const { app_id } = this.input;
    const workflowId = speiAccountQuantityWorkflowId(app_id);
    return startAbandoned(WORKFLOW.speiAccountQuantity, { workflowId, args: [{ app_id }] });
  }

  private resolve(resolution: CreationResolution): SpeiAccountCreation {
    this.state.resolved.push(resolution);
    this.state.attention = null;
    this.show();
    return this.state;
  }

  private checkResolution(resolution: CreationResolution | undefined): void {
    const isUnknown = this.state.attention === 'unknown-outcome';
    assertResolution(
      resolution,
      isUnknown
        ? []
        : [{ field: 'account_id', rule: 'the outcome of this creation is not unknown (see its query `state`)' }],
    );
  }

  private raise(attention: NonNullable<SpeiAccountCreation['attention']>): void {
    this.state.attention = attention;
    this.show();
  }

  private show(): void {
    this.visibility.showCreation(this.state);
  }
}

async function tryToCreate(input: CreateSpeiAccountInput): Promise<CreateAccountResult> {
  try {
    return await accountGateway.create(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (!(error.cause instanceof TimeoutFailure)) throw error.cause ?? error;
    return { is: 'unknown', message: 'The worker died during the creation.' };
  }
}

function notCreated({ message, error }: { message: string; error: object }): ApplicationFailure {
  return typedFailure(FAILURE.notCreated, message, { ...error });
}
