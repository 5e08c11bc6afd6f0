/** The refunds of an order and what is left of its money. Amounts are decimal strings in currency units. Pure. */
import {
  type Attention,
  isEndUnpaid,
  type KnownOrder,
  type LedgerRefund,
  type RefundOutcome,
  type RefundState,
  type Source,
  type Transition,
} from '../../contract';
import { isMore, less, sumOf } from '../../gateway/pure/money';
import { raised, withoutReasons } from '../shared/attention-reasons';

/** Whether money of this refund may have gone, or may still go: it has left us and was not freed, or a person is asked about it. */
export const mayBeGone = ({ begun, asked, outcome }: LedgerRefund): boolean =>
  outcome === 'REFUNDED' || asked !== null || (begun !== null && outcome === null);

/** Whether it has ended, and paid nothing. */
export const hasPaidNothing = ({ outcome }: Pick<RefundState, 'outcome'>): boolean =>
  outcome === 'NOT_CREATED' || isEndUnpaid(outcome);

/** The outcome that merchants are told; null while it is open. */
export const outcomeOfRefund = ({ outcome, phase, asked }: LedgerRefund): RefundOutcome | null =>
  outcome ?? (phase === 'taken' && asked === null ? 'ACCEPTED' : null);

/** Why a refund needs a person: first the reason that may have cost money. */
export const REFUND_REASONS = ['unknown-refund', 'waiting-refund'] as const satisfies readonly Attention[];

/** Why this refund needs a person; null if it needs nobody. */
export function attentionOfRefund({ asked, phase, isOverdue }: LedgerRefund): (typeof REFUND_REASONS)[number] | null {
  if (asked !== null) return 'unknown-refund';
  return phase === 'waiting' && isOverdue ? 'waiting-refund' : null;
}

/** Whether the trade may have shown this refund: its money may have gone, or it was made and paid nothing. */
export const mayHaveShown = (refund: LedgerRefund): boolean =>
  mayBeGone(refund) || (refund.begun !== null && refund.outcome !== 'NOT_CREATED');

/** What is left of what was paid if all of these refunds, and those elsewhere, are gone. */
const leftAfter = ({ paid, elsewhere }: KnownOrder, gone: readonly LedgerRefund[]): string =>
  less(paid?.amount ?? '0', sumOf([elsewhere, ...gone.map(({ amount }) => amount)]));

/** How much certainly is still at the gateway: a refund that waits for its turn has taken nothing. */
export function leftAtGateway(order: KnownOrder, except?: string): string {
  const gone = order.refunds.filter((one) => one.number !== except && mayBeGone(one));
  return leftAfter(order, gone);
}

/** How much may still be granted: what waits for its turn is reserved. */
export function leftToGrant(order: KnownOrder): string {
  const reserved = order.refunds.filter((one) => mayBeGone(one) || one.phase === 'waiting');
  const left = leftAfter(order, reserved);
  // A gateway may give back more than was paid.
  return isMore('0', left) ? '0.00' : left;
}

/** All refunds of the order: those of its own trade, and of the trades before. */
export const refundsOf = ({ earlier, refunds }: KnownOrder): readonly LedgerRefund[] => [
  ...earlier.flatMap((one) => one.refunds),
  ...refunds,
];

/** The refund under this number: there is one at most in all of the order's trades. */
export const findRefund = (order: KnownOrder, number: string): LedgerRefund | undefined =>
  refundsOf(order).find((one) => one.number === number);

/** As {@link findRefund}; undefined if the refund certainly was not made, because its number is free again. */
export function findMade(order: KnownOrder, number: string): LedgerRefund | undefined {
  const refund = findRefund(order, number);
  return refund?.outcome === 'NOT_CREATED' && refund.asked === null ? undefined : refund;
}

/** The gateway has said that some refund paid nothing, but not which, and shows it no more: a person is asked about each that may be gone. */
export function askedOfAllGone(order: KnownOrder): KnownOrder {
  return { ...order, refunds: order.refunds.map((one) => (mayBeGone(one) ? { ...one, ...CONTRADICTED } : one)) };
}

export const CONTRADICTED = { asked: 'by a contradiction' } as const;

/** The refund of the order's own trade: another trade of the order may have a refund under the same number. */
export const findOwnRefund = ({ refunds }: KnownOrder, number: string | undefined): LedgerRefund | undefined =>
  refunds.find((one) => one.number === number);

export function withRefund(order: KnownOrder, number: string, change: Partial<LedgerRefund>): KnownOrder {
  const refund = findRefund(order, number);
  const changed = (all: readonly LedgerRefund[]) => all.map((one) => (one === refund ? { ...one, ...change } : one));
  const earlier = order.earlier.map((one) => ({ ...one, refunds: changed(one.refunds) }));
  return { ...order, refunds: changed(order.refunds), earlier };
}

export const asEnded = (outcome: LedgerRefund['outcome'], confirmed_by: Source) =>
  ({ phase: 'ended', outcome, confirmed_by, asked: null }) as const;

/** When the gateway took it, or may have, in ms since the epoch: in an outage a request is tried for days before that. */
export const takenAt = ({ begun, answered_at }: LedgerRefund): number => answered_at ?? begun?.at ?? 0;

/** The request has not left us, and waits for its turn. */
export const NOT_BEGUN = { phase: 'waiting', begun: null, moved: false, asked: null } as const;

/** Puts a refund into the ledger of the order's own trade, in place of any under its number. Earlier requests come first. */
export function withOwnRefund(order: KnownOrder, refund: LedgerRefund): KnownOrder {
  const isSame = ({ number }: LedgerRefund) => number === refund.number;
  const own = order.refunds.some(isSame) ? order.refunds : [...order.refunds, refund];
  // The sort is stable: two refunds that were requested at the same time keep their order.
  const refunds = own.map((one) => (isSame(one) ? refund : one)).toSorted((a, b) => a.requested_at - b.requested_at);
  const earlier = order.earlier.map((one) => ({ ...one, refunds: one.refunds.filter((its) => !isSame(its)) }));
  return { ...order, refunds, earlier };
}

/** There certainly is no refund: its number is free again. */
export const notMade = (failure: LedgerRefund['failure']) =>
  ({ phase: 'ended', outcome: 'NOT_CREATED', failure, asked: null }) as const;

/** Somebody else has made a refund: nothing is granted until a person has named what went back. */
export const withUnknownRefund = (order: KnownOrder): KnownOrder => raised(order, 'refund-elsewhere');

/** A person has named all that went back by refunds that are not in the ledger. */
export const withElsewhere = (order: KnownOrder, elsewhere: string): KnownOrder =>
  withoutReasons({ ...order, elsewhere: sumOf([elsewhere]) }, ['refund-elsewhere']);

/** Whether all that went back is in the ledger, or named by a person. */
export const isComplete = ({ reasons }: Pick<KnownOrder, 'reasons'>): boolean => !reasons.includes('refund-elsewhere');

/** The history as people read it: that of its trade, and of the trades before it. */
export const transitionsOf = ({ earlier, ...own }: KnownOrder): Transition[] =>
  [...earlier, own].flatMap(ownTransitions).toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time));

/** The history of its trade alone. */
export const ownTransitions = ({ history }: Pick<KnownOrder, 'history'>): Transition[] =>
  history.map(({ shown_at: _shown, ...transition }) => transition);
