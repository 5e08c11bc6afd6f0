/** What may be done next to create an order, by what is known. Pure: the whole rule is the table below. */

import type { CreateResult, GatewayErrorFields, Silence } from '../../contract';

export interface CreationFacts {
  /** Whether an earlier run has told the outcome of this order. */
  hasEnded: boolean;
  /** Whether an order of ours may exist: a request may have reached the gateway and its answer was lost (`reachAfter` in fold.ts). */
  mayExist: boolean;
  /** Whether a request may have reached the gateway. Where it answered "busy", it may still have made the order. */
  mayBeReached: boolean;
  /** What the gateway said last to a creation. */
  said: 'nothing' | 'not-created' | 'created-refused' | 'duplicate';
  /** What the last look brought, if it began after the last creation was sent. */
  looked: 'not-yet' | 'no-such-order' | 'no-answer';
  /** Whether a notification has come under the number. */
  isNotified: boolean;
  /** Whether the merchant, or a cancellation, wants it not to be sent. */
  isWithdrawn: boolean;
  /** Whether there is still time to send the order. */
  isInTime: boolean;
  /** Whether the pause before an order that may exist is sent again is over. The first time there is none. */
  isRested: boolean;
}

/**
 * - `send`: create the order.
 * - `look`: ask the gateway for the trade until its answer has settled.
 * - `look-on`: the same, slowly, and a person is told: nothing is sent until the gateway has answered, and in most rows never.
 * - `ask`: one short query: an order that the gateway made and refused may still be alive.
 * - `rest`: wait, ever longer, before the order is sent again.
 * - `end-as-before`, `end-not-sent`, `end-not-created`, `end-refused`: the creation is over.
 * - `compare`: the gateway has, or is said to have, an order under this number that this run did not make.
 */
export type CreationStep =
  | 'send'
  | 'look'
  | 'look-on'
  | 'ask'
  | 'rest'
  | 'compare'
  | `end-${'as-before' | 'not-sent' | 'not-created' | 'refused'}`;

/**
 * How a try ended. `interrupted`: it certainly was not sent, and is not wanted any more. `too-soon`: the first, short try was not
 * sent.
 */
export type Tried =
  | CreateResult
  | { readonly is: 'interrupted' }
  | { readonly is: 'too-soon'; readonly why: Silence }
  /** A person has ended the activity, or something around our code: nobody knows whether a request has left us. */
  | { readonly is: 'ended-outside'; readonly error: GatewayErrorFields; readonly message: string };

/** Results after which the order was made, or the same try goes on. */
type NotFinal = 'busy' | 'created' | 'interrupted' | 'too-soon';

/** What each result says of the order, for the table. */
export const CREATION_SAID = {
  unknown: 'nothing',
  'ended-outside': 'nothing',
  'not-sent': 'nothing',
  'not-created': 'not-created',
  'created-refused': 'created-refused',
  duplicate: 'duplicate',
} as const satisfies Record<Exclude<Tried['is'], NotFinal>, CreationFacts['said']>;

type Row = readonly [when: Partial<CreationFacts>, then: CreationStep];

/** The first row that fits counts. People read the words above it as its reason. */
const TABLE: readonly (readonly [because: string, rows: readonly Row[]])[] = [
  ['What was told stays so: what came since, the after-sale knows.', [[{ hasEnded: true }, 'end-as-before']]],

  [
    'The gateway made our order and refused it. A bank that was busy may charge all the same, so the order itself is asked for; where that brings no answer the refusal stands, and the number is watched.',
    [
      [{ mayExist: false, said: 'created-refused', looked: 'not-yet' }, 'ask'],
      [{ mayExist: false, said: 'created-refused' }, 'end-refused'],
    ],
  ],
  [
    'A notification proves that a trade exists: from now on it is looked for, and the order is never created again.',
    [
      [{ mayExist: false, isNotified: true, looked: 'not-yet' }, 'compare'],
      [{ isNotified: true, looked: 'not-yet' }, 'look'],
      [{ isNotified: true }, 'look-on'],
    ],
  ],
  [
    'A busy gateway is asked again, and nothing ends without a look that lasted.',
    [
      [{ mayExist: false, mayBeReached: true, said: 'nothing', isWithdrawn: false, isInTime: true }, 'send'],
      [{ mayExist: false, mayBeReached: true, looked: 'not-yet' }, 'look'],
      [{ mayExist: false, mayBeReached: true, looked: 'no-answer' }, 'look-on'],
    ],
  ],
  [
    'Nothing of ours can exist yet, so the gateway’s word is final and a withdrawal is possible.',
    [
      [{ mayExist: false, said: 'duplicate' }, 'compare'],
      [{ mayExist: false, said: 'not-created' }, 'end-not-created'],
      [{ mayExist: false, isWithdrawn: true }, 'end-not-sent'],
      [{ mayExist: false, isInTime: false }, 'end-not-sent'],
      [{ mayExist: false }, 'send'],
    ],
  ],
  [
    'An order of ours may exist: no refusal is believed, and nothing is sent again, without a look that lasted.',
    [
      [{ looked: 'not-yet' }, 'look'],
      [{ looked: 'no-answer' }, 'look-on'],
      [{ said: 'created-refused' }, 'end-refused'],
      [{ said: 'not-created' }, 'end-not-created'],
      [{ said: 'duplicate' }, 'look-on'],
      [{ isWithdrawn: true }, 'look-on'],
      [{ isInTime: false }, 'look-on'],
      [{ isRested: false }, 'rest'],
      [{}, 'send'],
    ],
  ],
];

const ROWS = TABLE.flatMap(([because, rows]) =>
  rows.map(([when, then]) => ({ because, when: Object.entries(when), then })),
);

/** The step, and the words of its rule. */
export function creationRule(facts: CreationFacts): { readonly step: CreationStep; readonly because: string } {
  const row = ROWS.find(({ when }) => when.every(([name, value]) => Reflect.get(facts, name) === value));
  // The last row fits everything.
  return { step: row?.then ?? 'look-on', because: row?.because ?? '' };
}

export const nextCreationStep = (facts: CreationFacts): CreationStep => creationRule(facts).step;
