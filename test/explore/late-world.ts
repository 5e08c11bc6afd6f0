/**
 * A small world after a payment that ended, written from the fault model alone: money that comes late, replicas that are behind,
 * notifications that are late or lost, another trade under the number, a person who tells the truth. It drives the real `fold` and `nextStep`.
 */
import type { KnownOrder, NotificationClaim, PaymentEnd, PaymentOutcome, PaymentState } from '../../src/contract';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { attentionOf } from '../../src/workflows/after-sale/attention';
import type { NewAfterSaleFact as Fact } from '../../src/workflows/after-sale/facts';
import { fold, NOTHING_KNOWN } from '../../src/workflows/after-sale/fold';
import { nextStep, type Step } from '../../src/workflows/after-sale/next-step';
import { outcomeNow } from '../../src/workflows/after-sale/payment-end';

const POLLS = { poll_schedule_ms: [MINUTE, 2 * MINUTE, 5 * MINUTE], poll_every_ms: HOUR };
const SETTINGS = { ...POLLS, settling_ms: 30_000, refund_watch_ms: 3 * DAY, late_payments: 'attention' } as const;
const LAG_MS = 10 * SETTINGS.settling_ms;
const [OURS, OTHERS] = ['T1', 'T2'];
const PAID = '150.00';
const START_AT = 10 * DAY;
/** The order may be paid for so long after its end. */
const WATCH_MS = DAY;

export interface LateWorld {
  /** What our trade is, in truth, was before, and since when it is another one. */
  readonly status: string;
  readonly before: string;
  readonly changed_at: number;
  /** When the buyer paid; null before. */
  readonly paid_at: number | null;
  /** What the trade of another system is; null where there is none. */
  readonly other: string | null;
  /** What the gateway may still notify. */
  readonly unsaid: readonly NotificationClaim[];
  /** What was notified, as `number status`. */
  readonly told: readonly string[];
  /** What a person has said of our trade, how much was notified then, and whether it was paid. */
  readonly said: readonly { readonly told: number; readonly wasPaid: boolean }[];
  readonly now: number;
}

export interface LateNode {
  readonly world: LateWorld;
  readonly order: KnownOrder;
  readonly depth: number;
  readonly move?: { readonly what: string; readonly from: LateNode };
}

const folded = (order: KnownOrder, { now }: LateWorld, facts: readonly Fact[]): KnownOrder =>
  facts.reduce((known, fact) => fold(known, { ...fact, at: now }, SETTINGS), order);

function after(from: LateNode, what: string, world: LateWorld, ...facts: readonly Fact[]): LateNode {
  return { world, order: folded(from.order, world, facts), depth: from.depth + 1, move: { what, from } };
}

/** How payments end: the outcome that was told, what the gateway had shown, and who ended it. */
const ENDS: readonly (readonly [PaymentOutcome, string, PaymentState['confirmed_by']])[] = [
  ['EXPIRED', 'PROCESSING', null],
  ['CANCEL', 'CANCEL', 'query'],
  ['CANCEL', 'PROCESSING', 'operator'],
  ['SUCCESS', 'SUCCESS', 'query'],
  ['SUCCESS', 'PROCESSING', 'operator'],
];

export const ended = (): LateNode[] =>
  ENDS.map(([outcome, status, confirmed_by]) => {
    const paid_at = status === 'SUCCESS' ? START_AT : null;
    const world: LateWorld = {
      ...{ status, before: status, changed_at: Number.NEGATIVE_INFINITY, paid_at },
      ...{ other: null, unsaid: [], told: [], said: [], now: START_AT },
    };
    const payment = endOf(outcome, status, confirmed_by);
    return {
      world,
      order: folded({ ...NOTHING_KNOWN, out_trade_no: 'O1' }, world, [{ is: 'ended', payment, contradicted: [] }]),
      depth: 0,
    };
  });

