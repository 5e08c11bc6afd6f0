/**
 * A small world of one payment from its order to its outcome, written from the fault model alone: what the gateway really did, replicas that
 * are behind, answers and notifications that are lost, late or early, silence, another system, the merchant, a person who tells the truth.
 * It drives the real `nextCreationStep`, `nextPaymentStep`, `foldPayment` and `look-results.ts`.
 */
import {
  contradictsRefusal,
  type GatewayErrorFields,
  isSettledByLooking,
  type LookResult,
  type NotificationSignal,
  type PaymentOutcome,
  type QueriedTrade,
} from '../../src/contract';
import { MINUTE } from '../../src/gateway/pure/durations';
import type { Tried } from '../../src/workflows/payment/creation-table';
import { type CreationStep, nextCreationStep } from '../../src/workflows/payment/creation-table';
import { orderDeadlines } from '../../src/workflows/payment/deadlines';
import type { NewPaymentFact } from '../../src/workflows/payment/facts';
import { foldPayment } from '../../src/workflows/payment/fold';
import {
  creationFacts,
  hasClaimsAfter,
  hasSentAgain,
  isOurOrder,
  isOver,
  isUnanswered,
  type KnownPayment,
  mayExist,
  namedTrades,
  seenStatus,
  signalsIn,
  startedWith,
} from '../../src/workflows/payment/known-payment';
import {
  ofMissed,
  ofOtherLooked,
  ofOtherNamed,
  ofOtherNotified,
  ofRecovered,
  ofRefused,
  ofUnanswered,
} from '../../src/workflows/payment/look-results';
import { nextPaymentStep, type PaymentStep } from '../../src/workflows/payment/next-step';
import { otherTradesIn } from '../../src/workflows/payment/trade-looks';
import { shownAttention } from '../../src/workflows/shared/attention-reasons';
import { backoffAfter } from '../../src/workflows/shared/backoff';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START_AT = 240 * HOUR;
const POLICY = {
  ...{ settling_ms: 30_000, patience_ms: 10 * MINUTE, overdue_ms: DAY, create_within_ms: HOUR },
  ...{ usual_expiry_ms: HOUR, grace_ms: 14 * HOUR, settles_ms: 0, risk_control_ms: 0 },
  ...{ poll_schedule_ms: [15_000, 30 * MINUTE], poll_every_ms: HOUR },
  late_payments: 'attention' as const,
};
/** No replica is further behind than this. */
const LAG_MS = 10 * POLICY.settling_ms;
/** An order that may exist is sent so soon after the look that did not find it. */
const FRESH_MS = 5_000;
/** From then on the order is not sent any more. */
const UNTIL = START_AT + POLICY.create_within_ms;
export const ORDERED = '150.00';
/** Our order, one that was made by a second request of ours, and that of another system under the number. */
const OURS = 'T1';
const AGAIN = 'T2';
export const OTHERS = 'X';

export interface TrueTrade {
  readonly trade_no: string;
  readonly status: string;
  /** The status before, and since when it is another one. */
  readonly before: string;
  readonly changed_at: number;
  readonly made_at: number;
  readonly amount: string;
  /** A gateway that said that it was busy has made it. */
  readonly byBusy?: boolean;
  /** The request arrived twice on its way, and the answer is that to the second: that the number is taken. */
  readonly isDoubled?: boolean;
}

export interface PaymentWorld {
  /** `PAYMENTS_CONFIRM_BY_QUERY`: whether a notification counts only once a query says so. */
  readonly confirm_by_query: boolean;
  readonly trades: readonly TrueTrade[];
  /** What the gateway may still notify. */
  readonly unsaid: readonly NotificationSignal[];
  /** What was notified, and what the gateway has shown, as `trade status`; and since when a SUCCESS is notified. */
  readonly told: readonly string[];
  readonly shown: readonly string[];
  readonly told_at: number | null;
  readonly isWithdrawn: boolean;
  /** `trying`: the request waits to be sent, or the gateway was busy and is asked again. */
  readonly phase: 'creation' | 'trying' | 'waiting' | 'over';
  readonly failure: 'not-created' | 'not-sent' | 'duplicate' | null;
  readonly created_at: number | null;
  /** Whether the last look for the outcome had an answer. */
  readonly isSilent: boolean;
  /** The gateway denies an order that it has. Then it takes the number no second time. */
  readonly isDenied: boolean;
  /** How many answers to requests were lost. */
  readonly lost: number;
  /** Whether something has happened that a person may have to look at. */
  readonly isOdd: boolean;
  readonly now: number;
  /** Something that must never be, which a move did. */
  readonly fault?: string;
}

export interface PaymentNode {
  readonly world: PaymentWorld;
  readonly known: KnownPayment;
  readonly depth: number;
  /** What we have done in a row, with nothing from outside and no wait between. */
  readonly steps: readonly string[];
  readonly move?: { readonly what: string; readonly from: PaymentNode };
}

/** Facts, or what they are by what is known then. */
type Facts = readonly (NewPaymentFact | ((known: KnownPayment) => readonly NewPaymentFact[]))[];

const isOurs = ({ trade_no }: TrueTrade) => trade_no !== OTHERS;
export const oursIn = ({ trades }: PaymentWorld): TrueTrade[] => trades.filter(isOurs);
export const attentionIn = ({ known }: PaymentNode) => shownAttention(known.reasons);

