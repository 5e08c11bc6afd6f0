/**
 * The workflow `speiAccount`: one virtual account. It never ends. It takes deposits, confirms each by its own payment
 * workflow, and counts it once: `deposit-ledger.ts` tells new deposits from repeated ones, `deposit-counting.ts` decides what
 * counts, `record.ts` what the account's data mean, and `sync.ts` queries the gateway. This file has the signals, updates and
 * queries, and how a run continues as new.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AccountHandover,
  AccountPolicy,
  AccountResolution,
  Cancellation,
  CarriedAccount,
  DepositSignal,
  DepositStanding,
  EarlierAccount,
  NotifiedDeposit,
  Silence,
  SpeiAccountInput,
  SpeiAccountState,
  Taking,
} from '../../contract';
import { ANSWER_WAIT_MS, bytesOf, cancellationAfter, wantedAfter } from '../../contract';
import { isContinued, isResetFailure, isResetOf } from '../shared/continued';
import { RecheckRequests } from '../shared/recheck-requests';
import { assertResolution } from '../shared/request-rules';
import { uncancelled } from '../shared/scopes';
import { assertTaking, shownWait } from '../shared/wait';
import { accountPolicy, earlierWorkflows } from './activities';
import { accountIssues, refuseAccount } from './broken-start';
import { Confirmations } from './confirmations';
import { type DepositAnswer, DepositCounting } from './deposit-counting';
import { DepositLedger } from './deposit-ledger';
import { AccountKeys } from './keys';
import {
  accountCarriedQuery,
  cancelAccountUpdate,
  depositSignal,
  depositsQuery,
  recheckAccountUpdate,
  resolveAccountUpdate,
  speiAccountStateQuery,
  takeAccountUpdate,
} from './messages';
import { AccountPublisher } from './publisher';
import { AccountRecord, parseDeposit } from './record';
import { AccountSync, notAnswered } from './sync';

/**
 * A run ends when Temporal suggests it, or after this many events: while no worker runs, signals pile up, and the next
 * worker has to handle all of them within one workflow task. It must exceed the 620 events that all confirmations at once cost to
 * begin: a run that ends before the first answer counts nothing, and the next run begins the same again.
 */
const EVENTS_PER_RUN = 1_000;
/**
 * A run that is about to end starts no more confirmations, and waits this long, and for this many events, for the open
 * ones: each result would keep the server from ending the run. The next run gets what is still open then.
 */
const DRAIN_TIMEOUT = '10 seconds';
const DRAIN_EVENTS = 400;
/**
 * A run that would hand on more than `MAX_CARRIED_BYTES` does not end yet. If signals that come while it ends bring it above
 * `MAX_HANDED_ON_BYTES`, it opens again. Temporal fails a workflow that hands on 2 MB.
 */
const MAX_CARRIED_BYTES = 1_600_000;
const MAX_HANDED_ON_BYTES = 1_900_000;
/** If an account cannot read its earlier runs for this long, and deposits wait for that, a person is told. */
const UNREADABLE_AFTER = '10 minutes';

/**
 * Never returns: money can come after a cancellation, and the ledger must not be lost. So it ignores a cancellation of
 * the workflow; the update `cancel` cancels the account.
 */
export async function speiAccount(given: SpeiAccountInput): Promise<void> {
  const issues = accountIssues(given);
  if (issues.length > 0) return refuseAccount(issues);
  // Only the run before hands on a ledger. In a start by hand, or one with an earlier run's input, the ledger is old.
  const input = isContinued() ? given : { ...given, carried: undefined };
  await uncancelled(() => new SpeiAccountRun(input).execute());
}

class SpeiAccountRun {
  private readonly record: AccountRecord;
  private readonly ledger: DepositLedger;
  private readonly publisher: AccountPublisher;
  private readonly counting: DepositCounting;
  private readonly keys: AccountKeys;
  private since: number;
  private policy: AccountPolicy | undefined;
  private sync: AccountSync | undefined;
  private wish: Cancellation | null;
  private readonly confirmations: Confirmations;
  private readonly rechecks = new RecheckRequests();
  /** `draining`: no more confirmations start. `closed`: no deposit is counted and no event published any more. */
  private phase: 'open' | 'draining' | 'closed' = 'open';
  private failure: unknown;
  /** An activity has reported that this run is a reset. */
  private isReset = false;
  /** Deposits that came before earlier runs were read; null once they are read. */
  private early: DepositSignal[] | null;
  /** The run that reads, or is given, what every run before it knew. A reset of that run does not know what it learned since. */
  private readonly readBy = workflowInfo().originalExecutionRunId;
  /** How many signals `deposit` came to this run. */
  private seen = 0;

