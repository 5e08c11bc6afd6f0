/**
 * The promises, checked from outside: the gateway's ledger and the log of what reached it, the notifications that were
 * acknowledged, and what merchants and operators were told. Nothing here knows how the code decides.
 * Each check answers with what is broken, in words; an empty list is a kept promise.
 */
import Big from 'big.js';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { LedgerTrade } from './gateway';
import { AMOUNT, BEGIN, EXPIRY_MS, GRACE_MS, SETTLING_MS, type World } from './world';

/** What may pass between an acknowledgement and the moment at which the workflow has it: network and a task. */
const UNDER_WAY_MS = 30_000;
/** The longest that any method takes to settle after its expiry, and an hour: a trade whose method is unknown waits for that. */
const SETTLES_MS = 4 * DAY + HOUR;
/** `PAYMENTS_CREATE_WITHIN`: shorter than the order's own expiry. */
const SEND_WITHIN_MS = HOUR;
/** The longest gap between two polls, with what a network may take. */
const NOTICED_WITHIN_MS = HOUR + 5 * MINUTE;

export interface Broken {
  readonly promise: number;
  readonly what: string;
}

/** One run of the payment as people see it now. */
export interface Seen {
  readonly runId: string;
  readonly isOpen: boolean;
  readonly state: PaymentState;
  /** By the run id of each of its follow-ups: the other trades that people read of there. */
  readonly followUps: ReadonlyMap<string, readonly string[]>;
}

const paidAt = ({ states }: LedgerTrade) => states.find(({ status }) => status === 'SUCCESS')?.at;
const hasMoney = ({ states }: LedgerTrade) => states.at(-1)?.status === 'SUCCESS';
const same = (a: string | null | undefined, b: string) => a !== null && a !== undefined && new Big(a).eq(b);

const when = (at: number) => new Date(at).toISOString();

/** What must be so at every moment. */
export function safety(world: World, seen: readonly Seen[]): Broken[] {
  return [
    ...noSecondChargeBlindly(world),
    ...noFinalWordOnUnknown(world),
    ...nothingSentTooLate(world),
    ...oneAnswerForOneOrder(world),
    ...nothingForAnotherOrder(world),
    ...ourOwnIsNoDuplicate(world),
    ...onlyRealMoney(world, seen),
    ...noEndWithoutAnAnswer(world, seen),
    ...neverBackwards(seen),
    ...attentionIsOpen(world),
    ...typedAnswers(world),
  ];
}

/** What must be so once the trouble is over and everything had its time; then a person clears what waits for one. */
export function liveness(world: World, seen: readonly Seen[]): Broken[] {
  return [
    ...moneyIsKnown(world, seen),
    ...lateMoneyIsKnown(world, seen),
    ...secondTradesAreKnown(world, seen),
    ...notOursIsNotSold(world, seen),
    ...nothingHangs(world, seen),
    ...merchantHeardAll(world, seen),
  ];
}

/** 1 and 2. A creation that may have happened is followed by another only after looks that kept saying "no such order". */
function noSecondChargeBlindly({ gateway, acknowledged, returns }: World): Broken[] {
  // A creation that waited for a worker beside the notification may be taken first.
  const isLateTask = (at: number) => returns.some((back) => back <= at && at < back + UNDER_WAY_MS);
  const broken: Broken[] = [];
  let unknownSince: number | undefined;
  let denied: number[] = [];
  let mayExist = false;
  for (const { at, is, answered } of gateway.exchanges) {
    if (is === 'query') {
      if (answered === 'no such order') denied.push(at);
      if (answered === 'trade') mayExist = true;
      continue;
    }
    if (answered === 'not sent') continue;
    const lasted = denied.length > 1 && (denied.at(-1) ?? 0) - (denied[0] ?? 0) >= SETTLING_MS - 1_000;
    if (unknownSince !== undefined && !lasted) {
      broken.push({
        promise: 2,
        what: `a creation at ${when(at)}, while the one at ${when(unknownSince)} was unknown and no looks had lasted`,
      });
    }
    if (mayExist) broken.push({ promise: 1, what: `a creation at ${when(at)}, after the gateway had shown the order` });
    const told = isLateTask(at) ? undefined : acknowledged.find((one) => one.at < at - UNDER_WAY_MS);
    if (told)
      broken.push({
        promise: 1,
        what: `a creation at ${when(at)}, after a notification of ${told.trade_no} at ${when(told.at)}`,
      });
    if (answered === 'trade' || answered === 'created refused' || answered === 'duplicate') mayExist = true;
    if (answered === 'nothing') {
      unknownSince = at;
      denied = [];
    } else if (answered !== 'temporary') unknownSince = undefined;
  }
  return broken;
}