/** An order that was not sent yet. `confirm_by_query`: whether a notification counts only once a query says so. */
export const ordered = (confirm_by_query: boolean): PaymentNode[] => [
  {
    world: {
      ...{ confirm_by_query, trades: [], unsaid: [], told: [], shown: [], told_at: null, isWithdrawn: false },
      ...{
        phase: 'creation',
        failure: null,
        created_at: null,
        isSilent: false,
        isDenied: false,
        lost: 0,
        isOdd: false,
      },
      now: START_AT,
    },
    known: startedWith({
      ...{ kind: 'checkout', app_id: 'app' },
      request: { out_trade_no: 'O1', order_amount: ORDERED, order_currency: 'BRL', timeout_express: '90m' },
    }),
    ...{ depth: 0, steps: [] },
  },
];

/** The moves that led here, in turn. */
export const paymentPathTo = (node: PaymentNode): string[] =>
  node.move ? [...paymentPathTo(node.move.from), node.move.what] : [];

// — What is done next —

type Next = { readonly take: CreationStep | 'try' } | PaymentStep;

const stagesAt = new Map<number, ReturnType<typeof orderDeadlines>>();

function stagesOf({ created_at, now }: PaymentWorld): ReturnType<typeof orderDeadlines> {
  const at = created_at ?? now;
  const stages = stagesAt.get(at) ?? orderDeadlines({ timeout_express: '90m' }, at, POLICY);
  stagesAt.set(at, stages);
  return stages;
}

const nextAt = new WeakMap<KnownPayment, { readonly at: PaymentWorld; readonly next: Next }>();

export function nextOf({ world, known }: Pick<PaymentNode, 'world' | 'known'>): Next {
  const before = nextAt.get(known);
  const next = before?.at === world ? before.next : nextNow(world, known);
  nextAt.set(known, { at: world, next });
  return next;
}

function nextNow(world: PaymentWorld, known: KnownPayment): Next {
  const { now, phase, confirm_by_query } = world;
  if (phase === 'trying') return { take: 'try' };
  if (phase === 'creation') return { take: nextCreationStep(creationFacts(known, { until: UNTIL, now })) };
  const wishes = { isAsked: false, stages: stagesOf(world) };
  return nextPaymentStep(known, now, wishes, { ...POLICY, confirm_by_query });
}

/** Where nothing is done until something comes, or time goes by. */
export const isWait = ({ take }: Next): boolean =>
  ['try', 'rest', 'look-on', 'watch', 'decide', 'insist', 'end'].includes(take);

function learned(known: KnownPayment, { now }: PaymentWorld, facts: Facts): KnownPayment {
  return facts.reduce((sofar: KnownPayment, fact) => {
    const list = typeof fact === 'function' ? fact(sofar) : [fact];
    return list.reduce((one, what) => foldPayment(one, { ...what, at: now }, POLICY), sofar);
  }, known);
}

const RAISED = (attention: KnownPayment['reasons'][number]): NewPaymentFact => ({ is: 'raised', attention });

/** What follows by itself, without an answer of anybody; null where there is nothing. */
function follows({ world, known }: Pick<PaymentNode, 'world' | 'known'>): [PaymentWorld, Facts] | null {
  if (world.phase === 'over') return null;
  if (isOver(known)) return [{ ...world, phase: 'over' }, []];
  const perhaps = mayExist(known) ? [RAISED('unknown-outcome')] : [];
  const step = nextOf({ world, known });
  switch (step.take) {
    case 'end-refused':
      return [begunToWait(world), [...perhaps, { is: 'refused', error: {} }]];
    case 'end-not-created':
      return [{ ...world, phase: 'over', failure: 'not-created' }, perhaps];
    case 'end-not-sent':
      return [{ ...world, phase: 'over', failure: 'not-sent' }, [{ is: 'cleared', attention: 'silence' }]];
    case 'rest':
      return known.reasons.includes('unknown-outcome') ? null : [world, [RAISED('unknown-outcome')]];
    case 'look-on': {
      if (hasClaimsAfter(known, known.creation.looked_after)) return [world, [{ is: 'learned', of: 'a new look' }]];
      const reason = known.claims.length > 0 ? 'unknown-trade' : 'unknown-outcome';
      const isDenied = known.creation.looked !== 'no-answer';
      return isDenied && !known.reasons.includes(reason) ? [world, [RAISED(reason)]] : null;
    }
    case 'believe':
      return [world, [{ is: 'believed', claim: step.claim }]];
    case 'doubt':
      return [world, [RAISED('unconfirmed-notification')]];
    case 'expire':
      return [expired(world), [{ is: 'expired' }]];
    default:
      return null;
  }
}

const begunToWait = (world: PaymentWorld): PaymentWorld => ({ ...world, phase: 'waiting', created_at: world.now });

function expired(world: PaymentWorld): PaymentWorld {
  if (world.isSilent) return { ...world, fault: 'it expires, and the gateway has not answered' };
  const last = stagesOf(world).at(-1)?.at ?? 0;
  return world.now < last ? { ...world, fault: 'it expires before its last deadline' } : world;
}

