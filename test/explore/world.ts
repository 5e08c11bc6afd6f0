/**
 * A small world after a sale, written from the fault model alone: what the gateway really did, replicas that are behind, answers and
 * notifications that are lost or late, another system, the bank, a person who tells the truth. It drives the real `fold` and `nextStep`.
 */
import Big from 'big.js';
import type { KnownOrder, NotificationClaim } from '../../src/contract';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import type { NewAfterSaleFact as Fact, RefundAnswered } from '../../src/workflows/after-sale/facts';
import { fold, NOTHING_KNOWN } from '../../src/workflows/after-sale/fold';
import { findRefund, isComplete, leftToGrant } from '../../src/workflows/after-sale/ledger';
import { nextStep, type Step } from '../../src/workflows/after-sale/next-step';

const POLLS = { poll_schedule_ms: [MINUTE, 2 * MINUTE, 5 * MINUTE], poll_every_ms: HOUR };
export const SETTINGS = {
  ...POLLS,
  settling_ms: 30_000,
  refund_watch_ms: 3 * DAY,
  late_payments: 'attention',
} as const;
/** No replica is further behind than this. */
const LAG_MS = 10 * SETTINGS.settling_ms;
export const BANK_LAG_MS = 10 * MINUTE;
export const PAID = '150.00';

/** What becomes of a refund at the gateway, in truth. `quiet`: taken, and the trade does not show it yet. */
export type Truth = 'quiet' | 'under way' | 'done' | 'refused' | 'revoked';

/** The number of the refund that another system makes. */
export const OTHERS = 'x';

export interface TrueRefund {
  readonly number: string;
  readonly amount: string;
  readonly is: Truth;
}

export interface World {
  /** What this gateway calls a trade of which a part went back. */
  readonly parts: 'PARTIAL_REFUND' | 'REFUNDED';
  readonly refunds: readonly TrueRefund[];
  readonly status: string;
  /** The status before, and since when it is another one. */
  readonly before: string;
  readonly changed_at: number;
  /** What the gateway may still notify: each state that a refund has had. */
  readonly unsaid: readonly NotificationClaim[];
  readonly now: number;
  /** Numbers that were sent, in turn. */
  readonly sent: readonly string[];
  /** What has reached us: what notifications named, as `number status`, and the ends of refunds that queries showed, as `status`. */
  readonly told: readonly string[];
  readonly shown: readonly string[];
  /** When we last heard, by a notification or a query, that the bank takes the money back. */
  readonly bank_at: number | null;
  /** Something that must never be, which the last move did. */
  readonly fault?: string;
}

export interface Node {
  readonly world: World;
  readonly sale: KnownOrder;
  readonly depth: number;
  /** The last move, and what was before it; none at the sale itself. */
  readonly move?: { readonly what: string; readonly from: Node };
}

/** What one may ask for: the number and the amount. */
export type Request = readonly [number: string, amount: string];

const START: World = {
  parts: 'PARTIAL_REFUND',
  refunds: [],
  status: 'SUCCESS',
  before: 'SUCCESS',
  changed_at: Number.NEGATIVE_INFINITY,
  unsaid: [],
  now: 10 * DAY,
  sent: [],
  told: [],
  shown: [],
  bank_at: null,
};

/** The trade was sold, and was looked at: at each kind of gateway. */
export const sold = (): Node[] =>
  (['PARTIAL_REFUND', 'REFUNDED'] as const).map((parts) => ({
    world: { ...START, parts },
    sale: folded({ ...NOTHING_KNOWN, out_trade_no: 'O1' }, START, [queried(START, 'SUCCESS')]),
    depth: 0,
  }));

const folded = (sale: KnownOrder, { now }: World, facts: readonly Fact[]): KnownOrder =>
  facts.reduce((known, fact) => fold(known, { ...fact, at: now }, SETTINGS), sale);

function after(from: Node, what: string, world: World, ...facts: readonly Fact[]): Node {
  const { fault: _fault, ...now } = world;
  return {
    world: world.fault === undefined ? now : world,
    sale: folded(from.sale, world, facts),
    depth: from.depth + 1,
    move: { what, from },
  };
}

