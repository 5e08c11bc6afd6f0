/**
 * The promises, checked from outside: the gateway's ledger and the log of what reached it, the notifications that were
 * acknowledged, and what merchants and operators were told. Nothing here knows how the code decides.
 * Each check answers with what is broken, in words; an empty list is a kept promise.
 */
import { FAILURE } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { BEGIN, type Broken, SETTLING_MS, UNDER_WAY_MS } from '../../hostile/base-world';
import type { Exchange, Trade } from '../../hostile/gateway';
import { always, when } from '../../hostile/oracle';
import {
  orderAnswersAlike,
  outcomesAreTrue,
  questionsAreAnswered,
  recheckTellsWhatIs,
  refusedIsNotBurned,
  waitersAreAnswered,
  withdrawnIsNotSent,
} from './answers';
import { fewEvents, fewQueries } from './cost';
import {
  ENDS_WITHOUT_MONEY,
  hasMoney,
  isOfATrade,
  mayBeTakenForOurs,
  mayStillBePaid,
  NOTICED_WITHIN_MS,
  nothingOfOursExists,
  paidAt,
  rank,
  type Seen,
  same,
  wasBeforeAPerson,
  wasNotifiedBefore,
} from './facts';
import { noMoreThanCame, onlyLatePaymentsOfOurs } from './refunds';
import { EXPIRY_MS, GRACE_MS, type Told, type World } from './world';

/** `PAYMENTS_CREATE_WITHIN`: shorter than the order's own expiry. */
const SEND_WITHIN_MS = HOUR;

/** A Boleto is open for thirty days, and takes three to settle; and a day of grace. */
const LONGEST_WATCH_MS = 34 * DAY;

export type { Seen };
export { mayStillBePaid };

/** What must be so at every moment. */
export function safety(world: World, seen: readonly Seen[]): Broken[] {
  return [
    ...noSecondChargeBlindly(world),
    ...noFinalWordOnUnknown(world, seen),
    ...nothingSentTooLate(world),
    ...orderAnswersAlike(world),
    ...withdrawnIsNotSent(world),
    ...refusedIsNotBurned(world),
    ...recheckTellsWhatIs(world),
    ...questionsAreAnswered(world),
    ...outcomesAreTrue(world),
    ...noMoreThanCame(world),
    ...onlyLatePaymentsOfOurs(world, seen),
    ...fewQueries(world),
    ...fewEvents(world),
    ...nothingForAnotherOrder(world),
    ...ourOwnIsNoDuplicate(world),
    ...othersAreNotAnswered(world),
    ...onlyRealMoney(world, seen),
    ...noEndWithoutAnAnswer(world, seen),
    ...neverBackwards(seen),
    ...always(world),
  ];
}

/** What must be so once the trouble is over and everything had its time; then a person clears what waits for one. */
export function liveness(world: World, seen: readonly Seen[]): Broken[] {
  return [
    ...moneyIsKnown(world, seen),
    ...latePaymentsAreKnown(world, seen),
    ...secondTradesAreKnown(world, seen),
    ...saleStays(world, seen),
    ...notOursIsNotSold(world, seen),
    ...namedIsLookedAt(world),
    ...nothingHangs(world, seen),
    ...attentionIsTrue(world),
    ...waitersAreAnswered(world, seen, true),
    ...merchantHeardAll(world, seen),
    ...failuresAreTold(world),
    ...failuresAreTrue(world),
    ...endIsHandedOver(world, seen),
  ];
}