/** What we do here, and what of it would tell that it is done again. Counters do not. */
function stepKey({ world, known }: PaymentNode): string {
  const { shown, reasons, claims, creation, doubted_at, look, others } = known;
  const { reach, said, looked, resent, reached, isRested, isLate, begun } = creation;
  const counted = [
    resent > 0,
    reached > 1,
    isRested,
    isLate,
    begun > 1,
    look !== null,
    look?.isSilent === true,
    doubted_at !== null,
  ];
  const open = claims.map(({ signal, heard }) => [signal, heard > known.looked_after]);
  return JSON.stringify([
    world.phase,
    nextOf({ world, known }).take,
    reach,
    said,
    looked,
    counted,
    shown,
    reasons,
    open,
    others,
  ]);
}

const MAX_FOLLOWING = 9;

/** A move: what it changes of the world, the facts that we learn, and what follows by itself. */
function after(from: PaymentNode, what: string, world: PaymentWorld, facts: Facts, isOurStep = false): PaymentNode {
  let now = from.world.fault === undefined ? world : { ...world, fault: from.world.fault };
  let known = learned(from.known, now, facts);
  for (let i = 0, next = follows({ world: now, known }); next !== null; next = follows({ world: now, known })) {
    [now, known] = [next[0], learned(known, next[0], next[1])];
    if (++i > MAX_FOLLOWING) return nodeOf(from, what, { ...now, phase: 'over', fault: HOT }, known, []);
  }
  const isAlone = facts.every(
    (fact) => typeof fact === 'function' || (fact.is !== 'notified' && fact.is !== 'withdrawn'),
  );
  const steps = isOurStep && isAlone ? [...from.steps, stepKeyOf(from)] : [];
  const node = nodeOf(from, what, now, known, steps);
  const isActive = steps.length > 0 && now.phase !== 'over' && !isWait(nextOf(node));
  return isActive && steps.includes(stepKeyOf(node)) ? { ...node, world: { ...now, fault: HOT } } : node;
}

const stepKeys = new WeakMap<PaymentNode, string>();

function stepKeyOf(node: PaymentNode): string {
  const key = stepKeys.get(node) ?? stepKey(node);
  stepKeys.set(node, key);
  return key;
}

const HOT = 'the same step is taken again and again, and nothing is learned';

const nodeOf = (
  from: PaymentNode,
  what: string,
  world: PaymentWorld,
  known: KnownPayment,
  steps: readonly string[],
) => ({
  ...{ world, known, depth: from.depth + 1, steps },
  move: { what, from },
});

/** Everything that may happen next. */
export function paymentMoves(node: PaymentNode): PaymentNode[] {
  const { world } = node;
  if (world.phase === 'over' || world.fault !== undefined) return [];
  const next = nextOf(node);
  return [
    ...ourMoves(node, next),
    ...gatewayMoves(node),
    ...world.unsaid.flatMap((claim) => notified(node, claim)),
    ...(isWait(next) || isSlow(next) ? merchant(node) : []),
    ...(isWait(next) ? decisions(node) : []),
  ];
}

/** Steps that take their time, so that something may come. */
const isSlow = ({ take }: Next) => ['send', 'look', 'compare', 'ask'].includes(take);

function ourMoves(node: PaymentNode, next: Next): PaymentNode[] {
  switch (next.take) {
    case 'send':
      return sends(node, [{ is: 'begun' }]);
    case 'try':
      return node.known.isWithdrawn || node.known.claims.length > 0
        ? [
            after(
              node,
              'the request is called off',
              { ...node.world, phase: 'creation' },
              [answered({ is: 'interrupted' })],
              true,
            ),
          ]
        : sends(node, []);
    case 'rest':
      return [after(node, 'a pause', later(node.world, backoffAfter(node.known.creation.resent)), [{ is: 'rested' }])];
    case 'look':
      return node.world.phase === 'waiting' ? looks(node) : looksForOrder(node, false);
    case 'compare':
      return looksForOrder(node, true);
    case 'ask':
      return asks(node);
    case 'look-on':
      return looksOn(node);
    case 'watch':
      return watches(node, next);
    case 'insist':
      return insists(node);
    default:
      return [];
  }
}

// — Sending —

const answered = (tried: Tried): NewPaymentFact => ({ is: 'answered', tried });
/** An answer that is no order. */
const no = (outcome: GatewayErrorFields['outcome']) => ({
  error: { outcome, retryable: false, operation: '/trade/create' },
  message: '',
});

