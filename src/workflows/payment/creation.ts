/** Creates the order so that it is made once. Whether it may be sent again is the table in creation-table.ts; this file does it. */
import { ActivityFailure, ApplicationFailure, condition, workflowInfo } from '@temporalio/workflow';
import {
  type CreateInput,
  type CreateResult,
  contradictsRefusal,
  creationOf,
  dataOfCreation,
  detailsOf,
  FAILURE,
  IF_MADE_ELSEWHERE,
  type NewPayment,
  orderNotSent,
  sameFailure,
  type Trade,
  type TradeId,
  typedFailure,
} from '../../contract';
import { CREATION_OVERDUE_MS, gateway } from '../shared/activities';
import { hasLeft, NO_WORD, sendingFailure, wasNeverRun } from '../shared/activity-failure';
import { backoffAfter } from '../shared/backoff';
import { wasReset } from '../shared/continued';
import { isObject, isResultOf, isText, type ResultShape } from '../shared/ended-by-hand';
import { lookBriefly, type Missing } from '../shared/look';
import { pollUntil } from '../shared/polling';
import type { PaymentContext } from './context';
import { type CreationFacts, type CreationStep, nextCreationStep, type Tried } from './creation-table';
import { sendingEnd } from './deadlines';
import { readEarlierRuns } from './earlier-runs';
import {
  creationFacts,
  earlierOf,
  hasEndedBefore,
  idOf,
  isOurOrder,
  isSlowToCreate,
  type KnownPayment,
  mayExist,
  mayFollow,
  namedTrades,
  type PendingClaim,
  wasMadeBefore,
} from './known-payment';
import { ofMissed, ofRecovered, ofRefused } from './look-results';
import { hasNews, TradeLooks } from './trade-looks';

/** An order that may exist is sent again at most this long (ms) after the look that did not find it. */
const FRESH_LOOK_MS = 5_000;

export class OrderCreation {
  private readonly looks: TradeLooks;
  private readonly until: number;
  /** Why our own rules refused the last try, after the gateway had answered "busy". */
  private ownRefusal: ApplicationFailure | undefined;

  constructor(
    private readonly order: NewPayment,
    private readonly context: PaymentContext,
  ) {
    this.looks = new TradeLooks(context, () => this.ids, context.policy);
    // Counted from the run's start: the first task may have waited for a worker.
    this.until = sendingEnd(order.request, workflowInfo().startTime.getTime(), context.policy);
  }

  // — Earlier runs —

  /** One of them may have sent the order, so nothing is sent before they are read. If none has, they are read again at each call. */
  private async readEarlier(): Promise<void> {
    const { context } = this;
    if (!mayFollow(context.known)) context.learn({ is: 'recalled', earlier: await readEarlierRuns(context) });
  }

  /** The ids to find the order's trade by, the surest first: a trade that a notification named may be another order's. */
  private get ids(): TradeId[] {
    const { known } = this.context;
    const { trade_no } = earlierOf(known) ?? {};
    const { out_trade_no } = this.order.request;
    return [...(trade_no ? [{ trade_no }] : []), { out_trade_no }, ...namedTrades(known)];
  }

  /** `isFirst`: no run was before. Returns once the order's trade is known. Throws `NotCreated`, `DuplicateOrder` or `InvalidRequest` if none is. */
  async run(isFirst: boolean): Promise<void> {
    // A start under another reuse policy than the contract's may be the second one of an order that was sent already.
    if (!isFirst) await this.joinEarlier();
    for (let isDone = false; !isDone; ) isDone = await this.take(nextCreationStep(this.facts));
  }

  private async joinEarlier(): Promise<void> {
    await this.readEarlier();
    // Only a new start asks for the failed order to be sent; a reset does not. A withdrawn one is not sent in any case.
    const { earlier, isWithdrawn } = this.context.known;
    if (wasReset(this.context.policy) && earlier?.runs[0]?.failed === true && !isWithdrawn) throw this.failedBefore();
    if (mayFollow(this.context.known)) this.context.learn({ is: 'learned', of: 'an earlier request' });
  }

