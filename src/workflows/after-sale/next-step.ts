/** What an after-sale does next, by what is known and what time it is. Pure: it reads tables, and acts on nothing. */
import {
  isSilence,
  isTransientStatus,
  type KnownOrder,
  type LedgerRefund,
  type Patience,
  type PaymentPolicy,
  refundableIn,
  refundMeaningOf,
  type ShownFailure,
  takesMoneyBack,
} from '../../contract';
import { DAY, MINUTE, replicaLag } from '../../gateway/pure/durations';
import { isMore } from '../../gateway/pure/money';
import { isContradicted } from './attention';
import { isComplete, leftAtGateway, mayBeGone, takenAt } from './ledger';
import { echoLeft, unexplainedEnds } from './movements';
import {
  hasLateMoney,
  hasUnanswered,
  isDenialAnswer,
  isRevoked,
  isSearchOver,
  isSettled,
  isUnpaid,
  mayBePaidUntil,
} from './payment-end';
import { isAnswered, lagLeft } from './readings';
import { verdictOf } from './refund-end';
import { elsewhereUnknown, noSuchTrade, notLeft, notNow, notWanted, takenByTheBank, unconfirmed } from './refusals';

/** What the next step needs of the settings. */
type StepSettings = Readonly<Pick<PaymentPolicy, 'settling_ms' | 'refund_watch_ms'>>;

export type Step =
  /** Ask the gateway for another trade under the order's number. */
  | { readonly take: 'ask'; readonly other: string }
  /** Nobody has seen the trade yet: ask until the gateway knows it. */
  | { readonly take: 'find' }
  /** Ask the gateway. With `lasting_ms`, its present answer counts once it has lasted this much longer. */
  | { readonly take: 'look'; readonly lasting_ms: number }
  | { readonly take: 'send'; readonly number: string }
  /** Refuse the refund: it certainly was not sent, and is not sent any more. */
  | { readonly take: 'decline'; readonly number: string; readonly failure: ShownFailure }
  /** Poll the trade until this time; null: until its status changes. `waiting`: the refund that waits for the change. */
  | { readonly take: 'watch'; readonly until: number | null; readonly waiting?: string | undefined }
  /** A refund has waited too long for its turn, or for its end. */
  | { readonly take: 'pass'; readonly number: string; readonly deadline: 'a week' | 'a day' }
  /** Nothing is left to ask. */
  | { readonly take: 'rest' };

/**
 * `isAsked`: somebody wants a fresh answer. `watch_until`: the settings ask for a watch until then, in ms since the epoch.
 * `deciding`: the refund that a person is deciding on now.
 */
interface Wishes {
  readonly isAsked: boolean;
  readonly watch_until: number;
  readonly deciding?: string | undefined;
}

interface Question {
  readonly order: KnownOrder;
  readonly now: number;
  readonly wishes: Wishes;
  readonly settings: StepSettings;
}

/** The first rule that has a step counts. People read its words as the reason. */
const RULES: readonly (readonly [because: string, step: (question: Question) => Step | undefined])[] = [
  [
    'Another trade under the order’s number is asked for once.',
    ({ order }) => {
      const other = order.others.find(({ asked }) => asked === 'not yet');
      return other && { take: 'ask', other: other.trade_no };
    },
  ],
  [
    'The order needs nothing more of the gateway.',
    ({ order, wishes }) => (isSettled(order) && !wishes.isAsked ? { take: 'rest' } : undefined),
  ],
  [
    'The search for a trade that the gateway denies is over: a refund that waits for it is declined.',
    (question) => {
      const { order, wishes } = question;
      // An order that was not paid is watched: money may come.
      const isOver = isSearchOver(order) && !isUnpaid(order) && !wishes.isAsked;
      return isOver ? (turnStep(question) ?? { take: 'rest' }) : undefined;
    },
  ],
  [
    'Nobody has seen the trade yet: it is asked for until the gateway knows it.',
    ({ order, wishes: { isAsked } }) =>
      order.seen !== null || (order.held.length === 0 && !isAsked && isWatchable(order)) ? undefined : { take: 'find' },
  ],
  [
    // A look that has to last would be ended by the question itself, again and again.
    'Who asks wants the answer of now.',
    ({ wishes }) => (wishes.isAsked ? { take: 'look', lasting_ms: 0 } : undefined),
  ],
  [
    'A notification is a hint: the gateway’s answer counts, or a person’s where it has none.',
    ({ order, settings }) =>
      isBehind(order) || order.held.length > 0 ? { take: 'look', lasting_ms: lastingOf(order, settings) } : undefined,
  ],
  [
    'Only time is missing until no replica can be behind what the trade shows.',
    ({ order, settings }) => {
      const lag_ms = replicaLag(settings);
      const isMissing = isRevoked(order) || order.refunds.some((one) => waitsFor('lag', order, one));
      const lasting_ms = Math.max(echoLeft(order, lag_ms), isMissing ? lagLeft(order, lag_ms) : 0);
      return lasting_ms > 0 ? { take: 'look', lasting_ms } : undefined;
    },
  ],
  ['Refunds are sent one after the other, the one that was requested first.', turnStep],
  // After the rule for turns: a refund whose turn has come waits for the gateway, whose silence is another reason.
  [
    'A refund has waited a week for its turn, or a day for its end.',
    ({ order, now }) => {
      const due = deadlinesOf(order).find(({ at }) => at <= now);
      return due && { take: 'pass', number: due.number, deadline: due.deadline };
    },
  ],
  [
    'A poll says nothing of a gateway that is silent.',
    ({ order }) => (order.reasons.some(isSilence) ? { take: 'look', lasting_ms: 0 } : undefined),
  ],
  [
    'What may still move is polled.',
    ({ order, now, wishes, settings }) => {
      const until = watchUntil(order, wishes, settings);
      const waiting = nextRefund(order);
      if (until !== null && until <= now && !waiting) return undefined;
      return { take: 'watch', until: waiting ? null : until, waiting: waiting?.number };
    },
  ],
  [
    'The last poll may be hours ago, and money may have come since.',
    ({ order, now, settings }) => {
      const until = mayBePaidUntil(order);
      const sure_at = until + replicaLag(settings);
      return isUnpaid(order) && !isAnsweredAfter(order, until, sure_at)
        ? { take: 'look', lasting_ms: Math.max(0, sure_at - now) }
        : undefined;
    },
  ],
];