/** The moves that led here, in turn. */
export function pathTo(node: Node): string[] {
  return node.move ? [...pathTo(node.move.from), node.move.what] : [];
}

/** The settings ask for a watch of a day after the sale. */
export const stepOf = ({ world, sale }: Node): Step =>
  nextStep(sale, world.now, { isAsked: false, watch_until: START.now + DAY }, SETTINGS);

/** Everything that may happen next. */
export function movesOf(node: Node, requests: readonly Request[]): Node[] {
  const { world } = node;
  const step = stepOf(node);
  return [
    ...ourMoves(node, step),
    ...requests.flatMap(([number, amount]) => requested(node, number, amount)),
    ...world.refunds.flatMap((refund, at) => gatewayMoves(node, refund, at)),
    ...others(node),
    ...world.unsaid.flatMap((claim, at) => notified(node, claim, at)),
    ...(step.take === 'watch' || step.take === 'rest' ? times(node) : []),
    ...decisions(node),
  ];
}

// — Ours —

function ourMoves(node: Node, step: Step): Node[] {
  const { world, sale } = node;
  switch (step.take) {
    case 'send':
      return sent(node, step.number);
    case 'decline':
      return [
        after(
          node,
          `${step.number} is declined`,
          world,
          answered(step.number, { said: 'refused', failure: step.failure }),
        ),
      ];
    case 'pass':
      return [after(node, 'a day has passed', world, { is: 'passed', deadline: 'a day', number: step.number })];
    case 'find':
    case 'look':
      return looked(node, step.take === 'look' ? step.lasting_ms : 0);
    case 'watch':
      // The poll sees what has changed, or what a replica still shows.
      return readable(world)
        .filter((status) => status !== sale.seen?.status)
        .map((status) => shows(node, 'a poll', world, status));
    case 'ask':
    case 'rest':
      return [];
  }
}

/** What a query may show: a replica may be behind. */
const readable = ({ status, before, changed_at, now }: World): string[] =>
  now - changed_at >= LAG_MS ? [status] : [...new Set([status, before])];

/** A look lasts as long as it has to. A status that is not the one that is known counts at once. */
function looked(node: Node, lasting_ms: number): Node[] {
  const { world, sale } = node;
  const later = { ...world, now: world.now + lasting_ms };
  return readable(later).map((status) => {
    const lasted = status === sale.seen?.status && lasting_ms > 0;
    return shows(node, lasted ? 'a look that lasts' : 'a look', lasted ? later : world, status);
  });
}

function shows(node: Node, how: string, world: World, status: string): Node {
  return after(node, `${how} shows ${status}`, shownBy(world, status), queried(world, status, node.sale));
}

function shownBy(world: World, status: string): World {
  const isEnd = status === 'REFUND_REFUSED' || status === 'REFUND_REVOKE';
  return {
    ...world,
    shown: isEnd && !world.shown.includes(status) ? [...world.shown, status] : world.shown,
    bank_at: status === 'DISPUTE' ? world.now : world.bank_at,
  };
}

/** The activity looks first: it sends only where the trade is as it was. */
function sent(node: Node, number: string): Node[] {
  const { world, sale } = node;
  return readable(world).flatMap((status) => {
    if (status !== sale.seen?.status) return [shows(node, `before ${number} is sent, a look`, world, status)];
    return sentNow(node, number, findRefund(sale, number)?.amount ?? '');
  });
}