  constructor(private readonly input: SpeiAccountInput) {
    const { account_id, account, carried } = input;
    this.record = new AccountRecord({ ...account, account_id }, Date.now(), carried);
    this.record.noteWait(Date.now());
    this.ledger = new DepositLedger(carried?.ledger);
    this.since = carried?.since ?? Date.now();
    this.wish = carried?.cancel ?? null;
    this.early = carried ? null : [];
    this.confirmations = new Confirmations(input.app_id, this.ledger, {
      onEnd: (deposit, payment) => this.onEnd(deposit, payment),
      onOverdue: (deposit) => this.raise('overdue-deposit', deposit),
      onFailure: (error) => this.fail(error),
    });
    const published = carried?.published ?? { status: this.record.status, attention: null, overdue: null };
    this.publisher = new AccountPublisher(input.app_id, this.record, this.ledger, published);
    this.counting = new DepositCounting(this.record, this.ledger, this.publisher);
    setHandler(speiAccountStateQuery, () => this.state);
    setHandler(depositsQuery, (out_trade_nos) => out_trade_nos.map((one) => this.standingOf(one)));
    setHandler(accountCarriedQuery, () => this.handover);
    setHandler(depositSignal, (signal) => {
      this.seen += 1;
      if (this.early) this.early.push(signal);
      else this.onDeposit(signal);
    });
    this.keys = new AccountKeys(() => this.raise('unexpected-signal'));
    const isRoom = { validator: () => this.rechecks.assertRoomToWait() };
    setHandler(cancelAccountUpdate, () => this.whileOpen(() => this.cancel()), isRoom);
    setHandler(recheckAccountUpdate, () => this.whileOpen(() => this.recheck()), isRoom);
    setHandler(resolveAccountUpdate, (resolution) => this.resolve(resolution), {
      validator: (resolution) => assertResolution(resolution, this.record.issuesWith(resolution?.seen)),
    });
    setHandler(takeAccountUpdate, (taking) => this.takeOn(taking), {
      validator: (taking) => assertTaking(taking, this.record.attention),
    });
    setDefaultSignalHandler(() => this.raise('unexpected-signal'));
  }

  async execute(): Promise<void> {
    this.policy = await this.readPolicy();
    if (this.early) await this.takeOver();
    while (!this.isReset) {
      const syncing = this.open(this.policy);
      await condition(() => this.shouldEnd);
      this.throwIfFailed();
      await this.close(syncing);
      // Signals that came while it closed may have made the ledger too large.
      if (bytesOf(this.carried) <= MAX_HANDED_ON_BYTES) break;
    }
    this.phase = 'closed';
    await condition(allHandlersFinished);
    // After a reset, the next run reads what this one and all before it have, as after a termination.
    const carried = this.isReset ? undefined : this.carried;
    await continueAsNew<typeof speiAccount>({ ...this.input, carried });
  }

  /** The worker's settings. If no worker tells them for long, the account shows it until one does. */
  private async readPolicy(): Promise<AccountPolicy> {
    let raised: Silence | undefined;
    const policy = await accountPolicy((why) => {
      raised = why;
      this.record.raiseSilence(why);
      this.show();
    });
    if (raised) this.record.settle(raised);
    return policy;
  }