/** The request leaves us, or not: what becomes of it, and what we hear. */
function sends(node: PaymentNode, begun: Facts): PaymentNode[] {
  const world = leaving(node.world);
  const ours = oursIn(world);
  const isElsewhere = world.trades.length > ours.length;
  const made = (status: string, more: Partial<TrueTrade> = {}) =>
    withTrade(world, { trade_no: ours.length === 0 ? OURS : AGAIN, status, ...more });
  const lost = (then: PaymentWorld): PaymentWorld => ({
    ...{ ...then, phase: 'creation', lost: then.lost + 1 },
    isOdd: then.isOdd || then.lost > 0,
  });
  const odd = (then: PaymentWorld): PaymentWorld => ({ ...then, phase: 'creation', isOdd: true });
  const move = (what: string, then: PaymentWorld, ...facts: Facts) =>
    after(node, what, then, [...begun, ...facts], true);
  const unknown = answered({ is: 'unknown', ...no('unknown') });
  const duplicate = answered({ is: 'duplicate', ...no('unknown') });
  const withdrawn: NewPaymentFact = { is: 'withdrawn' };

  const anyway = [
    move('the request is lost on its way', lost(world), unknown),
    move(
      'the request is lost on its way, and withdrawn meanwhile',
      { ...odd(lost(world)), isWithdrawn: true },
      withdrawn,
      unknown,
    ),
  ];
  if (ours.length > 0 || isElsewhere) anyway.push(move('the gateway has the number already', odd(world), duplicate));
  const refusal = answered({ is: 'not-created', credentials: false, ...no('not-created') });
  // A later refusal says nothing of an earlier request.
  const refused = { ...world, phase: 'creation' as const, isOdd: world.isOdd || mayExist(node.known) };
  anyway.push(move('the gateway makes nothing', refused, refusal));
  // What a busy gateway has made it does not make again.
  if (ours.some(({ byBusy }) => byBusy) || (world.isDenied && ours.length > 0)) return anyway;
  const said = { out_trade_no: 'O1', trade_no: ours.length === 0 ? OURS : AGAIN };
  const paid = made('SUCCESS', { before: 'PROCESSING' });
  const claim = claimOf(paid, said.trade_no, 'SUCCESS');
  const moves = [
    ...anyway,
    move('the order is made', begunToWait(made('PROCESSING')), ...created({ ...said, trade_status: 'PROCESSING' })),
    move(
      'the order is made, and the answer names no trade',
      begunToWait(made('PROCESSING')),
      ...created({ out_trade_no: 'O1' }),
    ),
    move(
      'the order is made and paid at once',
      begunToWait(withUnsaid(paid, claim)),
      ...created({ ...said, trade_status: 'SUCCESS' }),
    ),
    move('the order is made; answer lost', lost(made('PROCESSING')), unknown),
    move(
      'the order is made, and withdrawn meanwhile; answer lost',
      { ...odd(lost(made('PROCESSING'))), isWithdrawn: true },
      withdrawn,
      unknown,
    ),
    move(
      'the order is made, paid and notified; then the answer comes',
      withTold(begunToWait(paid), claim),
      { is: 'notified', signal: claim },
      ...created({ ...said, trade_status: 'PROCESSING' }),
    ),
    move(
      'the order is made, paid and notified; answer lost',
      withTold(lost(paid), claim),
      { is: 'notified', signal: claim },
      unknown,
    ),
    move(
      'the request arrives twice, and the second is answered',
      odd(made('PROCESSING', { isDoubled: true })),
      duplicate,
    ),
    move(
      'the order is made and refused',
      { ...made('REFUSED'), phase: 'creation' },
      answered({ is: 'created-refused', ...no('created-refused') }),
    ),
    move(
      'the order is made and refused, and the bank charges all the same',
      { ...withUnsaid(paid, claim), phase: 'creation', isOdd: true },
      answered({ is: 'created-refused', ...no('created-refused') }),
    ),
    ...notSent(node, world, begun),
  ];
  const { reach } = node.known.creation;
  // From then on the activity repeats what is busy by itself.
  if (reach === 'none') {
    const busy = answered({ is: 'busy', ...no('not-created') });
    moves.push(
      move('the gateway is busy', { ...world, phase: 'trying', isOdd: true }, busy),
      move(
        'the gateway is busy, and makes the order all the same',
        { ...made('PROCESSING', { byBusy: true }), phase: 'trying', isOdd: true },
        busy,
      ),
    );
  }
  return moves;
}

/** What must hold where a request leaves us. */
function leaving(world: PaymentWorld): PaymentWorld {
  const fault =
    oursIn(world).some(({ byBusy }) => !byBusy) && !world.isDenied
      ? 'a request leaves while an order of ours exists'
      : world.isWithdrawn
        ? 'a request leaves after the withdrawal'
        : world.now >= UNTIL
          ? 'a request leaves after the order’s time'
          : world.told.length > 0
            ? 'a request leaves after a notification has named a trade'
            : undefined;
  return fault === undefined ? world : { ...world, fault };
}

/** No worker, or no network, until the try is over; or until then something may come. */
function notSent(node: PaymentNode, world: PaymentWorld, begun: Facts): PaymentNode[] {
  const isFirst = node.known.creation.begun + begun.length === 1;
  const limit = mayExist(node.known) ? FRESH_MS : isFirst ? POLICY.patience_ms : Number.POSITIVE_INFINITY;
  const then = { ...world, phase: 'creation', isOdd: true, now: Math.min(UNTIL, world.now + limit) } as const;
  const shown = (known: KnownPayment) => (!known.creation.isLate && then.now < UNTIL ? [RAISED('no-answer')] : []);
  const over = after(
    node,
    'the request cannot be sent in its time',
    then,
    [...begun, answered({ is: 'not-sent', why: 'no-answer', ...no('not-sent') }), shown],
    true,
  );
  if (begun.length === 0) return [over];
  return [over, after(node, 'the request waits to be sent', { ...world, phase: 'trying' }, begun, true)];
}

