/**
 * How a refund ends, in four ways: by the gateway's answer to it, by a notification that names its number, by what the trade's status says
 * of it (`refund-table.ts`, read here for what is known now), and by a person (`resolve.ts`). Pure.
 */
import { isEndUnpaid, type KnownOrder, type LedgerRefund, refundMeaningOf } from '../../contract';
import { isMore } from '../../gateway/pure/money';
import type { AfterSaleFact } from './facts';
import {
  asEnded,
  CONTRADICTED,
  findRefund,
  hasPaidNothing,
  isComplete,
  leftAtGateway,
  mayBeGone,
  NOT_BEGUN,
  notMade,
  withOwnRefund,
  withRefund,
  withUnknownRefund,
} from './ledger';
import { mayHaveEnded } from './movements';
import { changedAt, lagLeft } from './readings';
import {
  CAME_BACK,
  type Column,
  outcomeNamed,
  type Row,
  rowOf,
  saysUnpaid,
  type Verdict,
  verdictOn,
  WHOSE_END,
} from './refund-table';

/** Takes in the gateway's answer to the request, or that no answer is known. */
export function afterAnswer(
  before: KnownOrder,
  { number, answered, at }: Extract<AfterSaleFact, { is: 'answered' }>,
): KnownOrder {
  const order = changedAt(before, at);
  const refund = findRefund(order, number);
  // A notification of its end, or a person, may have been faster: callers were answered then, and get the same again.
  if (refund === undefined || refund.phase === 'ended') return order;
  // A notification has said meanwhile that the gateway has this refund, whoever made it. A refused refund says nothing about money.
  const isThere = refund.named !== null && refundMeaningOf(refund.named) !== 'refused';
  switch (answered.said) {
    case 'taken':
      return withRefund(order, number, { phase: 'taken', answer: answered.answer, answered_at: at });
    case 'unknown':
      return withRefund(order, number, { phase: isThere ? 'taken' : 'lost', answered_at: at });
  }
  if (isThere) return withRefund(order, number, { phase: 'lost', answered_at: at, ...CONTRADICTED });
  switch (answered.said) {
    case 'not-sent':
      return withOwnRefund(order, { ...refund, ...NOT_BEGUN });
    case 'refused':
      return withRefund(order, number, notMade(answered.failure));
    case 'taken-by-others':
      return withUnknownRefund(withRefund(order, number, notMade(answered.failure)));
  }
}

/** A signed notification names one of our refunds. A refund that was done may come back; one that came back or was refused is not done later. */
export function afterNamed(order: KnownOrder, refund: LedgerRefund, status: string, at: number): KnownOrder {
  const { number, outcome, decided } = refund;
  if (outcome === 'REFUNDED' && decided !== null) return afterNamedGone(order, refund, status, at);
  const named = outcomeNamed(status);
  const isUnpaid = hasPaidNothing(refund);
  if (named === undefined) {
    // If its end was notified, this notification is an earlier one. Otherwise the refund is under way, whoever said that it is not.
    if (isUnpaid) return refund.confirmed_by === 'notification' ? order : withRefund(order, number, CONTRADICTED);
    const isThere = refund.phase === 'lost' && refund.asked !== 'by a contradiction';
    return withRefund(order, number, {
      named: status,
      ...(isThere ? { phase: 'taken' as const, asked: null } : {}),
    });
  }
  const end = endNamed(refund, named, status, at);
  if (named === 'REFUNDED') {
    // If its end was notified: it was done before it came back. Otherwise this contradicts what said, or showed, that it paid nothing.
    if (isUnpaid && refund.confirmed_by === 'notification') return order;
    return withRefund(order, number, isUnpaid || mayHaveEnded(order, refund) ? CONTRADICTED : end);
  }
  // Known already, whichever attempt it means. But after a single attempt NOT_CREATED was wrong: the gateway has used the number.
  if (isUnpaid && (outcome !== 'NOT_CREATED' || refund.attempt > 1))
    return decided === null ? order : withRefund(order, number, { named: status });
  // Nothing says which attempt under the number it means.
  return withRefund(order, number, refund.attempt > 1 ? { named: status, ...CONTRADICTED } : end);
}

/** The same of a refund that a person calls gone: what was known of it is no news when it comes again, and frees nothing. */
function afterNamedGone(order: KnownOrder, refund: LedgerRefund, status: string, at: number): KnownOrder {
  const { number, attempt, asked, named: before } = refund;
  const named = outcomeNamed(status);
  if (named === undefined) return order;
  if (named === 'REFUNDED') {
    // The person has answered for an end that no number explains, unless that came later.
    const isDoubted = asked !== null && mayHaveEnded(order, refund);
    return withRefund(order, number, isDoubted ? CONTRADICTED : endNamed(refund, named, before, at));
  }
  if (before === status) return order;
  // It was refused, or an end of this kind was known before: then another system may have a refund under our number.
  const isDenied = named === 'REFUND_REFUSED' || saysUnpaid(before ?? '');
  const isUnclear = isDenied || attempt > 1;
  return withRefund(
    order,
    number,
    isUnclear ? { named: status, ...CONTRADICTED } : endNamed(refund, named, status, at),
  );
}

/** The end that a notification names. `moved` is set because the trade may never have shown it to us. */
const endNamed = (
  { over_by }: LedgerRefund,
  outcome: LedgerRefund['outcome'],
  named: LedgerRefund['named'],
  at: number,
) => ({ ...asEnded(outcome, 'notification'), over_by: over_by ?? at, named, moved: true });