function sentNow(node: Node, number: string, amount: string): Node[] {
  const { world, sale } = node;
  const isBanks = world.bank_at !== null && world.now - world.bank_at < BANK_LAG_MS;
  const fault = isBanks
    ? 'a refund was sent although the bank was heard to take the money back'
    : isComplete(sale)
      ? undefined
      : 'a refund was sent although refunds of others are known, and not their sum';
  const left: World = { ...world, sent: [...world.sent, number], ...(fault === undefined ? {} : { fault }) };
  const quiet = withRefund(left, { number, amount, is: 'quiet' });
  const underWay = moved(withRefund(left, { number, amount, is: 'under way' }), 'REFUND_PROCESSING');
  // What was refused at once may be notified all the same.
  const refused = withUnsaid(left, { trade_status: 'REFUND_REFUSED', out_request_no: number });
  const begun: Fact = { is: 'begun', number };
  const answer = { said: 'taken', answer: { out_request_no: number, recovered: false } } as const;
  const refusal = { said: 'refused', failure: { type: 'NotRefunded', message: '', details: {} } } as const;
  const lost = { said: 'unknown' } as const;
  const outcomes: [what: string, world: World, answered: RefundAnswered][] = [
    ['is taken, not shown', quiet, answer],
    ['is taken, under way', underWay, answer],
    ['is refused', refused, refusal],
    ['is lost on its way', left, lost],
    ['is taken, not shown; answer lost', quiet, lost],
    ['is taken, under way; answer lost', underWay, lost],
  ];
  return outcomes.map(([what, next, said]) => after(node, `${number} ${what}`, next, begun, answered(number, said)));
}

function requested(node: Node, number: string, amount: string): Node[] {
  const { sale, world } = node;
  const known = findRefund(sale, number);
  if (known && (known.outcome !== 'NOT_CREATED' || known.asked !== null)) return [];
  if (!isComplete(sale) || new Big(leftToGrant(sale)).lt(amount)) return [];
  return [after(node, `${number} is asked for`, world, { is: 'requested', number, amount, currency: 'BRL' })];
}

// — The gateway, and others —

/** The gateway goes on with a refund: it begins, and ends, or comes back. */
function gatewayMoves(node: Node, refund: TrueRefund, at: number): Node[] {
  const { world } = node;
  const { number } = refund;
  const become = (is: Truth): Node => {
    const next = withTruth(world, at, is);
    const trade_status = statusAfter(next, is);
    const told = is === 'under way' ? next : withUnsaid(next, { trade_status, out_request_no: number });
    return after(node, `${number} is ${is}`, moved(told, trade_status));
  };
  if (refund.is === 'quiet') return [become('under way'), become('refused')];
  if (refund.is === 'under way') return [become('done'), become('refused'), become('revoked')];
  // Money comes back.
  return refund.is === 'done' ? [become('revoked')] : [];
}

function statusAfter({ refunds, parts }: World, is: Truth): string {
  if (is === 'under way') return 'REFUND_PROCESSING';
  if (is === 'refused') return 'REFUND_REFUSED';
  if (is === 'revoked') return 'REFUND_REVOKE';
  const done = refunds.filter((one) => one.is === 'done');
  return sumOfRefunds(done).gte(PAID) ? 'REFUNDED' : parts;
}

function others(node: Node): Node[] {
  const { world } = node;
  const moves: Node[] = [];
  if (!world.refunds.some(({ number }) => number === OTHERS)) {
    const made = withRefund(world, { number: OTHERS, amount: '50.00', is: 'under way' });
    moves.push(after(node, `${OTHERS} is made`, moved(made, 'REFUND_PROCESSING')));
  }
  if (world.status === 'SUCCESS')
    moves.push(after(node, 'the bank disputes', withUnsaid(moved(world, 'DISPUTE'), { trade_status: 'DISPUTE' })));
  // A trade whose refund came back stands again, silently.
  if (world.status === 'REFUND_REVOKE' && !world.refunds.some(({ is }) => is === 'done'))
    moves.push(after(node, 'the payment stands again', moved(world, 'SUCCESS')));
  return moves;
}

/** A notification comes: now, later than others, or without the refund's number. */
function notified(node: Node, claim: NotificationClaim, at: number): Node[] {
  const { world } = node;
  const { out_request_no, ...unnamed } = claim;
  const { trade_status } = claim;
  const said = {
    ...world,
    unsaid: world.unsaid.filter((_, i) => i !== at),
    bank_at: trade_status === 'DISPUTE' ? world.now : world.bank_at,
  };
  const without = after(node, `${trade_status} is notified`, said, { is: 'notified', claim: unnamed });
  if (out_request_no === undefined) return [without];
  const told = { ...said, told: [...world.told, `${out_request_no} ${trade_status}`] };
  return [after(node, `${trade_status} of ${out_request_no} is notified`, told, { is: 'notified', claim }), without];
}

