/** What merchants and persons ask of an after-sale, and what they are answered. Pure. */
import type { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleResolution,
  type AfterSaleState,
  type Attention,
  differingFields,
  FAILURE,
  type KnownOrder,
  type LedgerRefund,
  outcomeOf,
  PAYMENT_OUTCOMES,
  type PaymentOutcome,
  type RefundAnswer,
  type RefundMeaning,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
  refundMeaningOf,
  typedFailure,
} from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { hasAtMost } from '../../gateway/pure/ids';
import { amountProblem, isMore, sameAmount } from '../../gateway/pure/money';
import { generatedRefundNumber } from '../shared/refund-numbers';
import { assertResolution, invalidRequest, seenIssues } from '../shared/request-rules';
import { attentionOf } from './fold';
import { asEnded, findRefund, isComplete, leftAtGateway, leftToGrant, withElsewhere, withRefund } from './ledger';
import { isFresh, obstacleToAny } from './next-step';
import { hasUndecidedAmount, paymentNow } from './payment-end';
import { notNow } from './refusals';

type Decidable = Exclude<RefundOutcome, 'ACCEPTED'>;
const REFUND_OUTCOMES: readonly Decidable[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];

/** A refund is of the order that it is asked of. An id in its body could send it to another trade, in no ledger. */
const IDS_OF_A_TRADE = ['trade_no', 'out_trade_no'] as const;
const NAMES_NO_TRADE = 'not allowed: the refund is of the order that it is asked of';

/** Throws `InvalidRequest` where the request of a refund breaks a rule. */
export function assertRefundOrder(order: RefundOrder): void {
  // What lacks an amount asks for all: so nothing that is no request may pass for one.
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

/** What is wrong with the amount of a part. Others may send anything. */
function partProblem(part: unknown): string | undefined {
  if (part === undefined) return undefined;
  return typeof part === 'string' ? amountProblem(part) : 'must be text; leave it out for all that is left';
}

const isRefundNumber = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '' && hasAtMost(16, value));

/** A request that was granted: a new refund, or the one that the same request made earlier. */
interface Granted extends Pick<LedgerRefund, 'number' | 'amount' | 'currency' | 'isAll'> {
  readonly is: 'new' | 'known';
}

