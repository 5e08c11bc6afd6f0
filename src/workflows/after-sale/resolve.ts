/** What a person may decide after a sale, and what each decision changes. Pure. */
import {
  type AfterSaleResolution,
  type Attention,
  attentionOfStatus,
  type HeldClaim,
  isSilence,
  type KnownOrder,
  outcomeOf,
  PAYMENT_OUTCOMES,
  type PaymentOutcome,
  type RefundMeaning,
  type RefundOutcome,
  refundMeaningOf,
} from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { isMore } from '../../gateway/pure/money';
import { iso } from '../../gateway/pure/timestamps';
import { OF_THE_BANK, withoutReasons } from '../shared/attention-reasons';
import { assertResolution, invalidRequest, seenIssues } from '../shared/request-rules';
import { attentionOf } from './attention';
import type { AfterSaleFact } from './facts';
import {
  asEnded,
  findOwnRefund,
  findRefund,
  isComplete,
  leftAtGateway,
  mayBeGone,
  REFUND_REASONS,
  withElsewhere,
  withRefund,
  withUnknownRefund,
} from './ledger';
import { hasMoney, isUnpaid, otherAmounts, outcomeNow, paymentNow, shownStatus } from './payment-end';
import { distinct } from './readings';
import { outcomeNamed } from './refund-table';

type Decidable = Exclude<RefundOutcome, 'ACCEPTED'>;
const REFUND_OUTCOMES: readonly Decidable[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];

type Decided = Extract<AfterSaleFact, { is: 'decided' }>;

// — Which decisions are taken —

const isEnd = (outcome: string | undefined): outcome is PaymentOutcome =>
  PAYMENT_OUTCOMES.some((one) => one === outcome);
const isDecidable = (outcome: string): outcome is Decidable => REFUND_OUTCOMES.some((one) => one === outcome);

/** Throws `InvalidRequest` if a person's decision breaks a rule of its form. */
export function assertAfterSaleResolution(resolution: AfterSaleResolution): void {
  const { outcome, out_request_no, refunded_elsewhere: elsewhere, although } = resolution ?? {};
  const isAmount =
    elsewhere === undefined || (typeof elsewhere === 'string' && /^\d{1,14}(\.\d{1,8})?$/.test(elsewhere));
  const isOfOrder = out_request_no === undefined && isEnd(outcome);
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
      : [
          {
            field: 'out_request_no',
            rule: 'required with the outcome of a refund: the number of the one that was looked at',
          },
        ]),
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
 * A person's decision as a fact. `shown` is the attention that people read, `now` ms since the epoch. Throws `InvalidRequest` if it is about a
 * refund that is not there or under way at this moment, names more than can be gone, or lacks the one thing that is asked for.
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
  if (elsewhere !== undefined) {
    if (refund && !findOwnRefund(sale, refund.number))
      throw invalidRequest([{ field: 'refunded_elsewhere', rule: IS_OF_OTHER_TRADE }]);
    assertElsewhere(sale, elsewhere);
  }
  const decided = refund ? withRefund(sale, refund.number, asEnded(refund.outcome, 'operator')) : sale;
  const named = elsewhere === undefined ? decided : withElsewhere(decided, elsewhere);
  assertNotContradicted(sale, named, resolution, shown);
  const said = { by, reason, ...(elsewhere === undefined ? {} : { elsewhere }) };
  if (isEnd(outcome)) {
    if (sale.payment === null) throw invalidRequest([{ field: 'outcome', rule: NO_PAYMENT_HAS_ENDED }]);
    return { ...said, order: outcome };
  }
  if (refund) return { ...said, refund };
  if (elsewhere !== undefined) return said;
  if (shown === 'refund-elsewhere') throw invalidRequest([{ field: 'refunded_elsewhere', rule: AMOUNT_IS_MISSING }]);
  if (shown === 'amount-mismatch' && sale.payment)
    throw invalidRequest([{ field: 'outcome', rule: OUTCOME_IS_MISSING }]);
  if (REFUND_REASONS.some((one) => one === shown))
    throw invalidRequest([{ field: 'out_request_no', rule: REFUND_IS_MISSING }]);
  // The person has not seen what was read after the decision came.
  const unseen = seenIssues(shown, attentionOf(sale));
  if (unseen.length > 0) throw invalidRequest(unseen);
  return { ...said, seen: shown };
}

