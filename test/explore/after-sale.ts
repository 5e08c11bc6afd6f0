/**
 * Every schedule of a small world after a sale, up to a bound: what the gateway really did, replicas that are behind, answers and
 * notifications that are lost or late, another system, the bank, a person who tells the truth. It is written from the fault model
 * alone, and drives the real `fold` and `nextStep`.
 */
import Big from 'big.js';
import type { NotificationClaim, SoldOrder } from '../../src/contract';
import { DAY } from '../../src/gateway/pure/durations';
import type { AfterSaleFact, RefundAnswered } from '../../src/workflows/order/facts';
import { findRefund, fold, leftToGrant, NOTHING_KNOWN } from '../../src/workflows/order/fold';
import { type AfterSaleStep, nextStep } from '../../src/workflows/order/next-step';

const SETTINGS = { settling_ms: 30_000, refund_watch_ms: 3 * DAY };
const LAG_MS = 10 * SETTINGS.settling_ms;
const PAID = '150.00';

/** What becomes of a refund at the gateway, in truth. `quiet`: taken, and the trade does not show it yet. */
type Truth = 'quiet' | 'under way' | 'done' | 'refused' | 'revoked';

interface TrueRefund {
  /** Null: another system made it. */
  readonly number: string | null;
  readonly amount: string;
  readonly is: Truth;
}

interface World {
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
}

export interface Node {
  readonly world: World;
  readonly sale: SoldOrder;
  readonly depth: number;
  readonly path: readonly string[];
}

/** What was found: how many states, what must never be, and each question to a person with the truths that fit it. */
export interface Explored {
  states: number;
  violations: Map<string, readonly string[]>;
  questions: Map<string, { truths: Set<string>; path: readonly string[] }>;
}

const start: World = {
  refunds: [],
  status: 'SUCCESS',
  before: 'SUCCESS',
  changed_at: Number.NEGATIVE_INFINITY,
  unsaid: [],
  now: 10 * DAY,
  sent: [],
};

const learn = (node: Node, label: string, world: World, ...facts: readonly Fact[]): Node => ({
  world,
  sale: facts.reduce((sale, fact) => fold(sale, { at: world.now, ...fact } as AfterSaleFact, SETTINGS), node.sale),
  depth: node.depth + 1,
  path: [...node.path, label],
});

type Fact = AfterSaleFact extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never;

/** Explores everything that may happen within so many moves. */
export function explore(depth: number, requests: readonly [number: string, amount: string][]): Explored {
  const found: Explored = { states: 0, violations: new Map(), questions: new Map() };
  const seen = new Map<string, number>();
  const first = learn(
    { world: start, sale: NOTHING_KNOWN, depth: -1, path: [] },
    'sold',
    start,
    queried(start, 'SUCCESS', 0),
  );
  const open: Node[] = [first];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const key = keyOf(node);
    const known = seen.get(key);
    if (known !== undefined && known <= node.depth) continue;
    if (known === undefined) found.states += 1;
    seen.set(key, node.depth);
    check(node, found);
    if (node.depth < depth) open.push(...movesOf(node, requests));
  }
  return found;
}

// — What may happen —

