/**
 * What the trade's status, and what the gateway says of a refund by its number, mean for the one refund that runs. The gateway
 * has no query for refunds: the trade shows the status of the latest one, and two partial refunds look the same. Pure tables.
 */
import type { RefundOutcome } from '../../../contract';
import { isKnownStatus, type TradeStatus } from '../../../gateway/pure/statuses';

/** How a refund stands by a status that speaks of it. `nothing`: the status does not speak of refunds. */
type Word = 'pending' | 'refunded' | 'refused' | 'revoked' | 'nothing';

/** Whether a trade in this status can be refunded: now, after its next status, or not at all. */
export type RefundReadiness = 'now' | 'later' | 'no';

const STATUS_TABLE: Record<TradeStatus, readonly [readiness: RefundReadiness, says: Word]> = {
  // The payment stands, or stands again.
  SUCCESS: ['now', 'revoked'],
  PARTIAL_REFUND: ['now', 'refunded'],
  REFUNDED: ['now', 'refunded'],
  REFUND_REFUSED: ['now', 'refused'],
  REFUND_REVOKE: ['later', 'revoked'],
  REFUND_VERIFYING: ['later', 'pending'],
  REFUND_PROCESSING: ['later', 'pending'],
  CHARGEBACK_REVERSED: ['later', 'nothing'],
  // The bank takes the money back. A refund beside that would pay the buyer twice.
  DISPUTE: ['no', 'nothing'],
  CHARGEBACK: ['no', 'nothing'],
  INITIAL: ['no', 'nothing'],
  PROCESSING: ['no', 'nothing'],
  RISK_CONTROLLING: ['no', 'nothing'],
  REFUSED: ['no', 'nothing'],
  CANCEL: ['no', 'nothing'],
  EXPIRED: ['no', 'nothing'],
};

const wordOf = (status: string | null): Word =>
  status !== null && isKnownStatus(status) ? STATUS_TABLE[status][1] : 'nothing';

/** Whether only a refund brings a trade into this status. */
export const isRefundStatus = (status: string) => status !== 'SUCCESS' && wordOf(status) !== 'nothing';

/** Whether a trade in this status has given money back. */
export const hasGivenBack = (status: string | null) => wordOf(status) === 'refunded';

/** Whether a refund that has ended so may have brought the trade into this status. One that paid nothing gave no money back. */
export const mayComeFrom = (status: string, outcome: RefundOutcome | null) =>
  outcome === 'REFUNDED' || (outcome !== null && outcome !== 'NOT_CREATED' && !hasGivenBack(status));

/** Whether the latest refund of a trade in this status was refused. */
export const isRefusal = (status: string) => wordOf(status) === 'refused';

/** Whether both say of a refund that it was refused, or both that it was revoked. */
export function endsInVainAlike(one: string | null, other: string | null): boolean {
  const word = wordOf(one);
  return (word === 'refused' || word === 'revoked') && word === wordOf(other);
}

/** Whether the gateway has a refund and has not ended it. */
export const isUnderWay = (status: string) => wordOf(status) === 'pending';

/**
 * What a refund is called after two words about it, of which each may be late: a refund ends after it was under way, and what was
 * done may come back, but nothing is done that was refused or came back.
 */
export function latestWord(before: string | null | undefined, word: string): string {
  if (before === null || before === undefined || isUnderWay(before)) return word;
  const isOver = wordOf(before) === 'refused' || wordOf(before) === 'revoked';
  return isUnderWay(word) || (isOver && hasGivenBack(word)) ? before : word;
}

/** In these the bank takes the money back. */
export const takesMoneyBack = (status: string) => status === 'DISPUTE' || status === 'CHARGEBACK';

/** Whether the gateway moves a trade out of this status by itself. Then it is polled even after the watch window. */
export function isTransientStatus(status: string): boolean {
  return isKnownStatus(status) && STATUS_TABLE[status][0] === 'later';
}

/**
 * Whether a refund may begin. `elsewhere`: the status comes from a refund that is not in our ledger, which explains the
 * status `explained`: ours on top of it could give back more than was paid. A status that we do not know: no.
 */
export function turnOf(status: string, explained: string | null): RefundReadiness | 'elsewhere' {
  if (!isKnownStatus(status)) return 'no';
  const [ready, says] = STATUS_TABLE[status];
  if (ready !== 'now') return ready;
  // A refund that was refused elsewhere may stand before one that was made there: the trade shows the latest alone.
  return says === 'revoked' || status === explained ? 'now' : 'elsewhere';
}