function created(answer: { readonly [field: string]: unknown }): NewPaymentFact[] {
  const data = { ...answer, recovered: false };
  return [
    answered({ is: 'created', answer: { code: '10000', msg: 'Success', ...answer } }),
    { is: 'created', data, answer: data },
  ];
}

// — Looking for the order —

/** What a query may show of a trade: a replica may be behind. */
const readable = ({ status, before, changed_at }: TrueTrade, now: number): string[] =>
  now - changed_at >= LAG_MS ? [status] : [...new Set([status, before])];

const asShown = ({ trade_no, amount }: TrueTrade, trade_status: string): QueriedTrade => ({
  ...{ trade_no, trade_status, out_trade_no: 'O1', order_amount: amount, order_currency: 'BRL', asked_at: 0 },
});

/** Each trade of these with each status that may be shown. */
const shownOf = (trades: readonly TrueTrade[], now: number): [QueriedTrade, string][] =>
  trades.flatMap((one) =>
    readable(one, now).map((status): [QueriedTrade, string] => [asShown(one, status), `${status} of ${one.trade_no}`]),
  );

const withShown = (world: PaymentWorld, { trade_no, trade_status }: QueriedTrade): PaymentWorld =>
  withSaid(world, 'shown', `${trade_no} ${trade_status}`);

/** While we look or wait for an answer, a notification may come. */
function meanwhile({ world }: PaymentNode): [string, PaymentWorld, Facts][] {
  const claims = world.unsaid.map((claim): [string, PaymentWorld, Facts] => [
    `, while ${nameOf(claim)} is notified`,
    withTold(world, claim),
    [{ is: 'notified', signal: claim }],
  ]);
  return [['', world, []], ...claims];
}

const recovered = (world: PaymentWorld, trade: QueriedTrade): [PaymentWorld, Facts] => [
  begunToWait(withShown(world, trade)),
  [(known) => ofRecovered(known, trade)],
];

/** A look that lasts, by the number and by each trade that was named. `isCompared`: this run has made no order. */
function looksForOrder(node: PaymentNode, isCompared: boolean): PaymentNode[] {
  const { known } = node;
  const { claims, claimed } = known;
  return meanwhile(node).flatMap(([also, world, came]) => {
    const found = shownOf(world.trades, world.now).map(([trade, what]) => {
      const isForeign = isCompared && !isOurOrder(known);
      const [then, facts] = isForeign ? duplicate(withShown(world, trade)) : recovered(world, trade);
      return after(node, `a look shows ${what}${also}`, then, [...came, ...facts], true);
    });
    const missed = (what: string, then: PaymentWorld, looked: LookResult) => {
      const isForeign = isCompared && known.creation.said === 'duplicate';
      const [over, facts]: [PaymentWorld, Facts] =
        isForeign || looked.is === 'found' ? duplicate(then) : [then, ofMissed(looked, claims, claimed)];
      return after(node, `a look ${what}${also}`, over, [...came, ...facts], true);
    };
    const silent = missed('has no answer', { ...later(world, POLICY.patience_ms), isOdd: true }, NO_ANSWER);
    const settled = later(world, POLICY.settling_ms);
    if (world.trades.length === 0) return [missed('that lasts shows no order', settled, NO_ORDER), silent];
    if (!mayDeny(world)) return [...found, silent];
    const denied = { ...settled, isDenied: true, isOdd: true };
    return [...found, missed('that lasts denies the order', denied, NO_ORDER), silent];
  });
}

const NO_ORDER: LookResult = { is: 'no-such-order', message: '' };
const NO_ANSWER: LookResult = { is: 'no-answer', message: '', why: 'no-answer' };

const duplicate = (world: PaymentWorld): [PaymentWorld, Facts] => [
  { ...world, phase: 'over', failure: 'duplicate' },
  [],
];

/** One query, for a moment, after a refusal. */
function asks(node: PaymentNode): PaymentNode[] {
  const { claimed } = node.known;
  return meanwhile(node).flatMap(([also, world, came]) => {
    const missed = (what: string, then: PaymentWorld, looked: LookResult) =>
      after(node, `a query ${what}${also}`, then, [...came, ofRefused(looked, claimed)], true);
    const found = shownOf(world.trades, world.now).map(([trade, what]) => {
      const looked: LookResult = { is: 'found', trade };
      if (!contradictsRefusal(trade.trade_status)) return missed(`shows ${what}`, withShown(world, trade), looked);
      const [then, facts] = recovered(world, trade);
      const revived: Facts = [...came, { is: 'learned', of: 'a revived order' }, ...facts];
      return after(node, `a query shows ${what}${also}`, then, revived, true);
    });
    const silent = missed('has no answer', { ...world, isOdd: true }, NO_ANSWER);
    const isNew = world.trades.every(({ made_at }) => world.now - made_at < POLICY.settling_ms);
    return [...found, silent, ...(isNew ? [missed('shows no order yet', world, NO_ORDER)] : [])];
  });
}

/** A gateway that has said that it made nothing does not hide an order as well. */
const mayDeny = (world: PaymentWorld) => oursIn(world).some(({ byBusy }) => !byBusy);