function movesOf(node: Node, requests: readonly [string, string][]): Node[] {
  const { world, sale } = node;
  const step = nextStep(sale, world.now, { isAsked: false, watch_until: 0 }, SETTINGS);
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

function ourMoves(node: Node, step: AfterSaleStep): Node[] {
  const { world, sale } = node;
  switch (step.take) {
    case 'send':
      return sent(node, step.number);
    case 'decline':
      return [
        learn(node, `decline ${step.number}`, world, answered(step.number, { said: 'refused', failure: step.failure })),
      ];
    case 'pass':
      return [learn(node, 'a day passed', world, { is: 'passed', deadline: 'a day', number: step.number })];
    case 'find':
    case 'look':
      return looked(node, step.take === 'look' ? step.lasting_ms : 0);
    case 'watch':
      // The poll sees what has changed.
      return world.status === sale.seen?.status
        ? []
        : [learn(node, `poll ${world.status}`, world, queried(world, world.status, 0, sale))];
    case 'rest':
      return [];
  }
}

/** A look lasts as long as it has to, and may read a replica that is behind for less than that. */
function looked(node: Node, lasting_ms: number): Node[] {
  const { world, sale } = node;
  const later = { ...world, now: world.now + lasting_ms };
  const isFresh = later.now - world.changed_at >= LAG_MS;
  const statuses = isFresh ? [world.status] : [world.status, world.before];
  return [...new Set(statuses)].map((status) => {
    // A status that is not the one that is known counts at once.
    const lasted = status === sale.seen?.status ? lasting_ms : 0;
    const at = lasted === 0 ? world : later;
    return learn(node, `look ${status} for ${lasted}`, at, queried(at, status, lasted, sale));
  });
}

function sent(node: Node, number: string): Node[] {
  const { world, sale } = node;
  const amount = findRefund(sale, number)?.amount ?? '';
  // The activity looks first: it sends only where the trade is as it was.
  if (world.status !== sale.seen?.status)
    return [learn(node, `moved ${world.status}`, world, queried(world, world.status, 0, sale))];
  const taken = { ...world, sent: [...world.sent, number] };
  const quiet = withRefund(taken, { number, amount, is: 'quiet' });
  const underWay = moved(withRefund(taken, { number, amount, is: 'under way' }), 'REFUND_PROCESSING');
  const begun: Fact = { is: 'begun', number };
  const answer = { said: 'taken', answer: { recovered: false } } as const;
  const refusal = { said: 'refused', failure: { type: 'NotRefunded', message: '', details: {} } } as const;
  const lost = { said: 'unknown' } as const;
  return [
    learn(node, `send ${number}: taken, quiet`, quiet, begun, answered(number, answer)),
    learn(node, `send ${number}: taken`, underWay, begun, answered(number, answer)),
    learn(node, `send ${number}: refused`, taken, begun, answered(number, refusal)),
    learn(node, `send ${number}: lost on its way`, taken, begun, answered(number, lost)),
    learn(node, `send ${number}: answer lost, quiet`, quiet, begun, answered(number, lost)),
    learn(node, `send ${number}: answer lost`, underWay, begun, answered(number, lost)),
  ];
}

function requested(node: Node, number: string, amount: string): Node[] {
  const { sale, world } = node;
  const known = findRefund(sale, number);
  if (known && known.outcome !== 'NOT_CREATED') return [];
  if (!sale.complete || new Big(leftToGrant(sale)).lt(amount)) return [];
  return [learn(node, `request ${number}`, world, { is: 'requested', number, amount, currency: 'BRL' })];
}

/** The gateway goes on with a refund: it begins, and ends, or comes back. */
function gatewayMoves(node: Node, refund: TrueRefund, at: number): Node[] {
  const { world } = node;
  const become = (is: Truth): Node => {
    const next = withTruth(world, at, is);
    const status = statusAfter(next, is);
    const claim = { trade_status: status, ...(refund.number === null ? {} : { out_request_no: refund.number }) };
    const told = is === 'under way' ? next : { ...next, unsaid: [...next.unsaid, claim] };
    return learn(node, `${refund.number ?? 'other'} is ${is}`, moved(told, status));
  };
  if (refund.is === 'quiet') return [become('under way'), become('refused')];
  if (refund.is === 'under way') return [become('done'), become('refused'), become('revoked')];
  // Money comes back.
  return refund.is === 'done' ? [become('revoked')] : [];
}

function statusAfter({ refunds }: World, is: Truth): string {
  if (is === 'under way') return 'REFUND_PROCESSING';
  if (is === 'refused') return 'REFUND_REFUSED';
  if (is === 'revoked') return 'REFUND_REVOKE';
  const done = refunds.filter((one) => one.is === 'done');
  return sum(done).gte(PAID) ? 'REFUNDED' : 'PARTIAL_REFUND';
}

function others(node: Node): Node[] {
  const { world } = node;
  const moves: Node[] = [];
  if (!world.refunds.some(({ number }) => number === null)) {
    const made = withRefund(world, { number: null, amount: '50.00', is: 'under way' });
    moves.push(learn(node, 'another system refunds 50', moved(made, 'REFUND_PROCESSING')));
  }
  if (world.status === 'SUCCESS') moves.push(learn(node, 'the bank disputes', moved(world, 'DISPUTE')));
  // A trade whose refund came back stands again, silently.
  if (world.status === 'REFUND_REVOKE' && !world.refunds.some(({ is }) => is === 'done'))
    moves.push(learn(node, 'it stands again', moved(world, 'SUCCESS')));
  return moves;
}

/** A notification comes: now, later than others, or without the refund's number. */
function notified(node: Node, claim: NotificationClaim, at: number): Node[] {
  const { world } = node;
  const told = { ...world, unsaid: world.unsaid.filter((_, i) => i !== at) };
  const { out_request_no, ...unnamed } = claim;
  const named = learn(node, `notified ${out_request_no ?? ''} ${claim.trade_status}`, told, { is: 'notified', claim });
  if (out_request_no === undefined) return [named];
  return [named, learn(node, `notified ${claim.trade_status}`, told, { is: 'notified', claim: unnamed })];
}

/** Time goes by: so much that no replica is behind, a day, or all of the watch. */
function times(node: Node): Node[] {
  const { world } = node;
  return (
    [
      ['minutes', LAG_MS],
      ['a day', DAY],
      ['the watch', SETTINGS.refund_watch_ms],
    ] as const
  ).map(([label, ms]) => learn(node, `${label} later`, { ...world, now: world.now + ms }));
}

/** A person who is asked looks at the dashboard, and says what is true. */
function decisions(node: Node): Node[] {
  const { world, sale } = node;
  const asked = sale.refunds.filter((one) => one.asked !== null);
  const told = asked.flatMap(({ number }) => {
    const outcome = OUTCOMES[truthOf(world, number)];
    if (outcome === undefined) return [];
    return [
      learn(node, `decided ${number} ${outcome}`, world, {
        is: 'decided',
        by: 'ana',
        reason: 'seen',
        refund: { number, outcome },
      }),
    ];
  });
  if (sale.complete) return told;
  const elsewhere = sum(world.refunds.filter(({ number, is }) => number === null && isMoney(is))).toFixed(2);
  return [
    ...told,
    learn(node, `decided elsewhere ${elsewhere}`, world, { is: 'decided', by: 'ana', reason: 'seen', elsewhere }),
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

// — What must be —

function check({ world, sale, path }: Node, found: Explored): void {
  const ours = world.refunds.filter(({ number, is }) => number !== null && isMoney(is));
  if (sum(ours).gt(PAID)) violates(found, 'more went back by us than was paid', path);
  if (new Set(world.sent).size < world.sent.length && hasTwice(world)) violates(found, 'a refund was made twice', path);
  for (const { number, outcome, asked, confirmed_by } of sale.refunds) {
    const truth = truthOf(world, number);
    const isFreed = outcome !== null && outcome !== 'REFUNDED' && asked === null;
    if (isFreed && isMoney(truth))
      violates(found, `the amount of a refund that is ${truth} was freed, known by ${confirmed_by}`, path);
    if (asked === null) continue;
    const question = `${asked}: ${sale.seen?.status ?? ''}, ${sale.refunds.filter((one) => one.begun).length} begun, ${findRefund(sale, number)?.phase ?? ''}`;
    const known = found.questions.get(question) ?? { truths: new Set<string>(), path };
    known.truths.add(truth);
    found.questions.set(question, known);
  }
}

function violates(found: Explored, what: string, path: readonly string[]): void {
  const known = found.violations.get(what);
  if (known === undefined || known.length > path.length) found.violations.set(what, path);
}

const hasTwice = ({ refunds }: World) => {
  const numbers = refunds.filter(({ number, is }) => number !== null && isMoney(is)).map(({ number }) => number);
  return new Set(numbers).size < numbers.length;
};

const isMoney = (is: Truth | 'never made') => is === 'quiet' || is === 'under way' || is === 'done';

const truthOf = ({ refunds }: World, number: string): Truth | 'never made' =>
  refunds.find((one) => one.number === number)?.is ?? 'never made';

// — Small things —

const sum = (refunds: readonly TrueRefund[]) => refunds.reduce((total, { amount }) => total.plus(amount), new Big(0));

const withRefund = (world: World, refund: TrueRefund): World => ({ ...world, refunds: [...world.refunds, refund] });

const withTruth = (world: World, at: number, is: Truth): World => ({
  ...world,
  refunds: world.refunds.map((one, i) => (i === at ? { ...one, is } : one)),
});

const moved = (world: World, status: string): World =>
  status === world.status ? world : { ...world, before: world.status, status, changed_at: world.now };

function queried(world: World, trade_status: string, lasted_ms: number, sale?: SoldOrder): Fact {
  const trade = {
    trade_status,
    asked_at: world.now,
    trade_no: 'T1',
    out_trade_no: 'O1',
    order_amount: PAID,
    order_currency: 'BRL',
  };
  return { is: 'queried', trade, lasted_ms, after: sale?.heard ?? 0 };
}

const answered = (number: string, one: RefundAnswered): Fact => ({ is: 'answered', number, answered: one });

/** Two nodes are the same where nothing that counts differs: times count only from each other. */
function keyOf({ world, sale }: Node): string {
  const { history: _history, ...known } = sale;
  const since = (at: number) => (Number.isFinite(at) ? Math.min(world.now - at, 4 * DAY) : 'ever');
  return JSON.stringify([world, known], (name, value) =>
    typeof value === 'number' && /(_at|^at|^now)$/.test(name) ? since(value) : value,
  );
}
