/** Publishes the events of one payment and of its after-sale to the merchant's handler. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type AfterSaleState,
  type Attention,
  type EventPayment,
  eventPayment,
  isSold,
  outcomeOf,
  type PaymentEvent,
  type PaymentPolicy,
  type PaymentState,
  type RefundState,
  refundMeaningOf,
  type ShownFailure,
  type Transition,
} from '../../../contract';
import { MINUTE } from '../../../gateway/pure/durations';
import { isMore, sameAmount } from '../../../gateway/pure/money';
import { Listeners } from '../listeners';
import { EventRelay, InlineDelivery } from './delivery';
import { OverdueWait } from './overdue';

export class PaymentOutbox {
  private readonly delivery: InlineDelivery;
  private readonly log: PaymentEventLog;
  private readonly overdue: OverdueWait;
  private latest: EventContext | undefined;

  /**
   * `isFirst`: certainly no earlier run has published events of this payment, which could still be on their way. `runId`: the run by which
   * events are named. A reset that tells all anew uses the id of the run that it resets.
   */
  constructor(
    paymentId: string,
    { isFirst, runId }: { readonly isFirst: boolean; readonly runId: string },
    policy: Pick<PaymentPolicy, 'overdue_ms' | 'listeners' | 'read_by'>,
  ) {
    const { workflowId, startTime } = workflowInfo();
    const listeners = new Listeners(policy);
    this.delivery = new InlineDelivery(EventRelay.ofPayment(paymentId, !isFirst), () => listeners.now());
    this.log = new PaymentEventLog(`${workflowId}:${runId}`);
    // The run before has told what was due before this run. If both tell it, their events have the same id.
    const isTold = (_since: string, due: number) => due < startTime.getTime() - MINUTE;
    const tell = (since: string) => {
      const id = `${paymentId}:attention.overdue:${since}`;
      const { payment, ...context } = this.latest ?? {};
      const attention = payment?.attention;
      if (!attention) return;
      const time = new Date().toISOString();
      this.delivery.put([{ id, type: 'attention.overdue', time, ...context, payment: { ...payment, attention } }]);
    };
    this.overdue = new OverdueWait(policy.overdue_ms, tell, isTold);
  }

  /** Publishes what is new in the payment's state. */
  publish(state: PaymentState): void {
    this.put(state.history, { payment: eventPayment(state) });
  }

  /** Publishes that the payment has failed. */
  publishFailure(state: PaymentState, failure: ShownFailure): void {
    this.delivery.put([this.log.failed({ payment: eventPayment(state) }, failure, Date.now())]);
  }

  /** Publishes what is new in the after-sale's state. */
  publishAfterSale(state: AfterSaleState, history: readonly Transition[], payment: EventPayment): void {
    const { refunds, refunded_amount, refunding_amount, refunded_elsewhere, ledger_complete, answer_by } = state;
    const sums = { refunded_amount, refunding_amount, refunded_elsewhere };
    const after_sale = { refunds, ...sums, ledger_complete, answer_by };
    this.put(history, { payment, after_sale }, moneyOf(state));
  }

  /** Does not publish again what an earlier run has published. */
  skip(
    { history, attention, refunds }: Pick<AfterSaleState, 'history' | 'attention' | 'refunds'>,
    payment?: ToldPayment,
  ): void {
    this.log.skip(history, attention, { payment, refunds });
  }

  /** Returns once every event is delivered, or a relay has it, also those that are published meanwhile. */
  async close(): Promise<void> {
    this.overdue.close();
    do await this.delivery.drain();
    while (!this.delivery.isEmpty);
  }

  private put(history: readonly Transition[], context: EventContext, money?: Money): void {
    this.delivery.put(this.log.changes(history, context, Date.now(), money));
    this.latest = context;
    this.overdue.show(context.payment.attention_since);
  }
}

// — Which events a change of the state makes —