/** 1 and 2. A creation that may have happened is followed by another only after looks that kept saying "no such order". */
function noSecondChargeBlindly({ gateway, acknowledged, absences, refundsAsked }: World): Broken[] {
  // A creation that waited for a worker beside the notification may be taken first.
  const isLateTask = (at: number) => absences.some(({ until }) => until <= at && at < until + UNDER_WAY_MS);
  const broken: Broken[] = [];
  let unknownSince: number | undefined;
  let denied: number[] = [];
  let mayExist = false;
  let isSent = false;
  for (const { at, is, answered } of gateway.exchanges) {
    if (is === 'query') {
      if (answered === 'no such order') denied.push(at);
      // What was there before anybody sent ours is another's. What a refund's own look was shown, the payment does not know.
      const isOfARefund = refundsAsked.some((asked) => asked <= at);
      if (answered === 'trade' && isSent && !isOfARefund) mayExist = true;
      continue;
    }
    if (answered === 'not sent') continue;
    isSent = true;
    const isFresh = at - (denied.at(-1) ?? 0) < MINUTE;
    const lasted = isFresh && (denied.at(-1) ?? 0) - (denied[0] ?? 0) >= SETTLING_MS - 1_000;
    if (unknownSince !== undefined && !lasted) {
      broken.push({
        promise: 2,
        what: `a creation at ${when(at)}, while the one at ${when(unknownSince)} was unknown and no looks had just lasted`,
      });
    }
    if (mayExist) broken.push({ promise: 1, what: `a creation at ${when(at)}, after the gateway had shown the order` });
    const named = isLateTask(at) ? undefined : acknowledged.find((one) => one.at < at - UNDER_WAY_MS);
    if (named)
      broken.push({
        promise: 1,
        what: `a creation at ${when(at)}, after a notification of ${named.trade_no} at ${when(named.at)}`,
      });
    if (answered === 'trade' || answered === 'created refused' || answered === 'duplicate') mayExist = true;
    if (answered === 'nothing') {
      unknownSince = at;
      denied = [];
    } else if (answered !== 'temporary') unknownSince = undefined;
  }
  return broken;
}

/**
 * 2. Nobody is told that there is no order, or that it was refused, while an earlier creation may have made one, unless looks
 * have lasted since the last creation.
 */
function noFinalWordOnUnknown({ gateway, told }: World, seen: readonly Seen[]): Broken[] {
  const notCreated = told.flatMap((one) =>
    one.is === 'failure' && one.type === 'NotCreatedError' ? [{ word: 'NotCreated', at: one.at }] : [],
  );
  const refused = seen.flatMap(({ state: { refused_because, history } }) =>
    history.flatMap(({ to, source, time }) =>
      refused_because !== null && to === 'REFUSED' && source === 'creation' ? [{ word: to, at: Date.parse(time) }] : [],
    ),
  );
  return [...notCreated, ...refused].flatMap(({ word, at: told_at }) => {
    const before = gateway.exchanges.filter(({ at }) => at <= told_at);
    const creations = before.filter(({ is, answered }) => is === 'creation' && answered !== 'not sent');
    const unknown = creations.findLast(({ answered }) => answered === 'nothing');
    const denied = before.filter(
      ({ at, is, answered }) => is === 'query' && answered === 'no such order' && at >= (creations.at(-1)?.at ?? 0),
    );
    const lasted = (denied.at(-1)?.at ?? 0) - (denied[0]?.at ?? 0) >= SETTLING_MS - 1_000;
    if (!unknown || lasted) return [];
    return [
      { promise: 2, what: `told ${word} at ${when(told_at)}, while the creation at ${when(unknown.at)} was unknown` },
    ];
  });
}

/** 2. What was certainly not sent is not sent later than the order's own time, or an hour. */
function nothingSentTooLate({ gateway, asked, told }: World): Broken[] {
  const first = gateway.exchanges.find(({ is, answered }) => is === 'creation' && answered !== 'not sent');
  if (!first || told.some(({ is }) => is === 'reset')) return [];
  const wanted = asked.findLast((at) => at <= first.at) ?? BEGIN;
  if (first.at <= wanted + SEND_WITHIN_MS + UNDER_WAY_MS) return [];
  return [{ promise: 2, what: `the order was sent at ${when(first.at)} for the first time` }];
}