  /** Takes one step. Returns whether the trade is known. */
  private async take(step: CreationStep): Promise<boolean> {
    const { context } = this;
    switch (step) {
      case 'send':
        return this.send();
      case 'look':
        return this.look();
      case 'look-on':
        return this.lookOn();
      case 'ask':
        return this.askAfterRefusal();
      case 'rest':
        return this.rest();
      case 'compare':
        return this.compare();
      case 'end-as-before': {
        const end = earlierOf(context.known);
        if (end) context.learn({ is: 'ended-before', end });
        return true;
      }
      case 'end-refused':
        this.raiseIfMayExist();
        context.learn({ is: 'refused', error: context.known.creation.last?.error ?? {} });
        return true;
      case 'end-not-created':
        this.raiseIfMayExist();
        throw this.ownRefusal ?? this.notCreated('not-created');
      case 'end-not-sent':
        return this.endNotSent();
    }
  }

  /** This run sent nothing. After a reset, the run before may have sent the order. */
  private async endNotSent(): Promise<false> {
    const { context } = this;
    await this.readEarlier();
    if (wasMadeBefore(context.known)) {
      context.learn({ is: 'learned', of: 'an earlier order' });
      return false;
    }
    // The merchant is told that the order was not sent: no answer of the gateway is needed any more.
    context.learn({ is: 'cleared', attention: 'silence' });
    throw this.notCreated('not-sent');
  }

  /** The last try was refused, but an earlier one may have made the order: a person is told, and the after-sale watches. */
  private raiseIfMayExist(): void {
    if (mayExist(this.context.known)) this.context.raise('unknown-outcome');
  }

  private get facts(): CreationFacts {
    return creationFacts(this.context.known, { until: this.until, now: Date.now() });
  }

  // — Sending —

  private async send(): Promise<boolean> {
    const { context, until } = this;
    const isAgain = mayExist(context.known);
    context.learn({ is: 'begun' });
    // The first request is short, so that a person is told of an unreachable gateway; the next has the rest of the order's time.
    const patience_ms = context.known.creation.begun === 1 ? context.policy.patience_ms : Number.POSITIVE_INFINITY;
    const send_before = Math.min(until, Date.now() + (isAgain ? FRESH_LOOK_MS : patience_ms));
    this.ownRefusal = undefined;
    const trying = tryCreation(this.order, context, send_before, until);
    const tried = await trying.catch((error: unknown) => this.failed(error));
    context.learn({ is: 'answered', tried });
    if (tried.is === 'interrupted') return false;
    if (tried.is === 'created') {
      const data = dataOfCreation(tried.answer);
      context.learn({ is: 'created', data, answer: data });
      return true;
    }
    if (tried.is === 'not-created' && tried.credentials) context.raise('credentials');
    // A person is told of an order that waits to be sent.
    const { isLate } = context.known.creation;
    if (tried.is === 'not-sent' && !isLate && Date.now() < until) context.raise(tried.why);
    return false;
  }

  /** Pauses before an order that may exist is sent again, longer each time, or until there is news. Then a look: the order may have appeared. */
  private async rest(): Promise<false> {
    const { context } = this;
    context.raise('unknown-outcome');
    context.waitFor('a while, before the order is sent again under the same number');
    const { claimed, creation } = context.known;
    const summary = 'before the order is sent again';
    await condition(() => hasNews(context, claimed), backoffAfter(creation.resent), { summary });
    context.learn({ is: 'rested' });
    return false;
  }