/** For this long a request that was given up may still arrive, and the dashboard that a person has seen may be older than an answer. In ms. */
const TOO_FRESH_MS = 2 * MINUTE;

/** Any refund may be decided, and decided again, unless its request is so fresh that no person can know how it ended. */
function assertDecidable(sale: KnownOrder, number: string, outcome: Decidable, now: number): void {
  const { phase, answered_at = null } = findRefund(sale, number) ?? {};
  if (phase === undefined)
    throw invalidRequest([{ field: 'out_request_no', rule: 'there is no refund under this number' }]);
  const isFresh = phase !== 'ended' && answered_at !== null && now - answered_at < TOO_FRESH_MS;
  if (phase === 'sending')
    throw invalidRequest([
      { field: 'out_request_no', rule: 'its request is on its way at this moment: decide once it is answered' },
    ]);
  // A person who says that it paid has seen that.
  if (isFresh && outcome !== 'REFUNDED')
    throw invalidRequest([
      {
        field: 'out_request_no',
        rule: 'it was sent less than two minutes ago: look at the gateway again in two minutes, and decide then',
      },
    ]);
}

/**
 * Throws `InvalidRequest` if a person names more as gone back elsewhere than was paid. Together with the listed refunds it may be more:
 * gateways take refunds beyond the sum.
 */
function assertElsewhere({ paid }: KnownOrder, elsewhere: string): void {
  const most = paid?.amount ?? '0.00';
  if (!isMore(elsewhere, most)) return;
  const why = paid
    ? `${most} ${paid.currency} was paid. Refunds that are in the list do not count`
    : 'the gateway has not shown yet what was paid: send “recheck”, and say it then';
  throw invalidRequest([{ field: 'refunded_elsewhere', rule: `at most ${most}: ${why}` }]);
}

/** What contradicts a decision: the word by which the person confirms knowing it, and its explanation. */
interface Contradiction {
  readonly word: string;
  readonly is: string;
}

/** Throws `InvalidRequest` if something contradicts a decision, and the person has not confirmed knowing it. */
function assertNotContradicted(
  before: KnownOrder,
  after: KnownOrder,
  resolution: AfterSaleResolution,
  shown: Attention | null,
): void {
  const decided = decidedOtherwise(before, resolution);
  const unasked = shown === null && decided.length === 0 ? deniedByTrade(before, resolution) : [];
  const against = [...deniedByGateway(before, after), ...decided, ...unasked];
  const named = (resolution.although ?? '').split(/[\s,]+/);
  const unnamed = against.filter(({ word }) => !named.includes(word)).map(({ is }) => is);
  if (unnamed.length === 0) return;
  const words = [...new Set(against.map(({ word }) => word))].join(',');
  const rule = `${unnamed.join('; ')}. Where it is so all the same, add “although” (--although) with ${words}`;
  throw invalidRequest([{ field: 'although', rule }]);
}

/**
 * The decision frees money that the gateway calls gone. A person who names what went back elsewhere completes the list, and so frees all
 * that is left.
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

/** That nobody was asked, and the gateway calls the trade something else: a mistyped number would sell an order that nobody paid, or call off a sale. */
function deniedByTrade(sale: KnownOrder, { outcome }: AfterSaleResolution): Contradiction[] {
  const status = shownStatus(sale) ?? '';
  const ended = outcomeOf(status);
  const isDenied = isEnd(outcome) && ended !== null && (ended === 'SUCCESS') !== (outcome === 'SUCCESS');
  return isDenied
    ? [{ word: status, is: `nothing of this order waits for a person, and the gateway says ${status}` }]
    : [];
}