/** The order is looked for on and on, ever more slowly. */
function looksOn(node: PaymentNode): PaymentNode[] {
  const { world, known } = node;
  const found = shownOf(world.trades, world.now).map(([trade, what]) => {
    const isForeign = !mayExist(known) && !isOurOrder(known);
    const [then, facts] = isForeign ? duplicate(withShown(world, trade)) : recovered(world, trade);
    return after(node, `the search shows ${what}`, then, facts);
  });
  const isNone = world.trades.length === 0;
  const isDenied = known.creation.looked === 'no-answer' && (isNone || mayDeny(world));
  const settled = { ...later(world, POLICY.settling_ms), isDenied: world.isDenied || !isNone };
  const anew = after(node, 'the gateway answers, and keeps showing no order', settled, [
    { is: 'learned', of: 'a new look' },
  ]);
  const isStuck = anew.known.creation.looked === 'no-answer' && anew.world.phase === 'creation';
  const decided = isStuck ? { ...anew, world: { ...anew.world, fault: STUCK } } : anew;
  return [...found, ...(isDenied ? [decided] : []), ...time(node, 'an hour of silence', HOUR)];
}

const STUCK = 'the gateway answers after a silence, and nothing is decided';

// — Waiting for the outcome —

/** A look at our trade, and after it at each other one that was named. */
function looks(node: PaymentNode): PaymentNode[] {
  const { known } = node;
  const { claims, claimed, shown } = known;
  const others = otherTradesIn(claims, shown.trade_no);
  return meanwhile(node).flatMap(([also, world, came]) =>
    othersShown(world, others, known).flatMap(([beside, seen, sideways]) => {
      const told: Facts = others.map((other) => (now) => ofOtherNamed(other, notedIn(now, other)));
      const begun: Facts = [{ is: 'looking' }, ...told, ...came];
      const end = `${also}${beside}`;
      const move = (what: string, then: PaymentWorld, ...facts: Facts) =>
        after(node, `a look ${what}${end}`, then, [...begun, ...facts, ...sideways], true);
      const mine = world.trades.filter(({ trade_no }) => shown.trade_no === null || trade_no === shown.trade_no);
      const found = shownOf(mine, world.now).map(([trade, what]) =>
        move(`shows ${what}`, { ...withShown(seen, trade), isSilent: false }, { is: 'queried', trade, after: claimed }),
      );
      const denied: PaymentWorld = { ...later(seen, POLICY.settling_ms), isOdd: true, isSilent: false };
      const silent: PaymentWorld = { ...later(seen, POLICY.patience_ms), isOdd: true, isSilent: true };
      // The gateway may not know the order by its number, and know the trade by its own.
      const named = shown.trade_no === null ? namedTrades({ claims }) : [];
      const byItsOwn = shownOf(
        world.trades.filter((one) => named.some(({ trade_no }) => trade_no === one.trade_no)),
        world.now,
      );
      return [
        ...found,
        ...byItsOwn.map(([trade, what]) =>
          move(`by its own number shows ${what}`, withShown(denied, trade), RAISED('unproven-trade'), {
            is: 'queried',
            trade,
            after: claimed,
          }),
        ),
        ...(byItsOwn.length > 0 ? [] : [move('that lasts shows no trade', denied, ...unanswered(NO_ORDER, claimed))]),
        move('has no answer', silent, ...unanswered(NO_ANSWER, claimed)),
      ];
    }),
  );
}

const unanswered = (looked: LookResult, at: number) => (looked.is === 'found' ? [] : ofUnanswered(looked, at));

/** A person hears of another trade that has changed. */
const ifMoved = (before: KnownPayment, other: string) => (now: KnownPayment) =>
  notedIn(now, other)?.trade_status === notedIn(before, other)?.trade_status ? [] : [RAISED('second-trade')];

const notedIn = (known: KnownPayment, other: string) => known.others.find(({ trade_no }) => trade_no === other);

/** A silent gateway is asked on until it answers, or something comes. */
function insists(node: PaymentNode): PaymentNode[] {
  const { world, known } = node;
  const { trade_no } = known.shown;
  const { looked_after } = known;
  const heard = { ...world, isSilent: false };
  const mine = world.trades.filter((one) => trade_no === null || one.trade_no === trade_no);
  const found = shownOf(mine, world.now).map(([trade, what]) =>
    after(node, `the search shows ${what}`, withShown(heard, trade), [{ is: 'queried', trade, after: looked_after }]),
  );
  const denied = later({ ...heard, isOdd: true }, POLICY.settling_ms);
  const facts = unanswered(NO_ORDER, looked_after);
  return [
    ...found,
    after(node, 'the gateway answers, and keeps showing no trade', denied, facts),
    ...time(node, 'an hour of silence', HOUR),
  ];
}