  /**
   * Our own rules may refuse a resend if the settings changed, or another worker has others: the earlier try may still have made the order.
   * If the earlier answer was only "busy", our refusal counts like one of the gateway.
   */
  private failed(error: unknown): Extract<CreateResult, { is: 'not-created' }> {
    const { known } = this.context;
    if (known.creation.reach === 'none' || !(error instanceof ApplicationFailure)) throw error;
    if (!mayExist(known)) {
      const { message } = error;
      this.ownRefusal = error;
      const refused = { outcome: 'not-created', retryable: false, operation: creationOf(this.order) } as const;
      return { is: 'not-created', error: refused, message, credentials: false };
    }
    this.context.raise('unknown-outcome');
    const details = { ...detailsOf(error), may_exist: true };
    throw typedFailure(error.type ?? FAILURE.invalidRequest, error.message, details);
  }

  // — Looking —

  private async look(): Promise<boolean> {
    const { context } = this;
    context.waitFor('the gateway to say whether it has the order: the creation’s outcome is unknown');
    const { claims, claimed: after } = context.known;
    const looked = await this.looks.byAll();
    return looked.is === 'found' ? this.recover(looked.trade) : this.onNotFound(looked, claims, after);
  }

  /** A query that shows the refused order alive, or paid, is later than the refusal, and counts. */
  private async askAfterRefusal(): Promise<boolean> {
    const { context } = this;
    context.waitFor('the gateway to say whether the order that it refused is over');
    const { claimed: after } = context.known;
    // Callers of `created` wait for the answer: once, by the surest id.
    const [id = idOf(context.known)] = this.ids;
    const looked = await lookBriefly(context.app_id, id, context.policy.read_by);
    if (looked.is === 'found' && contradictsRefusal(looked.trade.trade_status)) {
      context.learn({ is: 'learned', of: 'a revived order' });
      return this.recover(looked.trade);
    }
    context.learn(ofRefused(looked, after));
    return false;
  }

  private onNotFound(looked: Missing, claims: readonly PendingClaim[], after: number): false {
    this.context.learn(...ofMissed(looked, claims, after));
    return false;
  }

  /** The gateway was silent, or nothing may be sent any more and the order may exist: the gateway is asked again, ever more slowly. */
  private async lookOn(): Promise<boolean> {
    const { context } = this;
    // A person is asked next, and must not end again what an earlier run has ended.
    await this.readEarlier();
    if (hasEndedBefore(context.known)) return false;
    const { looked, looked_after } = context.known.creation;
    const after = looked === 'no-answer' ? 'no-answer' : 'no-such-order';
    // Silence has its own reason, and says nothing of the order.
    if (after === 'no-such-order') context.raise(context.known.claims.length > 0 ? 'unknown-trade' : 'unknown-outcome');
    context.waitFor(
      after === 'no-answer'
        ? 'an answer of the gateway: nothing is sent before it'
        : 'the gateway to know this order; nothing is sent any more',
    );
    const { claims, claimed } = context.known;
    const searched = await this.looks.untilFound(after, () => hasNews(context, looked_after));
    if (searched.is === 'denied') return this.onNotFound({ is: 'no-such-order' }, claims, claimed);
    if (searched.is === 'found')
      return mayExist(context.known) ? this.recover(searched.trade) : this.compareWith(searched.trade);
    // What came meanwhile needs a new look.
    context.learn({ is: 'learned', of: 'a new look' });
    return false;
  }

  /** Goes on with a trade whose creation's answer was lost. */
  private recover(trade: Trade): true {
    const { context } = this;
    context.learn(...ofRecovered(context.known, trade));
    return true;
  }

