/**
 * What the trade's status, and what the gateway says of a refund by its number, mean for the one refund that runs. The gateway
 * has no query for refunds: the trade shows the status of the latest one, and two partial refunds look the same. Pure tables.
 */
import {
  type Refundable,
  type RefundMeaning,
  type RefundOutcome,
  refundableIn,
  refundMeaningOf,
} from '../../../contract';

/** How a refund stands by a status that speaks of it. `nothing`: the status does not speak of refunds. */
type Word = 'pending' | 'refunded' | 'refused' | 'revoked' | 'nothing';

const WORDS: Readonly<Record<RefundMeaning, Word>> = {
  // The payment stands, or stands again.
  stands: 'revoked',
  'under way': 'pending',
  'part is done': 'refunded',
  done: 'refunded',
  refused: 'refused',
  revoked: 'revoked',
  'of the bank': 'nothing',
  none: 'nothing',
};

const wordOf = (status: string | null): Word => WORDS[refundMeaningOf(status)];

/** Whether a trade in this status has given money back. */
export const hasGivenBack = (status: string | null) => wordOf(status) === 'refunded';

/** Whether a refund that has ended so may have brought the trade into this status. One that paid nothing gave no money back. */
export const mayComeFrom = (status: string, outcome: RefundOutcome | null) =>
  outcome === 'REFUNDED' || (outcome !== null && outcome !== 'NOT_CREATED' && !hasGivenBack(status));

/** Whether a status says that a refund paid nothing, or that the payment stands. */
export function isInVain(status: string | null): boolean {
  const word = wordOf(status);
  return word === 'refused' || word === 'revoked';
}

/** Whether both say of a refund that it was refused, or both that it was revoked. */
export const endsInVainAlike = (one: string | null, other: string | null) =>
  isInVain(one) && wordOf(one) === wordOf(other);

/** Whether the gateway has a refund and has not ended it. */
const isUnderWay = (status: string) => wordOf(status) === 'pending';

/**
 * What a refund is called after two words about it, of which each may be late: a refund ends after it was under way, and what was
 * done may come back, but nothing is done that was refused or came back.
 */
export function latestWord(before: string | null | undefined, word: string): string {
  if (before === null || before === undefined || isUnderWay(before)) return word;
  return isUnderWay(word) || (isInVain(before) && hasGivenBack(word)) ? before : word;
}

/** The outcome that a status names; undefined where the refund has not ended by it. */
export function outcomeNamedBy(status: string | null): RefundOutcome | undefined {
  const word = wordOf(status);
  return word === 'nothing' || word === 'pending' ? undefined : OUTCOME[word];
}

const OUTCOME = { refunded: 'REFUNDED', refused: 'REFUND_REFUSED', revoked: 'REFUND_REVOKE' } as const;

/**
 * Whether a refund may begin. `elsewhere`: the status comes from a refund that is not in our ledger, which explains the
 * statuses `explained`: ours on top of it could give back more than was paid. A status that we do not know: no.
 */
export function turnOf(status: string, explained: readonly string[]): Refundable | 'elsewhere' {
  const ready = refundableIn(status);
  if (ready !== 'now') return ready;
  // A refund that was refused elsewhere may stand before one that was made there: the trade shows the latest alone.
  return wordOf(status) === 'revoked' || explained.includes(status) ? 'now' : 'elsewhere';
}

/** What is known about a refund that was sent. */
export interface Observation {
  /** The trade's status just before the refund was sent. */
  baseline: string;
  /** The trade's status now. */
  now: string;
  /** What earlier refunds have shown of themselves: the trade may return to it, and a copy that is behind still shows it. */
  earlier: readonly string[];
  /** Since it was sent, the trade was in another state that only this refund brings. */
  attributed: boolean;
  /** The gateway has said that it has the refund. */
  accepted: boolean;
  /** The status that the gateway gave last to this refund by its number: in its answer, or in a notification. */
  notified: string | null;
  /** What the trade shows is the end of another refund, which a notification has named. */
  ofAnother: boolean;
  /** Since it was sent, the bank took part, or a notification named another refund: the trade speaks of those, too. */
  disturbed: boolean;
  /** Since it was sent, the trade has shown the end of a refund that paid nothing. */
  endedInVain: boolean;
}

/**
 * What to do. `ended`: it has this outcome. `unclear`: nothing tells how the refund stands. Only once the status has stayed the
 * same for so many `settlings`, in settling times: a copy that is behind would free the amount for another refund.
 */
export type Reading =
  | { is: 'pending' }
  | { is: 'ended'; outcome: RefundOutcome; settlings: number }
  | { is: 'unclear'; settlings: number };

/** So many settling times until no copy of the gateway can be further behind: else money that went back twice is lost. */
export const SETTLINGS_OF_A_COPY = 10;

const PENDING: Reading = { is: 'pending' };
const REFUNDED: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: 0 };
const REFUNDED_IF_IT_LASTS: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: 1 };
const REFUNDED_IF_NO_COPY: Reading = { is: 'ended', outcome: 'REFUNDED', settlings: SETTLINGS_OF_A_COPY };
const REFUSED: Reading = { is: 'ended', outcome: 'REFUND_REFUSED', settlings: 1 };
const REFUSED_IF_NO_COPY: Reading = { is: 'ended', outcome: 'REFUND_REFUSED', settlings: SETTLINGS_OF_A_COPY };
const REVOKED: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: 1 };
const REVOKED_IF_NO_COPY: Reading = { is: 'ended', outcome: 'REFUND_REVOKE', settlings: SETTLINGS_OF_A_COPY };
const UNCLEAR: Reading = { is: 'unclear', settlings: 0 };
const UNCLEAR_IF_IT_LASTS: Reading = { is: 'unclear', settlings: 1 };