/** What is known about a refund that was sent. */
export interface Observation {
  /** The trade's status just before the refund was sent. */
  baseline: string;
  /** The trade's status now. */
  now: string;
  /** Since it was sent, the trade was in another state that only a refund brings. */
  attributed: boolean;
  /** The gateway has said that it has the refund. */
  accepted: boolean;
  /** The status that the gateway gave last to this refund by its number: in its answer, or in a notification. */
  notified: string | null;
  /** What the trade shows is the end of another refund, which a notification has named. */
  ofAnother: boolean;
  /** Since it was sent, the trade has shown the end of an earlier refund that paid nothing: it may return from that one. */
  afterAnother: boolean;
}

/**
 * What to do. `ended`: it has this outcome. `unclear`: nothing tells how the refund stands. Where it `lasts`, only once the
 * status has stayed the same for the settling time: a copy that is behind would free the amount for another refund.
 */
export type Reading =
  | { is: 'pending' }
  | { is: 'ended'; outcome: RefundOutcome; lasts: boolean }
  | { is: 'unclear'; lasts: boolean };

const PENDING: Reading = { is: 'pending' };
const REFUNDED: Reading = { is: 'ended', outcome: 'REFUNDED', lasts: false };
const REFUNDED_IF_IT_LASTS: Reading = { is: 'ended', outcome: 'REFUNDED', lasts: true };
const REFUSED: Reading = { is: 'ended', outcome: 'REFUND_REFUSED', lasts: true };
const REVOKED: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', lasts: true };
const UNCLEAR: Reading = { is: 'unclear', lasts: false };
const UNCLEAR_IF_IT_LASTS: Reading = { is: 'unclear', lasts: true };

/** What the trade shows: a word about our refund, the status from before it, or something else than a refund. */
type View = Word | 'as before';
type Named = Word;

/** By what the trade shows, and by what the refund was called. */
const READINGS: Record<View, Record<Named, Reading>> = {
  pending: { nothing: PENDING, pending: PENDING, refunded: PENDING, refused: PENDING, revoked: PENDING },
  // `refused` and `revoked` are here only where the trade is not back in the status from before: see `interpret`.
  refunded: { nothing: REFUNDED, pending: REFUNDED, refunded: REFUNDED, refused: UNCLEAR, revoked: UNCLEAR },
  refused: { nothing: REFUSED, pending: REFUSED, refunded: UNCLEAR, refused: REFUSED, revoked: REVOKED },
  revoked: { nothing: REVOKED, pending: REVOKED, refunded: UNCLEAR, refused: REFUSED, revoked: REVOKED },
  nothing: { nothing: UNCLEAR, pending: UNCLEAR, refunded: UNCLEAR, refused: UNCLEAR, revoked: UNCLEAR },
  'as before': {
    nothing: UNCLEAR_IF_IT_LASTS,
    pending: UNCLEAR_IF_IT_LASTS,
    refunded: UNCLEAR_IF_IT_LASTS,
    refused: REFUSED,
    revoked: REVOKED,
  },
};

/** After an earlier part another one ends in the same status. When unsure, count it: then it is never given back twice. */
const AFTER_A_PART: Record<Named, Reading> = {
  nothing: REFUNDED_IF_IT_LASTS,
  pending: REFUNDED_IF_IT_LASTS,
  refunded: REFUNDED,
  refused: REFUSED,
  revoked: REVOKED,
};

/** How a refund that was sent stands. Nothing but a state that only a refund brings ever counts as ours. */
export function interpret(observed: Observation): Reading {
  const { baseline, now, attributed, accepted, notified, ofAnother, afterAnother } = observed;
  if (ofAnother) return UNCLEAR;
  const named = wordOf(notified === 'SUCCESS' ? null : notified);
  const isBack = now === baseline;
  if (isBack && wordOf(baseline) === 'refunded' && (accepted || attributed || named !== 'nothing'))
    return attributed && named !== 'refused' && named !== 'revoked' ? REFUNDED : AFTER_A_PART[named];
  if (isBack && (!attributed || afterAnother)) return READINGS['as before'][named];
  // What the gateway has taken is under way, although the status may still be that of an earlier part.
  if (wordOf(now) === 'pending' && (accepted || named !== 'nothing')) return PENDING;
  // Without an own refund state before it, SUCCESS says nothing of our refund: a chargeback may have been reversed.
  return attributed ? READINGS[wordOf(now)][named] : UNCLEAR;
}

/**
 * Whether an unchanged status proves that a refund with a lost answer was never made. It does where every refund would
 * change it. It does not after a partial refund: another one ends in the same status.
 */
export function unchangedMeansNoRefund(baseline: string): boolean {
  return baseline === 'SUCCESS';
}
