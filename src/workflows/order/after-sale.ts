/**
 * The workflow `afterSale`: what follows a sale. Handlers append facts; the loop takes the next step, which appends facts; what is shown
 * is rendered from the state that they make. `fold.ts` says what facts mean, `next-step.ts` what is done next, `refund-table.ts` what the
 * trade's status says of a refund. It sends refunds one after the other, and watches for disputes and chargebacks. It ends when nothing
 * is left to ask; a refund or a notification starts it again.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  setDefaultSignalHandler,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleCarried,
  type AfterSaleInput,
  type AfterSaleResolution,
  type AfterSaleRunInput,
  type AfterSaleState,
  claimOf,
  type EarlierAfterSale,
  FAILURE,
  knownIds,
  type PaymentPolicy,
  paymentWorkflowId,
  pollSchedule,
  type RefundAnswer,
  type RefundOrder,
  readSignal,
  refundInQuestion,
  type SoldOrder,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { DAY } from '../../gateway/pure/durations';
import { loadPolicy, loadPreviousRun } from '../shared/activities';
import { uncancelled } from '../shared/cancellable';
import { isContinued } from '../shared/continued';
import { attentionAfter, lookBriefly, lookUnless, type NotFound, searchOn } from '../shared/look';
import { PaymentOutbox } from '../shared/outbox/payment-outbox';
import { waitForTradeChange } from '../shared/polling';
import { RecheckRequests } from '../shared/recheck-requests';
import { Visibility } from '../shared/visibility';
import {
  afterSaleNotificationSignal,
  afterSaleStateQuery,
  carriedQuery,
  recheckAfterSaleUpdate,
  refundUpdate,
  resolveAfterSaleUpdate,
} from './after-sale-messages';
import { afterSaleIssues, refuseAfterSale } from './after-sale-start';
import { eventPaymentOf } from './event-payment';
import type { AfterSaleFact } from './facts';
import { findRefund, fold, isOlder, NOTHING_KNOWN } from './fold';
import { nextRefund, nextStep, obstacleTo, type Step, turnOf, watchUntil } from './next-step';
import {
  answerTo,
  askedTooOften,
  assertAfterSaleResolution,
  assertRefundOrder,
  closing,
  decisionOf,
  grantRefund,
  notTaken,
  orderNotFound,
} from './refund-requests';
import { afterSaleAttributes, afterSaleDetails, stateOf } from './rendering';
import { sendRefund } from './send-refund';

/** The update `refund` waits this long in all, then fails with `NotAnswered` or `RefundPending`. */
const REFUND_WAIT_MS = 30_000;

/** A server ends a run with 51,200 events. */
const MAX_EVENTS = 40_000;

/** A request that is under way when a person decides is given so long for its answer. */
const HELD_BACK_WITHIN_MS = 60_000;

/** Returns the last state: the refunds, and how much was refunded in all. Fails (`InvalidRequest`) under another id than its order's. */
export async function afterSale(input: AfterSaleRunInput): Promise<AfterSaleState> {
  const issues = afterSaleIssues(input);
  if (issues.length > 0) return refuseAfterSale(issues);
  const run = new AfterSaleRun(isContinued() ? input : startedAnew(input));
  // No cancellation ends what waits for a person, or for the gateway.
  await uncancelled(() => run.execute());
  return run.state;
}

/** Only the run before hands on a ledger. In a start by hand, or one that repeats an earlier run's input, it is an old one. */
const startedAnew = ({ app_id, out_trade_no, trade_no }: AfterSaleInput) => ({ app_id, out_trade_no, trade_no });

type Fact = AfterSaleFact extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never;

