/**
 * The workflow `speiAccount`: one virtual account. It never ends. It takes deposits, confirms each by its own payment
 * workflow, and counts it once. `deposit-ledger.ts` decides what counts, `record.ts` what the account's data mean, and
 * `sync.ts` queries the gateway. This file has the signals, updates and queries, and how a run continues as new.
 */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AccountEvent,
  CarriedAccount,
  DepositSignal,
  NotifiedDeposit,
  SetAsideDeposit,
  SpeiAccountInput,
  SpeiAccountState,
} from '../../contract';
import { FAILURE, type PaymentState, paymentWorkflowId, QUERY, SIGNAL, typedFailure, UPDATE } from '../../contract';
import { sameAmount } from '../../gateway/pure/money';
import { InlineDelivery } from '../shared/outbox/delivery';
import { RunRelay } from '../shared/outbox/relay';
import { assertResolution } from '../shared/resolution';
import { accountPolicy } from './activities';
import { DepositLedger, isNotifiedAsPaid } from './deposit-ledger';
import { awaitDepositPayment } from './deposit-payment';
import { AccountRecord, parseDeposit } from './record';
import { AccountSync } from './sync';
import { AccountAttributes, accountDetails } from './visibility';

export const speiAccountStateQuery = defineQuery<SpeiAccountState>(QUERY.state);
export const depositSignal = defineSignal<[DepositSignal]>(SIGNAL.deposit);
export const cancelAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.cancel);
export const recheckAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.recheck);
export const resolveAccountUpdate = defineUpdate<SpeiAccountState, [{ by: string; reason: string }]>(UPDATE.resolve);

/**
 * How many deposits are confirmed at the same time. The next run has to start again those that are open when a run
 * ends.
 */
const CONFIRMATIONS_AT_ONCE = 50;
/** The updates `cancel` and `recheck` wait this long for the gateway, then fail with `PaymentPending`. */
const ANSWER_WAIT_MS = 30_000;
/**
 * A run ends when Temporal suggests it, or after this many events. While no worker runs, signals pile up, and the next
 * worker has to handle all of them within one workflow task.
 */
const EVENTS_PER_RUN = 1_000;
/**
 * A run that is about to end starts no more confirmations, and waits this long, and for this many events, for the open
 * ones: each result would keep the server from ending the run. The next run gets what is still open then.
 */
const DRAIN_TIMEOUT = '10 seconds';
const DRAIN_EVENTS = 400;
/**
 * A run that would carry over more bytes than this does not end yet: Temporal fails a workflow that carries over 2 MB.
 */
const MAX_CARRIED_BYTES = 1_750_000;

/**
 * Never returns: money can come after a cancellation, and the ledger must not be lost. So it ignores a cancellation of
 * the workflow; the update `cancel` cancels the account.
 */
export async function speiAccount(input: SpeiAccountInput): Promise<void> {
  await shielded(() => new SpeiAccountRun(input).execute());
}

/** Handlers run outside the scope that `speiAccount` shields, so each shields what it starts. */
const shielded = <T>(act: () => Promise<T>): Promise<T> => CancellationScope.nonCancellable(act);

class SpeiAccountRun {
  private readonly record: AccountRecord;
  private readonly ledger: DepositLedger;
  private readonly attributes = new AccountAttributes();
  private readonly since: number;
  private outbox: InlineDelivery | undefined;
  private sync: AccountSync | undefined;
  private cancelWanted: boolean;
  /** Deposits whose confirmation this run has not started. */
  private readonly queue: NotifiedDeposit[];
  private confirming = 0;
  /** `draining`: no more confirmations start. `closed`: no deposit is counted and no event published any more. */
  private phase: 'open' | 'draining' | 'closed' = 'open';
  private failure: unknown;
  private published: CarriedAccount['published'];
  private events = 0;
  /** Events from before the policy is loaded, which says whether anybody listens. */
  private unpublished: AccountEvent[] = [];

  constructor(private readonly input: SpeiAccountInput) {
    const { account_id, account, carried } = input;
    this.record = new AccountRecord({ ...account, account_id }, carried?.attention);
    this.ledger = new DepositLedger(carried?.ledger);
    this.since = carried?.since ?? Date.now();
    this.cancelWanted = carried?.cancel_wanted ?? false;
    this.queue = this.ledger.pending;
    this.published = carried?.published ?? { status: this.record.status, attention: null };
    setHandler(speiAccountStateQuery, () => this.state);
    setHandler(depositSignal, (signal) => this.onDeposit(signal));
    setHandler(cancelAccountUpdate, () => shielded(() => this.cancel()));
    setHandler(recheckAccountUpdate, () => shielded(() => this.recheck()));
    setHandler(resolveAccountUpdate, () => this.resolve(), { validator: (resolution) => assertResolution(resolution) });
    setDefaultSignalHandler(() => this.raise('unexpected-signal'));
  }

