/** What a payment hands over at its end, and what follows from it and from later answers of the gateway. Pure. */
import {
  type AfterSaleInput,
  claimOf,
  type HandedOver,
  isAttention,
  isDecided,
  isNamedByItsCreation,
  isOfTrade,
  isSameAmount,
  isSilence,
  isUnlikeOrder,
  type KnownOrder,
  knownIds,
  type LedgerRefund,
  type NotedTrade,
  type NotificationClaim,
  type OtherAmount,
  outcomeOf,
  type PaymentOutcome,
  type PaymentState,
  readSignal,
  type SaidAmount,
  type Trade,
  type TradeId,
  tradesNamedBy,
} from '../../contract';
import { LONGEST_OPEN_MS, timingOf } from '../../gateway/pure/by-method';
import { isKnownStatus } from '../../gateway/pure/names';
import { isObject, isText } from '../shared/ended-by-hand';
import { shownTrades } from '../shared/noted-trades';
import { shownWait } from '../shared/wait';
import { hasPaidNothing, transitionsOf } from './ledger';

/** The outcome that was told of the order: by a person, or at the payment's end. Null if there was no order. */
export const toldOutcome = ({ decision, payment }: KnownOrder): PaymentOutcome | null =>
  decision?.outcome ?? payment?.state.outcome ?? null;

/** The status that the gateway has shown last: to us or, before our first look, to the payment. */
export const shownStatus = ({ seen, payment }: KnownOrder): string | null =>
  seen?.status ?? payment?.state.trade_status ?? null;

/** Whether the gateway has shown that the trade was paid. */
export const hasMoney = ({ paid, seen }: KnownOrder): boolean =>
  paid !== null || outcomeOf(seen?.status ?? '') === 'SUCCESS';

/** Whether money has come after an end without a sale was told, and no person has decided on it. */
export const hasLateMoney = (order: KnownOrder): boolean =>
  order.payment !== null && toldOutcome(order) !== 'SUCCESS' && hasMoney(order) && order.decision?.knew !== true;

/** What was paid, if it is not what was ordered, or nobody can read it: then a person says how the order has ended. */
export function paidOtherwise(order: KnownOrder): OtherAmount | undefined {
  const { amount, currency = null } = order.paid ?? unreadOf(order);
  const ordered = order.payment?.state ?? { order_amount: null, order_currency: null };
  const said = { amount, currency: currency ?? undefined };
  return amount !== undefined && isUnlikeOrder(ordered, said) ? { amount, currency } : undefined;
}

/** The amount of a sale as the gateway has written it, if nobody can read it. */
const unreadOf = ({ seen }: KnownOrder): { amount?: string | undefined; currency?: string } =>
  outcomeOf(seen?.status ?? '') === 'SUCCESS' ? { amount: seen?.unread_amount } : {};

/** The amount of a notification that no answer has settled, if it is not what was ordered. */
function notifiedOtherwise({ payment, held, contradicted, trade_no }: KnownOrder): OtherAmount | undefined {
  const claims = [...held.map(({ claim }) => claim), ...contradicted];
  const ours = claims.filter((claim) => claim.trade_status === 'SUCCESS' && isOfTrade(claim, trade_no));
  const other = payment && ours.findLast((claim) => isUnlikeOrder(payment.state, claim));
  return other ? { amount: other.amount ?? null, currency: other.currency ?? null } : undefined;
}

/** Whether the amount that came is not the ordered one, and no person has decided on it. */
export function hasUndecidedAmount(order: KnownOrder): boolean {
  const other = paidOtherwise(order);
  return other !== undefined && !isDecidedAmount(order, other);
}

/** Whether a person has decided about this amount, which is not what was ordered. */
export const isDecidedAmount = ({ decision, payment }: KnownOrder, amount: SaidAmount): boolean =>
  (decision?.knew === true && decision.amounts.some((one) => isSameAmount(one, amount))) ||
  (payment !== null && isDecided(payment.state, amount));

/**
 * The amounts that people are shown and that are not what was ordered. The query is the truth, and comes first; the payment's own comparison
 * is older than what came since.
 */
export const otherAmounts = (order: KnownOrder): OtherAmount[] =>
  [paidOtherwise(order), order.mismatch, order.payment?.state.mismatch, notifiedOtherwise(order)].flatMap(
    (one) => one ?? [],
  );

/** The outcome of the order as it is now. */
export const outcomeNow = (order: KnownOrder): PaymentOutcome | null =>
  hasLateMoney(order) && paidOtherwise(order) === undefined ? 'SUCCESS' : toldOutcome(order);

/** Whether the payment is known to have made this trade: a trade that a query found may be another's. */
export const isOurTrade = ({ payment, trade_no }: KnownOrder): boolean =>
  payment?.made_here === true && isNamedByItsCreation(payment.state, trade_no);

