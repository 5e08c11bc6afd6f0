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
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AccountPolicy,
  accountNotSent,
  type CreateAccountInput,
  type CreateAccountResult,
  type CreatedSpeiAccount,
  type CreateSpeiAccountInput,
  type CreationResolution,
  FAILURE,
  type KeyedSignal,
  QUERY,
  SEARCH_ATTRIBUTE,
  SIGNAL,
  type SpeiAccountCreation,
  type SpeiAccountData,
  type SpeiAccountInput,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
  typedFailure,
  UPDATE,
  WORKFLOW,
} from '../../contract';
import { replicaLag } from '../../gateway/pure/durations';
import { isId } from '../../gateway/pure/ids';
import { hasRunOut, NO_WORD, sendingFailure, silenceAfter, wasNeverRun } from '../shared/activity-failure';
import { restartIfReset } from '../shared/continued';
import { isObject, isResultOf, isText, type ResultShape } from '../shared/ended-by-hand';
import { startAbandoned, startOrSignal } from '../shared/other-workflows';
import { assertResolution } from '../shared/request-rules';
import { runUntilResolved, uncancelled } from '../shared/scopes';
import { shownWait } from '../shared/wait';
import { accountGateway, accountPolicy, earlierWorkflows, untilGatewayAnswers } from './activities';
import { assertOwnCreation } from './broken-start';
import { accountData } from './record';
import { AccountVisibility } from './visibility';
import { Waiting } from './waiting';

/** How long a decision waits for what comes of it, in ms: callers are answered within 30 s. */
const DECIDED_WITHIN_MS = 20_000;

const speiAccountCreationStateQuery = defineQuery<SpeiAccountCreation>(QUERY.state);
const resolveCreationUpdate = defineUpdate<SpeiAccountCreation, [CreationResolution]>(UPDATE.resolve);

/**
 * Returns the account. Fails (`InvalidRequest`, `NotCreated`) only if certainly none was created. It ignores a cancellation:
 * a request that was sent cannot be taken back, and what this workflow has started for the whole app must go on.
 */
export async function createSpeiAccount(input: CreateSpeiAccountInput): Promise<CreatedSpeiAccount> {
  assertOwnCreation(input);
  const creation = new AccountCreation(input);
  try {
    return await uncancelled(() => creation.execute());
  } finally {
    creation.ends();
    await uncancelled(() => condition(allHandlersFinished));
  }
}

class AccountCreation {
  private readonly state: SpeiAccountCreation;
  private readonly visibility = new AccountVisibility();
  private readonly waiting: Waiting<NonNullable<SpeiAccountCreation['attention']>, SpeiAccountCreation>;
  private key = '';
  /** The run that has read the runs before it. A reset of it is another run, with one more run before it. */
  private readBy = '';
  /** How long a try may wait before it is sent, how long before a person is asked, and how long queries may be behind, in ms. */
  private times = { create_within_ms: 0, patience_ms: 0, settling_ms: 0 };
  /** An account may have been made, and no person has decided. */
  private isUndecided = false;
  /** How many decisions were acted on. */
  private heard = 0;
  /** `asking`: a decision is asked for, or one is acted on and can still be corrected. `over`: whoever has decided is answered. */
  private phase: 'trying' | 'asking' | 'over' = 'trying';