/**
 * Grants a refund, or finds the one that the same request made earlier. `requests`: those of this run; `now`: ms since the epoch. Throws why
 * there is none.
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
  const named = isWhole ? 'whole' : { amount: part, currency, reason };
  const number = order.out_request_no ?? generatedRefundNumber(sale, named);
  const earlier = findRefund(sale, number);
  // Where there certainly is no refund, its number may be used again.
  if (earlier && (earlier.outcome !== 'NOT_CREATED' || earlier.asked !== null))
    return repeated(earlier, paid.amount, requests.get(number), order);
  const obstacle = obstacleToAny(sale, now);
  if (obstacle) throw typedFailure(obstacle.type, obstacle.message, obstacle.details);
  const left = leftToGrant(sale);
  const amount = part ?? left;
  if (isMore(amount, '0') && !isMore(amount, left))
    return { is: 'new', number, amount, currency, isAll: part === undefined };
  const why = part === undefined ? 'Nothing is left' : `${part} is more than the ${left} that is left`;
  throw typedFailure(
    FAILURE.overRefund,
    `${why} of ${paid.amount} ${currency}. Nothing was sent.${withoutEnd(sale, now)}`,
    {
      left,
    },
  );
}

/** A refund without an end keeps its amount: one that is under way has it soon, and of another a person can say what became of it. */
function withoutEnd({ refunds }: KnownOrder, now: number): string {
  const open = refunds.filter(({ outcome, asked }) => outcome === null || asked !== null);
  const isForPerson = ({ begun, asked }: LedgerRefund) => asked !== null || (begun !== null && begun.at + DAY <= now);
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

/** `first`: the request that it was made by, where this run took it. */
function repeated(earlier: LedgerRefund, paid: string, first: RefundOrder | undefined, order: RefundOrder): Granted {
  const isSpent = earlier.outcome === 'REFUND_REFUSED' || earlier.outcome === 'REFUND_REVOKE';
  if (isSpent && earlier.asked === null) throw spent(earlier.number, earlier.outcome);
  const fields = differing(earlier, paid, first, order);
  if (fields.length === 0) return { ...earlier, is: 'known' };
  throw typedFailure(
    FAILURE.differentRequest,
    `Another refund was requested under this number, or without a number, with another ${fields.join(', ')}. To give back more, use a new out_request_no; to ask about that refund, send it as it was.`,
    { fields },
  );
}

function differing(
  { number, amount, currency, isAll }: LedgerRefund,
  paid: string,
  first: RefundOrder | undefined,
  order: RefundOrder,
): string[] {
  // A number that we made of all of it is only that of all.
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

/** The gateway has shown nothing that was paid. */
function notPaid(trade_status: string | null): ApplicationFailure {
  if (trade_status === null || outcomeOf(trade_status) === 'SUCCESS') return notTaken();
  const { type, message, details } = notNow(trade_status);
  return typedFailure(type, message, details);
}

function spent(out_request_no: string, outcome: RefundOutcome | null): ApplicationFailure {
  const what = outcome === 'REFUND_REFUSED' ? 'was refused' : 'was revoked';
  return typedFailure(
    FAILURE.notRefunded,
    `Refund ${out_request_no} ${what}, and the buyer has no money of it. Nothing was sent now. To try again, mend the request where needed and give it a new out_request_no (--number).`,
    { out_request_no, outcome },
  );
}

/** The answer to a request whose refund has one, or has ended. Throws why there is none. */
export function answerTo(entry: RefundState | undefined, state: AfterSaleState): RefundAnswer {
  const { trade_no, out_trade_no, trade_status, attention } = state;
  if (entry === undefined) throw pending('another request under its number came first');
  const { out_request_no, refund_amount, refund_currency, outcome } = entry;
  if (entry.attention === 'unknown-refund') throw pending('a person has to say what became of it');
  if (entry.answer) return entry.answer;
  if (entry.failure) throw typedFailure(entry.failure.type, entry.failure.message, entry.failure.details);
  if (outcome === 'NOT_CREATED') throw resolvedAsNotCreated(entry);
  if (outcome === 'REFUND_REFUSED' || outcome === 'REFUND_REVOKE') throw spent(out_request_no, outcome);
  if (outcome === null)
    throw pending(
      entry.started_at
        ? 'the gateway has not settled it'
        : attention === null
          ? `another refund of this trade comes first${trade_status === 'REFUND_VERIFYING' ? ': it waits for its buyer, who has to confirm it, or name an account, at the gateway' : ''}`
          : `a person has to look at the trade first (${attention})`,
    );
  const ids = { trade_no, out_trade_no, out_request_no };
  // It ended without the gateway's own answer: by a person, or by a query.
  return { ...ids, refund_amount, refund_currency, refund_status: outcome, recovered: true };
}

function resolvedAsNotCreated({ resolved }: RefundState): ApplicationFailure {
  const message = `There is no refund. ${resolved?.by ?? 'Somebody'} decided so: ${resolved?.reason ?? 'no reason given'}`;
  return typedFailure(FAILURE.notRefunded, message, { resolved });
}

/** Nobody has the request: unlike one that is pending, it does not go on by itself. */
export function notTaken(): ApplicationFailure {
  const message =
    'The gateway has not said yet what was paid, so the refund was not taken: nothing was sent, and nothing goes on. Ask again with the same request.';
  return typedFailure(FAILURE.notAnswered, message);
}

/** A number that was mistyped. Of an order that was made elsewhere a moment ago, the gateway may not know yet. */
export const orderNotFound = (out_trade_no: string) =>
  typedFailure(
    FAILURE.notFound,
    `Nobody knows order ${out_trade_no}: Temporal has no payment of it, and the gateway says that it has no such order. Nothing was refunded. Check the number.`,
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

/** Asked on and on, a run would have no room for the person whose decision is waited for. */
export const askedTooOften = () =>
  typedFailure(
    FAILURE.notAnswered,
    'This request was not taken, and nothing was sent: too many have come to this run. A refund that was taken before goes on: read the state for its end. Send `resolve` where the state has an attention, and ask again then.',
  );

function pending(why: string): ApplicationFailure {
  return typedFailure(
    FAILURE.refundPending,
    `The refund goes on by itself, but ${why}. Ask again with the same request.`,
    {},
  );
}

// — Persons —

const isEnd = (outcome: string): outcome is PaymentOutcome => PAYMENT_OUTCOMES.some((one) => one === outcome);
const isDecidable = (outcome: string): outcome is Decidable => REFUND_OUTCOMES.some((one) => one === outcome);

/** Throws `InvalidRequest` where a person's decision breaks a rule of its form. */
export function assertAfterSaleResolution(resolution: AfterSaleResolution): void {
  const { outcome, out_request_no, refunded_elsewhere: elsewhere, although } = resolution ?? {};
  const isAmount =
    elsewhere === undefined || (typeof elsewhere === 'string' && /^\d{1,14}(\.\d{1,8})?$/.test(elsewhere));
  const isOfOrder = out_request_no === undefined && outcome !== undefined && isEnd(outcome);
  assertResolution(resolution, [
    ...(outcome === undefined || isOfOrder || isDecidable(outcome)
      ? []
      : [
          {
            field: 'outcome',
            rule: `one of ${REFUND_OUTCOMES.join(', ')} for a refund, or ${PAYMENT_OUTCOMES.join(', ')} for the order`,
          },
        ]),
    ...(outcome === undefined || isOfOrder || typeof out_request_no === 'string'
      ? []
      : [{ field: 'out_request_no', rule: 'required with an outcome: the refund that was looked at' }]),
    ...(isAmount ? [] : [{ field: 'refunded_elsewhere', rule: 'an amount such as "100.00"' }]),
    ...(although === undefined || (typeof although === 'string' && (elsewhere !== undefined || outcome !== undefined))
      ? []
      : [
          {
            field: 'although',
            rule: 'text that goes with an outcome, or with refunded_elsewhere: it says nothing alone',
          },
        ]),
  ]);
}

/**
 * A person's decision as a fact. `shown` is the attention that people read, `now` ms since the epoch. Throws `InvalidRequest` where it is about a refund that is
 * not there or under way at this moment, names more than can be gone, or lacks the one thing that is asked for.
 */
export function decisionOf(sale: KnownOrder, resolution: AfterSaleResolution, shown: Attention | null, now: number) {
  const { by, reason, outcome, out_request_no, refunded_elsewhere: elsewhere } = resolution;
  const stale = seenIssues(resolution.seen, shown);
  if (stale.length > 0) throw invalidRequest(stale);
  const refund =
    outcome !== undefined && !isEnd(outcome) && out_request_no !== undefined
      ? { number: out_request_no, outcome }
      : undefined;
  if (refund) assertDecidable(sale, refund.number, refund.outcome, now);
  if (elsewhere !== undefined) assertElsewhere(sale, elsewhere);
  const decided = refund ? withRefund(sale, refund.number, asEnded(refund.outcome, 'operator')) : sale;
  const named = elsewhere === undefined ? decided : withElsewhere(decided, elsewhere);
  assertNotContradicted(sale, named, resolution);
  const said = { by, reason, ...(elsewhere === undefined ? {} : { elsewhere }) };
  if (outcome !== undefined && isEnd(outcome)) {
    if (sale.payment === null) throw invalidRequest([{ field: 'outcome', rule: NO_PAYMENT_HAS_ENDED }]);
    return { ...said, order: outcome };
  }
  if (refund) return { ...said, refund };
  if (elsewhere !== undefined) return said;
  if (shown === 'refund-elsewhere') throw invalidRequest([{ field: 'refunded_elsewhere', rule: AMOUNT_IS_MISSING }]);
  if (shown === 'amount-mismatch' && sale.payment)
    throw invalidRequest([{ field: 'outcome', rule: OUTCOME_IS_MISSING }]);
  // What has been read since the decision came, its person has not seen.
  const unseen = seenIssues(shown, attentionOf(sale));
  if (unseen.length > 0) throw invalidRequest(unseen);
  return { ...said, seen: shown };
}

/** Any refund may be decided, and decided again, unless its request is so fresh that no person can know what came of it. */
function assertDecidable(sale: KnownOrder, number: string, outcome: Decidable, now: number): void {
  if (findRefund(sale, number) === undefined)
    throw invalidRequest([{ field: 'out_request_no', rule: 'there is no refund under this number' }]);
  // That it paid was seen.
  const isSeen = outcome === 'REFUNDED' && findRefund(sale, number)?.phase !== 'sending';
  if (!isSeen && isFresh(sale, number, now))
    throw invalidRequest([
      {
        field: 'out_request_no',
        rule: 'it was sent less than two minutes ago: look at the gateway again in two minutes, and decide then',
      },
    ]);
}

/**
 * Throws `InvalidRequest` where a person names more as gone back elsewhere than was paid. With what is in the list it may be more: gateways
 * take refunds beyond the sum.
 */
function assertElsewhere({ paid }: KnownOrder, elsewhere: string): void {
  const most = paid?.amount ?? '0.00';
  if (!isMore(elsewhere, most)) return;
  const why = paid
    ? `${most} ${paid.currency} was paid. Refunds that are in the list do not count`
    : 'the gateway has not shown yet what was paid: send “recheck”, and say it then';
  throw invalidRequest([{ field: 'refunded_elsewhere', rule: `at most ${most}: ${why}` }]);
}

/** What stands against a decision: the word by which the person says to know it, and what it is. */
interface Contradiction {
  readonly word: string;
  readonly is: string;
}

/** Throws `InvalidRequest` where something stands against a decision, and the person has not said to know that. */
function assertNotContradicted(before: KnownOrder, after: KnownOrder, resolution: AfterSaleResolution): void {
  const against = [...deniedByGateway(before, after), ...decidedOtherwise(before, resolution)];
  const named = (resolution.although ?? '').split(/[\s,]+/);
  const unnamed = against.filter(({ word }) => !named.includes(word)).map(({ is }) => is);
  if (unnamed.length === 0) return;
  const words = [...new Set(against.map(({ word }) => word))].join(',');
  const rule = `${unnamed.join('; ')}. Where it is so all the same, add “although” (--although) with ${words}`;
  throw invalidRequest([{ field: 'although', rule }]);
}

/**
 * That a decision frees money which the gateway calls gone. Who names what went back elsewhere completes the list, and so frees all that it
 * leaves.
 */
function deniedByGateway(before: KnownOrder, after: KnownOrder): Contradiction[] {
  const { seen, paid } = before;
  if (seen === null || paid === null) return [];
  const { status } = seen;
  const left = leftAtGateway(after);
  const frees = isMore(left, leftAtGateway(before)) || isComplete(after) !== isComplete(before);
  if (!frees || !DENIED[refundMeaningOf(status)]?.(left, paid.amount)) return [];
  return [
    {
      word: status,
      is: `the gateway calls the trade ${status}, and this leaves ${left} of it: look again. Name with it what went back by refunds that are not in the list (“refunded_elsewhere”, --elsewhere)`,
    },
  ];
}

/** That a person has decided the same otherwise: of two at once, each of whom saw it open, the second one corrects the first. */
function decidedOtherwise(sale: KnownOrder, resolution: AfterSaleResolution): Contradiction[] {
  const stands = standingDecision(sale, resolution);
  if (stands === undefined || stands === resolution.outcome) return [];
  return [{ word: stands, is: `a person has decided ${stands} already: look with show who and why` }];
}

/** What a person has decided of the order, or of this refund, where nothing has made a question of it since. */
export function standingDecision(
  sale: KnownOrder,
  { outcome, out_request_no }: Pick<AfterSaleResolution, 'outcome' | 'out_request_no'>,
): string | undefined {
  if (outcome === undefined) return undefined;
  if (isEnd(outcome)) {
    const { outcome: standing, confirmed_by } = paymentNow(sale, null) ?? {};
    return confirmed_by === 'operator' && !hasUndecidedAmount(sale) ? (standing ?? undefined) : undefined;
  }
  const { phase, asked, confirmed_by, outcome: standing } = findRefund(sale, out_request_no ?? '') ?? {};
  return phase === 'ended' && asked === null && confirmed_by === 'operator' ? (standing ?? undefined) : undefined;
}

/** By what a trade’s status says of its refunds: whether a decision that leaves so much of what was paid denies it. */
const DENIED: Readonly<Partial<Record<RefundMeaning, (left: string, paid: string) => boolean>>> = {
  done: (left) => isMore(left, '0'),
  'part is done': (left, paid) => !isMore(paid, left),
};

const NO_PAYMENT_HAS_ENDED = 'no payment of this order has ended, as far as is known: send it to the payment';
const OUTCOME_IS_MISSING =
  'required: SUCCESS where the order counts as paid; CANCEL, REFUSED or EXPIRED where it does not';
const AMOUNT_IS_MISSING =
  'required: all that went back by refunds that are not in the list, such as "100.00"; "0.00" where nothing did';