class AfterSaleRun {
  private sale: SoldOrder;
  /**
   * `reading`: earlier runs are read, and what comes waits. `unknown`: nobody has the order. `closing`: nothing may change any more.
   */
  private phase: 'reading' | 'open' | 'unknown' | 'closing' = 'reading';
  /** Whether Temporal has anything of the order. */
  private isKnownHere = true;
  private readonly early: Fact[] = [];
  private policy: PaymentPolicy | undefined;
  /** The requests of this run. They hold personal data, so they are neither facts nor shown. */
  private readonly requests = new Map<string, RefundOrder>();
  private readonly rechecks = new RecheckRequests();
  private readonly visibility = new Visibility();
  private outbox: PaymentOutbox | undefined;
  private waitingFor = 'the gateway’s answer about the trade';
  private watch_until = 0;
  /** How many notifications have come to this run. */
  private notified = 0;
  /** The refund that a person is just deciding on: it is not sent. */
  private deciding: string | undefined;

  constructor(private readonly input: AfterSaleRunInput) {
    // Before the first query is answered: a caller who reads the ledger while runs change reads the same.
    this.sale = input.sale ?? introducedBy(input);
    setHandler(afterSaleStateQuery, () => this.state);
    setHandler(carriedQuery, () => this.carried);
    setHandler(afterSaleNotificationSignal, (signal) => this.onNotification(signal));
    setHandler(refundUpdate, (order) => uncancelled(() => this.refund(order)), {
      validator: (order) => {
        this.assertOpen();
        if (this.rechecks.isFull) throw askedTooOften();
        assertRefundOrder(order);
      },
    });
    setHandler(recheckAfterSaleUpdate, () => uncancelled(() => this.recheck()), {
      validator: () => {
        this.assertOpen();
        this.rechecks.assertRoomToWait();
      },
    });
    setHandler(resolveAfterSaleUpdate, (resolution) => uncancelled(() => this.resolve(resolution)), {
      validator: (resolution) => {
        this.assertOpen();
        assertAfterSaleResolution(resolution);
      },
    });
    // Temporal would buffer a signal without a handler for ever, and nobody would notice.
    setDefaultSignalHandler(() => this.learn({ is: 'noticed', what: 'unexpected-signal' }));
  }

  get state(): AfterSaleState {
    return stateOf(this.shown, this.input.app_id, this.watchedUntil);
  }

  /** What came while earlier runs are read is held. */
  private get shown(): SoldOrder {
    const { heard, held } = this.sale;
    const claims = this.early.flatMap((fact) => (fact.is === 'notified' ? [{ claim: fact.claim, heard }] : []));
    return { ...this.sale, held: [...held, ...claims] };
  }

  /** While it reads, a run hands on what it was given: what came meanwhile is in its history alone. */
  private get carried(): AfterSaleCarried {
    return this.phase === 'reading'
      ? { sale: this.input.sale ?? null, has_read: false, taken: 0 }
      : { sale: this.sale, has_read: true, taken: this.notified };
  }

  async execute(): Promise<void> {
    this.policy = await loadPolicy({ method: null });
    if (this.policy.watch_window_ms)
      this.watch_until = this.input.watch_until ?? Date.now() + this.policy.watch_window_ms;
    await this.recall(this.policy);
    if (await this.isOfNobody()) return;
    for (let step = this.step; ; step = this.step) {
      if (this.mayContinueAnew) await this.continueInNewRun();
      if (step.take === 'rest' && !(await this.rest())) break;
      if (step.take !== 'rest') await this.take(step);
    }
    this.phase = 'closing';
    this.waitFor('nothing: a refund or a notification starts it again');
    await this.outbox?.close();
    // Notifications may have come meanwhile.
    if (!this.isAtRest) await this.continueAsNew();
  }

  // — Facts —

  /** Every change goes through here: a fact, the state that it makes, and what is shown of that. */
  private learn(...facts: readonly Fact[]): void {
    // What is read first is older.
    if (this.phase === 'reading') {
      this.early.push(...facts);
      return;
    }
    this.append(facts);
    this.show();
  }

