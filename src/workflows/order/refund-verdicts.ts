/** What the trade says of each refund that has left us: the table, read for what is known now. Pure. */
import type { KnownOrder, LedgerRefund } from '../../contract';
import { isMore } from '../../gateway/pure/money';
import { isComplete, leftAtGateway, mayBeGone } from './ledger';
import { ENDS, mayHaveEnded } from './movements';
import { CAME_BACK, type Column, type Row, rowOf, type Verdict, verdictOn, WHOSE_END } from './refund-table';

const isJudged = ({ phase, begun, outcome, failure }: LedgerRefund) =>
  begun !== null && failure === null && (phase === 'lost' || phase === 'taken' || outcome === 'REFUNDED');

/** What the trade says of this refund now; undefined where it says nothing new of one that has ended or was decided. */
export const verdictOf = (order: KnownOrder, refund: LedgerRefund): Verdict | undefined =>
  readingOf(order, refund)?.verdict;

/** The same, with the place in the table. */
export function readingOf(
  order: KnownOrder,
  refund: LedgerRefund,
): { readonly row: Row; readonly column: Column; readonly verdict: Verdict } | undefined {
  const { seen } = order;
  const { begun, decided } = refund;
  if (seen === null || begun === null || !isJudged(refund)) return undefined;
  // A person knew what the trade showed.
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

/** What was done may come back; it is not refused any more. */
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

/** Whether a refund paid nothing, and the trade has not shown that: what it shows may still be that one. */
const isEndUnseen = ({ history }: KnownOrder, { begun, outcome }: LedgerRefund): boolean =>
  begun !== null &&
  ENDS.some((end) => end === outcome) &&
  !history.some(({ to, source, time }) => to === outcome && source === 'query' && Date.parse(time) >= begun.at);

/** Whether nothing else is known that may have gone back, or be going. */
function isOnlyOne(order: KnownOrder, { number }: LedgerRefund): boolean {
  const others = order.refunds.filter((one) => one.number !== number && mayBeGone(one));
  return others.length === 0 && isComplete(order) && order.elsewhere === '0.00';
}

/** Whether this gateway has called this trade PARTIAL_REFUND, so that REFUNDED says that all has gone back. */
export const hasCalledAPart = ({ history }: KnownOrder) => history.some(({ to }) => to === 'PARTIAL_REFUND');