  constructor(private readonly input: CreateSpeiAccountInput) {
    const { app_id, request } = input;
    const buyer_id = request.customer?.buyer_id ?? null;
    const undecided = { account: null, attention: null, ...shownWait(null), unknown_tries: [], resolved: [] };
    this.state = { app_id, buyer_id, ...undecided };
    setHandler(speiAccountCreationStateQuery, () => this.state);
    setHandler(resolveCreationUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => this.checkResolution(resolution),
    });
    this.waiting = new Waiting(this.state, () => this.show());
  }

  ends(): void {
    this.phase = 'over';
  }

  async execute(): Promise<CreatedSpeiAccount> {
    this.show();
    const policy = await accountPolicy((why) => this.raise(why));
    if (this.state.attention !== null) this.settle();
    this.times = policy;
    await this.startQuantityWatch();
    const account = await restartIfReset(
      async () => (await this.knownAccount()) ?? (await this.create(policy)),
      async () => this.settle(),
    );
    await this.startAccount(account);
    this.state.account = account;
    this.show();
    return { account_id: account.account_id };
  }

  /** The account of the key, if one is known. Notes an earlier run that may have made one. */
  private async knownAccount(): Promise<SpeiAccountData | undefined> {
    const asked = { app_id: this.input.app_id, workflow_id: workflowInfo().workflowId };
    // Temporal's list may be down, or every worker may lack a key.
    const read = (within_ms: number) => earlierWorkflows.accountOfCreation(asked, within_ms);
    const onSilence = () => this.raise('no-answer');
    const { account_id, key, read_by, unknown_run } = await untilGatewayAnswers(
      this.times.patience_ms,
      read,
      onSilence,
    );
    this.settle();
    this.key = key;
    this.readBy = read_by;
    if (account_id !== null) return this.loadAccount(account_id);
    if (!unknown_run) return undefined;
    this.noteUnknown(`The run ${unknown_run} under this key ended before its outcome was known.`, null, null);
    return undefined;
  }

  private async create({ creates_again }: AccountPolicy): Promise<SpeiAccountData> {
    let mayTryAgain = creates_again && !this.isUndecided;
    for (;;) {
      this.phase = this.isUndecided ? 'asking' : 'trying';
      const made = this.phase === 'asking' ? await this.awaitDecision() : await this.try(mayTryAgain);
      this.phase = 'trying';
      if (made !== undefined) return made;
      mayTryAgain = false;
    }
  }

  /** Returns the account; undefined if it is tried again, or a person decides first. Throws if certainly no account was made. */
  private async try(mayTryAgain: boolean): Promise<SpeiAccountData | undefined> {
    const before = await this.quantity();
    const tried = await this.send();
    // An earlier try may have made an account: a refusal of this try does not prove that there is none.
    if ((tried.is === 'not-created' || tried.is === 'not-sent' || tried.is === 'invalid') && this.isUndecided)
      return undefined;
    if (tried.is === 'invalid') throw tried.failure;
    if (tried.is === 'created') return accountData(tried.account);
    if (tried.is === 'not-sent') throw notCreated(tried);
    if (tried.is === 'not-created') {
      if (tried.credentials) this.raise('credentials');
      throw notCreated(tried);
    }
    // A number that is behind the request would say that nothing was made.
    if (mayTryAgain) await sleep(replicaLag(this.times), { summary: 'until no query is behind the request' });
    const after = await this.quantity();
    this.noteUnknown(tried.message, before, after);
    // If fewer accounts are left than before, this one most likely exists. A number that cannot be read proves nothing.
    const hasNotFallen = before !== null && after !== null && after >= before;
    return mayTryAgain && hasNotFallen ? this.try(false) : undefined;
  }

  /** Tries in two parts: if nothing could be sent in the first, a person is told why, and the second has the rest of the time. */
  private async send(): Promise<Tried> {
    const { input, readBy: read_by } = this;
    const ends = Date.now() + this.times.create_within_ms;
    const soon = Math.min(Date.now() + this.times.patience_ms, ends);
    const first = await tryToCreate({ ...input, read_by, send_before: soon });
    if (first.is !== 'not-sent' || soon === ends) return first;
    this.raise(first.why);
    const tried = await tryToCreate({ ...input, read_by, send_before: ends });
    this.settle();
    return tried;
  }

  private noteUnknown(message: string, quantity_before: number | null, quantity_after: number | null): void {
    const time = new Date().toISOString();
    this.state.unknown_tries.push({ time, message, quantity_before, quantity_after });
    this.isUndecided = true;
  }

  /** Waits for a person. Returns the account that they found; undefined if it is created again, or they are asked again. */
  private async awaitDecision(): Promise<SpeiAccountData | undefined> {
    if (!this.isDecided) this.raise('unknown-outcome');
    await condition(() => this.isDecided);
    this.heard = this.state.resolved.length;
    const account_id = this.state.resolved.at(-1)?.account_id;
    if (account_id === undefined) {
      this.isUndecided = false;
      return undefined;
    }
    // A person who has mistyped the id can correct it even while the gateway does not answer.
    const found = await runUntilResolved(
      () => this.isDecided,
      () => this.find(account_id),
    );
    if (found === undefined || this.isDecided) return undefined;
    const doubt = found === null ? 'is not known to the gateway, or not shown yet.' : await this.doubtAbout(found);
    this.isUndecided = doubt !== undefined;
    if (doubt === undefined) return found ?? undefined;
    this.noteUnknown(doubted(account_id, doubt), null, null);
    return undefined;
  }

  /** Why a person has to name this account again: two buyers with one number lose money. Naming it again answers the doubt. */
  private async doubtAbout(found: SpeiAccountData): Promise<string | undefined> {
    const { account_id } = found;
    const isNew = (doubt: string) =>
      this.state.unknown_tries.every((one) => one.message !== doubted(account_id, doubt));
    const again = 'Name it again if it is so all the same.';
    const ofAnotherBuyer = `belongs to another buyer, the gateway says. ${again}`;
    if (this.isOfAnotherBuyer(found) && isNew(ofAnotherBuyer)) return ofAnotherBuyer;
    // Of two creations at the same moment, only one starts the account.
    if (await startAbandoned(WORKFLOW.speiAccount, this.startOf(found))) return undefined;
    const holder = await earlierWorkflows.accountHolder({ app_id: this.input.app_id, account_id, key: this.key });
    const ofAnotherKey = `is that of another key already, see ${holder}. ${again}`;
    return holder !== null && isNew(ofAnotherKey) ? ofAnotherKey : undefined;
  }

  /** Somebody has decided since the last decision was acted on. */
  private get isDecided(): boolean {
    return this.state.resolved.length > this.heard;
  }

  private isOfAnotherBuyer({ buyer_id }: SpeiAccountData): boolean {
    const asked = this.input.request.customer?.buyer_id;
    return buyer_id !== undefined && asked !== undefined && buyer_id !== asked;
  }

  /** The data of an account that exists already. A query returns mostly the same fields as a creation. */
  private async loadAccount(account_id: string): Promise<SpeiAccountData> {
    return (await this.find(account_id)) ?? accountData({ account_id });
  }

  /** Null if the gateway says that it has no such account. */
  private async find(account_id: string): Promise<SpeiAccountData | null> {
    const id = { app_id: this.input.app_id, account_id };
    const ask = (within_ms: number) => accountGateway.find(id, within_ms);
    const found = await untilGatewayAnswers(this.times.patience_ms, ask, (why) => this.raise(why));
    this.settle();
    return found && accountData(found);
  }

  private quantity(): Promise<number | null> {
    return accountGateway.quantityBriefly({ app_id: this.input.app_id });
  }

  /** An early deposit may have started the account's workflow: then a signal gives it the key, by which the next creation finds it. */
  private async startAccount(account: SpeiAccountData): Promise<void> {
    const told = { key: this.key } satisfies KeyedSignal;
    await startOrSignal(WORKFLOW.speiAccount, this.startOf(account), SIGNAL.keyed, told);
  }

  /** The start has the key, so that the account belongs to this key from the beginning. */
  private startOf(account: SpeiAccountData) {
    const { app_id, request } = this.input;
    const { account_id } = account;
    const buyer_id = account.buyer_id ?? request.customer?.buyer_id;
    const args: [SpeiAccountInput] = [{ app_id, account_id, account: { ...account, buyer_id } }];
    const typedSearchAttributes = [{ key: SEARCH_ATTRIBUTE.accountKeys, value: [this.key] }];
    return { workflowId: speiAccountWorkflowId(app_id, account_id), args, typedSearchAttributes };
  }

  private startQuantityWatch(): Promise<boolean> {
    const { app_id } = this.input;
    const workflowId = speiAccountQuantityWorkflowId(app_id);
    return startAbandoned(WORKFLOW.speiAccountQuantity, { workflowId, args: [{ app_id }] });
  }

  /** Answers once it is known what came of the decision: a mistyped account is before a person again. */
  private async resolve(resolution: CreationResolution): Promise<SpeiAccountCreation> {
    const { state } = this;
    const { account_id, ...said } = resolution;
    state.resolved.push(account_id === undefined ? said : { ...said, account_id: account_id.trim() });
    this.settle();
    const isKnown = () => state.account !== null || state.attention !== null || this.phase === 'over';
    await uncancelled(() => condition(isKnown, DECIDED_WITHIN_MS, { summary: 'until a decision is acted on' }));
    return state;
  }

  private checkResolution(resolution: CreationResolution | undefined): void {
    const account_id: unknown = resolution?.account_id;
    const isFit = account_id === undefined || (typeof account_id === 'string' && isId(account_id.trim()));
    assertResolution(resolution, [
      ...(isFit ? [] : [{ field: 'account_id', rule: 'the id of the account that was made, at most 64 characters' }]),
      ...(this.phase === 'asking'
        ? []
        : [{ field: 'account_id', rule: 'the outcome of this creation is not unknown (see its query `state`)' }]),
    ]);
  }

  private raise(attention: NonNullable<SpeiAccountCreation['attention']>): void {
    this.state.attention = attention;
    this.show();
  }

  private settle(): void {
    this.state.attention = null;
    this.show();
  }

  private show(): void {
    this.waiting.note();
    this.visibility.showCreation(this.state);
  }
}