/** 1. Whoever asks for an order gets the payment data of that order, and of no other one under its number. */
function nothingForAnotherOrder(world: World): Broken[] {
  const { told, gateway } = world;
  return told.flatMap((one) => {
    if (one.is !== 'payment data') return [];
    const { trade_no = null, trade_status } = one.data;
    const { kind, amount } = one.order;
    // Who asked for the order itself hears how it ended, under attention where a lost creation leaves only another's to look at.
    if (world.isOwn(one.order) && ENDS_WITHOUT_MONEY.includes(String(trade_status))) return [];
    const isFor = (trade: Trade) => {
      // Our own order is what we made of it, whatever the buyer pays. Of a trade that somebody else made, nobody can say how.
      if (trade.made_by === 'us' && world.isOwn(one.order)) return true;
      const isOfKind = trade.kind === kind || trade.made_by === 'another system' || one.asked >= world.forgottenAt;
      return same(amount, trade.made_over) && isOfKind;
    };
    const isItsOwn = gateway.trades.some((trade) => (trade_no === null || trade.trade_no === trade_no) && isFor(trade));
    // A person may end an order that was never sent: its answer names no trade.
    const isUnsent = trade_no === null && gateway.trades.every(({ made_by }) => made_by !== 'us');
    if (isItsOwn || (isUnsent && told.some(({ is }) => is === 'resolved'))) return [];
    return [{ promise: 1, what: `payment data of ${String(trade_no)} for an order of its own (${kind}, ${amount})` }];
  });
}

/**
 * 1. Where nothing of ours can exist, nobody is answered with a trade of another system, unless somebody adopted it, or its
 * notification was there before the call.
 */
function othersAreNotAnswered(world: World): Broken[] {
  const { told, gateway, hasAdopted, wasCutOff } = world;
  if (hasAdopted || wasCutOff) return [];
  return told.flatMap((one) => {
    if (one.is !== 'payment data') return [];
    const trade = gateway.trades.find(({ trade_no }) => trade_no === one.data.trade_no);
    const mayBeOurs = gateway.exchanges.some(
      ({ at, is, answered }) =>
        is === 'creation' && at <= one.at && answered !== 'not sent' && answered !== 'duplicate',
    );
    if (trade?.made_by !== 'another system' || mayBeOurs) return [];
    if (wasNotifiedBefore(world, trade.trade_no, one.asked)) return [];
    return [{ promise: 1, what: `payment data of ${trade.trade_no}, which another system made, at ${when(one.at)}` }];
  });
}

/** 1. Nobody is told that the number has another order, where the gateway has only ours. */
function ourOwnIsNoDuplicate(world: World): Broken[] {
  const { told, gateway, hasOtherOrder } = world;
  const isOurs =
    !hasOtherOrder && gateway.trades.every(({ made_by, amount }) => made_by === 'us' && same(amount, world.own.amount));
  // Of a number that was adopted, a person may have said how it ended though the gateway has nothing.
  const isSaid = gateway.trades.length === 0 && told.some(({ is }) => is === 'resolved');
  if (!isOurs || isSaid) return [];
  return told.flatMap((one) =>
    one.is === 'failure' && one.type === 'DuplicateOrderError' && world.isOwn(one.order)
      ? [{ promise: 1, what: `told DuplicateOrder at ${when(one.at)}: ${one.message}` }]
      : [],
  );
}

/** 4. SUCCESS is said of money that the gateway has, of that trade, and of the ordered amount. */
function onlyRealMoney({ gateway, traits, acknowledged }: World, seen: readonly Seen[]): Broken[] {
  return seen.flatMap(({ runId, state }) => {
    const { outcome, confirmed_by, trade_no, order_amount } = state;
    if (outcome !== 'SUCCESS' || confirmed_by === 'operator') return [];
    const trade = gateway.trades.find((one) => one.trade_no === trade_no);
    if (trade && paidAt(trade) !== undefined && same(order_amount, trade.amount)) return [];
    // The setting believes what the gateway has signed.
    const isBelieved = acknowledged.some(
      (one) => one.trade_no === trade_no && one.status === 'SUCCESS' && same(order_amount, one.amount),
    );
    if (!traits.confirmByQuery && isBelieved) return [];
    return [
      { promise: 4, what: `${runId} says SUCCESS of ${trade_no} over ${order_amount}, which the ledger does not` },
    ];
  });
}