/** What each event tells besides its cause: the payment, and after its sale the refunds. */
interface EventContext extends Pick<PaymentEvent, 'after_sale'> {
  readonly payment: EventPayment;
}

const isSame = (one: Transition, other: Transition) =>
  (['time', 'from', 'to', 'source'] as const).every((field) => one[field] === other[field]);

/** What says whether an order counts as sold. */
type ToldPayment = Parameters<typeof isSold>[0];

const isPaidOnly = (payment: ToldPayment): boolean => payment.outcome === 'SUCCESS' && !isSold(payment);

/** Where the money of a sale is. `goes back`: a refund, or what was notified, takes some of it back just now. */
type Money = 'stays' | 'goes back' | 'not shown';

function moneyOf({ trade_status, claims, refunding_amount, order_amount }: AfterSaleState): Money {
  if (refundMeaningOf(trade_status) === 'under way' || claims.length > 0 || isMore(refunding_amount, '0'))
    return 'goes back';
  return order_amount === null ? 'not shown' : 'stays';
}

/** Whether merchants take the transition for money. */
const saysPaid = ({ to }: Transition) => outcomeOf(to) === 'SUCCESS';

/** Whether a person has named another sum than before as gone back elsewhere: nothing else tells the merchant of that money. */
function hasOtherSum(one: Transition, history: readonly Transition[]): boolean {
  const { refunded_elsewhere: sum } = one;
  if (sum === undefined) return false;
  const before = history.slice(0, history.indexOf(one)).findLast((other) => other.refunded_elsewhere !== undefined);
  return !sameAmount(sum, before?.refunded_elsewhere ?? '0');
}

/** A number that is free again may end the same way once more. */
const tryAndOutcome = ({ attempt, outcome }: RefundState) => `${attempt} ${outcome}`;

/** By the numbers of the refunds. */
const outcomesOf = (refunds: readonly RefundState[]): ReadonlyMap<string, string> =>
  new Map(refunds.map((one) => [one.out_request_no, tryAndOutcome(one)]));

/** A person who has only seen something has changed nothing. */
const isOnlySeen = ({ source, from, to }: Transition) => source === 'operator' && from === to;

/** A sale with another amount is told once: the gateway's status waited for the person, and is told instead of the person's decision. */
const isRepeatedByAPerson = (one: Transition, before: readonly Transition[]) =>
  one.source === 'operator' && saysPaid(one) && before.some(({ to }) => to === one.to);

/**
 * Makes an event of each transition, of each refund's outcome, and of each new attention, exactly once. A transition that tells of money
 * waits, with all later ones, until the payment has its outcome: a creation's answer, or another amount, is no sale.
 */
export class PaymentEventLog {
  /** How many events of each kind were made: the number makes their ids differ. */
  private readonly made = new Map<string, number>();
  /** The last transition that was told or skipped: only this one is kept, because histories are long. */
  private told: Transition | undefined;
  private attention: Attention | null = null;
  /** The outcomes of the refunds as they were shown last. */
  private outcomes = outcomesOf([]);
  /** The order was paid and did not count as sold, and no event has said since that it does. */
  private isHeldBack = false;

  /** `idPrefix` makes the ids of this run's events unique. An event that a reset run tells again has the same id. */
  constructor(private readonly idPrefix: string) {}

  /** Makes no events of what an earlier run has published already. `payment`, `refunds`: as that run told them last. */
  skip(
    history: readonly Transition[],
    attention: Attention | null,
    { payment, refunds = [] }: { payment?: ToldPayment | undefined; refunds?: readonly RefundState[] } = {},
  ): void {
    this.outcomes = outcomesOf(refunds);
    this.told = history.at(-1);
    this.attention = attention;
    this.isHeldBack = payment !== undefined && isPaidOnly({ ...payment, attention });
  }

