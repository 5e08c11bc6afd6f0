/**
 * The life of one virtual account, which never ends: it takes deposits, has each confirmed by a payment of its own, and
 * counts it once. What counts is decided in `deposit-ledger.ts`, what an account's data mean in `account-record.ts`;
 * `account-care.ts` keeps up with the gateway, and here is what callers meet and how a run hands on to the next.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { sameAmount } from '../gateway/money';
import { accountPolicy } from './account-activities';
import { AccountCare } from './account-care';
import type {
  AccountEvent,
  CarriedAccount,
  DepositSignal,
  NotifiedDeposit,
  SetAsideDeposit,
  SpeiAccountInput,
  SpeiAccountState,
} from './account-contract';
import { AccountRecord, depositOf } from './account-record';
import { AccountAttributes, accountDetails } from './account-visibility';
import { FAILURE, type PaymentState, QUERY, SIGNAL, UPDATE } from './contract';
import { DepositLedger, isSaidPaid } from './deposit-ledger';
import { paymentOf } from './deposit-payment';
import { Outbox } from './events';

export const speiAccountStateQuery = defineQuery<SpeiAccountState>(QUERY.state);
export const depositSignal = defineSignal<[DepositSignal]>(SIGNAL.deposit);
export const cancelAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.cancel);
export const recheckAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.recheck);
export const resolveAccountUpdate = defineUpdate<SpeiAccountState, [{ by: string; reason: string }]>(UPDATE.resolve);

/** Payments that confirm deposits at the same time. A burst waits here: what is under way when a run ends costs the next one more. */
const AT_ONCE = 50;
/** How long `cancel` and `recheck` wait for the gateway before they say that it takes its time. */
const ANSWER_WAIT_MS = 30_000;
/**
 * A run ends when Temporal suggests it, or after so many events: while no worker runs, what comes piles up in it, and the
 * next worker has to go through all of it within the time of one workflow task.
 */
const LONG_ENOUGH = 1_000;
/**
 * A run that is to end begins nothing more, and waits so long, and for so many events, for what is under way:
 * its news would each time keep the server from ending the run. What is left then is handed on.
 */
const TIME_TO_FINISH = '10 seconds';
const EVENTS_TO_FINISH = 400;
/** A run that would hand on more than this, in bytes, goes on: Temporal takes 2 MB, and ends a workflow that hands on more. */
const MOST_HANDED_ON = 1_750_000;

/**
 * Never returns: money can come after a cancellation, and what was counted must not be forgotten. So it does not heed a
 * request to cancel the workflow either; the update `cancel` is the one for the account.
 */
export async function speiAccount(input: SpeiAccountInput): Promise<void> {
  await uncancelled(() => new SpeiAccountLife(input).run());
}

/** Each handler begins outside of what `speiAccount` protects, and so does what it begins. */
const uncancelled = <T>(act: () => Promise<T>): Promise<T> => CancellationScope.nonCancellable(act);

class SpeiAccountLife {
  private readonly record: AccountRecord;
  private readonly ledger: DepositLedger;
  private readonly attributes = new AccountAttributes();
  private readonly since: number;
  private outbox: Outbox | undefined;
  private care: AccountCare | undefined;
  private cancelWanted: boolean;
  /** Deposits whose payment has not been started by this run. */
  private readonly queue: NotifiedDeposit[];
  private underWay = 0;
  /** No more deposits are begun in this run; then none is counted in it any more. */
  private closing = false;
  private closed = false;
  private failure: unknown;
  private told: CarriedAccount['told'];
  private events = 0;
  /** Told before it is known whether anybody listens. */
  private untold: AccountEvent[] = [];

  constructor(private readonly input: SpeiAccountInput) {
    const { account_id, account, carried } = input;
    this.record = new AccountRecord({ ...account, account_id }, carried?.attention);
    this.ledger = new DepositLedger(carried?.ledger);
    this.since = carried?.since ?? Date.now();
    this.cancelWanted = carried?.cancel_wanted ?? false;
    this.queue = this.ledger.pending;
    this.told = carried?.told ?? { status: this.record.status, attention: null };
    setHandler(speiAccountStateQuery, () => this.state);
    setHandler(depositSignal, (signal) => this.take(signal));
    setHandler(cancelAccountUpdate, () => uncancelled(() => this.cancel()));
    setHandler(recheckAccountUpdate, () => uncancelled(() => this.recheck()));
    setHandler(resolveAccountUpdate, () => this.resolve(), { validator: demandName });
    setDefaultSignalHandler(() => this.raise('unexpected-signal'));
  }