/** 4. EXPIRED is our own word. It follows an answer of the gateway, and not a silence. */
function noEndWithoutAnAnswer({ gateway }: World, seen: readonly Seen[]): Broken[] {
  return seen.flatMap(({ runId, state: { history } }) => {
    const end = history.find(({ to, source }) => to === 'EXPIRED' && source === 'deadline');
    if (!end) return [];
    const at = Date.parse(end.time);
    const answered = gateway.exchanges.some(
      (one) =>
        one.is === 'query' &&
        ['trade', 'no such order'].includes(one.answered) &&
        one.at > at - 20 * MINUTE &&
        one.at <= at,
    );
    return answered
      ? []
      : [{ promise: 4, what: `${runId} says EXPIRED at ${end.time}, and no query was answered before` }];
  });
}

/** 6. No state follows one that comes after it. */
function neverBackwards(seen: readonly Seen[]): Broken[] {
  return seen.flatMap(({ runId, state: { history } }) => {
    const ranks = history.filter(({ source }) => source !== 'operator').map(({ to }) => rank(to));
    const isSorted = ranks.every((one, i) => i === 0 || one >= (ranks[i - 1] ?? 0));
    return isSorted ? [] : [{ promise: 6, what: `${runId} went ${history.map(({ to }) => to).join(' → ')}` }];
  });
}

/** 6. What was sold once is sold for whoever asks later, whichever run answers. */
function saleStays({ told, runs, gateway }: World, seen: readonly Seen[]): Broken[] {
  // The fault model has no signed notification of money that never came. Only who believes one, and ends the run before it hands over, loses it.
  const isCutOffLie = ({ runId, state }: Seen) => {
    const isPaid = gateway.trades.some((one) => one.trade_no === state.trade_no && paidAt(one) !== undefined);
    return !isPaid && runs.some((run) => run.runId === runId && run.status === 'TERMINATED');
  };
  const sold = seen.find(
    (one) => one.state.outcome === 'SUCCESS' && one.state.confirmed_by !== 'operator' && !isCutOffLie(one),
  );
  // A run that a person ends as soon as it starts has no time to say anything.
  const hadNoTime = ({ runId }: Seen) => {
    const { status, startedAt = 0 } = runs.find((run) => run.runId === runId) ?? {};
    const isEnd = ({ is, at }: Told) => (is === 'terminated' || is === 'reset') && at >= startedAt;
    return status === 'TERMINATED' && told.some((one) => isEnd(one) && one.at <= startedAt + UNDER_WAY_MS);
  };
  const last = seen.findLast((one) => one === sold || !hadNoTime(one));
  if (!sold || !last || last.state.outcome === 'SUCCESS') return [];
  // A person may say after the sale that it was none.
  if (last.state.confirmed_by === 'operator' && told.some(({ is }) => is === 'resolved')) return [];
  return [{ promise: 6, what: `${sold.runId} was sold, and ${last.runId} says ${last.state.outcome ?? 'nothing'}` }];
}

/** 3 and 5. Money that the gateway has is SUCCESS, or before a person. */
function moneyIsKnown(world: World, seen: readonly Seen[]): Broken[] {
  return world.gateway.trades.flatMap((trade) => {
    const at = paidAt(trade);
    if (at === undefined || !hasMoney(trade) || !mustBeKnown(world, trade, at)) return [];
    // A person may have decided before the gateway had given the trade a number.
    const isSale = seen.some(
      ({ state }) => state.outcome === 'SUCCESS' && (state.trade_no ?? trade.trade_no) === trade.trade_no,
    );
    if (isSale || wasBeforeAPerson(world, seen, trade.trade_no, at)) return [];
    return [
      {
        promise: trade.made_by === 'us' ? 5 : 3,
        what: `${trade.amount} came for ${trade.trade_no} at ${when(at)}, and nobody knows`,
      },
    ];
  });
}