  /** The gateway has, or is said to have, an order under this number, and no request of this run is known to have made it. */
  private async compare(): Promise<boolean> {
    const { context } = this;
    context.waitFor('the gateway to say what it has under this number, which it calls taken');
    const { claims, claimed: after } = context.known;
    // Earlier runs may know the trade_no.
    await this.readEarlier();
    if (hasEndedBefore(context.known)) return false;
    // An earlier run has the gateway's answer to the creation of this order: the order exists, whatever a query shows.
    const { payment_data: answer } = earlierOf(context.known) ?? {};
    if (answer?.recovered === false && wasMadeBefore(context.known)) {
      context.learn({ is: 'created', data: answer, answer });
      return true;
    }
    const looked = await this.looks.byAll();
    if (looked.is === 'found') return this.compareWith(looked.trade);
    // An earlier run of this payment made it: a reset, or a second start.
    if (wasMadeBefore(context.known)) context.learn({ is: 'learned', of: 'an earlier order' });
    else if (context.known.creation.said === 'duplicate') throw duplicateOrderFailure(this.order, undefined);
    else this.onNotFound(looked, claims, after);
    return false;
  }

  private failedBefore(): ApplicationFailure {
    const { out_trade_no } = this.order.request;
    return typedFailure(
      FAILURE.notCreated,
      `Order ${out_trade_no} had failed before somebody reset its workflow, and its callers were told so: it is not sent. To send it, start it again. Nothing was charged.`,
      { outcome: 'not-sent', may_exist: mayExist(this.context.known) },
    );
  }

  private compareWith(trade: Trade): true {
    if (!isOurOrder(this.context.known)) throw duplicateOrderFailure(this.order, trade);
    return this.recover(trade);
  }

  /** With what the gateway said last, or why it was not asked, if anything was tried. */
  private notCreated(outcome: 'not-created' | 'not-sent'): ApplicationFailure {
    const { known } = this.context;
    const { last } = known.creation;
    const order = `Order ${this.order.request.out_trade_no}`;
    const unsent = known.isWithdrawn
      ? `${order} was not sent: it was withdrawn. Only another out_trade_no sells it after all.`
      : (last?.message ?? `${order} was not sent: its time was over before it could be.`);
    const words =
      outcome === 'not-sent' ? `${unsent} Nothing was charged.` : (last?.message ?? `${order} was not created.`);
    const said = known.isWithdrawn && !mayExist(known) ? { withdrawn: true, retryable: false } : {};
    return typedFailure(FAILURE.notCreated, words, { ...last?.error, outcome, may_exist: mayExist(known), ...said });
  }
}

/** `trade`: what the gateway shows under the number, if anything. */
function duplicateOrderFailure(
  { request: { out_trade_no } }: NewPayment,
  trade: Trade | undefined,
): ApplicationFailure {
  const { trade_no = null, trade_status = null, order_amount = null } = trade ?? {};
  const has = trade ? `: trade ${trade_no}, ${trade_status}, ${order_amount ?? 'of an unknown amount'}` : '';
  return typedFailure(
    FAILURE.duplicateOrder,
    `The gateway has an order ${out_trade_no} already, which was not made here${has}. ${IF_MADE_ELSEWHERE}`,
    { trade_no, trade_status, order_amount },
  );
}

// — One try, and its outcome —

/** No attempt of the first, short try begins later than this, in ms. Callers of `created` wait for it without a timer, which costs events. */
const FIRST_TRY_MS = 5_000;

/** The pause before a busy gateway is asked again, once, in ms; from then on the server spaces the attempts. */
const BUSY_PAUSE_MS = 1_000;

/**
 * Until when the workflow waits for the activity, and for its end after that, in ms. The server ends it before, unless somebody has paused it:
 * then it holds to the order's time. The first, short try has no such timer, which costs events.
 */
const heldUpTimes = (until: number) => ({
  timeout_ms: Math.max(until - Date.now(), 0) + CREATION_OVERDUE_MS + 30_000,
  ends_within_ms: CREATION_OVERDUE_MS,
  summary: 'how long the order may wait to be sent',
});

const HELD_UP = 'The activity gateway.create was paused until its time was over.';
const NO_WORKER = 'No worker of the task queue could run the activity gateway.create.';

/** The outcome of a try after which the workflow has to decide what follows. */
type Decisive = Exclude<Tried, { is: 'busy' | 'too-soon' }>;