/** The step, and the words of its rule. */
export function stepRule(
  order: KnownOrder,
  now: number,
  wishes: Wishes,
  settings: StepSettings,
): { readonly step: Step; readonly because: string } {
  for (const [because, stepOf] of RULES) {
    const step = stepOf({ order, now, wishes, settings });
    if (step) return { step, because };
  }
  return { step: { take: 'rest' }, because: 'Nothing is left to ask.' };
}

export const nextStep = (...question: Parameters<typeof stepRule>): Step => stepRule(...question).step;

/** Whether the step is taken even while the gateway does not show the order's trade: the search for the trade may never end. */
export const needsNoTrade = ({ take }: Step): boolean => take === 'ask' || take === 'decline' || take === 'pass';

/** The step of the refund whose turn has come, if any. */
function turnStep({ order, now, wishes }: Question): Step | undefined {
  const waiting = nextRefund(order);
  if (waiting === undefined || waiting.number === wishes.deciding) return undefined;
  const { number } = waiting;
  const turn = turnOf(order, waiting, now);
  if (turn === 'later') return undefined;
  return turn === 'now' ? { take: 'send', number } : { take: 'decline', number, failure: turn };
}

/** Whether a notification has come after the latest answer. */
function isBehind(order: KnownOrder): boolean {
  const { seen, denied, heard } = order;
  const isDenialEnough = seen === null || denied?.isSettled || isDenialAnswer(order);
  return heard > Math.max(seen?.heard ?? 0, isDenialEnough ? (denied?.heard ?? 0) : 0);
}

/** Whether a trade that the gateway does not show yet is only watched: perhaps it was never made. */
const isWatchable = (order: KnownOrder) => isUnpaid(order) && order.denied !== null;

/** Whether the gateway has denied the trade after `until`, or answered after `sure_at`, when no replica was behind any more. */
const isAnsweredAfter = ({ seen, denied }: KnownOrder, until: number, sure_at: number): boolean =>
  (denied !== null && denied.at >= until) || (seen !== null && seen.asked_at >= sure_at);

/** A notification that the answer contradicts counts as contradicted once the answer has lasted. */
function lastingOf(order: KnownOrder, settings: StepSettings): number {
  const status = order.seen?.status ?? '';
  return order.held.some(({ claim }) => !isAnswered(claim, status)) ? lagLeft(order, replicaLag(settings)) : 0;
}

/** Whether only this time is missing until a person is asked, by what the table reads. */
function waitsFor(patience: Patience, order: KnownOrder, refund: LedgerRefund): boolean {
  const verdict = verdictOf(order, refund);
  return verdict?.is === 'ask' && verdict.after === patience && refund.asked === null;
}

interface Deadline {
  readonly number: string;
  readonly at: number;
  readonly deadline: 'a week' | 'a day';
}

/** When refunds will have waited so long that a person is asked, earliest first. */
const deadlinesOf = (order: KnownOrder): Deadline[] =>
  order.refunds.flatMap((one) => deadlineOf(order, one) ?? []).sort((one, other) => one.at - other.at);

/** How long until the next of these deadlines, in ms; undefined if none is to come. */
export function deadlineLeft(order: KnownOrder, now: number): number | undefined {
  const next = deadlinesOf(order).find(({ at }) => at > now);
  return next && next.at - now;
}

