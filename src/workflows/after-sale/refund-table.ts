/**
 * What the trade's status says of a refund that has left us. The gateway has no query for refunds: the trade shows the latest one, and
 * two parts look the same. So the table never frees an amount: only an answer, a notification with the refund's number, or a person does.
 * Pure tables.
 */
import { isEndUnpaid, type Patience, type RefundMeaning, refundMeaningOf } from '../../contract';

/** What each verdict means, in the words that people read. */
export const VERDICTS = {
  open: 'it goes on: the next status tells more',
  accepted: 'it is gone, and nothing confirms its end',
  refunded: 'all that was paid has gone back, and it is a part of that',
  ask: 'two different stories fit what the trade shows: only a person, or a notification that names its number, can tell them apart',
} as const;

export type Verdict =
  | { readonly is: Exclude<keyof typeof VERDICTS, 'ask'> }
  /** `lasts`: nothing that the trade shows later can tell the worlds apart. */
  | { readonly is: 'ask'; readonly after: Patience; readonly lasts: boolean };

/** `lost`: its answer is not known. `alone`: nothing else may have gone back, or be going. */
export type Column = 'accepted' | 'lost alone' | 'lost beside others';

/**
 * `unmoved`, `part as before`: the trade is as it was when the refund was begun, and says nothing of it. `perhaps all`: some gateways call a
 * trade REFUNDED when only a part went back, perhaps by another refund.
 */
export type Row = RefundMeaning | 'unmoved' | 'part as before' | 'perhaps all';

const OPEN: Verdict = { is: 'open' };
const ACCEPTED: Verdict = { is: 'accepted' };
const REFUNDED: Verdict = { is: 'refunded' };
const ask = (after: Patience, lasts = false): Verdict => ({ is: 'ask', after, lasts });
const [NOW, LAG, A_DAY] = [ask('at once'), ask('lag'), ask('a day')] as const;
/** A refund was refused, or has come back, and nothing says which one: each that was begun before it is asked about. */
export const WHOSE_END = ask('at once');
/** The payment stands again after a refund was shown: a refund has come back. */
export const CAME_BACK = ask('lag', true);

/** Two verdicts: if money is left after all refunds that may have gone, and if nothing is left. */
type Cell = Verdict | readonly [left: Verdict, nothingLeft: Verdict];

/**
 * A second part that is refused in silence, and that the trade never shows, stays accepted: a person is asked only if nothing would be left.
 * If the trade says that a refund was refused or came back, that refund may be another system's, while ours begins days later:
 * `npm run explore` shows the two worlds for each question.
 */
// biome-ignore format: a table, read by columns
const TABLE: Readonly<Record<Row, Readonly<Record<Column, Cell>>>> = {
  // Gateways may begin a refund days after they took it. One that was lost is never sent again: it may begin late, too.
  unmoved:        { accepted: A_DAY,                'lost alone': LAG,             'lost beside others': LAG },
  // The trade has shown a refund since, and stands again: a refund came back.
  stands:         { accepted: CAME_BACK,            'lost alone': CAME_BACK,       'lost beside others': CAME_BACK },
  'under way':    { accepted: OPEN,                 'lost alone': ACCEPTED,        'lost beside others': A_DAY },
  'part is done': { accepted: [ACCEPTED, A_DAY],    'lost alone': [ACCEPTED, LAG], 'lost beside others': LAG },
  'part as before': { accepted: [ACCEPTED, A_DAY],  'lost alone': LAG,             'lost beside others': LAG },
  'perhaps all':  { accepted: ACCEPTED,             'lost alone': LAG,             'lost beside others': LAG },
  done:           { accepted: [ACCEPTED, REFUNDED], 'lost alone': [LAG, REFUNDED], 'lost beside others': LAG },
  // An end that no number explains does not come here: it is WHOSE_END. Here it is another refund's, known by its number: that says nothing of
  // a lost refund, and an accepted refund goes on.
  refused:        { accepted: OPEN,                 'lost alone': LAG,             'lost beside others': LAG },
  revoked:        { accepted: OPEN,                 'lost alone': LAG,             'lost beside others': LAG },
  'of the bank':  { accepted: OPEN,                 'lost alone': NOW,             'lost beside others': NOW },
  none:           { accepted: OPEN,                 'lost alone': NOW,             'lost beside others': NOW },
};

/** What the trade's status says of a refund. `nothingLeft`: all that was paid may have gone. */
export function verdictOn(row: Row, column: Column, nothingLeft: boolean): Verdict {
  const cell = TABLE[row][column];
  return 'is' in cell ? cell : cell[nothingLeft ? 1 : 0];
}

/** What is known of a refund that was begun. */
export interface Begun {
  /** The trade's status at that time. */
  readonly shown: string;
  /** The trade has shown another status of a refund since. */
  readonly moved: boolean;
  /** REFUNDED can mean nothing else: no other refund is known, or this gateway calls parts PARTIAL_REFUND. */
  readonly isUnmistakable: boolean;
}

/** The row of the table for such a refund. */
export function rowOf(status: string, { shown, moved, isUnmistakable }: Begun): Row {
  const meaning = refundMeaningOf(status);
  if (!moved && status === shown) return AS_BEFORE[meaning] ?? meaning;
  return meaning === 'done' && !isUnmistakable ? 'perhaps all' : meaning;
}

const AS_BEFORE: Readonly<Partial<Record<RefundMeaning, Row>>> = {
  stands: 'unmoved',
  refused: 'unmoved',
  revoked: 'unmoved',
  'part is done': 'part as before',
  done: 'perhaps all',
};

/** The outcome that this status names for a refund; undefined while the refund goes on. */
export const outcomeNamed = (status: string) => NAMED[refundMeaningOf(status)];

/** Whether this status says that a refund paid nothing: it was refused, or has come back. */
export const saysUnpaid = (status: string): boolean => isEndUnpaid(outcomeNamed(status) ?? null);

const NAMED: Readonly<Partial<Record<RefundMeaning, 'REFUNDED' | 'REFUND_REFUSED' | 'REFUND_REVOKE'>>> = {
  'part is done': 'REFUNDED',
  done: 'REFUNDED',
  refused: 'REFUND_REFUSED',
  revoked: 'REFUND_REVOKE',
};