/**
 * A person has decided otherwise before: of two who saw it open and decide at once, the second would correct the first. Or the gateway has
 * told by the refund's number how it ended.
 */
function decidedOtherwise(sale: KnownOrder, resolution: AfterSaleResolution): Contradiction[] {
  const { outcome: stands, by } = standingDecision(sale, resolution) ?? {};
  // A refund that was done may come back.
  const isLater = by === 'notification' && resolution.outcome === 'REFUND_REVOKE';
  if (stands === undefined || by === undefined || stands === resolution.outcome || isLater) return [];
  return [{ word: stands, is: `${STANDS_BY[by]} ${stands} already: look with show who and why` }];
}

const STANDS_BY = { operator: 'a person has decided', notification: 'a signed notification of this refund has said' };

/** What a person has decided about the order or this refund, or a notification has told of the refund, unless it is in question again. */
export function standingDecision(
  sale: KnownOrder,
  { outcome, out_request_no }: Pick<AfterSaleResolution, 'outcome' | 'out_request_no'>,
): { readonly outcome: string; readonly by: keyof typeof STANDS_BY } | undefined {
  if (outcome === undefined) return undefined;
  if (isEnd(outcome)) {
    const { outcome: standing, confirmed_by: by } = paymentNow(sale, { attention: null }) ?? {};
    const isAsked = sale.reasons.includes('amount-mismatch');
    return by === 'operator' && standing && !isAsked ? { outcome: standing, by } : undefined;
  }
  const { asked, confirmed_by: by = null, outcome: standing } = findRefund(sale, out_request_no ?? '') ?? {};
  if (by === null || by === 'query' || !standing) return undefined;
  return asked === null ? { outcome: standing, by } : undefined;
}

/** For each meaning of a trade’s status: whether a decision that leaves `left` of the amount `paid` contradicts it. */
const DENIED: Readonly<Partial<Record<RefundMeaning, (left: string, paid: string) => boolean>>> = {
  done: (left) => isMore(left, '0'),
  'part is done': (left, paid) => !isMore(paid, left),
};

const NO_PAYMENT_HAS_ENDED = 'no payment of this order has ended, as far as is known: send it to the payment';
const OUTCOME_IS_MISSING =
  'required: SUCCESS where the order counts as paid; CANCEL, REFUSED or EXPIRED where it does not';
const REFUND_IS_MISSING =
  'required, with an outcome: the number of the refund that is asked about. Having looked does not settle it';
const IS_OF_OTHER_TRADE = 'send it alone: it is about the order’s trade, and this refund is of a trade before it';
const AMOUNT_IS_MISSING =
  'required: all that went back by refunds that are not in the list, such as "100.00"; "0.00" where nothing did';

// — What they change —

/** What is known after a person’s decision. */
export function decidedAfterSale(before: KnownOrder, fact: Decided): KnownOrder {
  const { by, reason, refund, elsewhere, seen, at } = fact;
  const order = withOthersSeen(fact.order === undefined ? before : withOutcome(before, fact.order), fact);
  const shown = shownStatus(order);
  const decided = { by, reason, shown };
  const named =
    refund === undefined
      ? order
      : withRefund(order, refund.number, {
          ...asEnded(refund.outcome, 'operator'),
          ...{ over_by: findRefund(order, refund.number)?.over_by ?? at, decided, failure: null },
        });
  // Then somebody else's refund is what the trade has shown since this one was begun.
  const isOfOthers =
    (refund?.outcome === 'NOT_CREATED' && hasMovedUnnamed(order, refund.number)) ||
    (refund?.outcome === 'REFUND_REFUSED' && showsMoneyOfNobody(named));
  const explained = isOfOthers ? withUnknownRefund(named) : named;
  const counted = elsewhere === undefined ? explained : withElsewhere(explained, elsewhere);
  const settled = seen && seen !== 'refund-elsewhere' ? withoutReasons(looked(counted, seen), [seen]) : counted;
  const to = refund?.outcome ?? fact.order ?? shown ?? 'resolved';
  const said = { by, reason, ...(elsewhere === undefined ? {} : { refunded_elsewhere: elsewhere }) };
  // A person's outcome of the order replaces the outcome that was told.
  const from = fact.order === undefined ? shown : (outcomeNow(before) ?? shown);
  const history = [...settled.history, { time: iso(at), from, to, source: 'operator' as const, ...said }];
  return { ...settled, history };
}