/** Looks up each refund that may be gone in the table. Only what is known now counts, and not the order of the facts. */
export function judged(order: KnownOrder, lag_ms: number): KnownOrder {
  return order.refunds.reduce((known, refund) => {
    if (isInferred(refund) && isMore('0', leftAtGateway(known))) return withRefund(known, refund.number, CONTRADICTED);
    const verdict = verdictOf(known, refund);
    if (verdict === undefined || !isDue(known, refund, verdict, lag_ms)) return known;
    // After a contradiction, only a person or a notification with the number can tell.
    if (refund.asked === 'by a contradiction') return known;
    if (verdict.is === 'ask')
      return withRefund(known, refund.number, verdict.lasts ? CONTRADICTED : { asked: 'by the table' });
    // The trade shows that the gateway has it, although its answer was lost.
    if (verdict.is === 'accepted' && refund.phase === 'lost')
      return withRefund(known, refund.number, { phase: 'taken', asked: null });
    if (verdict.is !== 'refunded') return withRefund(known, refund.number, { asked: null });
    return withRefund(known, refund.number, { ...asEnded('REFUNDED', 'query'), named: known.seen?.status ?? null });
  }, order);
}

/**
 * Whether only the trade's status says that the gateway has the refund. If a person names so much as gone back elsewhere that more than was
 * paid would be gone, the status may have been about those other refunds.
 */
const isInferred = ({ phase, outcome, answer, decided, confirmed_by, named, asked }: LedgerRefund): boolean => {
  const isGone = phase === 'taken' || outcome === 'REFUNDED';
  const isSaid =
    answer !== null || decided !== null || (confirmed_by === null ? named !== null : confirmed_by !== 'query');
  return isGone && !isSaid && asked === null;
};

/** Whether a verdict has waited long enough. */
function isDue(order: KnownOrder, { isOverdue }: LedgerRefund, verdict: Verdict, lag_ms: number): boolean {
  if (verdict.is !== 'ask' || verdict.after === 'at once') return true;
  if (verdict.after === 'lag') return lagLeft(order, lag_ms) === 0;
  return isOverdue;
}

const isJudged = ({ phase, outcome }: LedgerRefund) => phase === 'lost' || phase === 'taken' || outcome === 'REFUNDED';

/** What the trade says of this refund now; undefined if it says nothing new of a refund that has ended or was decided. */
export const verdictOf = (order: KnownOrder, refund: LedgerRefund): Verdict | undefined =>
  readingOf(order, refund)?.verdict;

/** As {@link verdictOf}, with the row and column of the table. */
export function readingOf(
  order: KnownOrder,
  refund: LedgerRefund,
): { readonly row: Row; readonly column: Column; readonly verdict: Verdict } | undefined {
  const { seen } = order;
  const { begun, decided } = refund;
  if (seen === null || begun === null || !isJudged(refund)) return undefined;
  // The person who decided knew this status.
  if (decided?.shown === seen.status) return undefined;
  const isUnmistakable = isOnlyOne(order, refund) || hasCalledAPart(order);
  const row = rowOf(seen.status, { shown: begun.shown, moved: refund.moved, isUnmistakable });
  const column = columnOf(order, refund);
  const verdict = verdictAt(order, refund, row, column);
  return verdict && { row, column, verdict };
}

function verdictAt(order: KnownOrder, refund: LedgerRefund, row: Row, column: Column): Verdict | undefined {
  const { outcome, named } = refund;
  const hasUnnamedEnd = mayHaveEnded(order, refund);
  if (outcome !== null) return named === order.seen?.status ? undefined : verdictOnDone(row, hasUnnamedEnd);
  if (hasUnnamedEnd) return WHOSE_END;
  return verdictOn(row, column, !isMore(leftAtGateway(order), '0'));
}

/** A refund that was done may come back; it is not refused any more. */
function verdictOnDone(row: Row, hasUnnamedEnd: boolean): Verdict | undefined {
  if (row === 'stands') return CAME_BACK;
  return row === 'revoked' && hasUnnamedEnd ? WHOSE_END : undefined;
}

function columnOf(order: KnownOrder, refund: LedgerRefund): Column {
  if (refund.phase !== 'lost') return 'accepted';
  const isAlone =
    isOnlyOne(order, refund) && order.bank === null && !order.refunds.some((one) => isEndUnseen(order, one));
  return isAlone ? 'lost alone' : 'lost beside others';
}

/** Whether a refund paid nothing, and the trade has not shown that: what the trade shows may still be this refund. */
const isEndUnseen = ({ history }: KnownOrder, { begun, outcome }: LedgerRefund): boolean =>
  begun !== null &&
  isEndUnpaid(outcome) &&
  !history.some(({ to, source, time }) => to === outcome && source === 'query' && Date.parse(time) >= begun.at);

/** Whether nothing else is known that may have gone back, or be going. */
function isOnlyOne(order: KnownOrder, { number }: LedgerRefund): boolean {
  const others = order.refunds.filter((one) => one.number !== number && mayBeGone(one));
  return others.length === 0 && isComplete(order) && order.elsewhere === '0.00';
}

/** Whether this gateway has called this trade PARTIAL_REFUND, so that REFUNDED says that all has gone back. */
export const hasCalledAPart = ({ history }: KnownOrder) => history.some(({ to }) => to === 'PARTIAL_REFUND');
