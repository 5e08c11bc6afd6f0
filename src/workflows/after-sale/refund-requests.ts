/** What merchants ask of an after-sale, and what they are answered. Pure. */
import { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleState,
  detailsOf,
  differingFields,
  digestOf,
  FAILURE,
  isEndUnpaid,
  isOwnFailureType,
  type KnownOrder,
  type LedgerRefund,
  moneyText,
  outcomeOf,
  type RefundAnswer,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
  type ShownFailure,
  typedFailure,
} from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { hasAtMost } from '../../gateway/pure/ids';
import { amountProblem, isMore, sameAmount, sumOf } from '../../gateway/pure/money';
import { invalidRequest } from '../shared/request-rules';
import { findMade, findOwnRefund, leftToGrant, takenAt } from './ledger';
import { obstacleToAny } from './next-step';
import { notNow } from './refusals';

/** A refund belongs to the order that it is asked of. An id in its body could send it to another trade, outside any ledger. */
const IDS_OF_A_TRADE = ['trade_no', 'out_trade_no'] as const;
const NAMES_NO_TRADE = 'not allowed: the refund is of the order that it is asked of';

/** Throws `InvalidRequest` if the request of a refund breaks a rule. */
export function assertRefundOrder(order: RefundOrder): void {
  // A request without an amount asks for all that is left, so anything that is not an object is refused.
  if (typeof order !== 'object' || order === null || Array.isArray(order))
    throw invalidRequest([{ field: '(request)', rule: 'must be an object: {} asks for all that is left' }]);
  const { refund_amount, refund_currency, out_request_no } = order;
  const amount = partProblem(refund_amount);
  const isCurrency = refund_currency === undefined || typeof refund_currency === 'string';
  const issues = [
    ...(amount === undefined ? [] : [{ field: 'refund_amount', rule: amount }]),
    ...(isCurrency ? [] : [{ field: 'refund_currency', rule: 'must be text' }]),
    ...(isRefundNumber(out_request_no) ? [] : [{ field: 'out_request_no', rule: 'text of at most 16 characters' }]),
    ...IDS_OF_A_TRADE.filter((field) => order[field] !== undefined).map((field) => ({ field, rule: NAMES_NO_TRADE })),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

/** What is wrong with the amount of a partial refund. Callers may send anything. */
function partProblem(part: unknown): string | undefined {
  if (part === undefined) return undefined;
  return typeof part === 'string' ? amountProblem(part) : 'must be text; leave it out for all that is left';
}

const isRefundNumber = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '' && hasAtMost(16, value));

/** The failure of a request with the order's number, and the refund's where it has one: what is logged alone has to name them. */
export function namingOrder(failure: unknown, out_trade_no: string, order: RefundOrder | undefined): unknown {
  if (!(failure instanceof ApplicationFailure) || !isOwnFailureType(failure.type)) return failure;
  const { type, message } = failure;
  const number = order?.out_request_no;
  const isNamed = number === undefined || !isRefundNumber(number) || message.includes(number);
  // Of an order that nobody knows the message says its number.
  return type === FAILURE.notFound
    ? failure
    : typedFailure(
        type ?? '',
        `Order ${out_trade_no}${isNamed ? '' : `, refund ${number}`}: ${message}`,
        detailsOf(failure),
      );
}

/** A request that was granted: a new refund, or the one that the same request made earlier. */
interface Granted extends Pick<LedgerRefund, 'number' | 'amount' | 'currency' | 'isAll'> {
  readonly is: 'new' | 'known';
}

/**
 * Grants a refund, or finds the one that the same request made earlier. `requests`: those of this run; `now`: ms since the epoch. Throws the
 * reason if it grants none.
 */
export function grantRefund(
  sale: KnownOrder,
  requests: ReadonlyMap<string, RefundOrder>,
  order: RefundOrder,
  now: number,
): Granted {
  const { paid, seen } = sale;
  if (paid === null) throw notPaid(seen?.status ?? null);
  const { refund_amount: part, refund_currency = paid.currency, refund_reason: reason = '' } = order;
  const { currency } = paid;
  if (refund_currency.toUpperCase() !== currency.toUpperCase())
    throw invalidRequest([{ field: 'refund_currency', rule: `must be the order’s, ${currency}` }]);
  const isWhole = part === undefined || sameAmount(part, paid.amount);
  const what = isWhole ? ['whole'] : [sumOf([part]), currency.toUpperCase(), reason];
  const number = order.out_request_no ?? generatedRefundNumber(sale.out_trade_no, what);
  const made = findMade(sale, number);
  if (made) {
    // A number that we generate is one per order: the answer would be about money of another trade.
    if (order.out_request_no === undefined && !findOwnRefund(sale, number)) throw madeOfOtherTrade(sale, number);
    return repeated(made, paid.amount, requests.get(number), order);
  }
  const obstacle = obstacleToAny(sale, now);
  if (obstacle) throw failureOf(obstacle);
  const left = leftToGrant(sale);
  const amount = part ?? left;
  if (isMore(amount, '0') && !isMore(amount, left))
    return { is: 'new', number, amount, currency, isAll: part === undefined };
  const why = part === undefined ? 'Nothing is left' : `${part} is more than the ${left} that is left`;
  const message = `${why} of ${paid.amount} ${currency}. Nothing was sent.${withoutEnd(sale, now)}`;
  throw typedFailure(FAILURE.overRefund, message, { left });
}

const failureOf = ({ type, message, details }: ShownFailure) => typedFailure(type, message, details);

/** A refund without an end keeps its amount. After a day that nothing has confirmed, callers read that a person can say how it ended. */
function withoutEnd({ refunds }: KnownOrder, now: number): string {
  const open = refunds.filter(({ outcome, asked }) => outcome === null || asked !== null);
  const isForPerson = (one: LedgerRefund) => one.asked !== null || (one.begun !== null && takenAt(one) + DAY <= now);
  const stuck = numbersOf(open.filter(isForPerson));
  const underWay = numbersOf(open.filter((one) => !isForPerson(one)));
  return [
    underWay &&
      ` It counts refunds that are under way: ${underWay}. What one of them does not pay is left again once it has ended.`,
    stuck &&
      ` It counts refunds whose end nothing confirms: ${stuck}. Where the gateway’s dashboard shows that one paid nothing, send \`resolve\` with its number and outcome. Wait while it is under way there.`,
  ].join('');
}

const numbersOf = (refunds: readonly LedgerRefund[]) => refunds.map(({ number }) => number).join(', ');

/** `first`: the request that made the refund, if this run took it. */
function repeated(earlier: LedgerRefund, paid: string, first: RefundOrder | undefined, order: RefundOrder): Granted {
  if (isEndUnpaid(earlier.outcome) && earlier.asked === null) throw spent(earlier.number, earlier.outcome);
  const fields = differing(earlier, paid, first, order);
  if (fields.length === 0) return { ...earlier, is: 'known' };
  const { number, amount, currency } = earlier;
  const under = order.out_request_no === undefined ? 'without a number' : 'under this number';
  throw typedFailure(
    FAILURE.differentRequest,
    `Refund ${number} of ${moneyText(amount, currency)} was requested ${under} before, with another ${fields.join(', ')}. Nothing was refunded now. To ask about that refund, send it as it was. Only what is to go back beside it takes a new out_request_no.`,
    { fields },
  );
}

const madeOfOtherTrade = ({ trade_no }: KnownOrder, number: string) =>
  typedFailure(
    FAILURE.differentRequest,
    `This refund was asked for before, as ${number}, of the trade that was the order’s then. Nothing was sent now. To give back money of trade ${trade_no}, give the request an out_request_no of its own (--number).`,
    { fields: ['out_request_no'] },
  );

function differing(
  { number, amount, currency, isAll }: LedgerRefund,
  paid: string,
  first: RefundOrder | undefined,
  order: RefundOrder,
): string[] {
  // A number that we generated for all of it stands only for all.
  const isSame = ({ refund_amount: part, out_request_no }: RefundOrder) =>
    part === undefined ? isAll || out_request_no === undefined || sameAmount(amount, paid) : sameAmount(part, amount);
  const named = (from: RefundOrder) => ({
    ...from,
    // A number that we generated is no difference, and no currency but the order's was granted.
    out_request_no: number,
    refund_currency: currency,
    refund_amount: isSame(from) ? amount : (from.refund_amount ?? 'all that is left'),
  });
  // Requests of earlier runs are not kept: compare the amount only.
  if (first === undefined) return isSame(order) ? [] : ['refund_amount'];
  return differingFields(named(first), named(order));
}

/** The failure if the gateway has shown nothing paid. */
function notPaid(trade_status: string | null): ApplicationFailure {
  if (trade_status === null || outcomeOf(trade_status) === 'SUCCESS') return notTaken();
  return failureOf(notNow(trade_status));
}

function spent(out_request_no: string, outcome: RefundOutcome | null): ApplicationFailure {
  const what = outcome === 'REFUND_REFUSED' ? 'was refused' : 'was revoked';
  return typedFailure(
    FAILURE.notRefunded,
    `Refund ${out_request_no} ${what}, and the buyer has no money of it. Nothing was sent now. To try again, mend the request where needed and give it a new out_request_no (--number).`,
    { out_request_no, outcome },
  );
}

/** The answer to a request whose refund has an answer. Otherwise throws why there is none. */
export function answerTo(entry: RefundState | undefined, state: AfterSaleState): RefundAnswer {
  if (entry === undefined) throw pending('it is not in the list of refunds any more');
  const { out_request_no, outcome } = entry;
  if (entry.attention === 'unknown-refund')
    throw pending('nobody knows whether the gateway has made it, and a person is asked');
  if (entry.answer) return entry.answer;
  if (entry.failure) throw failureOf(entry.failure);
  if (outcome === 'NOT_CREATED') throw resolvedAsNotCreated(entry);
  if (isEndUnpaid(outcome)) throw spent(out_request_no, outcome);
  throw pending(entry.started_at ? 'the gateway has not settled it' : waitsFor(entry, state));
}

/** What a refund that has not been sent waits for. */
function waitsFor({ out_request_no }: RefundState, { attention, trade_status, refunds }: AfterSaleState): string {
  if (attention === 'chargeback-reversed')
    return 'the gateway has to show the trade as paid again first: a chargeback has just been reversed';
  if (attention !== null) return `a person has to look at the trade first (${attention})`;
  if (trade_status === 'REFUND_VERIFYING')
    return 'another refund of this trade comes first: it waits for its buyer, who has to confirm it, or name an account, at the gateway';
  const others = refunds.filter((one) => one.out_request_no !== out_request_no);
  return !others.some(({ outcome }) => outcome === null || outcome === 'ACCEPTED')
    ? 'the gateway has to show first what became of the trade'
    : 'another refund of this trade comes first';
}

function resolvedAsNotCreated({ resolved }: RefundState): ApplicationFailure {
  const message = `There is no refund. ${resolved?.by ?? 'Somebody'} decided so: ${resolved?.reason ?? 'no reason given'}`;
  return typedFailure(FAILURE.notRefunded, message, { resolved });
}

/** The request was not taken: unlike a pending request, it does not go on by itself. */
export function notTaken(): ApplicationFailure {
  const message =
    'The gateway has not said yet what was paid, so the refund was not taken: nothing was sent, and nothing goes on. Ask again with the same request.';
  return typedFailure(FAILURE.notAnswered, message);
}

/** The money that is shown may be of another order under the number. */
export const notEnded = () =>
  typedFailure(
    FAILURE.notAnswered,
    'The payment still runs, and its end says which trade is the order’s, so the refund was not taken: nothing was sent, and nothing goes on. Where the payment’s state has an attention, send it `resolve`. Then ask again with the same request.',
  );

/** The number was mistyped, or the gateway does not know yet of an order that was made elsewhere a moment ago. */
export const orderNotFound = (out_trade_no: string) =>
  typedFailure(
    FAILURE.notFound,
    `Nobody knows order ${out_trade_no}: Temporal has no payment of it, and the gateway says that it has no such order. Nothing was done. Check the number.`,
    {},
  );

export const closing = () =>
  typedFailure(FAILURE.closing, 'Nothing was done: the after-sale is just ending. Ask again.', {});

export const justReset = () =>
  typedFailure(
    FAILURE.closing,
    'Nothing was done: somebody has reset the after-sale, and it reads first what it knew before. Ask again.',
    {},
  );

/** Without a limit, requests would use up the run's room for updates, and a person could not decide any more. */
export const askedTooOften = () =>
  typedFailure(
    FAILURE.notAnswered,
    'This request was not taken, and nothing was sent: too many have come to this run. A refund that was taken before goes on: read the state for its end. Send `resolve` where the state has an attention, and ask again then.',
  );

function pending(why: string): ApplicationFailure {
  return typedFailure(
    FAILURE.refundPending,
    `The refund goes on by itself, but ${why}. It may still be refused: ask again with the same request, which refunds nothing twice.`,
    {},
  );
}

/**
 * The number of a refund: the same for the same order, amount, currency and reason, at most 16 characters, and another one
 * for each order, because a gateway may ask for numbers that are unique over the whole app. A refund of all, or of all that is left,
 * has one number for each order: asked for twice, it is one refund. The number holds nothing personal. `what`: "whole", or the amount, the
 * currency and the reason of a part.
 */
const generatedRefundNumber = (out_trade_no: string, what: readonly string[]): string =>
  `R${digestOf(JSON.stringify([out_trade_no, ...what]))}`;

/** The number of the refund of a late payment: always the same for an order, and another one for each order. */
export const latePaymentRefundNumber = (out_trade_no: string): string => `L${digestOf(JSON.stringify([out_trade_no]))}`;