/** Whether the order has ended without money, as far as is known. */
export const isUnpaid = (order: KnownOrder): boolean =>
  order.payment !== null && toldOutcome(order) !== 'SUCCESS' && !hasMoney(order);

/** Whether only a request has named the order: perhaps its number was mistyped. */
export const isOfNobody = ({ payment, following, seen, heard, trade_no }: KnownOrder): boolean =>
  payment === null && following === null && seen === null && heard === 0 && trade_no === null;

/** Whether a person has ended the search for a trade that the gateway denies, and nothing has named one since. */
export const isSearchEnded = ({ denied, held }: KnownOrder): boolean => denied?.isSettled === true && held.length === 0;

/** Whether the search for a trade that the gateway denies is over: a person has ended it, or nothing says that there is one. */
export const isSearchOver = (order: KnownOrder): boolean =>
  isSearchEnded(order) || (order.denied !== null && isOfNobody(order));

/**
 * Whether "no such order" is an answer: a person has ended the search, or the order ended without a sale and nothing is notified (it was not
 * paid, or a person has decided on its money). Any other order's trade is searched for.
 */
export const isDenialAnswer = (order: KnownOrder): boolean =>
  isSearchOver(order) ||
  (order.payment !== null && toldOutcome(order) !== 'SUCCESS' && !hasLateMoney(order) && order.held.length === 0);

/** Whether a sold order's trade shows no sale any more, and no person has seen that. The status has to last: a replica may be stale. */
export function isRevoked(order: KnownOrder): boolean {
  const { seen, history, decision } = order;
  if (seen === null || outcomeNow(order) !== 'SUCCESS' || !isKnownStatus(seen.status)) return false;
  const isSeen =
    decision?.shown === seen.status ||
    history.some(({ source, from }) => source === 'operator' && from === seen.status);
  return outcomeOf(seen.status) !== 'SUCCESS' && !isSeen;
}

/** Whether the gateway was silent when it was asked for another trade under the order's number. */
export const hasUnanswered = ({ others }: KnownOrder): boolean => others.some(({ asked }) => asked === 'unanswered');

/**
 * Until when an unpaid order may still be paid, or another trade of an order that was sent more than once; 0 if none may. What the payment
 * knew at its end is not final: the gateway may end the trade later, or leave it open.
 */
export function mayBePaidUntil(order: KnownOrder): number {
  const { payment, seen, history, method } = order;
  if (payment === null) return 0;
  if (!isUnpaid(order)) return payment.sent_again ? payment.watch_until : 0;
  const isOpen = seen !== null && outcomeOf(seen.status) === null;
  // The first end that was seen: two replicas may show two ends in turn.
  const end = history.find(({ source, to }) => source === 'query' && outcomeOf(to) !== null);
  return Math.max(
    payment.watch_until,
    // The buyer of a checkout chooses the method, so any may be theirs.
    isOpen ? order.first_ended_at + LONGEST_OPEN_MS : 0,
    end ? Date.parse(end.time) + timingOf(method).settles_ms : 0,
  );
}

/** Whether the gateway has nothing more to say of an order that was not paid: only a person, or news, can change anything. */
export const isSettled = (order: KnownOrder): boolean =>
  isUnpaid(order) &&
  mayBePaidUntil(order) === 0 &&
  order.held.length === 0 &&
  !hasUnanswered(order) &&
  !order.refunds.some(({ phase }) => phase === 'waiting') &&
  // Without an order, a silence was about its creation, and not about a trade.
  (order.payment?.state.outcome === null || !order.reasons.some(isSilence));

/**
 * The ids to find a trade of the order by, the surest first: its trade_no. If that is not known, or the order was sent more than once, also
 * the order's number, and the trades that were named under it.
 */
export function idsToAsk(order: KnownOrder): [TradeId, ...TradeId[]] {
  const { trade_no, payment, others, held } = order;
  const own = knownIds(order);
  const isOneOfMany = trade_no !== null && payment?.sent_again === true;
  const byNumber = isOneOfMany ? [knownIds({ out_trade_no: order.out_trade_no, trade_no: null })] : [];
  // Each trade of an order that was sent more than once may be paid as long as the order may.
  const isOpen = ({ trade_status, asked }: NotedTrade) =>
    asked === 'unanswered' || (isOneOfMany && outcomeOf(trade_status ?? '') !== 'SUCCESS');
  const asked = trade_no === null ? others : others.filter(isOpen);
  const named = tradesNamedBy([...asked, ...(trade_no === null ? held.map(({ claim }) => claim) : [])]);
  return [own, ...byNumber, ...named.map((one) => ({ trade_no: one }))];
}

/** Whether the trade may be the order's own: by its trade_no or, if that is unknown, by the order's number. A signal may name any trade. */
export function isOwnTrade(
  { trade_no: own, out_trade_no: number }: KnownOrder,
  trade: Pick<Trade, 'trade_no' | 'out_trade_no'>,
) {
  const isOfNumber = own !== null || !trade.out_trade_no || trade.out_trade_no === number;
  return isOfNumber && isOfTrade(trade, own);
}