  /**
   * The events of what changed since the last call, transitions first. `now`: ms since the epoch. `money`: where that of a sale is. A
   * payment's own end is told by its transition.
   */
  changes(
    history: readonly Transition[],
    context: EventContext,
    now: number,
    money: Money = 'not shown',
  ): PaymentEvent[] {
    const { attention, outcome } = context.payment;
    const { told } = this;
    // The told transition may be gone from the history, if another workflow tells it now: then transitions before it are not new either.
    const isKnown = (one: Transition) => told !== undefined && (isSame(one, told) || one.time < told.time);
    const news = history.slice(history.findLastIndex(isKnown) + 1);
    const waits = outcome === null ? news.findIndex(saysPaid) : -1;
    const known = waits < 0 ? news : news.slice(0, waits);
    // An order that a person calls unsold was not sold; what then becomes of its money is told.
    const isNoSale = ({ to }: Transition) => outcome !== null && outcome !== 'SUCCESS' && to === 'SUCCESS';
    const isTold = (one: Transition, before: readonly Transition[]) =>
      hasOtherSum(one, history) || !(isNoSale(one) || isRepeatedByAPerson(one, before) || isOnlySeen(one));
    const transitions = known
      .filter((one, index) => isTold(one, known.slice(0, index)))
      .map((transition): PaymentEvent => {
        const { to, time } = transition;
        return { id: this.idOf(to), type: 'transition', time, ...context, transition };
      });
    const [time, isSoldNow] = [new Date(now).toISOString(), isSold(context.payment)];
    const others: PaymentEvent[] = [];
    const { after_sale } = context;
    const refunds = (after_sale?.refunds ?? [])
      .filter((one) => one.outcome !== null && this.outcomes.get(one.out_request_no) !== tryAndOutcome(one))
      .map((refund): PaymentEvent => {
        const id = this.idOf(`refund-${refund.out_request_no}-${refund.outcome}`);
        // Each of a hundred refunds would tell all the others again.
        const its = after_sale && { after_sale: { ...after_sale, refunds: [refund] } };
        return { id, type: 'refund', time, ...context, ...its, refund };
      });
    if (attention !== null && attention !== this.attention) {
      const id = this.idOf(`attention-${attention}`);
      others.push({ id, type: 'attention', time, ...context, payment: { ...context.payment, attention } });
    }
    // A merchant delivers by events, and each has the payment. What a person lets pass is told as sold once it stays so.
    const isUntold = this.isHeldBack && isSoldNow && transitions.length + others.length === 0;
    const unattended = { time, ...context, payment: { ...context.payment, attention: null } };
    if (isUntold && money === 'stays') others.push({ id: this.idOf('sold'), type: 'sold', ...unattended });
    // No event tells that a refund of all begins: what was told as sold is not told again because that refund has failed.
    const isSoldButForRefunds = isSold({ ...context.payment, all_goes_back: false });
    if (transitions.length + others.length > 0 || !isSoldButForRefunds) this.isHeldBack = isPaidOnly(context.payment);
    const isEarly = isUntold && money === 'goes back';
    // Nobody has to look any more.
    const isCleared = this.attention !== null && attention === null && !isEarly;
    if (isCleared) others.push({ id: this.idOf('attention-cleared'), type: 'attention.cleared', ...unattended });
    this.told = known.at(-1) ?? told;
    this.attention = isEarly ? this.attention : attention;
    this.outcomes = outcomesOf(after_sale?.refunds ?? []);
    return [...transitions, ...refunds, ...others];
  }

  /** The event of a payment that made no order. */
  failed(context: EventContext, failure: ShownFailure, now: number): PaymentEvent {
    return { id: this.idOf('failed'), type: 'failed', time: new Date(now).toISOString(), ...context, failure };
  }

  private idOf(what: string): string {
    const count = (this.made.get(what) ?? 0) + 1;
    this.made.set(what, count);
    return `${this.idPrefix}:${what}:${count}`;
  }
}