  private append(facts: readonly Fact[]): void {
    // Until the settings are known, no time is long enough.
    const settings = { settling_ms: this.policy?.settling_ms ?? Number.POSITIVE_INFINITY };
    for (const fact of facts) this.sale = fold(this.sale, { at: Date.now(), ...fact } as AfterSaleFact, settings);
  }

  /** Takes over what earlier runs knew, where Temporal still has it. */
  private async recall(policy: PaymentPolicy): Promise<void> {
    const { app_id, out_trade_no = null } = this.input;
    const facts: Fact[] = [];
    // A run that was reset has forgotten what it had learned after its start.
    if (!this.input.sale || policy.run_id !== workflowInfo().originalExecutionRunId) {
      const given = this.sale;
      const known = await loadPreviousRun({ app_id, out_trade_no }, () => {
        this.append([{ is: 'noticed', what: 'no-answer' }]);
        this.waitFor('Temporal’s list of workflows: earlier runs have the ledger');
      });
      const { sale, claims, sent, is_unread, method, trade_no } = known;
      this.isKnownHere = isKnown(known);
      this.sale = sale ? { ...sale, out_trade_no: sale.out_trade_no ?? out_trade_no, denied: null } : given;
      facts.push(
        // The payment says which trade was sold. Its number alone, or who started this run, may name another one.
        { is: 'introduced', method, trade_no },
        ...(is_unread ? [{ is: 'noticed', what: 'unread' } as const] : []),
        ...sent.flatMap(lostIn),
        ...cutOff(this.sale),
        ...claims.map((claim) => ({ is: 'notified', claim }) as const),
      );
    }
    if (policy.has_listener) this.outbox = new PaymentOutbox(paymentWorkflowId(app_id, out_trade_no ?? ''), false);
    // What an earlier run knew, it has published.
    this.outbox?.skip(stateOf(this.input.sale ?? this.sale, app_id, 0));
    this.phase = 'open';
    this.learn(...facts, ...this.early.splice(0));
  }

  /** Whether nobody has the order, as where a number was mistyped: who waits is told at once, and nothing is left behind. */
  private async isOfNobody(): Promise<boolean> {
    const isNotified = () => this.sale.heard > 0;
    if (this.isKnownHere || isNotified()) return false;
    const looked = await lookBriefly(this.input.app_id, this.id);
    if (looked.is !== 'no-such-order' || isNotified()) return false;
    this.phase = 'unknown';
    await condition(allHandlersFinished);
    // A notification proves that there is an order after all.
    this.phase = isNotified() ? 'open' : 'closing';
    if (this.phase === 'closing') await this.outbox?.close();
    return this.phase === 'closing';
  }

  private onNotification(signal: unknown): void {
    this.notified += 1;
    const read = readSignal(signal);
    this.learn(read ? { is: 'notified', claim: claimOf(read) } : { is: 'noticed', what: 'unexpected-signal' });
  }

  // — Steps —

  private get step(): Step {
    const { watch_until, deciding } = this;
    const wishes = { isAsked: this.rechecks.isRequested, watch_until, deciding };
    return nextStep(this.sale, Date.now(), wishes, this.settings);
  }

  private async take(step: Exclude<Step, { take: 'rest' }>): Promise<void> {
    switch (step.take) {
      case 'find':
      case 'look':
        return this.look(step.take === 'look' ? step.lasting_ms : 0);
      case 'send':
        return this.send(step.number);
      case 'decline': {
        const { number, failure } = step;
        // What the trade shows is more than our ledger: nobody knows what is left.
        if (failure.details.ledger_complete === false && this.sale.complete)
          this.learn({ is: 'noticed', what: 'unread' });
        return this.learn({ is: 'answered', number, answered: { said: 'refused', failure } });
      }
      case 'pass':
        return this.learn({ is: 'passed', number: step.number, deadline: 'a day' });
      case 'watch':
        return this.watch(step);
    }
  }

  /** Whether nothing is left to ask, neither the gateway nor a person. */
  private get isAtRest(): boolean {
    return this.step.take === 'rest' && this.state.attention === null;
  }