/**
 * Tries once to send the order, before `send_before`. The first try is split: a short one that callers wait for, then the rest of its time.
 * A gateway that is busy is asked again. See {@link attemptCreation}.
 */
async function tryCreation(
  order: NewPayment,
  context: PaymentContext,
  send_before: number,
  until: number,
): Promise<Decisive> {
  const soon = Math.min(send_before, Date.now() + FIRST_TRY_MS);
  const isShort = !isSlowToCreate(context.known) && soon < send_before;
  const first = await attempt(order, context, isShort ? soon : send_before, isShort ? null : until);
  if (!isShort || first.is !== 'not-sent') return first;
  context.learn({ is: 'answered', tried: { is: 'too-soon', why: first.why } });
  return attempt(order, context, send_before, until);
}

async function attempt(
  order: NewPayment,
  context: PaymentContext,
  send_before: number,
  until: number | null,
): Promise<Decisive> {
  const { read_by } = context.policy;
  for (;;) {
    const reached = context.known.creation.reach !== 'none';
    const tried = await attemptCreation({ ...order, send_before, read_by, reached }, context, until);
    if (tried.is !== 'busy') return tried;
    context.learn({ is: 'answered', tried });
    const summary = 'before a busy gateway is asked again';
    if (await condition(() => isUnwanted(context.known), BUSY_PAUSE_MS, { summary })) return { is: 'interrupted' };
  }
}

/** Whether the order is not wanted any more: a notification came, or it was withdrawn. */
const isUnwanted = ({ claims, isWithdrawn }: KnownPayment) => claims.length > 0 || isWithdrawn;

const NOT_MADE = { error: isObject, message: isText };
const TRIED: ResultShape<CreateResult> = {
  created: { answer: isObject },
  'created-refused': NOT_MADE,
  'not-created': NOT_MADE,
  busy: NOT_MADE,
  duplicate: NOT_MADE,
  unknown: NOT_MADE,
  'not-sent': { ...NOT_MADE, why: isText },
};

/**
 * Sends the order. Temporal repeats the try while it certainly was not sent. Throws `InvalidRequest` if the order breaks a rule.
 */
async function attemptCreation(
  input: CreateInput,
  context: PaymentContext,
  until: number | null,
): Promise<Exclude<Tried, { is: 'too-soon' }>> {
  try {
    const isInterrupted = () => isUnwanted(context.known);
    const time = until === null ? {} : heldUpTimes(until);
    const tried = await pollUntil(() => gateway.createOrder(input), { isInterrupted, ...time });
    if (tried === 'interrupted') return { is: 'interrupted' };
    if (tried === 'timeout') return orderNotSent(input, HELD_UP, 'missing-activity');
    if (tried === 'unended') return endedOutside(input);
    return isResultOf(tried, TRIED) ? tried : endedOutside(input);
  } catch (error) {
    if (error instanceof ActivityFailure && wasNeverRun(error))
      return orderNotSent(input, NO_WORKER, 'missing-activity');
    return failedAttempt(error, input, context);
  }
}

function failedAttempt(
  error: unknown,
  input: CreateInput,
  { raise }: PaymentContext,
): Exclude<Tried, { is: 'too-soon' }> {
  const failed = sendingFailure(error);
  switch (failed.is) {
    case 'none':
      throw error;
    case 'refused':
      // The order held a secret that nobody has sealed.
      if (detailsOf(failed.failure)?.attention === 'bare-secret') raise('bare-secret');
      // Callers see the refusal, and not the activity around it.
      throw sameFailure(failed.failure);
    case 'unsent':
      return { is: 'interrupted' };
    case 'unknown':
      return { ...endedOutside(input), is: hasLeft(error) ? 'unknown' : 'ended-outside' };
  }
}

function endedOutside(input: CreateInput) {
  const error = { outcome: 'unknown', retryable: true, operation: creationOf(input) } as const;
  return { is: 'ended-outside', message: NO_WORD, error } as const;
}