/** 8. Money that came after people were told that the payment ended without it is before a person. */
function latePaymentsAreKnown(world: World, seen: readonly Seen[]): Broken[] {
  const ended = world.told.find(
    (one) =>
      (one.is === 'resolved' && one.outcome !== 'SUCCESS' && one.workflowId === world.workflowId) ||
      one.is === 'terminated' ||
      (one.is === 'failure' && one.type === 'NotCreatedError' && world.isOwn(one.order)),
  );
  if (!ended) return [];
  return world.gateway.trades.flatMap((trade) => {
    const at = paidAt(trade);
    const sale = seen.find(({ state }) => state.outcome === 'SUCCESS' && state.trade_no === trade.trade_no);
    if (at === undefined || at <= ended.at + UNDER_WAY_MS || !sale || sale.state.confirmed_by === 'operator') return [];
    // Of money of our own order the settings may say what is done.
    const isSentBack = world.gateway.refunds.some(({ trade_no }) => trade_no === trade.trade_no);
    const { late } = world.traits;
    if (trade.made_by === 'us' && (late === 'accept' || (late === 'refund' && isSentBack))) return [];
    // A payment that the merchant started again is a sale like any other.
    if (!sale.state.previous || wasBeforeAPerson(world, seen, trade.trade_no, at)) return [];
    return [
      {
        promise: 8,
        what: `${trade.trade_no} was paid at ${when(at)}, after ${ended.is} at ${when(ended.at)}, and is an ordinary sale`,
      },
    ];
  });
}

/**
 * 1. An order that another system made, and that nobody told us of or adopted, is not sold as ours without a person. Only where
 * a creation of ours was lost, nobody can tell whether what is then found is its.
 */
function notOursIsNotSold(world: World, seen: readonly Seen[]): Broken[] {
  const { gateway, acknowledged } = world;
  return seen.flatMap(({ runId, state }) => {
    const trade = gateway.trades.find(({ trade_no }) => trade_no === state.trade_no);
    const wasTold = acknowledged.some(({ trade_no }) => trade_no === state.trade_no);
    if (state.outcome !== 'SUCCESS' || trade?.made_by !== 'another system' || wasTold) return [];
    // A person has said that the number is sold, and this is the trade that has it.
    if (state.confirmed_by === 'operator') return [];
    if (mayBeTakenForOurs(world, trade)) return [];
    // Who adopts a number under which nothing of ours can exist wants the trade that has it.
    if (world.hasAdopted && nothingOfOursExists(world)) return [];
    if (wasBeforeAPerson(world, seen, trade.trade_no, paidAt(trade) ?? BEGIN)) return [];
    return [{ promise: 1, what: `${runId} sells ${state.trade_no}, which another system made` }];
  });
}