  async execute(): Promise<void> {
    const policy = await accountPolicy();
    if (policy.has_listener) this.outbox = new InlineDelivery(new RunRelay());
    this.outbox?.put(this.unpublished.splice(0));
    const checks = { since: this.since, every_ms: policy.check_every_ms };
    const id = { app_id: this.input.app_id, account_id: this.input.account_id };
    this.sync = new AccountSync(id, this.record, () => this.show(), checks, this.cancelWanted);
    const syncing = this.sync.run().catch((error: unknown) => this.fail(error));
    this.show();
    this.startConfirmations();
    await condition(() => this.failure !== undefined || this.shouldEnd);
    this.throwIfFailed();
    await this.close(syncing);
    await continueAsNew<typeof speiAccount>({ ...id, account: this.record.account, carried: this.carried });
  }

  private get shouldEnd(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!continueAsNewSuggested && historyLength < EVENTS_PER_RUN) return false;
    return JSON.stringify(this.carried).length <= MAX_CARRIED_BYTES;
  }

  /** Waits a short time for open confirmations, then stops. Signals that come meanwhile are carried over. */
  private async close(syncing: Promise<void>): Promise<void> {
    this.phase = 'draining';
    const last = workflowInfo().historyLength + DRAIN_EVENTS;
    const isIdle = () => this.confirming === 0 && this.outbox?.isEmpty !== false;
    await condition(() => isIdle() || workflowInfo().historyLength > last, DRAIN_TIMEOUT);
    this.phase = 'closed';
    this.sync?.stop();
    await syncing;
    await this.outbox?.handOver();
    await condition(allHandlersFinished);
    this.throwIfFailed();
  }

  /**
   * Throws a plain Error: the task fails and is retried until a fixed worker runs. The workflow must not end, it has
   * the ledger.
   */
  private throwIfFailed(): void {
    const { failure } = this;
    if (failure === undefined) return;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Error(`Account ${this.input.account_id} cannot go on: ${reason}`, { cause: failure });
  }

  private get state(): SpeiAccountState {
    const { record, input } = this;
    return {
      app_id: input.app_id,
      account_id: input.account_id,
      account: { ...record.account },
      status: record.status,
      attention: record.attention,
      deposits: this.ledger.snapshot,
    };
  }

  private get carried(): CarriedAccount {
    const { since, record, ledger, published } = this;
    const cancel_wanted = this.sync?.cancelWanted ?? this.cancelWanted;
    return { since, attention: record.attention, published, cancel_wanted, ledger: ledger.carried };
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
      if (this.ledger.updatePending(deposit)) this.signalPayment(deposit);
      return;
    }
    this.record.compare(signal);
    if (verdict === 'forgotten') {
      this.setAside(deposit, 'old-deposit');
    } else {
      this.ledger.addPending(deposit);
      this.queue.push(deposit);
      this.startConfirmations();
    }
    this.show();
  }

  /** Makes the payment of a deposit query now. Where it has not started, it queries anyway when it starts. */
  private signalPayment({ out_trade_no, trade_status }: NotifiedDeposit): void {
    const { app_id } = this.input;
    getExternalWorkflowHandle(paymentWorkflowId(app_id, out_trade_no))
      .signal(SIGNAL.notification, { app_id, out_trade_no, trade_status })
      .catch(() => undefined);
  }

  private startConfirmations(): void {
    if (this.sync === undefined) return;
    while (this.phase === 'open' && this.confirming < CONFIRMATIONS_AT_ONCE) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.confirming += 1;
      this.ledger.markStarted(next.out_trade_no);
      shielded(() => this.confirm(next))
        .catch((error: unknown) => this.fail(error))
        .finally(() => {
          this.confirming -= 1;
          this.startConfirmations();
        });
    }
  }

  private async confirm(notified: NotifiedDeposit): Promise<void> {
    const payment = await awaitDepositPayment(this.input.app_id, notified);
    // The deposit is carried over as pending, and the next run confirms it.
    if (this.phase === 'closed') return;
    const deposit = this.ledger.currentOf(notified);
    if (payment === 'counted') this.setAside(deposit, 'old-deposit');
    else this.countConfirmed(deposit, payment);
    this.show();
  }

  private countConfirmed(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    const amount = payment?.order_amount ?? deposit.amount;
    if (payment?.outcome !== 'SUCCESS' || !amount || !sameAmount(amount, amount)) {
      this.onUnconfirmed(deposit, payment);
      return;
    }
    if (deposit.amount !== undefined && !sameAmount(amount, deposit.amount)) this.record.raise('amount-mismatch');
    // Section 6.5: virtual accounts take Mexican pesos.
    const currency = (payment.order_currency ?? deposit.currency ?? 'MXN').toUpperCase();
    const trade_no = payment.trade_no ?? deposit.trade_no ?? null;
    const counted = this.ledger.confirm(deposit, { trade_no, amount, currency }, Date.now());
    if (counted) this.publish({ id: counted.out_trade_no, type: 'deposit', deposit: counted });
  }

  /** A deposit that the gateway does not confirm. It needs a person, unless no notification said that it was paid. */
  private onUnconfirmed(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    if (!isNotifiedAsPaid(deposit) && payment !== null && payment.outcome !== 'SUCCESS') {
      this.ledger.drop(deposit);
    } else {
      this.setAside(deposit, 'unconfirmed-deposit');
    }
  }

  /** Records a deposit that is not counted, for a person to look at. */
  private setAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): void {
    const set_aside = this.ledger.setAside(deposit, because);
    this.record.raise(because);
    this.publish({ id: `set-aside:${set_aside.out_trade_no}`, type: 'deposit-set-aside', set_aside });
  }

  // — The updates —

  private async cancel(): Promise<SpeiAccountState> {
    await condition(() => this.sync !== undefined);
    const { sync, record } = this;
    if (sync && !record.isCanceled) {
      sync.refusal = undefined;
      sync.cancelWanted = true;
      await this.awaitGateway('canceled', () => record.isCanceled || sync.refusal !== undefined);
      if (sync.refusal) throw sync.refusal;
    }
    return this.state;
  }

  private async recheck(): Promise<SpeiAccountState> {
    await condition(() => this.sync !== undefined);
    const isAnswered = this.sync?.rechecks.request();
    await this.awaitGateway('looked at', () => isAnswered?.() === true);
    return this.state;
  }

  /** A person has looked. The history has who and why. */
  private resolve(): SpeiAccountState {
    this.record.attention = null;
    this.show();
    return this.state;
  }

  /** Waits for the gateway. A caller who waits must not delay the next run. */
  private async awaitGateway(done: string, isDone: () => boolean): Promise<void> {
    await condition(() => isDone() || this.phase === 'closed', ANSWER_WAIT_MS, { summary: done });
    if (isDone()) return;
    throw typedFailure(
      FAILURE.pending,
      `Account ${this.input.account_id} is not ${done} yet: the gateway has not answered. We keep asking it; ask again.`,
      { outcome: 'unknown' },
    );
  }

  // — What others see —

  private raise(attention: 'unexpected-signal'): void {
    this.record.raise(attention);
    this.show();
  }

  private fail(error: unknown): void {
    this.failure ??= error;
  }

  private show(): void {
    const { status, attention } = this.record;
    this.attributes.update(status, attention);
    accountDetails(this.state);
    // The events have been handed over. The next run publishes what changes now.
    if (this.phase === 'closed') return;
    if (status !== this.published.status) this.publish({ id: this.eventId(), type: 'account-status' });
    if (attention !== null && attention !== this.published.attention) {
      this.publish({ id: this.eventId(), type: 'account-attention' });
    }
    this.published = { status, attention };
  }

  private eventId(): string {
    this.events += 1;
    return `${workflowInfo().runId}:${this.events}`;
  }

  private publish({ id, ...event }: Pick<AccountEvent, 'id' | 'type' | 'deposit' | 'set_aside'>): void {
    const { deposits, ...account } = this.state;
    const { count, total } = deposits;
    const time = new Date().toISOString();
    const body = { ...event, time, account: { ...account, deposits: { count, total } } };
    const complete = { id: `${workflowInfo().workflowId}:${id}`, ...body };
    if (this.sync === undefined) this.unpublished.push(complete);
    else this.outbox?.put([complete]);
  }
}