  async run(): Promise<void> {
    const policy = await accountPolicy();
    if (policy.has_listener) this.outbox = new Outbox();
    this.outbox?.put(this.untold.splice(0));
    const checks = { since: this.since, every_ms: policy.check_every_ms };
    const id = { app_id: this.input.app_id, account_id: this.input.account_id };
    this.care = new AccountCare(id, this.record, () => this.show(), checks, this.cancelWanted);
    const caring = this.care.run().catch((error: unknown) => this.fail(error));
    this.show();
    this.pump();
    await condition(() => this.failure !== undefined || this.shouldEnd);
    this.unlessFailed();
    await this.close(caring);
    await continueAsNew<typeof speiAccount>({ ...id, account: this.record.account, carried: this.carried });
  }

  private get shouldEnd(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!continueAsNewSuggested && historyLength < LONG_ENOUGH) return false;
    return JSON.stringify(this.carried).length <= MOST_HANDED_ON;
  }

  /** Brings to an end what soon ends by itself. Whatever comes meanwhile is taken, and handed on. */
  private async close(caring: Promise<void>): Promise<void> {
    this.closing = true;
    const last = workflowInfo().historyLength + EVENTS_TO_FINISH;
    const isIdle = () => this.underWay === 0 && this.outbox?.isEmpty !== false;
    await condition(() => isIdle() || workflowInfo().historyLength > last, TIME_TO_FINISH);
    this.closed = true;
    this.care?.stop();
    await caring;
    await this.outbox?.handOver();
    await condition(allHandlersFinished);
    this.unlessFailed();
  }

  /** What nobody foresaw waits here for a mended worker. It must not end the workflow, which holds the ledger. */
  private unlessFailed(): void {
    const { failure } = this;
    if (failure === undefined) return;
    const said = failure instanceof Error ? failure.message : String(failure);
    throw new Error(`Account ${this.input.account_id} cannot go on: ${said}`, { cause: failure });
  }

  private get state(): SpeiAccountState {
    const { record, input } = this;
    return {
      app_id: input.app_id,
      account_id: input.account_id,
      account: { ...record.account },
      status: record.status,
      attention: record.attention,
      deposits: this.ledger.public,
    };
  }

  private get carried(): CarriedAccount {
    const { since, record, ledger, told } = this;
    const cancel_wanted = this.care?.cancelWanted ?? this.cancelWanted;
    return { since, attention: record.attention, told, cancel_wanted, ledger: ledger.carried };
  }

  // — Deposits —

  private take(signal: DepositSignal): void {
    const deposit = depositOf(signal);
    if (deposit === undefined) {
      this.raise('unexpected-signal');
      return;
    }
    const judged = this.ledger.judge(deposit);
    if (judged === 'repeat') {
      this.ledger.hear(deposit);
      return;
    }
    this.record.compare(signal);
    if (judged === 'forgotten') {
      this.putAside(deposit, 'old-deposit');
    } else {
      this.ledger.expect(deposit);
      this.queue.push(deposit);
      this.pump();
    }
    this.show();
  }

  private pump(): void {
    if (this.care === undefined) return;
    while (!this.closing && this.underWay < AT_ONCE) {
      const next = this.queue.shift();
      if (next === undefined) return;
      this.underWay += 1;
      this.ledger.begin(next.out_trade_no);
      uncancelled(() => this.confirm(next))
        .catch((error: unknown) => this.fail(error))
        .finally(() => {
          this.underWay -= 1;
          this.pump();
        });
    }
  }

  private async confirm(announced: NotifiedDeposit): Promise<void> {
    const payment = await paymentOf(this.input.app_id, announced);
    // Still pending in what is handed on: the next run hears of its end.
    if (this.closed) return;
    const deposit = this.ledger.latestOf(announced);
    if (payment === 'counted') this.putAside(deposit, 'old-deposit');
    else this.settle(deposit, payment);
    this.show();
  }

  private settle(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    const amount = payment?.order_amount ?? deposit.amount;
    if (payment?.outcome !== 'SUCCESS' || !amount || !sameAmount(amount, amount)) {
      this.missing(deposit, payment);
      return;
    }
    if (deposit.amount !== undefined && !sameAmount(amount, deposit.amount)) this.record.raise('amount-mismatch');
    // Section 6.5: virtual accounts take Mexican pesos.
    const currency = (payment.order_currency ?? deposit.currency ?? 'MXN').toUpperCase();
    const trade_no = payment.trade_no ?? deposit.trade_no ?? null;
    const counted = this.ledger.confirm(deposit, { trade_no, amount, currency }, Date.now());
    if (counted) this.tell({ id: counted.out_trade_no, type: 'deposit', deposit: counted });
  }

  /** What was announced and is no confirmed money. Only where nobody said that it was paid is there nothing to look at. */
  private missing(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    if (!isSaidPaid(deposit) && payment !== null && payment.outcome !== 'SUCCESS') {
      this.ledger.drop(deposit);
    } else {
      this.putAside(deposit, 'unconfirmed-deposit');
    }
  }

  /** Neither counted nor lost: recorded apart, and told. */
  private putAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): void {
    const set_aside = this.ledger.putAside(deposit, because);
    this.record.raise(because);
    this.tell({ id: `set-aside:${set_aside.out_trade_no}`, type: 'deposit-set-aside', set_aside });
  }

  // — The updates —

  private async cancel(): Promise<SpeiAccountState> {
    await condition(() => this.care !== undefined);
    const { care, record } = this;
    if (care && !record.isCanceled) {
      care.refusal = undefined;
      care.cancelWanted = true;
      await this.within('canceled', () => record.isCanceled || care.refusal !== undefined);
      if (care.refusal) throw care.refusal;
    }
    return this.state;
  }

  private async recheck(): Promise<SpeiAccountState> {
    await condition(() => this.care !== undefined);
    const isAnswered = this.care?.rechecks.ask();
    await this.within('looked at', () => isAnswered?.() === true);
    return this.state;
  }

  /** A person has looked. Who and why stand in the history. */
  private resolve(): SpeiAccountState {
    this.record.attention = null;
    this.show();
    return this.state;
  }

  /** Nobody who waits for the gateway holds up the next run. */
  private async within(done: string, isDone: () => boolean): Promise<void> {
    await condition(() => isDone() || this.closed, ANSWER_WAIT_MS, { summary: done });
    if (isDone()) return;
    throw ApplicationFailure.create({
      type: FAILURE.pending,
      message: `Account ${this.input.account_id} is not ${done} yet: the gateway has not answered. We go on asking; ask again.`,
      nonRetryable: true,
      details: [{ outcome: 'unknown' }],
    });
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
    // What is learned after the events were handed on is the next run's to tell.
    if (this.closed) return;
    if (status !== this.told.status) this.tell({ id: this.eventId(), type: 'account-status' });
    if (attention !== null && attention !== this.told.attention) {
      this.tell({ id: this.eventId(), type: 'account-attention' });
    }
    this.told = { status, attention };
  }

  private eventId(): string {
    this.events += 1;
    return `${workflowInfo().runId}:${this.events}`;
  }

  private tell({ id, ...event }: Pick<AccountEvent, 'id' | 'type' | 'deposit' | 'set_aside'>): void {
    const { deposits, ...account } = this.state;
    const { count, total } = deposits;
    const time = new Date().toISOString();
    const told = { ...event, time, account: { ...account, deposits: { count, total } } };
    const news = { id: `${workflowInfo().workflowId}:${id}`, ...told };
    if (this.care === undefined) this.untold.push(news);
    else this.outbox?.put([news]);
  }
}

/** Whoever decides says who and why. */
export function demandName(decision: { by?: string; reason?: string } | undefined): void {
  if (decision?.by && decision.reason) return;
  throw ApplicationFailure.create({
    type: FAILURE.invalidRequest,
    message: 'Nothing was resolved: `by` (who decides) and `reason` are required.',
    nonRetryable: true,
  });
}