/** 2. Nobody is told that there is no order while a creation may have made one and no look has lasted since. */
function noFinalWordOnUnknown({ gateway, told }: World): Broken[] {
  return told.flatMap((one) => {
    if (one.is !== 'failure' || one.order_amount !== AMOUNT || one.type !== 'NotCreatedError') return [];
    const before = gateway.exchanges.filter(({ at }) => at <= one.at);
    const unknown = before.findLast(({ is, answered }) => is === 'creation' && answered === 'nothing');
    if (!unknown) return [];
    const denied = before.filter(
      ({ at, is, answered }) => is === 'query' && answered === 'no such order' && at > unknown.at,
    );
    const lasted = (denied.at(-1)?.at ?? 0) - (denied[0]?.at ?? 0) >= SETTLING_MS - 1_000;
    if (lasted) return [];
    return [
      {
        promise: 2,
        what: `told ${one.type} at ${when(one.at)}, while the creation at ${when(unknown.at)} was unknown`,
      },
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

/** 1. The same order gets the same answer, whenever it is asked for. */
function oneAnswerForOneOrder({ told }: World): Broken[] {
  const answers = told.flatMap((one) => (one.is === 'payment data' && one.order_amount === AMOUNT ? [one.data] : []));
  const trades = new Set(answers.flatMap(({ trade_no }) => (typeof trade_no === 'string' ? [trade_no] : [])));
  return trades.size > 1 ? [{ promise: 1, what: `payment data of ${[...trades].join(' and ')} for one order` }] : [];
}

/** 1. Another order under the number gets no payment data, unless it is the one that was created. */
function nothingForAnotherOrder({ told, gateway }: World): Broken[] {
  return told.flatMap((one) => {
    if (one.is !== 'payment data' || one.order_amount === AMOUNT) return [];
    const { trade_no } = one.data;
    const isItsOwn = gateway.trades.some(
      (trade) => (trade_no === null || trade.trade_no === trade_no) && same(one.order_amount, trade.amount),
    );
    if (isItsOwn) return [];
    return [{ promise: 1, what: `payment data of ${String(trade_no)} for an order of ${one.order_amount}` }];
  });
}

/** 1. Nobody is told that the number has another order, where the gateway has only ours. */
function ourOwnIsNoDuplicate({ told, gateway, hasOtherOrder }: World): Broken[] {
  const isOurs =
    !hasOtherOrder && gateway.trades.every(({ made_by, amount }) => made_by === 'us' && same(amount, AMOUNT));
  if (!isOurs) return [];
  return told.flatMap((one) =>
    one.is === 'failure' && one.type === 'DuplicateOrderError' && one.order_amount === AMOUNT
      ? [{ promise: 1, what: `told DuplicateOrder at ${when(one.at)}: ${one.message}` }]
      : [],
  );
}

/** 4. SUCCESS is said of money that the gateway has, of that trade, and of the ordered amount. */
function onlyRealMoney({ gateway }: World, seen: readonly Seen[]): Broken[] {
  return seen.flatMap(({ runId, state }) => {
    const { outcome, confirmed_by, trade_no, order_amount } = state;
    if (outcome !== 'SUCCESS' || confirmed_by === 'operator') return [];
    const trade = gateway.trades.find((one) => one.trade_no === trade_no);
    if (trade && paidAt(trade) !== undefined && same(order_amount, trade.amount)) return [];
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

const RANK: Readonly<Record<string, number>> = { INITIAL: 0, PROCESSING: 1, RISK_CONTROLLING: 2 };
const rank = (status: string) => RANK[status] ?? 3;

/** 6. No state follows one that comes after it. */
function neverBackwards(seen: readonly Seen[]): Broken[] {
  return seen.flatMap(({ runId, state: { history } }) => {
    const ranks = history.filter(({ source }) => source !== 'operator').map(({ to }) => rank(to));
    const isSorted = ranks.every((one, i) => i === 0 || one >= (ranks[i - 1] ?? 0));
    return isSorted ? [] : [{ promise: 6, what: `${runId} went ${history.map(({ to }) => to).join(' → ')}` }];
  });
}

/** 8. What people find under attention is open: a closed workflow cannot be settled. */
function attentionIsOpen(world: World): Broken[] {
  return world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    // An after-sale's attention is the subject of its own model.
    if (run.start.type === 'afterSale') return [];
    if (run.isRunning || PaymentAttention === undefined || PaymentAttention === null) return [];
    if (run.status === 'TERMINATED' || run.status === 'CONTINUED_AS_NEW') return [];
    return [{ promise: 8, what: `${run.runId} is ${run.status}, and found under ${PaymentAttention}` }];
  });
}

/** Merchants meet our own errors, and no raw one of Temporal's. */
function typedAnswers({ told }: World): Broken[] {
  return told.flatMap((one) =>
    one.is === 'another error' ? [{ promise: 8, what: `a merchant met ${one.message}` }] : [],
  );
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
function lateMoneyIsKnown(world: World, seen: readonly Seen[]): Broken[] {
  const ended = world.told.find(
    (one) =>
      (one.is === 'resolved' && one.outcome !== 'SUCCESS' && one.workflowId === world.workflowId) ||
      one.is === 'terminated' ||
      (one.is === 'failure' && one.type === 'NotCreatedError' && one.order_amount === AMOUNT),
  );
  if (!ended) return [];
  return world.gateway.trades.flatMap((trade) => {
    const at = paidAt(trade);
    const sale = seen.find(({ state }) => state.outcome === 'SUCCESS' && state.trade_no === trade.trade_no);
    if (at === undefined || at <= ended.at + UNDER_WAY_MS || !sale || sale.state.confirmed_by === 'operator') return [];
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

/** 1. An order that another system made, and that nobody told us of, is not sold as ours without a person. */
function notOursIsNotSold(world: World, seen: readonly Seen[]): Broken[] {
  const { gateway, acknowledged } = world;
  const isUnknown = gateway.exchanges.some(({ is, answered }) => is === 'creation' && answered === 'nothing');
  if (isUnknown) return [];
  return seen.flatMap(({ runId, state }) => {
    const trade = gateway.trades.find(({ trade_no }) => trade_no === state.trade_no);
    const wasTold = acknowledged.some(({ trade_no }) => trade_no === state.trade_no);
    if (state.outcome !== 'SUCCESS' || trade?.made_by !== 'another system' || wasTold) return [];
    if (wasBeforeAPerson(world, seen, trade.trade_no, paidAt(trade) ?? BEGIN)) return [];
    return [{ promise: 1, what: `${runId} sells ${state.trade_no}, which another system made` }];
  });
}

const ENDS_WITHOUT_MONEY = ['CANCEL', 'EXPIRED', 'REFUSED'];

/** Whether anything could have told us: a notification that we acknowledged, or a look at our own trade in its time. */
function mustBeKnown(world: World, { trade_no, made_by, states }: LedgerTrade, at: number): boolean {
  // Who terminates a workflow takes what it had acknowledged with it.
  const isKept = (one: { at: number }) =>
    !world.told.some(({ is, at: ended }) => is === 'terminated' && ended >= one.at);
  if (world.acknowledged.some((one) => one.trade_no === trade_no && one.status === 'SUCCESS' && isKept(one)))
    return true;
  if (made_by !== 'us') return false;
  const { traits, told, gateway } = world;
  // The gateway itself has ended the trade, and we were told. Money that comes all the same comes with a notification.
  const wasEnded = gateway.exchanges.some(
    ({ at: asked, shown }) => asked <= at && shown?.trade_no === trade_no && ENDS_WITHOUT_MONEY.includes(shown.status),
  );
  if (wasEnded) return false;
  if (told.some((one) => one.is === 'terminated' && one.at <= at + NOTICED_WITHIN_MS)) return false;
  // Where queries by our number cannot find it, and nothing told its own, it cannot be looked at.
  const wasAnswered = gateway.exchanges.some(
    ({ is, answered, asked }) => is === 'creation' && answered === 'trade' && asked.out_trade_no !== undefined,
  );
  if (traits.findsBy === 'trade_no alone' && !wasAnswered) return false;
  // A trade that the gateway has shown us is known by its own number. Of others, only one can be found by ours.
  const isFindable = gateway.trades.length === 1 || gateway.exchanges.some(({ shown }) => shown?.trade_no === trade_no);
  const made = states[0]?.at ?? at;
  const isInTime = at < made + EXPIRY_MS + GRACE_MS - NOTICED_WITHIN_MS;
  const isRemembered =
    traits.forgetsAfter_ms === 0 || at + traits.lag_ms + NOTICED_WITHIN_MS < made + traits.forgetsAfter_ms;
  return isFindable && isInTime && isRemembered;
}

/**
 * Whether people could find the trade under attention after a moment, or a person has decided since. A workflow that knows
 * only another trade says nothing of this one.
 */
function wasBeforeAPerson(
  { attentions, told, events }: World,
  seen: readonly Seen[],
  trade_no: string,
  at: number,
): boolean {
  const others = new Map(
    seen.flatMap(({ runId, state, followUps }): [string, readonly string[]][] => [
      [runId, state.other_trades.map((other) => other.trade_no)],
      ...followUps,
    ]),
  );
  const names = (one: string | null, beside: readonly string[]) =>
    one === null || one === trade_no || beside.includes(trade_no);
  return (
    attentions.some((one) => one.at >= at && names(one.trade_no, others.get(one.runId) ?? [])) ||
    events.some(
      (event) =>
        event.type === 'attention' &&
        Date.parse(event.time) >= at &&
        names(
          event.payment.trade_no,
          event.payment.other_trades.map((other) => other.trade_no),
        ),
    ) ||
    told.some((one) => one.is === 'resolved' && one.outcome === 'SUCCESS' && one.at >= at)
  );
}

/** 1. Two trades under one number, whoever made the second: a person sees them. */
function secondTradesAreKnown(world: World, seen: readonly Seen[]): Broken[] {
  // Who terminates a workflow takes what it had acknowledged with it.
  const terminated = world.told.findLast(({ is }) => is === 'terminated')?.at ?? 0;
  const kept = world.acknowledged.filter(({ at }) => at > terminated);
  const known = new Set(kept.map(({ trade_no }) => trade_no));
  if (known.size < 2) return [];
  const since = kept.find(({ trade_no }) => trade_no !== kept[0]?.trade_no)?.at ?? 0;
  const isSeen = [...known].some((trade_no) => wasBeforeAPerson(world, seen, trade_no, since));
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

/** 8. The merchant's handler hears every step at least once, and in order, also where one run follows another. */
function merchantHeardAll({ events, workflowId, told }: World, seen: readonly Seen[]): Broken[] {
  // Who ends or resets a workflow ends what it had to tell.
  if (told.some(({ is }) => is === 'terminated' || is === 'reset')) return [];
  const heard = events.flatMap((event) =>
    event.type === 'transition' && event.id.startsWith(`${workflowId}:`)
      ? [[event.id, event.transition?.to] as const]
      : [],
  );
  const steps = [...new Map(heard).values()].join(' ');
  const made = seen.flatMap(({ state }) => state.history.map(({ to }) => to)).join(' ');
  return steps === made ? [] : [{ promise: 8, what: `the merchant heard ${steps}, and the payment went ${made}` }];
}

/** 5 and 8. When the trouble is over, what is open waits for a person, and says so. */
function nothingHangs(world: World, seen: readonly Seen[]): Broken[] {
  const open = world.runs.filter(({ isRunning }) => isRunning);
  return open.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    if (typeof PaymentAttention === 'string' || run.start.type === 'afterSale') return [];
    const state = seen.find(({ runId }) => runId === run.runId)?.state;
    // A trade that was adopted may be paid for as long as any method allows; people read until when.
    if (mayStillBePaid(world, seen)) return [];
    return [
      {
        promise: 5,
        what: `${run.runId} (${run.start.type}) is open without a word, ${days(world)} days on: ${state?.trade_status ?? ''}`,
      },
    ];
  });
}

/** Whether any trade of the order has not expired for good by what people read. */
export function mayStillBePaid({ now }: World, seen: readonly Seen[]): boolean {
  return seen.some(({ state }) => state.expires_at !== null && Date.parse(state.expires_at) + SETTLES_MS > now);
}

const days = ({ now, temporal }: World) => ((now - (temporal.allRuns()[0]?.startedAt ?? now)) / DAY).toFixed(1);