function endOf(outcome: PaymentOutcome, status: string, confirmed_by: PaymentState['confirmed_by']): PaymentEnd {
  const state: PaymentState = {
    ...{ app_id: 'app', out_trade_no: 'O1', trade_no: OURS ?? '', trade_status: status, order_amount: PAID },
    ...{ order_currency: 'BRL', method: 'Boleto', outcome, confirmed_by, attention: null, expires_at: null },
    ...{ attention_since: null, taken: null },
    ...{ history: [], previous: null, refused_because: null, other_trades: [] },
    payment_data: { trade_no: OURS, recovered: false },
  };
  const watch_until = status === 'SUCCESS' ? 0 : START_AT + WATCH_MS;
  return {
    ...{ run_id: 'r1', ended_at: START_AT, state, reasons: outcome === 'EXPIRED' ? (['never-ended'] as const) : [] },
    ...{ watch_until, sent_again: false, asked: [], repeats: false, made_here: true, ordered_here: true },
  };
}

export const stepOfLate = ({ world, order }: LateNode): Step =>
  nextStep(order, world.now, { isAsked: false, watch_until: 0 }, SETTINGS);

/** Everything that may happen next. */
export function lateMoves(node: LateNode): LateNode[] {
  const { world } = node;
  const step = stepOfLate(node);
  return [
    ...ours(node, step),
    ...gateway(node),
    ...world.unsaid.flatMap((claim, at) => notified(node, claim, at)),
    ...(step.take === 'watch' || step.take === 'rest' ? later(node) : []),
    ...decisions(node),
  ];
}

function ours(node: LateNode, step: Step): LateNode[] {
  const { world, order } = node;
  switch (step.take) {
    case 'find':
    case 'look':
      return looks(node, step.take === 'look' ? step.lasting_ms : 0);
    case 'watch':
      return readable(world)
        .filter((status) => status !== order.seen?.status)
        .map((status) => after(node, `a poll shows ${status}`, world, queried(node, world, status)));
    case 'ask': {
      const shown = world.other === null ? null : { ...trade(world, world.other), trade_no: step.other };
      return [
        after(node, 'the other trade is shown', world, {
          is: 'asked',
          other: step.other,
          trade: shown,
          answer: 'answered',
        }),
        ...(['answered', 'unanswered'] as const).map((answer) =>
          after(node, `the other trade is not shown: ${answer}`, world, {
            is: 'asked',
            other: step.other,
            trade: null,
            answer,
          }),
        ),
      ];
    }
    default:
      return [];
  }
}

const readable = ({ status, before, changed_at, now }: LateWorld): string[] =>
  now - changed_at >= LAG_MS ? [status] : [...new Set([status, before])];

function looks(node: LateNode, lasting_ms: number): LateNode[] {
  const { world, order } = node;
  const then = { ...world, now: world.now + lasting_ms };
  const shown = readable(then).map((status) => {
    const lasted = status === order.seen?.status && lasting_ms > 0;
    const at = lasted ? then : world;
    return after(node, `${lasted ? 'a look that lasts' : 'a look'} shows ${status}`, at, queried(node, at, status));
  });
  // Gateways forget orders that have ended, and some are silent for long.
  const unanswered = (why: 'unknown-trade' | 'no-answer'): LateNode =>
    after(node, `a look: ${why}`, then, { is: 'unanswered', why, after: order.heard });
  const isNew =
    !order.reasons.includes('unknown-trade') && !order.reasons.includes('no-answer') && order.denied === null;
  return isNew ? [...shown, unanswered('unknown-trade'), unanswered('no-answer')] : shown;
}

function trade(world: LateWorld, trade_status: string) {
  const asked_at = world.now;
  return { trade_status, asked_at, trade_no: OURS, out_trade_no: 'O1', order_amount: PAID, order_currency: 'BRL' };
}

const queried = ({ order }: LateNode, world: LateWorld, status: string): Fact => ({
  ...{ is: 'queried', trade: trade(world, status), after: order.heard },
});

function gateway(node: LateNode): LateNode[] {
  const { world } = node;
  const { status, now, paid_at } = world;
  const become = (to: string): LateNode => {
    const unsaid = [...world.unsaid, { trade_no: OURS, trade_status: to, amount: PAID, currency: 'BRL' }];
    const paid = to === 'SUCCESS' ? now : paid_at;
    return after(node, `the trade is ${to}`, {
      ...world,
      status: to,
      before: status,
      changed_at: now,
      paid_at: paid,
      unsaid,
    });
  };
  const isInTime = now < START_AT + WATCH_MS - LAG_MS;
  const moves = status === 'PROCESSING' ? [become('CANCEL')] : [];
  // Also after an end of its own.
  if ((status === 'PROCESSING' || status === 'CANCEL') && isInTime) moves.push(become('SUCCESS'));
  if (world.other !== 'SUCCESS') {
    const unsaid = [...world.unsaid, { trade_no: OTHERS, trade_status: 'SUCCESS', amount: PAID, currency: 'BRL' }];
    moves.push(after(node, 'X is sold', { ...world, other: 'SUCCESS', unsaid }));
  }
  return moves;
}