/**
 * A person who has looked at other trades, or at an order that was not paid, has seen those that the gateway did not answer for. Trades
 * that it was not asked for yet are still asked for.
 */
function withOthersSeen(order: KnownOrder, { seen, order: outcome }: Decided): KnownOrder {
  const isRead = outcome !== undefined || seen === 'second-trade' || (seen != null && isUnpaid(order));
  if (!isRead) return order;
  const others = order.others.map((one) => (one.asked === 'unanswered' ? { ...one, asked: 'answered' as const } : one));
  return { ...order, others };
}

/** A person who says how the order has ended was shown all reasons of the order itself, so these are settled. */
function withOutcome(order: KnownOrder, outcome: PaymentOutcome): KnownOrder {
  const knew = hasMoney(order) || outcomeOf(shownStatus(order) ?? '') === 'SUCCESS';
  const amounts = distinct([...(order.decision?.amounts ?? []), ...otherAmounts(order)]);
  const decision = { outcome, knew, shown: order.seen?.status ?? null, amounts };
  return { ...order, decision, contradicted: [], reasons: ofMoney(order) };
}

/** The reasons about money that went back, or may go back. */
const ofMoney = ({ reasons }: KnownOrder) =>
  reasons.filter((one) => OF_THE_BANK.includes(one) || one === 'refund-elsewhere');

/** Whether the trade shows that money went back, and nothing that is known explains it. */
function showsMoneyOfNobody({ seen, refunds, elsewhere }: KnownOrder): boolean {
  const isExplained = refunds.some((one) => mayBeGone(one) || one.outcome === 'REFUND_REVOKE') || elsewhere !== '0.00';
  return outcomeNamed(seen?.status ?? '') === 'REFUNDED' && !isExplained;
}

/** Whether the trade has moved since this refund was begun, and no person has said since what went back elsewhere. */
function hasMovedUnnamed(order: KnownOrder, number: string): boolean {
  const { moved = false, begun = null } = findOwnRefund(order, number) ?? {};
  const isNamed = order.history.some(
    ({ time, refunded_elsewhere }) => refunded_elsewhere !== undefined && Date.parse(time) >= (begun?.at ?? 0),
  );
  return moved && !isNamed;
}

/** A person has looked at a reason. */
function looked(order: KnownOrder, seen: Attention): KnownOrder {
  // For an order that was not paid, the person has read all reasons.
  if (isUnpaid(order))
    return { ...(order.denied ? withoutTrade(order) : order), contradicted: [], reasons: ofMoney(order) };
  // A gateway that has never shown the trade is not asked any more.
  const isGivenUp = isSilence(seen) && order.seen === null && order.held.length === 0;
  if (seen === 'unknown-trade' || isGivenUp) return withoutTrade(order);
  if (seen === 'unconfirmed-notification') return { ...order, contradicted: [] };
  // While the gateway does not answer, only a person can settle what was notified of the bank. A later answer is
  // news again.
  const isSilent = order.denied !== null || order.reasons.some(isSilence);
  const isSeen = ({ claim }: HeldClaim) => isSilent && attentionOfStatus(claim.trade_status) === seen;
  return { ...order, held: order.held.filter((one) => !isSeen(one)) };
}

/** There is no such trade: notifications that came before the gateway's denial are settled, too. */
function withoutTrade(order: KnownOrder): KnownOrder {
  const { heard = order.heard, at = 0 } = order.denied ?? {};
  const held = order.held.filter((one) => one.heard > heard);
  return { ...order, denied: { heard, at, isSettled: true }, held, contradicted: [] };
}