/** What people read about an account that a person has named, and that may not be the buyer's. */
const doubted = (account_id: string, doubt: string) => `The account ${account_id} ${doubt}`;

/** Nobody knows whether the request has left. */
const UNKNOWN: CreateAccountResult = { is: 'unknown', message: NO_WORD };

const MADE: ResultShape<CreateAccountResult> = {
  created: { account: isObject },
  'not-created': { error: isObject, message: isText },
  unknown: { message: isText },
  'not-sent': { error: isObject, message: isText, why: isText },
};

type Tried = CreateAccountResult | { is: 'invalid'; failure: ApplicationFailure };

async function tryToCreate(input: CreateAccountInput): Promise<Tried> {
  try {
    const made = await accountGateway.create(input);
    return isResultOf(made, MADE) ? made : UNKNOWN;
  } catch (error) {
    if (error instanceof ActivityFailure && wasNeverRun(error)) return accountNotSent(NO_WORKER, 'missing-activity');
    const failed = sendingFailure(error);
    if (failed.is === 'unsent' && error instanceof ActivityFailure && hasRunOut(error))
      return accountNotSent(error.cause?.message ?? '', silenceAfter(error));
    if (failed.is === 'refused') return { is: 'invalid', failure: failed.failure };
    if (failed.is === 'none') throw error;
    return UNKNOWN;
  }
}

const NO_WORKER = 'No worker of the task queue could run the activity gateway.create-account.';

function notCreated({ message, error }: { message: string; error: object }): ApplicationFailure {
  return typedFailure(FAILURE.notCreated, message, { ...error });
}