const TIMES: readonly (readonly [string, number])[] = [
  ['minutes', LAG_MS],
  ['a day', DAY],
  ['the whole watch', SETTINGS.refund_watch_ms],
];

/** Time goes by: so much that no replica is behind, a day, or all of the watch. */
const times = (node: Node): Node[] =>
  TIMES.map(([what, ms]) => after(node, `${what} later`, { ...node.world, now: node.world.now + ms }));

/** A person who is asked looks at the dashboard, and says what is true. */
function decisions(node: Node): Node[] {
  const { world, sale } = node;
  const person = { is: 'decided', by: 'ana', reason: 'seen' } as const;
  const decided = sale.refunds.flatMap(({ number, asked }) => {
    const outcome = OUTCOMES[truthOf(world, number)];
    if (asked === null || outcome === undefined) return [];
    const next = after(node, `a person says ${outcome} of ${number}`, world, {
      ...person,
      refund: { number, outcome },
    });
    if (findRefund(next.sale, number)?.asked === null) return [next];
    return [{ ...next, world: { ...world, fault: 'a person has said what became of a refund, and is asked still' } }];
  });
  if (isComplete(sale)) return decided;
  const elsewhere = sumOfRefunds(world.refunds.filter(({ number, is }) => number === OTHERS && isMoney(is))).toFixed(2);
  return [
    ...decided,
    after(node, `a person says that ${elsewhere} went back elsewhere`, world, { ...person, elsewhere }),
  ];
}

/** What a person in front of the dashboard says; of a refund that is under way, nothing yet. */
const OUTCOMES: Partial<Record<Truth | 'never made', 'REFUNDED' | 'REFUND_REFUSED' | 'REFUND_REVOKE' | 'NOT_CREATED'>> =
  {
    done: 'REFUNDED',
    refused: 'REFUND_REFUSED',
    revoked: 'REFUND_REVOKE',
    'never made': 'NOT_CREATED',
  };

// — Small things —

/** Whether it has taken money, or still may. */
export const isMoney = (is: Truth | 'never made') => is === 'quiet' || is === 'under way' || is === 'done';

export const truthOf = ({ refunds }: World, number: string): Truth | 'never made' =>
  refunds.findLast((one) => one.number === number)?.is ?? 'never made';

export const sumOfRefunds = (refunds: readonly TrueRefund[]) =>
  refunds.reduce((total, { amount }) => total.plus(amount), new Big(0));

const withRefund = (world: World, refund: TrueRefund): World => ({ ...world, refunds: [...world.refunds, refund] });

const withUnsaid = (world: World, claim: NotificationClaim): World => ({ ...world, unsaid: [...world.unsaid, claim] });

const withTruth = (world: World, at: number, is: Truth): World => ({
  ...world,
  refunds: world.refunds.map((one, i) => (i === at ? { ...one, is } : one)),
});

const moved = (world: World, status: string): World =>
  status === world.status ? world : { ...world, before: world.status, status, changed_at: world.now };

function queried({ now }: World, trade_status: string, sale?: KnownOrder): Fact {
  const trade = {
    trade_status,
    asked_at: now,
    trade_no: 'T1',
    out_trade_no: 'O1',
    order_amount: PAID,
    order_currency: 'BRL',
  };
  return { is: 'queried', trade, after: sale?.heard ?? 0 };
}

const answered = (number: string, one: RefundAnswered): Fact => ({ is: 'answered', number, answered: one });

/** Two nodes are the same where nothing that counts differs: times count only from each other. */
export function keyOf({ world, sale }: Node): string {
  const since = (at: number) => (Number.isFinite(at) ? Math.min(world.now - at, 4 * DAY) : 'ever');
  const history = sale.history.map(({ to, source, time, refunded_elsewhere, shown_at }) => [
    to,
    source,
    since(Date.parse(time)),
    shown_at && since(shown_at),
    refunded_elsewhere,
  ]);
  return JSON.stringify([world, { ...sale, history, wait: null }], (name, value) =>
    typeof value === 'number' && /(_at|_since|^at|^now)$/.test(name) ? since(value) : value,
  );
}