  /** Takes over what earlier runs knew but could not hand on, and the deposits that came meanwhile. */
  private async takeOver(): Promise<void> {
    condition(() => this.early === null, UNREADABLE_AFTER).then(async (isRead) => {
      if (!isRead) await condition(() => this.early?.length !== 0);
      if (this.early?.length) this.raise('overdue-deposit');
    });
    const { carried, cancel, is_lost, undelivered, deposits, keys, account, read_by } = await loadEarlierAccount();
    // What came to the run that it resets is not new: the next run can tell the two apart.
    if (read_by !== this.readBy) {
      this.isReset = true;
      return;
    }
    // The status with which a creation starts this run is newer than what earlier runs know. A later run has that input, too.
    const started = !isContinued() ? { status: this.record.status, canceled_at: this.record.canceled_at } : null;
    // The cancellation may have been asked of this run, too.
    this.wish = cancellationAfter(cancel, this.wish ?? undefined);
    this.keys.restore(keys);
    if (carried) {
      this.since = carried.since;
      this.ledger.restore(carried.ledger);
      this.publisher.published = carried.published;
      this.record.restore(carried);
      // It may have changed since.
      this.rechecks.request();
    }
    if (started?.status) this.record.startedWith(started.status, started.canceled_at);
    this.record.complete(account);
    if (is_lost) this.raise('lost-deposits');
    this.publisher.restore(undelivered);
    const early = this.early ?? [];
    this.early = null;
    for (const signal of [...deposits, ...early]) this.onDeposit(signal);
    // The deposits that waited are classified by now, and may have been repetitions.
    this.record.settle('overdue-deposit');
  }

  /** Follows the account and confirms its deposits until {@link close}. */
  private open(policy: AccountPolicy): Promise<void> {
    const { app_id, account_id } = this.input;
    this.phase = 'open';
    this.publisher.open(policy);
    const checks = { since: this.since, policy, read_by: this.readBy };
    const follow = (changed: AccountPolicy) => {
      this.policy = changed;
      this.publisher.follow(changed);
    };
    this.sync = new AccountSync(
      { app_id, account_id },
      this.record,
      () => this.show(),
      checks,
      follow,
      this.rechecks,
      this.cancelStanding,
    );
    const syncing = this.sync.run().catch((error: unknown) => this.fail(error));
    this.show();
    this.confirmations.open();
    return syncing;
  }

  private get shouldEnd(): boolean {
    if (this.isReset || this.failure !== undefined) return true;
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const isLong = continueAsNewSuggested || historyLength >= EVENTS_PER_RUN;
    return isLong && this.ledger.carriedBytes <= MAX_CARRIED_BYTES;
  }

  /** Waits a short time for open confirmations, then stops. Signals that come meanwhile are carried over. */
  private async close(syncing: Promise<void>): Promise<void> {
    this.phase = 'draining';
    this.confirmations.close();
    const last = workflowInfo().historyLength + DRAIN_EVENTS;
    const isIdle = () => this.confirmations.isIdle && this.publisher.isIdle;
    await condition(() => isIdle() || workflowInfo().historyLength > last, DRAIN_TIMEOUT);
    this.phase = 'closed';
    this.publisher.close();
    this.sync?.stop();
    await syncing;
    await this.publisher.handOver();
    await condition(allHandlersFinished);
    this.throwIfFailed();
  }