/** What is learned of other trades that notifications have named: the gateway shows each, or none. */
function othersShown(
  world: PaymentWorld,
  others: readonly string[],
  before: KnownPayment,
): [string, PaymentWorld, Facts][] {
  if (others.length === 0) return [['', world, []]];
  const facts = (of: (other: string) => LookResult): Facts =>
    others.flatMap((other): Facts => {
      const signals = ({ claims }: KnownPayment) => signalsIn(claims).filter(({ trade_no }) => trade_no === other);
      const notified = [0, 1, 2].map(
        (i) => (known: KnownPayment) =>
          signals(known)
            .slice(i, i + 1)
            .flatMap((signal) => ofOtherNotified(known, other, signal)),
      );
      const looked: Facts = [...notified, ...ofOtherLooked(other, of(other)), ...notified, ifMoved(before, other)];
      const settled = (known: KnownPayment): readonly NewPaymentFact[] => [
        { is: 'settled', claims: known.claims.filter(({ signal }) => signal.trade_no === other) },
      ];
      // After the end, they are the after-sale's.
      return [...looked, settled].map((fact) => (known) => {
        if (isOver(known)) return [];
        return typeof fact === 'function' ? fact(known) : [fact];
      });
    });
  const odd = { ...world, isOdd: true };
  const shownFirst = (other: string, isStale: boolean): LookResult => {
    const one = world.trades.find(({ trade_no }) => trade_no === other);
    if (one === undefined) return NO_ORDER;
    return { is: 'found', trade: asShown(one, (isStale && readable(one, world.now).at(-1)) || one.status) };
  };
  return [
    [', and the others', odd, facts((other) => shownFirst(other, false))],
    [', and an old state of the others', odd, facts((other) => shownFirst(other, true))],
    [', and nothing of the others', odd, facts(() => NO_ANSWER)],
  ];
}

/** Polls see what has changed, or what a replica still shows; or nothing until something is due. */
function watches(node: PaymentNode, { due_at }: Extract<PaymentStep, { take: 'watch' }>): PaymentNode[] {
  const { world, known } = node;
  const { trade_no } = known.shown;
  const seen = seenStatus(known);
  const isAnswerAwaited = known.claims.length > 0 || isUnanswered(known);
  const isNews = ([{ trade_status }]: [QueriedTrade, string]) => isAnswerAwaited || trade_status !== seen;
  const mine = world.trades.filter((one) => trade_no === null || one.trade_no === trade_no);
  const others = hasSentAgain(known) ? world.trades.filter((one) => !mine.includes(one)) : [];
  const isNew = ([trade]: [QueriedTrade, string]) =>
    !known.others.some((one) => one.trade_no === trade.trade_no && one.trade_status === trade.trade_status);
  const news = [...shownOf(mine, world.now).filter(isNews), ...shownOf(others, world.now).filter(isNew)];
  const polled = news.map(([trade, what]) =>
    after(node, `a poll shows ${what}`, withShown({ ...world, isSilent: false }, trade), [
      (now) => [{ is: 'queried', trade, after: now.looked_after }],
    ]),
  );
  const minutes = Math.min(LAG_MS, due_at - world.now);
  const isSilent = [...mine, ...others].some(
    (one) => one.status !== (one.trade_no === trade_no || trade_no === null ? seen : null),
  );
  const until = time(
    { ...node, world: { ...world, isOdd: world.isOdd || isSilent || isAnswerAwaited } },
    `${isSilent ? 'silence' : 'no news'} until due`,
    due_at - world.now,
  );
  return [...polled, ...(minutes < due_at - world.now ? time(node, 'minutes later', minutes) : []), ...until];
}

const time = (node: PaymentNode, what: string, ms: number): PaymentNode[] => [
  after(node, what, later(node.world, ms), []),
];

// — The gateway, and others —

function gatewayMoves(node: PaymentNode): PaymentNode[] {
  const { world } = node;
  const moves = world.trades.flatMap((trade) => {
    if (trade.trade_no === OTHERS) return [];
    const become = (what: string, status: string, amount = trade.amount, isOdd = world.isOdd) => {
      const now = { ...trade, status, before: trade.status, changed_at: world.now, amount };
      const next = { ...world, isOdd, trades: world.trades.map((one) => (one === trade ? now : one)) };
      return after(node, `${trade.trade_no} is ${what}`, withUnsaid(next, claimOf(next, trade.trade_no, status)), []);
    };
    if (trade.status === 'PROCESSING')
      return [
        become('paid', 'SUCCESS'),
        become('paid with another amount', 'SUCCESS', '15.00', true),
        become('cancelled', 'CANCEL'),
      ];
    // Also after an end of its own.
    return trade.status === 'SUCCESS' ? [] : [become('paid after its end', 'SUCCESS', trade.amount, true)];
  });
  if (world.trades.some(({ trade_no }) => trade_no === OTHERS)) return moves;
  const sold = withTrade({ ...world, isOdd: true }, { trade_no: OTHERS, status: 'SUCCESS', before: 'PROCESSING' });
  return [...moves, after(node, 'X is sold', withUnsaid(sold, claimOf(sold, OTHERS, 'SUCCESS')), [])];
}

/** A notification comes. One of money may come once more. */
function notified(node: PaymentNode, claim: NotificationSignal): PaymentNode[] {
  return [
    after(node, `${nameOf(claim)} is notified`, withTold(node.world, claim), [{ is: 'notified', signal: claim }]),
  ];
}

function merchant(node: PaymentNode): PaymentNode[] {
  const { world } = node;
  if (world.isWithdrawn || world.phase === 'waiting') return [];
  return [
    after(node, 'the merchant withdraws it', { ...world, isWithdrawn: true, isOdd: true }, [{ is: 'withdrawn' }]),
  ];
}