/** Whether anything could have told us: a notification that we acknowledged, or a look at our own trade in its time. */
function mustBeKnown(world: World, { trade_no, made_by, states }: Trade, at: number): boolean {
  // Who terminates a workflow takes what it had acknowledged with it.
  const isKept = (one: { at: number }) =>
    !world.told.some(({ is, at: ended }) => is === 'terminated' && ended >= one.at);
  if (world.acknowledged.some((one) => one.trade_no === trade_no && one.status === 'SUCCESS' && isKept(one)))
    return true;
  if (made_by !== 'us') return false;
  const { traits, told, gateway } = world;
  // Another system's trade under the number, which nothing tells from ours, may be taken for it.
  const others = gateway.trades.filter((trade) => trade.made_by === 'another system');
  if (others.some((trade) => mayBeTakenForOurs(world, trade))) return false;
  // The gateway itself has ended the trade, and we were told: once its method has settled, money comes with a notification.
  const settles = traits.method === 'Wallet' ? 4 * DAY - NOTICED_WITHIN_MS : 0;
  const wasEnded = gateway.exchanges.some(
    ({ at: asked, shown }) =>
      asked + settles <= at && shown?.trade_no === trade_no && ENDS_WITHOUT_MONEY.includes(shown.status),
  );
  // The setting believes a notified end, and asks no more.
  const wasToldOfItsEnd = world.acknowledged.some(
    (one) => one.trade_no === trade_no && ENDS_WITHOUT_MONEY.includes(one.status),
  );
  if (wasEnded || (!traits.confirmByQuery && wasToldOfItsEnd)) return false;
  // Without a worker nobody could notice it before that was back.
  const away = world.absences.filter(({ from, until }) => from <= at + NOTICED_WITHIN_MS && until > at);
  const looked = Math.max(at, ...away.map(({ until }) => until));
  if (told.some((one) => one.is === 'terminated' && one.at <= looked + NOTICED_WITHIN_MS)) return false;
  // Where queries by our number cannot find it, and nothing told its own, it cannot be looked at.
  const wasAnswered =
    !world.areCreationsUnheard &&
    gateway.exchanges.some(
      ({ is, answered, asked }) => is === 'creation' && answered === 'trade' && asked.out_trade_no !== undefined,
    );
  if (traits.findsBy === 'trade_no alone' && !wasAnswered) return false;
  const made = states[0]?.at ?? at;
  const isInTime = at < made + EXPIRY_MS + GRACE_MS - NOTICED_WITHIN_MS;
  // Where nobody could ask, or it gave no answer, until it had forgotten the payment, nobody could see that.
  const silences = [...gateway.silences, ...world.absences].toSorted((one, other) => one.from - other.from);
  const answered = silences.reduce(
    (free, { from, until }) => (from <= free + NOTICED_WITHIN_MS && until > free ? until : free),
    at,
  );
  const isRemembered =
    traits.forgetsAfter_ms === 0 || answered + traits.lag_ms + NOTICED_WITHIN_MS < made + traits.forgetsAfter_ms;
  return isInTime && isRemembered && isFindable(world, trade_no, at);
}

/**
 * Whether a query can find the trade at the time of its payment: by its own number, once anybody has told us of it, or by
 * ours, as long as that shows this trade.
 */
function isFindable({ gateway, acknowledged, traits }: World, trade_no: string, at: number): boolean {
  const isNamed =
    gateway.exchanges.some(({ shown }) => shown?.trade_no === trade_no) ||
    acknowledged.some((one) => one.trade_no === trade_no);
  if (isNamed) return true;
  if (traits.findsBy === 'trade_no alone') return false;
  const place = gateway.trades.findIndex((one) => one.trade_no === trade_no);
  if (traits.shows === 'the first') return place === 0;
  const next = gateway.trades[place + 1]?.states[0]?.at ?? Number.POSITIVE_INFINITY;
  return next > at + traits.lag_ms + NOTICED_WITHIN_MS;
}

/** 1. Two trades under one number, whoever made the second: a person sees them. */
function secondTradesAreKnown(world: World, seen: readonly Seen[]): Broken[] {
  // Who terminates a workflow takes what it had acknowledged with it.
  const terminated = world.told.findLast(({ is }) => is === 'terminated')?.at ?? 0;
  const kept = world.acknowledged.filter(({ at }) => at > terminated);
  const known = new Set(kept.map(({ trade_no }) => trade_no));
  if (known.size < 2) return [];
  // The second one may be ours, which the payment knew before anybody notified it.
  const since = kept[0]?.at ?? 0;
  const isSeen = [...known].some((trade_no) => wasBeforeAPerson(world, seen, trade_no, since, isOfATrade));
  const named = new Set(
    seen.flatMap(({ state }) => [state.trade_no, ...state.other_trades.map(({ trade_no }) => trade_no)]),
  );
  const lost = [...known].filter((trade_no) => !named.has(trade_no));
  if (isSeen && lost.length === 0) return [];
  return [
    {
      promise: 1,
      what: `notifications named ${[...known].join(' and ')}, and ${isSeen ? `nobody looked at ${lost.join(' and ')}` : 'no person was told'}`,
    },
  ];
}