  /** Nothing is left to ask. Returns whether the run goes on: for its callers, for a person, or as a new run. */
  private async rest(): Promise<boolean> {
    const isIdle = () => this.step.take === 'rest';
    if (!allHandlersFinished()) await condition(() => allHandlersFinished() || !isIdle());
    // A closed workflow is in no list of what needs a person, and cannot be resolved.
    else if (this.isAtRest) return false;
    else {
      this.waitFor('a person’s decision');
      await condition(() => !isIdle() || this.state.attention === null || this.mayContinueAnew);
    }
    return true;
  }

  /** The request of a refund that waits for its turn is in this run alone: so only a server that would soon end the run ends the wait. */
  private get mayContinueAnew(): boolean {
    const isWaiting = nextRefund(this.sale) !== undefined;
    return this.isTooLong && (!isWaiting || workflowInfo().historyLength > MAX_EVENTS);
  }

  /** Rechecks grow the history too, and use up its room for updates: so an idle run continues as new. */
  private get isTooLong(): boolean {
    return (this.rechecks.isFull || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
  }

  /**
   * Asks the gateway. A status that is known counts as lasting once the gateway has kept answering it for `lasting_ms`; what comes
   * meanwhile ends the wait.
   */
  private async look(lasting_ms: number): Promise<void> {
    const { app_id } = this.input;
    const { heard: after, seen } = this.sale;
    const lasting = lasting_ms > 0 && seen !== null ? seen.status : undefined;
    const { patience_ms } = this.settings;
    // A trade that nobody has seen may have been made elsewhere a moment ago.
    const settling_ms = seen === null ? patience_ms : lasting_ms || this.settings.settling_ms;
    this.waitFor(lasting_ms > 0 ? `the status to stay ${seen?.status}` : 'the gateway’s answer about the trade');
    const answer = this.rechecks.begin();
    const isInterrupted = () => lasting_ms > 0 && (this.rechecks.isRequested || this.sale.heard > after);
    const looked = await lookUnless(isInterrupted, app_id, this.id, { settling_ms, patience_ms }, lasting);
    if (looked === null) return;
    if (looked.is === 'found')
      await this.onTrade(looked.trade, after, looked.trade.trade_status === seen?.status ? lasting_ms : 0);
    else this.learn({ is: 'unanswered', why: attentionAfter(looked), after });
    answer();
    if (looked.is !== 'found') await this.search(looked.is);
  }

  /** The gateway is silent, or denies the trade: it is asked on, ever less often, unless somebody wants to know now, or has decided. */
  private async search(after: NotFound['is']): Promise<void> {
    const { app_id } = this.input;
    const { heard, reasons } = this.sale;
    const isInterrupted = () =>
      this.rechecks.isRequested ||
      this.sale.heard > heard ||
      this.sale.reasons.length < reasons.length ||
      this.mayContinueAnew;
    this.waitFor('the gateway to say what it has of the trade');
    const { settling_ms } = this.settings;
    const found = await searchOn({ app_id, id: this.id, after, settling_ms }, isInterrupted);
    if (found) await this.onTrade(found, heard, 0);
  }

  private async onTrade(trade: QueriedTrade, after: number, lasted_ms: number): Promise<void> {
    const { sale } = this;
    this.learn({ is: 'queried', trade, lasted_ms, after });
    // The clocks of two workers differ: asked at once, the one that is behind would answer as old for as long as they do.
    if (!isOlder(sale, trade) || sale.seen === null) return;
    const ahead_ms = sale.seen.asked_at - trade.asked_at;
    await sleep(Math.min(ahead_ms, this.settings.settling_ms), { summary: 'until the gateway is asked again' });
  }

  private async send(number: string): Promise<void> {
    const { app_id } = this.input;
    const request = this.requests.get(number);
    // An earlier run took the request, and never sent it.
    if (request === undefined) return this.learn(notSentByEarlierRun(number));
    const { heard, ...sale } = this.sale;
    this.learn({ is: 'begun', number });
    this.waitFor('the gateway to take the refund');
    const refund = findRefund(this.sale, number);
    const sent = await sendRefund(app_id, { heard, ...sale }, request, {
      run_id: this.settings.run_id,
      patience_ms: this.settings.patience_ms,
      // Attempts may go on for days: what comes meanwhile is looked at first.
      isForbidden: () =>
        this.deciding === number ||
        this.rechecks.isRequested ||
        this.sale.held.length > 0 ||
        (refund !== undefined && obstacleTo(this.sale, refund, Date.now()) !== undefined),
      onSilence: () => this.learn({ is: 'noticed', what: 'no-answer' }),
    });
    this.learn({ is: 'answered', number, answered: sent.answered });
    if (sent.credentials) this.learn({ is: 'unanswered', why: 'credentials', after: heard });
    if (sent.trade) await this.onTrade(sent.trade, heard, 0);
    else if (sent.answered.said !== 'refused') await this.look(0);
  }

  private async watch(step: Extract<Step, { take: 'watch' }>): Promise<void> {
    const { app_id } = this.input;
    const seen = this.sale.seen?.status ?? null;
    const heard = this.sale.heard;
    const asked = JSON.stringify(step);
    this.waitFor(
      step.until === null ? `the next status of the trade, which is ${seen}` : 'a refund, a dispute or a chargeback',
    );
    const watch = { app_id, id: this.id, seen, schedule: pollSchedule(this.settings) };
    const news = await waitForTradeChange(watch, {
      isInterrupted: () => JSON.stringify(this.step) !== asked || this.mayContinueAnew,
      timeout_ms: step.until === null ? DAY : step.until - Date.now(),
      summary: 'watch',
    });
    if (typeof news !== 'string') await this.onTrade(news, heard, 0);
    // A poll says nothing of a gateway that is silent: a look does, once a day.
    else if (news === 'timeout' && step.until === null) await this.look(0);
  }

  private async continueInNewRun(): Promise<void> {
    this.phase = 'closing';
    const waiting = this.sale.refunds.filter(({ phase }) => phase === 'waiting');
    this.learn(...waiting.map(({ number }) => notSentByEarlierRun(number)));
    await this.outbox?.close();
    await this.continueAsNew();
  }

  /** Continues as a new run with the same state. Updates that come meanwhile are refused with `Closing`. */
  private async continueAsNew(): Promise<void> {
    const { app_id, out_trade_no, trade_no } = this.input;
    await continueAsNew<typeof afterSale>({
      app_id,
      out_trade_no,
      trade_no,
      sale: this.sale,
      watch_until: this.watch_until,
    });
  }

  // — The updates —

  private async refund(order: RefundOrder): Promise<RefundAnswer> {
    const latest = Date.now() + REFUND_WAIT_MS;
    const isInTime = (fn: () => boolean) => condition(fn, Math.max(latest - Date.now(), 1), { summary: 'refund' });
    this.rechecks.noteUpdate();
    if (this.sale.seen === null) this.rechecks.request();
    const isRead = () => this.phase === 'unknown' || (this.phase !== 'reading' && this.sale.seen !== null);
    if (!(await isInTime(isRead))) throw notTaken();
    if (this.phase === 'unknown') throw orderNotFound(this.input.out_trade_no);
    // The buyer may have paid since the last look.
    if (this.sale.paid === null && !(await isInTime(this.rechecks.request()))) throw notTaken();
    const granted = grantRefund(this.sale, this.requests, order);
    const { number } = granted;
    // A refund that waits for its turn may have been taken by an earlier run: the same request lets it go on.
    const isLacking = findRefund(this.sale, number)?.phase === 'waiting' && !this.requests.has(number);
    if (granted.is === 'new' || isLacking) this.requests.set(number, { ...order, out_request_no: number });
    if (granted.is === 'new') {
      this.learn({ is: 'requested', number, amount: order.refund_amount, currency: order.refund_currency });
      const refund = findRefund(this.sale, number);
      // Where it cannot go now, that may have changed since the last look.
      if (refund && turnOf(this.sale, refund, Date.now()) !== 'now') this.rechecks.request();
    }
    const entry = () => this.state.refunds.find((one) => one.out_request_no === number);
    await isInTime(() => entry()?.answer !== null || entry()?.outcome !== null);
    return answerTo(entry(), this.state);
  }

  /** A change during the end of a run would be lost. */
  private assertOpen(): void {
    if (this.phase === 'closing') throw closing();
  }

  private async recheck(): Promise<AfterSaleState> {
    await this.rechecks.recheck(() => this.phase === 'unknown');
    if (this.phase === 'unknown') throw orderNotFound(this.input.out_trade_no);
    return this.state;
  }

  private async resolve(resolution: AfterSaleResolution): Promise<AfterSaleState> {
    await condition(() => this.phase !== 'reading');
    if (resolution.outcome !== undefined) await this.holdBack(resolution.out_request_no ?? '');
    try {
      this.learn({ is: 'decided', ...decisionOf(this.sale, resolution, this.state.attention, Date.now()) });
    } finally {
      this.deciding = undefined;
    }
    return this.state;
  }

  /** A request that has not left us, as while the gateway is down, does not leave us while a person decides on it. */
  private async holdBack(number: string): Promise<void> {
    this.deciding = number;
    await condition(() => findRefund(this.sale, number)?.phase !== 'sending', HELD_BACK_WITHIN_MS, {
      summary: 'until the request of the refund is called off',
    });
  }

  // — What is shown —

  private waitFor(what: string): void {
    this.waitingFor = what;
    this.show();
  }

  private show(): void {
    const { state } = this;
    this.visibility.show(
      afterSaleAttributes(state),
      afterSaleDetails(state, this.waitingFor),
      'now',
      refundInQuestion(state),
    );
    this.outbox?.publishAfterSale(state, eventPaymentOf(state));
  }

  private get id() {
    return knownIds(this.sale);
  }

  private get watchedUntil(): number {
    return this.policy
      ? (watchUntil(this.sale, { watch_until: this.watch_until }, this.settings) ?? this.watch_until)
      : this.watch_until;
  }

  private get settings(): PaymentPolicy {
    if (this.policy) return this.policy;
    throw ApplicationFailure.nonRetryable('The after-sale has not loaded its policy yet.');
  }
}

/** Whether Temporal has anything of the order. A run that was asked for an order of nobody's knows nothing either. */
const isKnown = ({ has_payment, is_unread, sale }: EarlierAfterSale) =>
  has_payment || is_unread || (sale !== null && (sale.seen !== null || sale.refunds.length > 0));

const introducedBy = ({ out_trade_no, trade_no }: Partial<AfterSaleInput>): SoldOrder => ({
  ...NOTHING_KNOWN,
  out_trade_no: out_trade_no ?? null,
  trade_no: trade_no ?? null,
});

/** A refund that a run may have sent which nobody can ask. */
const lostIn = ({ number, amount, currency }: EarlierAfterSale['sent'][number]): Fact[] => [
  { is: 'requested', number, amount, currency },
  { is: 'begun', number },
  { is: 'answered', number, answered: { said: 'unknown' } },
];

/** What an earlier run had begun, and nobody answered: it may have reached the gateway. */
function cutOff(sale: SoldOrder): Fact[] {
  return sale.refunds
    .filter(({ phase }) => phase === 'sending')
    .map(({ number }) => ({ is: 'answered', number, answered: { said: 'unknown' } }));
}

const notSentByEarlierRun = (number: string): Fact => ({
  is: 'answered',
  number,
  answered: {
    said: 'refused',
    failure: {
      type: FAILURE.notRefunded,
      message: 'The after-sale ended before it sent this refund. Request it again.',
      details: {},
    },
  },
});