type Named = Word;

/**
 * What the trade shows (rows), by what the refund was called by its number (columns). What frees an amount is either named, or
 * shown where no other refund and no bank can have brought the trade there. When unsure, money counts as given back.
 */
const READINGS = {
  'under way': { nothing: PENDING, pending: PENDING, refunded: PENDING, refused: PENDING, revoked: PENDING },
  'ours refunded': { nothing: REFUNDED, pending: REFUNDED, refunded: REFUNDED, refused: UNCLEAR, revoked: UNCLEAR },
  /** The gateway shows money, and has not said that it is ours; or has ours, and shows the part from before it, too. */
  'seems refunded': {
    ...{ nothing: REFUNDED_IF_IT_LASTS, pending: REFUNDED_IF_IT_LASTS, refunded: REFUNDED },
    ...{ refused: REFUSED, revoked: REVOKED },
  },
  /** An earlier part, after the trade was elsewhere. */
  'seems refunded again': {
    ...{ nothing: REFUNDED_IF_NO_COPY, pending: REFUNDED_IF_NO_COPY, refunded: REFUNDED },
    ...{ refused: REFUSED, revoked: REVOKED },
  },
  'ours refused': {
    ...{ nothing: REFUSED_IF_NO_COPY, pending: REFUSED_IF_NO_COPY, refunded: UNCLEAR },
    ...{ refused: REFUSED, revoked: REVOKED },
  },
  'ours revoked': {
    ...{ nothing: REVOKED_IF_NO_COPY, pending: REVOKED_IF_NO_COPY, refunded: UNCLEAR },
    ...{ refused: REFUSED, revoked: REVOKED },
  },
  /** The status from before ours, or the end of a refund that paid nothing, and that may be another one. */
  'not ours alone': {
    ...{ nothing: UNCLEAR_IF_IT_LASTS, pending: UNCLEAR_IF_IT_LASTS, refunded: UNCLEAR_IF_IT_LASTS },
    ...{ refused: REFUSED, revoked: REVOKED },
  },
  nothing: { nothing: UNCLEAR, pending: UNCLEAR, refunded: UNCLEAR, refused: UNCLEAR, revoked: UNCLEAR },
} as const satisfies Record<string, Record<Named, Reading>>;

type View = keyof typeof READINGS;

/** How a refund that was sent stands. Nothing but a state that only a refund brings ever counts as ours. */
export function interpret(observed: Observation): Reading {
  return READINGS[viewOf(observed)][namedAs(observed)];
}

const namedAs = ({ notified }: Observation): Named => wordOf(notified === 'SUCCESS' ? null : notified);

function viewOf(observed: Observation): View {
  const { now, accepted, attributed, ofAnother } = observed;
  if (ofAnother) return 'nothing';
  const word = wordOf(now);
  // What the gateway has taken is under way, although the status may still be that of an earlier part.
  const isTaken = accepted || attributed || namedAs(observed) !== 'nothing';
  switch (word) {
    case 'pending':
      return isTaken ? 'under way' : 'nothing';
    case 'refunded':
      return viewOfMoney(observed, isTaken);
    case 'refused':
    case 'revoked':
      return viewInVain(observed, word);
    default:
      return 'nothing';
  }
}

/** The trade shows that money went back. */
function viewOfMoney(observed: Observation, isTaken: boolean): View {
  const { baseline, now, earlier, attributed, accepted, endedInVain } = observed;
  const isBack = now === baseline;
  const named = namedAs(observed);
  if (!isBack && !earlier.includes(now)) {
    const isSaid = accepted || named !== 'nothing';
    if (!isSaid && !isAlone(observed)) return 'nothing';
    return isSaid ? 'ours refunded' : 'seems refunded';
  }
  // It may have returned from the end of ours, or of the part that it shows.
  const isUnsaid = named === 'nothing' || named === 'pending';
  if (!isTaken || (endedInVain && isUnsaid)) return isBack ? 'not ours alone' : 'nothing';
  if (!isBack) return 'seems refunded again';
  return attributed && (isUnsaid || named === 'refunded') ? 'ours refunded' : 'seems refunded';
}

/** The trade shows that a refund paid nothing, or that the payment stands. */
const viewInVain = (observed: Observation, word: 'refused' | 'revoked'): View =>
  observed.attributed && isAlone(observed) ? `ours ${word}` : 'not ours alone';

/** Whether nothing but this refund can have brought the trade to an end that frees its amount. */
export const isAlone = ({ earlier, disturbed }: Pick<Observation, 'earlier' | 'disturbed'>) =>
  earlier.length === 0 && !disturbed;

/**
 * Whether an unchanged status proves that a refund with a lost answer was never made. It does where every refund would
 * change it, and nothing else changed it back. It does not after a partial refund: another one ends in the same status.
 */
export const unchangedMeansNoRefund = (observed: Observation): boolean =>
  observed.baseline === 'SUCCESS' && isAlone(observed);