/** 4. A SUCCESS that was acknowledged is looked at by the number that it names, unless the settings believe it. */
function namedIsLookedAt({ acknowledged, gateway, told, traits }: World): Broken[] {
  if (!traits.confirmByQuery) return [];
  const terminated = told.findLast(({ is }) => is === 'terminated')?.at ?? 0;
  const named = new Set(
    acknowledged.filter(({ at, status }) => at > terminated && status === 'SUCCESS').map(({ trade_no }) => trade_no),
  );
  const isLookedAt = (trade_no: string) =>
    gateway.exchanges.some(({ asked, shown }) => asked.trade_no === trade_no || shown?.trade_no === trade_no);
  return [...named]
    .filter((trade_no) => !isLookedAt(trade_no))
    .map((trade_no) => ({ promise: 4, what: `a notification named ${trade_no}, and nobody asked the gateway for it` }));
}

/** Steps that say that money came. A merchant who hears one delivers. */
const MONEY = ['SUCCESS', 'REFUNDED', 'PARTIAL_REFUND', 'DISPUTE', 'CHARGEBACK'];

/** What there is to hear of a payment: that money came only where it was sold, and all that followed; a person's repetition is no news. */
function toHear({ history, outcome }: Seen['state']): string[] {
  const isSaid = (to: string, i: number) => history.slice(0, i).some((one) => one.to === to && MONEY.includes(to));
  const said = history.filter(({ to, source }, i) => source !== 'operator' || !isSaid(to, i));
  const steps = said.map(({ to }) => to);
  if (outcome === 'SUCCESS') return steps;
  const first = steps.findIndex((to) => MONEY.includes(to));
  return outcome === null && first >= 0 ? steps.slice(0, first) : steps.filter((to) => to !== 'SUCCESS');
}

/** 8. Whoever asks an order's after-sale hears how the payment has ended, whichever of the two began first. */
function endIsHandedOver({ run, runs }: World, seen: readonly Seen[]): Broken[] {
  const after = runs.findLast(({ start, hasBegun }) => start.type === 'afterSale' && hasBegun);
  const hasEnded = run?.status === 'COMPLETED' && seen.some(({ runId }) => runId === run.runId);
  if (!hasEnded || after === undefined || seen.some(({ runId }) => runId === after.runId)) return [];
  return [{ promise: 8, what: `${run.runId} has ended, and ${after.runId} has not heard of it` }];
}

/** 8. The merchant's handler hears every step at least once, and in order, also where one run follows another. */
function merchantHeardAll({ events, workflowId, told }: World, seen: readonly Seen[]): Broken[] {
  // Who ends or resets a workflow ends what it had to tell.
  if (told.some(({ is }) => is === 'terminated' || is === 'reset')) return [];
  const heard = events.flatMap((event) =>
    event.type === 'transition' && event.id.startsWith(`${workflowId}:`)
      ? [[event.id, event.transition.to] as const]
      : [],
  );
  const steps = [...new Map(heard).values()].join(' ');
  // What follows the end, the after-sale tells.
  const made = seen
    .filter(({ runId, afterSales }) => !afterSales.has(runId))
    .flatMap(({ state }) => toHear(state))
    .join(' ');
  return steps === made ? [] : [{ promise: 8, what: `the merchant heard ${steps}, and the payment went ${made}` }];
}