  /** A plain Error: the task fails and is retried until a fixed worker runs. The workflow must not end, because it has the ledger. */
  private throwIfFailed(): void {
    const { failure: cause } = this;
    if (cause === undefined) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Account ${this.input.account_id} cannot go on: ${reason}`, { cause });
  }

  private get state(): SpeiAccountState {
    const { record, input } = this;
    return {
      app_id: input.app_id,
      account_id: input.account_id,
      account: { ...record.account },
      status: record.status,
      attention: record.attention,
      unseen: [...record.unseen],
      ...shownWait(record.wait),
      deposits: this.ledger.snapshot(this.early?.length ?? 0),
    };
  }

  /** Until earlier runs are read, every deposit counts as pending. */
  private standingOf(out_trade_no: string): DepositStanding {
    return this.early === null ? this.ledger.standingOf(out_trade_no) : { is: 'pending', because: null };
  }

  /** A reset has an older ledger, until it has read the runs before it: it hands on the wish to cancel, and no ledger. */
  private get handover(): AccountHandover {
    const cancel = this.cancelStanding;
    const knowsAll = this.early === null && !isResetOf(this.readBy);
    if (!knowsAll) return { carried: null, cancel, seen: 0, undelivered: [] };
    return { carried: this.carried, cancel, seen: this.seen, undelivered: this.publisher.undelivered };
  }

  private get cancelStanding(): Cancellation | null {
    return this.sync ? this.sync.wish : this.wish;
  }

  private get carried(): CarriedAccount {
    const { since, publisher, ledger } = this;
    const { cancelStanding: cancel } = this;
    return { since, ...this.record.carried, published: publisher.published, cancel, ledger: ledger.carried };
  }

  // — Deposits —

  private onDeposit(signal: DepositSignal): void {
    const deposit = parseDeposit(signal);
    if (deposit === undefined) {
      this.raise('unexpected-signal');
      return;
    }
    const verdict = this.ledger.classify(deposit);
    if (verdict === 'repeat') {
      if (this.ledger.updatePending(deposit, Date.now())) this.confirmations.onPaid(deposit);
      return;
    }
    this.record.compare(signal, deposit);
    if (verdict === 'forgotten' || verdict === 'second') {
      this.counting.setAside(deposit, verdict === 'second' ? 'second-deposit' : 'old-deposit');
    } else {
      this.ledger.addPending(deposit);
      this.confirmations.add(deposit);
    }
    this.show();
  }

  private onEnd(notified: NotifiedDeposit, payment: DepositAnswer): void {
    // The deposit is carried over as pending: the next run confirms it.
    if (this.phase === 'closed') return;
    const deposit = this.ledger.currentOf(notified);
    this.counting.settle(deposit, payment);
    this.show();
  }

  // — The updates —

  private async cancel(): Promise<SpeiAccountState> {
    // Noted before anything can fail: if the answer takes too long, the error says that we keep asking.
    this.wish = wantedAfter(this.wish);
    await this.awaitGateway('followed', () => this.sync !== undefined);
    const { sync, record } = this;
    if (sync && !record.isCanceled) {
      sync.want();
      await this.awaitGateway('canceled', () => record.isCanceled || sync.refusal !== undefined);
      if (sync.refusal) throw sync.refusal;
    }
    return this.state;
  }

  private async recheck(): Promise<SpeiAccountState> {
    await this.awaitGateway('followed', () => this.sync !== undefined);
    await this.awaitGateway('looked at', this.rechecks.request());
    return this.state;
  }

  /** A person has looked. The history has their name and reason. */
  private resolve({ by, seen }: AccountResolution): SpeiAccountState {
    this.record.resolve(by, seen, Date.now());
    // What stays is published again, even under the same reason.
    if (this.record.attention !== null) this.publisher.published = { ...this.publisher.published, attention: null };
    this.show();
    return this.state;
  }

  private takeOn(taking: Taking): SpeiAccountState {
    this.record.takeOn(taking, Date.now());
    this.show();
    return this.state;
  }

  private whileOpen(wait: () => Promise<SpeiAccountState>): Promise<SpeiAccountState> {
    return uncancelled(() => this.rechecks.whileOpen(wait));
  }

  /** Waits for the gateway. A caller who waits must not delay the next run. */
  private async awaitGateway(done: string, isDone: () => boolean): Promise<void> {
    await condition(() => isDone() || this.phase === 'closed', ANSWER_WAIT_MS, { summary: done });
    if (isDone()) return;
    throw notAnswered(this.input.account_id, done);
  }

  // — What others see —

  private raise(attention: 'unexpected-signal' | 'overdue-deposit' | 'lost-deposits', deposit?: NotifiedDeposit): void {
    this.record.raise(attention, deposit);
    this.show();
  }

  private fail(error: unknown): void {
    if (isResetFailure(error)) this.isReset = true;
    else this.failure ??= error;
  }

  private show(): void {
    this.publisher.show();
  }
}

/** Reads, page by page, what earlier runs of the account knew and did not hand on. */
async function loadEarlierAccount(): Promise<Omit<EarlierAccount, 'left'>> {
  const { left: first, ...earlier } = await earlierWorkflows.accountBefore({ left: null });
  for (let left = first; left.length > 0; ) {
    const page = await earlierWorkflows.accountBefore({ left });
    earlier.is_lost ||= page.is_lost;
    earlier.undelivered.push(...page.undelivered);
    earlier.deposits.push(...page.deposits);
    left = page.left;
  }
  return earlier;
}