function deadlineOf(order: KnownOrder, refund: LedgerRefund): Deadline | undefined {
  const { number, phase, requested_at, isOverdue } = refund;
  if (isOverdue) return undefined;
  if (phase === 'waiting') return { number, at: requested_at + WEEK, deadline: 'a week' };
  return waitsFor('a day', order, refund) ? { number, at: lastTakenAt(order) + DAY, deadline: 'a day' } : undefined;
}

/** A later refund may be what makes an earlier one doubtful. */
const lastTakenAt = ({ refunds }: KnownOrder): number => Math.max(...refunds.filter(mayBeGone).map(takenAt));

/** Until when the trade is polled; null: without a limit. */
export function watchUntil(
  order: KnownOrder,
  wishes: Pick<Wishes, 'watch_until'>,
  settings: StepSettings,
): number | null {
  const isOpen = isContradicted(order) || hasUnanswered(order);
  if (isTransientStatus(order.seen?.status ?? null) || isOpen) return null;
  // If a person is asked anyway, an order that may still be paid is watched until the person answers.
  if (isUnpaid(order)) return order.reasons.length > 0 && mayBePaidUntil(order) > 0 ? null : mayBePaidUntil(order);
  const [next] = deadlinesOf(order);
  if (next) return next.at;
  const afterAcceptance = order.refunds
    .filter(({ phase }) => phase === 'taken')
    .map((one) => takenAt(one) + settings.refund_watch_ms);
  return Math.max(wishes.watch_until, mayBePaidUntil(order), followedUntil(order), ...afterAcceptance);
}

/** The longest that a bank takes for a dispute. The interface promises no notification of its end. */
const DISPUTE_MS = 120 * DAY;

/** Until when the trade is polled for the bank's next step. */
const followedUntil = ({ bank, seen }: KnownOrder): number =>
  bank !== null && takesMoneyBack(seen?.status ?? '') ? bank.at + DISPUTE_MS : 0;

/** The refund whose turn it is: the one that was requested first. */
export const nextRefund = ({ refunds }: KnownOrder): LedgerRefund | undefined =>
  refunds.find(({ phase }) => phase === 'waiting');

const WEEK = 7 * DAY;

/** No replica is further behind the bank than this, in ms. */
const BANK_LAG_MS = 10 * MINUTE;

/** Whether this refund may be sent: now, later, or not at all, and why. */
export function turnOf(order: KnownOrder, refund: LedgerRefund, now: number): 'now' | 'later' | ShownFailure {
  const obstacle = obstacleTo(order, refund, now);
  if (obstacle) return obstacle;
  const status = order.seen?.status ?? '';
  const refundable = refundableIn(status);
  if (refundable === 'no') return notNow(status);
  const others = order.refunds.filter((one) => one.number !== refund.number && one.begun !== null);
  // No refund while the gateway denies the trade, or another refund is lost: what is left is unknown then, and two refunds look alike.
  if (
    refundable === 'later' ||
    order.denied !== null ||
    others.some((one) => one.phase === 'lost' || one.asked !== null)
  )
    return 'later';
  switch (refundMeaningOf(status)) {
    case 'stands':
      // It waits only for what the table, a notification or a person still decides.
      return others.some((one) => verdictOf(order, one) !== undefined) ? 'later' : 'now';
    case 'refused':
      return others.some(({ outcome }) => outcome === null) && unexplainedEnds(order).length > 0 ? 'later' : 'now';
    case 'done':
      return callsPartsRefunded(order) ? 'now' : elsewhereUnknown(status);
    default:
      return 'now';
  }
}

/** Why a refund that waits is not sent any more; undefined if nothing is in the way. */
function obstacleTo(order: KnownOrder, refund: LedgerRefund, now: number): ShownFailure | undefined {
  // A person has decided about the late money.
  if (refund.isLate && !hasLateMoney(order)) return notWanted();
  const obstacle = obstacleToAny(order, now);
  if (obstacle) return obstacle;
  return order.paid && isMore(refund.amount, leftAtGateway(order, refund.number)) ? notLeft() : undefined;
}

/** Why no refund of the order is granted or sent now; undefined if nothing is in the way. */
export function obstacleToAny(order: KnownOrder, now: number): ShownFailure | undefined {
  const { bank, held, seen, denied } = order;
  const claim = held.find(({ claim: { trade_status = '' } }) => takesMoneyBack(trade_status))?.claim.trade_status;
  if (claim !== undefined) return takenByTheBank(claim);
  if (bank !== null && now - bank.at < BANK_LAG_MS) return takenByTheBank(bank.status);
  if (isContradicted(order)) return unconfirmed(seen?.status ?? null);
  if (denied?.isSettled) return noSuchTrade();
  return isComplete(order) ? undefined : elsewhereUnknown(seen?.status ?? null);
}

/** Whether a person has named what went back elsewhere while the trade was REFUNDED: then the gateway calls a part so. */
const callsPartsRefunded = ({ history }: KnownOrder): boolean =>
  history.some(({ from, refunded_elsewhere }) => from === 'REFUNDED' && refunded_elsewhere !== undefined);