/** A person who is asked looks at the dashboard, and says what is true, or that the payment may go on. */
function decisions(node: PaymentNode): PaymentNode[] {
  const { world } = node;
  const attention = attentionIn(node);
  if (attention === null) return [];
  const by = { by: 'ana', reason: 'seen' } as const;
  const truth = dashboard(world);
  const decided: PaymentNode[] =
    truth === null ? [] : [after(node, `a person says ${truth}`, world, [{ is: 'decided', outcome: truth, ...by }])];
  // Who sees that it is another's does not let it go on.
  const isOthers = attention === 'unproven-trade' && node.known.shown.trade_no === OTHERS;
  return isSettledByLooking({ attention, trade_status: node.known.shown.trade_status }) && !isOthers
    ? [...decided, after(node, `a person has seen ${attention}`, world, [{ is: 'seen', ...by }])]
    : decided;
}

/** What a person says who sees our orders; null while one may still be paid. */
function dashboard(world: PaymentWorld): PaymentOutcome | null {
  const ours = oursIn(world);
  if (ours.some(({ status }) => status === 'SUCCESS')) return 'SUCCESS';
  return ours.some(({ status }) => status === 'PROCESSING') ? null : 'CANCEL';
}

// — Small things —

const later = (world: PaymentWorld, ms: number): PaymentWorld => ({ ...world, now: world.now + ms });

function withTrade(world: PaymentWorld, made: Pick<TrueTrade, 'status'> & Partial<TrueTrade>): PaymentWorld {
  const { now } = world;
  const trade = { trade_no: OURS, before: made.status, changed_at: now, made_at: now, amount: ORDERED, ...made };
  return { ...world, trades: [...world.trades, trade] };
}

const nameOf = ({ trade_status, trade_no }: NotificationSignal) => `${trade_status} of ${trade_no}`;

function claimOf({ trades }: PaymentWorld, trade_no: string | undefined, trade_status: string): NotificationSignal {
  const amount = trades.find((one) => one.trade_no === trade_no)?.amount;
  return { out_trade_no: 'O1', trade_no, trade_status, amount, currency: 'BRL' };
}

const withUnsaid = (world: PaymentWorld, claim: NotificationSignal): PaymentWorld => ({
  ...world,
  unsaid: [...world.unsaid, claim],
});

/** What was said once may be said once more. */
function withTold(world: PaymentWorld, claim: NotificationSignal): PaymentWorld {
  const isAgain = world.told.includes(`${claim.trade_no} ${claim.trade_status}`);
  const unsaid =
    isAgain || claim.trade_status !== 'SUCCESS' ? world.unsaid.filter((one) => one !== claim) : world.unsaid;
  const told_at =
    claim.trade_status === 'SUCCESS' && claim.trade_no !== OTHERS ? (world.told_at ?? world.now) : world.told_at;
  return { ...withSaid(world, 'told', `${claim.trade_no} ${claim.trade_status}`), unsaid, told_at };
}

const withSaid = (world: PaymentWorld, field: 'told' | 'shown', what: string): PaymentWorld =>
  world[field].includes(what) ? world : { ...world, [field]: [...world[field], what] };

/** Two nodes are the same where nothing that counts differs: times and counters count only from each other. */
export function paymentKeyOf({ world, known, steps }: PaymentNode): string {
  const { now, trades, created_at, told_at } = world;
  const since = (at: number | null, most: number) => (at === null ? null : Math.min(now - at, most));
  const { shown, creation, claims, doubted_at, look, reasons, contradicted, others, history, heard } = known;
  const { reach, said, looked, isRested, isLate } = creation;
  return JSON.stringify([
    [
      world.confirm_by_query,
      world.phase,
      world.failure,
      world.isWithdrawn,
      world.isSilent,
      world.isDenied,
      world.isOdd,
      world.lost > 0,
    ],
    [world.fault, world.unsaid, world.told, world.shown, since(told_at, DAY), since(created_at, 2 * DAY)],
    trades.map((one) => [
      [one.trade_no, one.status, one.before, one.amount, one.byBusy],
      [since(one.changed_at, LAG_MS), since(one.made_at, POLICY.settling_ms)],
    ]),
    world.phase === 'creation' || world.phase === 'trying' ? UNTIL - now : null,
    [
      reach,
      said,
      looked,
      isRested,
      isLate,
      Math.min(creation.begun, 2),
      Math.min(creation.resent, 3),
      Math.min(creation.reached, 2),
    ],
    [
      shown.trade_no,
      shown.trade_status,
      shown.outcome,
      shown.confirmed_by,
      shown.mismatch,
      shown.payment_data?.recovered,
    ],
    claims.map((one) => [one.signal, one.isDenied, one.heard > known.looked_after, one.heard > creation.looked_after]),
    [
      since(doubted_at, DAY),
      since(look?.at ?? null, 2 * DAY),
      look?.isSilent,
      reasons,
      contradicted,
      others,
      known.isWithdrawn,
    ],
    [
      history.findLast(({ source }) => source !== 'operator')?.to,
      history.at(-1)?.source === 'operator',
      heard?.status,
      heard?.source,
    ],
    Math.min(steps.length, 2),
  ]);
}