/** 8. The merchant's handler hears of every run that fails without an order, and of none that has an outcome. */
function failuresAreTold({ runs, events, workflowId, told }: World): Broken[] {
  if (told.some(({ is }) => is === 'terminated' || is === 'reset')) return [];
  const heard = events.flatMap(({ type, id }) => (type === 'failed' ? [id] : []));
  return runs.flatMap(({ start, runId, status, failure }) => {
    const isHeard = heard.includes(`${workflowId}:${runId}:failed:1`);
    const isFailed = status === 'FAILED' && NO_ORDER.includes(failure?.applicationFailureInfo?.type ?? '');
    const isWrong = start.workflowId === workflowId && (isFailed ? !isHeard : isHeard && status === 'COMPLETED');
    return isWrong ? [{ promise: 8, what: `${runId} is ${status}, and failures were told of ${heard}` }] : [];
  });
}

/** 1. No failure that is told without `may_exist` leaves an order of ours that can be paid: its merchant sells anew. */
function failuresAreTrue({ events, gateway }: World): Broken[] {
  return events.flatMap((event) => {
    if (event.type !== 'failed' || event.failure.type !== FAILURE.notCreated) return [];
    const at = Date.parse(event.time);
    const statusThen = ({ states }: Trade) => states.findLast((one) => one.at <= at)?.status;
    const isOpen = (status: string | undefined) => status !== undefined && !ENDS_WITHOUT_MONEY.includes(status);
    const ours = gateway.trades.find((one) => one.made_by === 'us' && isOpen(statusThen(one)));
    return ours !== undefined && event.failure.details.may_exist !== true
      ? [{ promise: 1, what: `${event.id} was told, and ${ours.trade_no} is there` }]
      : [];
  });
}

const NO_ORDER: readonly string[] = [FAILURE.notCreated, FAILURE.duplicateOrder];

/** An after-sale says until when it watches: at most as long as an order of an unknown method may be paid, or a sale is watched. */
export function isStillWatching(
  { now }: World,
  seen: readonly Seen[],
  { runId, startedAt }: World['runs'][number],
): boolean {
  const { watched_until = 0 } = seen[0]?.afterSales.get(runId) ?? {};
  return watched_until > now && now < startedAt + LONGEST_WATCH_MS;
}

/** 8. Nobody is sent to a gateway that answers: what says that it does not is over once what is asked for is shown. */
function attentionIsTrue({ runs, temporal, gateway }: World): Broken[] {
  return runs.flatMap((run) => {
    const { PaymentAttention, PaymentTradeNo } = temporal.attributesOf(run);
    if (!run.isRunning) return [];
    if (PaymentAttention !== 'credentials' && PaymentAttention !== 'no-answer') return [];
    // A workflow that knows its trade asks for that, and another one by the order's number.
    const isItsOwn = ({ trade_no }: Exchange['asked']) =>
      trade_no === (typeof PaymentTradeNo === 'string' ? PaymentTradeNo : undefined);
    const last = gateway.exchanges.findLast(({ is, asked }) => is === 'query' && isItsOwn(asked));
    if (last?.answered !== 'trade' && last?.answered !== 'no such order') return [];
    return [{ promise: 8, what: `${run.runId} is under ${PaymentAttention}, and the gateway answers` }];
  });
}

/** 5 and 8. When the trouble is over, what is open waits for a person, and says so. */
function nothingHangs(world: World, seen: readonly Seen[]): Broken[] {
  const open = world.runs.filter(({ isRunning }) => isRunning);
  return open.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    if (typeof PaymentAttention === 'string') return [];
    const state = seen.find(({ runId }) => runId === run.runId)?.state;
    // A trade that was adopted may be paid for as long as any method allows; people read until when.
    if (mayStillBePaid(world, seen) || isStillWatching(world, seen, run)) return [];
    return [
      {
        promise: 5,
        what: `${run.runId} (${run.start.type}) is open without a word, ${days(world)} days on: ${state?.trade_status ?? ''}`,
      },
    ];
  });
}

const days = ({ now, temporal }: World) => ((now - (temporal.allRuns()[0]?.startedAt ?? now)) / DAY).toFixed(1);