function notified(node: LateNode, claim: NotificationClaim, at: number): LateNode[] {
  const { world } = node;
  const told = [...new Set([...world.told, `${claim.trade_no} ${claim.trade_status}`])];
  const said = { ...world, told, unsaid: world.unsaid.filter((_, i) => i !== at) };
  return [after(node, `${claim.trade_status} of ${claim.trade_no} is notified`, said, { is: 'notified', claim })];
}

/** A watch polls each hour: a day does not pass before it has seen what the trade is. */
const later = (node: LateNode): LateNode[] =>
  (
    [
      ['minutes', LAG_MS],
      ...(stepOfLate(node).take === 'watch' && node.order.seen?.status !== node.world.status
        ? []
        : [['a day', DAY] as const]),
    ] as const
  ).map(([what, ms]) => after(node, `${what} later`, { ...node.world, now: node.world.now + ms }));

/** A person who is asked looks at the dashboard, and says what is true, or that it is taken care of. */
function decisions(node: LateNode): LateNode[] {
  const { world, order } = node;
  const shown = attentionOf(order);
  if (shown === null) return [];
  const truth: PaymentOutcome = world.paid_at !== null ? 'SUCCESS' : 'CANCEL';
  const by = { is: 'decided', by: 'ana', reason: 'seen' } as const;
  const isOfOthers = (what: string) => what === 'second-trade';
  const now = { told: world.told.length, wasPaid: world.paid_at !== null };
  const said = (what: string) => ({ ...world, said: isOfOthers(what) ? world.said : [...world.said, now] });
  const seen =
    shown === 'amount-mismatch' ? [] : [after(node, `a person has seen ${shown}`, said(shown), { ...by, seen: shown })];
  return [...seen, after(node, `a person says ${truth}`, said(truth), { ...by, order: truth })];
}

/** What must never be. */
export function lateFaults(node: LateNode): string[] {
  const { world, order } = node;
  const step = stepOfLate(node);
  const outcome = outcomeNow(order);
  const attention = attentionOf(order);
  const faults: string[] = [];
  const wasTold = order.payment?.state.outcome === 'SUCCESS' || order.decision?.outcome === 'SUCCESS';
  if (outcome === 'SUCCESS' && world.paid_at === null && !wasTold) faults.push('an order is sold that nobody has paid');
  const isIdle = step.take === 'rest' && attention === null;
  const toldAt = world.told.indexOf(`${OURS} SUCCESS`);
  if (isIdle && toldAt >= 0 && outcome !== 'SUCCESS' && !world.said.some(({ told }) => told > toldAt))
    faults.push('money was notified, and nobody knows');
  if (isIdle && world.paid_at !== null && outcome !== 'SUCCESS' && !world.said.some(({ wasPaid }) => wasPaid))
    faults.push('money came while the order was watched, and nobody knows');
  const isOther = world.told.includes(`${OTHERS} SUCCESS`);
  if (isOther && !order.others.some(({ trade_status }) => trade_status === 'SUCCESS'))
    faults.push('money of another trade was notified, and it is forgotten');
  if (order.history.some(({ to, source }) => to === 'PROCESSING' && source === 'query'))
    faults.push('a transition goes backwards');
  return faults;
}

export function lateKeyOf({ world, order }: LateNode): string {
  const since = (at: number) => (Number.isFinite(at) ? Math.min(world.now - at, 4 * DAY) : 'ever');
  const history = order.history.map(({ to, source }) => [to, source]);
  return JSON.stringify([world, { ...order, history, wait: null }], (name, value) =>
    typeof value === 'number' && /(_at|^at|^now|_until)$/.test(name) ? since(value) : value,
  );
}

export function latePathTo(node: LateNode): string[] {
  return node.move ? [...latePathTo(node.move.from), node.move.what] : [];
}