/** The payment as it is now; null if none has ended. The after-sale knows why it needs a person, and whether all goes back. */
export function paymentNow(
  order: KnownOrder,
  { attention, ...goingBack }: Pick<PaymentState, 'attention' | 'all_goes_back'>,
): PaymentState | null {
  const { payment, decision, seen, paid } = order;
  if (payment === null) return null;
  const { state } = payment;
  const outcome = outcomeNow(order);
  const isLate = outcome !== toldOutcome(order);
  const isCorrected = decision !== null && outcome !== state.outcome;
  const [mismatch] = otherAmounts(order);
  const late_payment_refund = lateRefund(order, attention);
  const before = { run_id: payment.run_id, outcome: state.outcome };
  return {
    ...state,
    out_trade_no: order.out_trade_no,
    trade_no: order.trade_no ?? state.trade_no,
    trade_status: seen?.status ?? state.trade_status,
    order_amount: state.order_amount ?? paid?.amount ?? null,
    order_currency: state.order_currency ?? paid?.currency ?? null,
    method: state.method ?? order.method,
    outcome,
    confirmed_by: isLate ? 'query' : decision ? 'operator' : state.confirmed_by,
    attention,
    ...shownWait(attention === null ? null : order.wait),
    history: [...state.history, ...transitionsOf(order).filter(({ time }) => Date.parse(time) >= payment.ended_at)],
    previous: isLate ? { ...before, outcome: toldOutcome(order) } : isCorrected ? before : state.previous,
    other_trades: shownTrades(order.others),
    ...(mismatch ? { mismatch } : {}),
    ...(late_payment_refund ? { late_payment_refund } : {}),
    ...goingBack,
  };
}

/** The refund that the settings ask for when money comes late. */
export const findLateRefund = ({ refunds }: KnownOrder): LedgerRefund | undefined =>
  refunds.find(({ isLate }) => isLate);

/** The refund of late money, as the ledger has it; not one that paid nothing, once a person has settled what becomes of the money. */
function lateRefund(order: KnownOrder, attention: PaymentState['attention']): PaymentState['late_payment_refund'] {
  const refund = findLateRefund(order);
  if (refund === undefined || (attention === null && hasPaidNothing(refund))) return undefined;
  const { number: out_request_no, named, answer, outcome, failure } = refund;
  if (failure) return { out_request_no, refund_status: null, reason: failure.message };
  const said = answer?.refund_status;
  return { out_request_no, refund_status: named ?? outcome ?? (typeof said === 'string' ? said : null), reason: null };
}

/** What came as the signal `payment`. Anybody may send it, with anything: undefined if no payment of this order can have sent it. */
export function readHandedOver(given: unknown, order: AfterSaleInput, now: number): HandedOver | undefined {
  if (!isHandedOver(given) || given.end.state.app_id !== order.app_id) return undefined;
  if ((given.end.state.out_trade_no ?? order.out_trade_no) !== order.out_trade_no) return undefined;
  const { end, claims, contradicted } = given;
  const reasons = end.reasons.filter(isAttention);
  // An end in the future would replace every real end.
  const ended_at = Math.min(end.ended_at, now);
  return {
    end: { ...end, reasons, ended_at },
    claims: claims.flatMap(claimIn),
    contradicted: contradicted.flatMap(claimIn),
  };
}

const claimIn = (given: unknown): NotificationClaim[] => {
  const signal = readSignal(given);
  return signal ? [claimOf(signal)] : [];
};

function isHandedOver(given: unknown): given is HandedOver {
  if (!isObject(given) || !Array.isArray(given.claims) || !Array.isArray(given.contradicted)) return false;
  if (!isObject(given.end)) return false;
  const { run_id, ended_at, watch_until, reasons, asked, state } = given.end;
  const isTimed = typeof ended_at === 'number' && typeof watch_until === 'number';
  return (
    typeof run_id === 'string' && isTimed && [reasons, asked].every(Array.isArray) && isObject(state) && isState(state)
  );
}

/** Checks only the fields that are read. */
function isState(state: Readonly<Record<string, unknown>>): boolean {
  const { app_id, history, other_trades, trade_no, out_trade_no, attention_since, taken } = state;
  const isNamed = isText(app_id) && [trade_no, out_trade_no].every(isTextOrNull);
  const isTimed = attention_since === null || isTime(attention_since);
  const isTaken = taken === null || (isObject(taken) && [taken.by, taken.time].every(isText));
  return (
    isNamed &&
    isTimed &&
    isTaken &&
    Array.isArray(history) &&
    Array.isArray(other_trades) &&
    other_trades.every(isObject)
  );
}

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isTextOrNull = (value: unknown) => value === null || isText(value);
