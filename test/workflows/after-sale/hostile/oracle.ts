/**
 * Holds what the gateway truly gave back, and what it told and was acknowledged, against the states, answers and attention
 * that people saw. It never asks the code what it thinks.
 */
import Big from 'big.js';
import type { AfterSaleState, EventPayment } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { type Acknowledged, type Broken, SETTLING_MS, UNDER_WAY_MS } from '../../hostile/base-world';
import { type HostileGateway, PLAIN_GATEWAY, statusAt, statusOf, type TrueRefund } from '../../hostile/gateway';
import { always, sumOf, when } from '../../hostile/oracle';
import { type Told, TRADE, type World } from './world';

/** How late a request is carried out that is carried out late. */
const { late_ms: LATE_MS } = PLAIN_GATEWAY;
/** So often a trade is looked at where nothing is told. */
const POLLED_EVERY_MS = HOUR;
const BANK = ['DISPUTE', 'CHARGEBACK'];
const REFUNDING = ['REFUND_REFUSED', 'REFUND_PROCESSING', 'REFUND_VERIFYING', 'PARTIAL_REFUND', 'REFUNDED'];

/** What must hold at every moment. */
export function safety(world: World, state: AfterSaleState | undefined): Broken[] {
  return [
    ...noMoreThanPaid(world),
    ...always(world),
    ...noneBesideTheBank(world),
    ...alwaysNumbered(world),
    ...answersAreTrue(world),
    ...decisionsAreKept(world, state),
    ...(state ? [...noneDenied(world, state), ...claimsAreShown(world)] : []),
  ];
}

/** 7. Ours never exceed what was paid, nor what is left beside refunds that could be known. */
function noMoreThanPaid(world: World): Broken[] {
  const { gateway, sold, traits, acknowledged } = world;
  return gateway.refunds.flatMap((one, i) => {
    if (one.by !== 'us') return [];
    const stood = gateway.refunds
      .slice(0, i + 1)
      .filter(({ ends, endsAt, at }) => ends === 'done' || (endsAt > one.at && at <= one.at))
      .filter((its) => its === one || !isHiddenByARefusal(gateway, its, one.at));
    const ours = sumOf(stood.filter(({ by }) => by === 'us'));
    const all = sumOf(stood);
    const broken = (what: string) => [{ promise: 7, what: `${when(one.at)}: ${what} of ${TRADE.amount}` }];
    if (ours.gt(TRADE.amount)) return broken(`we gave ${ours.toFixed(2)} back`);
    if (all.lte(TRADE.amount)) return [];
    const sentAt = requestOf(world, one);
    const seenAt = sentAt - traits.lag_ms - 1;
    const hasParts = [...stood, ...unseen(world, sentAt)].some(({ by, at }) => by === 'us' && at < sentAt);
    // One of ours that never arrived looks as if it were what the trade shows.
    const others = gateway.requests.filter((asked) => asked.number !== one.number);
    const hasLost = [...others, ...world.cutOff].some(({ at }) => at < sentAt);
    const isShown = REFUNDING.includes(statusAt(sold, seenAt) ?? '') && !hasParts && !hasLost;
    const isTold = (number: string) =>
      acknowledged.some((its) => its.number === number && its.at < sentAt - UNDER_WAY_MS);
    const desk = stood.filter(({ by }) => by === 'the desk');
    const known = desk.filter(({ number, at }) => isTold(number) || (isShown && at <= seenAt));
    return sumOf(known).gt(named(world, sentAt))
      ? broken(`${all.toFixed(2)} went back in all, and that could be known`)
      : [];
  });
}

/** When the gateway was asked for a refund, which it may carry out late. */
function requestOf({ gateway: { requests } }: World, { number, at }: TrueRefund): number {
  const asked = requests.filter((one) => one.number === number && (one.at === at || one.at <= at - LATE_MS));
  return asked.at(-1)?.at ?? at;
}

/** What a person had named as gone elsewhere: the trade's status says no more than that. */
const named = ({ told }: World, by: number) =>
  told
    .flatMap((one) => (one.is === 'resolved' && one.at <= by ? [one.resolution.refunded_elsewhere ?? '0'] : []))
    .at(-1) ?? '0';

/** Refunds that paid nothing: that was told to nobody, and no query could show it. They look as if they had paid. */
const unseen = (world: World, at: number) =>
  world.gateway.refunds.filter((one) => one.ends !== 'done' && toldAt(world, one) >= at && isSoonPast(world, one));

/** Whether the trade soon showed something else, so that queries may have missed the end of a refund that paid nothing. */
function isSoonPast({ sold: { states } }: World, { endsAt }: TrueRefund): boolean {
  const next = states.find(
    ({ at, status }) => at > endsAt && status !== 'REFUND_REFUSED' && status !== 'REFUND_REVOKE',
  );
  return next !== undefined && next.at - endsAt < POLLED_EVERY_MS;
}

/** When a notification first told that a refund paid nothing. */
function toldAt({ acknowledged }: World, { number }: TrueRefund): number {
  const told = acknowledged.filter((one) => one.number === number && one.status.startsWith('REFUND_RE'));
  return Math.min(Number.POSITIVE_INFINITY, ...told.map(({ at }) => at));
}

/** 7. No refund is sent while the bank takes the money back, as a query showed or a notification had told. */
function noneBesideTheBank({ gateway: { requests }, sold, acknowledged }: World): Broken[] {
  return requests.flatMap(({ at, shown, status }) => {
    // An earlier dispute says nothing of the present one.
    const since = sold.states.findLast((step) => step.at <= at)?.at;
    const isOfNow = (one: Acknowledged) => one.since === since && one.at < at - UNDER_WAY_MS;
    const told = acknowledged.some((one) => BANK.includes(one.status) && isOfNow(one));
    return shown.every((one) => BANK.includes(one)) || told
      ? [{ promise: 7, what: `a refund was sent at ${when(at)} while the trade was ${status}` }]
      : [];
  });
}

/** 7. A number is always on the wire: only by it can a gateway know a repetition. */
function alwaysNumbered({ gateway: { requests } }: World): Broken[] {
  return requests.filter(({ number }) => number === undefined).map(() => ({ promise: 7, what: 'no number was sent' }));
}

/** 7. A merchant who is told of a refund has one, and one who is told of none has none. */
function answersAreTrue(world: World): Broken[] {
  const { gateway, told, traits } = world;
  return told.flatMap((one) => {
    if (one.is !== 'answer') return [];
    const number = String(one.answer.out_request_no ?? one.order.number ?? '');
    const made = gateway.refunds.filter((its) => (number === '' ? its.by === 'us' : its.number === number));
    const broken = (why: string) => [{ promise: 7, what: `${when(one.at)}: refund ${number} was answered, ${why}` }];
    if (made.length === 0) return looksLikeOurs(world, one) ? [] : broken('and there is none');
    const ofOther = one.answer.out_trade_no !== undefined && one.answer.out_trade_no !== traits.out_trade_no;
    if (ofOther) return broken('with the answer of another order');
    // The end of a refund is known some time after it: then the old answer is no answer any more.
    const known = SETTLING_MS + traits.lag_ms + 30 * MINUTE;
    const hidden = unseen(world, one.asked);
    const isOver = made.every(
      (its) => its.ends !== 'done' && !hidden.includes(its) && endKnownAt(world, its) + known < one.asked,
    );
    const absent = world.absences.some(({ until }) => until + known > one.asked);
    // What came after its end may have hidden that: then a person is asked.
    const ended = Math.max(...made.map(({ endsAt }) => endsAt));
    const isShown = world.attentions.some(({ at }) => at >= ended && at <= one.at);
    // Where all has gone back, no query tells by whom, and nothing is polled any more.
    const done = gateway.refunds.filter(({ ends, endsAt }) => ends === 'done' && endsAt <= one.at);
    const isAllBack = sumOf(done).gte(TRADE.amount);
    return isOver && !absent && !isShown && !isAllBack && !world.wasForgotten
      ? broken('although it had been refused or revoked')
      : [];
  });
}

/** When the end of a refund could be known. Of one that comes back, or whose end queries may have missed, only a notification tells. */
function endKnownAt(world: World, refund: TrueRefund): number {
  const { endsAt, cameBack = false, ends } = refund;
  const isUnseen = ends !== 'done' && (isSoonPast(world, refund) || isAsBefore(world, refund));
  return cameBack || isUnseen ? toldAt(world, refund) : endsAt;
}

/** Whether the trade showed the same before, when another one had been refused or revoked, too, and no query saw anything in between. */
function isAsBefore({ sold: { states }, gateway: { exchanges } }: World, { at: begun, endsAt }: TrueRefund): boolean {
  const ends = states.filter(({ at }) => at === endsAt).map(({ status }) => status);
  const isMet = exchanges.some(({ at, shown }) => at > begun && at < endsAt && shown && !ends.includes(shown.status));
  const before = states.findLast(({ at }) => at < (isMet ? endsAt : begun))?.status;
  return before !== undefined && ends.includes(before);
}

/**
 * Whether somebody else's refund brought the trade where ours would have, while our answer was lost: no query tells two refunds
 * apart. A person is told once it is named.
 */
function looksLikeOurs(
  { gateway, traits, told }: World,
  { at, order, answer }: Extract<Told, { is: 'answer' }>,
): boolean {
  const asked = told.flatMap((one) => ('order' in one && one.order?.number === order.number ? [one.asked] : []));
  const since = Math.min(...asked) - traits.lag_ms - UNDER_WAY_MS;
  return answer.recovered && gateway.refunds.some((one) => one.by === 'the desk' && one.at >= since && one.at <= at);
}

/** 7. What is called NOT_CREATED did not pay out. */
function noneDenied({ gateway, told, now, wasForgotten }: World, { refunds }: AfterSaleState): Broken[] {
  return refunds.flatMap(({ out_request_no: number, outcome, resolved, attention }) => {
    if (outcome === null || outcome === 'ACCEPTED' || outcome === 'REFUNDED' || resolved !== null) return [];
    // Another refund was asked for under a number whose first use Temporal has forgotten: a person compares.
    if (wasForgotten && attention !== null) return [];
    const made = gateway.refunds.find((one) => one.number === number && one.ends === 'done' && one.by === 'us');
    const isNow = made && now - made.at < LATE_MS;
    if (made && outcome === 'REFUND_REFUSED' && isHiddenByARefusal(gateway, made)) return [];
    if (!made || isNow || told.some((one) => one.is === 'resolved' && one.resolution.out_request_no === number))
      return [];
    return [{ promise: 7, what: `${number} is called ${outcome}, and it paid ${made.amount}` }];
  });
}

/** Whether a refund of the desk was refused before anybody looked at the end of ours, the first of the trade: no query tells them apart. */
const isHiddenByARefusal = ({ refunds }: HostileGateway, ours: TrueRefund, by = Number.POSITIVE_INFINITY) =>
  ours.by === 'us' &&
  !refunds.some((one) => one.by === 'us' && one.ends === 'done' && one.at < ours.at) &&
  refunds.some((one) => one.by === 'the desk' && one.ends === 'refused' && one.endsAt >= ours.at && one.endsAt <= by);

/** 4, 8. A dispute or chargeback that was acknowledged is shown at once, whatever else runs. */
function claimsAreShown(world: World): Broken[] {
  const { acknowledged, attentions, settled, absences, terminations, now } = world;
  return acknowledged.flatMap(({ status, at: ackedAt }) => {
    if (!BANK.includes(status) || now - ackedAt < 2 * MINUTE) return [];
    const wasSeen = attentions.some(({ at }) => at >= ackedAt) || settled.some((at) => at >= ackedAt);
    const absent = absences.some(({ until }) => until + 2 * MINUTE > ackedAt && until + 2 * MINUTE > now);
    // Who terminates a workflow takes with it what it had acknowledged.
    const isCutOff = terminations.some((at) => at >= ackedAt && at < ackedAt + 2 * MINUTE);
    if (wasSeen || absent || isCutOff) return [];
    return [{ promise: 4, what: `${status} was acknowledged at ${when(ackedAt)}, and nobody saw it` }];
  });
}

/** 8. A decision is about the refund that it names, and stays. */
function decisionsAreKept(
  { told, wasForgotten, hasForgottenRuns, temporal, now }: World,
  state: AfterSaleState | undefined,
): Broken[] {
  // A run that has just begun does not know yet what the one before knew.
  const hasJustBegun = temporal.allRuns().some(({ isRunning, startedAt }) => isRunning && now - startedAt < MINUTE);
  if (!state || state.trade_status === null || hasJustBegun || wasForgotten || hasForgottenRuns) return [];
  const decided = told.flatMap((one) => (one.is === 'resolved' ? [one.resolution] : []));
  const named = decided.filter(({ outcome }) => outcome !== undefined);
  const wrong = state.refunds.filter(
    ({ resolved, out_request_no, outcome }) =>
      resolved?.by === 'ana' && !named.some((one) => one.out_request_no === out_request_no && one.outcome === outcome),
  );
  const lost = decided.length - state.history.filter(({ source }) => source === 'operator').length;
  return [
    ...wrong.map(({ out_request_no }) => ({
      promise: 8,
      what: `${out_request_no} was decided, and nobody had meant it`,
    })),
    ...(lost > 0 ? [{ promise: 8, what: `${lost} decisions are not in the history` }] : []),
  ];
}

/**
 * 6. What merchants hear is what the trade was, in its order, where no copy of the gateway is behind. What a terminated run was just telling may
 * be heard after the next run has begun: its time says where it belongs.
 */
function toldInOrder({ sold: { states }, neighbours, traits, events, wasForgotten, terminations }: World): Broken[] {
  if (traits.lag_ms > 0 || wasForgotten) return [];
  const ours = events.filter((event) => 'payment' in event && event.payment.out_trade_no !== neighbours.out_trade_no);
  const heard = new Map(ours.map((event) => [event.id, event]));
  const told = [...heard.values()];
  if (terminations.length > 0) told.sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
  let reached = 0;
  for (const event of told) {
    const { transition } = 'transition' in event ? event : {};
    if (transition?.source !== 'query' || transition.to === states[reached]?.status) continue;
    const next = states.findIndex(({ status }, i) => i > reached && status === transition.to);
    if (next < 0) return [{ promise: 6, what: `${transition.from} to ${transition.to} was told at ${event.time}` }];
    reached = next;
  }
  return [];
}

/** The rule of docs/contract.md, by which merchants deliver. */
const saysSold = ({ outcome, attention, all_goes_back, trade_status }: EventPayment) =>
  outcome === 'SUCCESS' && attention === null && !all_goes_back && !['REFUNDED', ...BANK].includes(trade_status ?? '');

/** 6. No event says that the order is sold once all of it is on its way back: callers have the answers, and the gateway makes these refunds. */
function soldIsTrue({ gateway, told, events, neighbours, wasForgotten }: World): Broken[] {
  if (wasForgotten) return [];
  const decided = told.flatMap((one) => (one.is === 'resolved' ? [one.resolution.out_request_no] : []));
  const back = new Map<string, { readonly at: number; readonly amount: string }>();
  for (const one of told) {
    const number = one.is === 'answer' ? String(one.answer.out_request_no ?? '') : '';
    const made = gateway.refunds.find((its) => its.number === number && its.by === 'us' && its.ends === 'done');
    if (made && !made.cameBack && !decided.includes(number) && !back.has(number))
      back.set(number, { at: one.at, amount: made.amount });
  }
  return events.flatMap((event) => {
    if (!('payment' in event) || event.payment.out_trade_no === neighbours.out_trade_no) return [];
    const gone = [...back.values()].filter(({ at }) => at < Date.parse(event.time));
    return saysSold(event.payment) && sumOf(gone).gte(TRADE.amount)
      ? [{ promise: 6, what: `the order is called sold at ${event.time}, and all of it goes back` }]
      : [];
  });
}

/** What a merchant hears of the order's refunds who takes each id once. */
const refundsHeard = ({ events, neighbours }: World) =>
  [...new Map(events.map((event) => [event.id, event])).values()].flatMap((event) =>
    event.type === 'refund' && event.payment.out_trade_no !== neighbours.out_trade_no ? [event] : [],
  );

/** 8. What merchants heard of a refund last is what has become of it: whoever asked for it may know only that it goes on. */
function outcomesAreTold(world: World, { refunds }: AfterSaleState): Broken[] {
  if (world.wasForgotten || world.terminations.length > 0) return [];
  const last = new Map(refundsHeard(world).map(({ refund }) => [refund.out_request_no, refund]));
  return refunds.flatMap(({ out_request_no, attempt, outcome }) => {
    const told = last.get(out_request_no);
    const isTold = outcome === null || (told?.outcome === outcome && told.attempt === attempt);
    return isTold
      ? []
      : [{ promise: 8, what: `refund ${out_request_no} is ${outcome}, and ${told?.outcome} was told` }];
  });
}

/** 7. No refund that the gateway has made is told as not made, unless a person says so: its caller would send another one. */
function notMadeIsTrue(world: World): Broken[] {
  const { gateway, told } = world;
  return refundsHeard(world).flatMap(({ time, refund: { out_request_no: number, outcome, requested_at } }) => {
    const isDecided = told.some((one) => one.is === 'resolved' && one.resolution.out_request_no === number);
    const [from, until] = [Date.parse(requested_at), Date.parse(time)];
    const isMade = gateway.refunds.some(
      (one) => one.number === number && one.by === 'us' && one.ends === 'done' && from <= one.at && one.at <= until,
    );
    return outcome === 'NOT_CREATED' && isMade && !isDecided
      ? [{ promise: 7, what: `refund ${number} was told as not made at ${time}, and is` }]
      : [];
  });
}

/** What must hold once everything has had its time. */
export function liveness(world: World, state: AfterSaleState | undefined): Broken[] {
  // A run that somebody terminated before it had read anything knows nothing of the trade, nor what was told to it.
  if (!state || (world.isTerminated && (!world.run?.hasBegun || state.trade_status === null))) return [];
  const { gateway, now, wasForgotten, acknowledged } = world;
  const broken = [
    ...toldInOrder(world),
    ...soldIsTrue(world),
    ...outcomesAreTold(world, state),
    ...notMadeIsTrue(world),
  ];
  const open = state.refunds.filter(({ outcome }) => outcome === null);
  // A trade that is on its way back to SUCCESS lets refunds wait, and polls find its end.
  const isOnItsWay = statusOf(world.sold) === 'CHARGEBACK_REVERSED';
  // A terminated after-sale tells nobody of what it had begun: the sweep does.
  // A person is asked of what is silent for a day, and what comes after it waits as long.
  const isYoung = open.some((one) => one.started_at && now - Date.parse(one.started_at) < DAY + 2 * HOUR);
  const isTold = (one: (typeof open)[number]) =>
    isYoung || (state.attention !== null && (!one.started_at || one.attention !== null));
  if (!isOnItsWay && !world.isTerminated && !open.every(isTold))
    broken.push({ promise: 8, what: `refunds are open without a word: ${open.map((one) => one.out_request_no)}` });
  if (open.length > 0 || !state.ledger_complete || state.attention !== null || wasForgotten) return broken;
  // Nobody is asked to look, so everything must be right.
  const done = gateway.refunds.filter(({ ends, endsAt }) => ends === 'done' && endsAt <= now);
  const misread = gateway.refunds.filter((one) => cameBackUnseen(world, one));
  const ours = sumOf([...done.filter(({ by }) => by === 'us'), ...misread]);
  // What is only accepted counts as gone, whatever has become of it.
  const accepted = state.refunds.filter(({ outcome }) => outcome === 'ACCEPTED');
  const confirmed = new Big(state.refunded_amount).minus(sumOf(accepted.map((one) => ({ amount: one.refund_amount }))));
  // Where all has gone back, nobody can tell by whom: a refund of ours whose answer was lost, or another one.
  const all = sumOf([...done, ...misread]);
  if (ours.gt(state.refunded_amount) || all.lt(confirmed))
    broken.push({ promise: 7, what: `the ledger says ${state.refunded_amount}, and we gave ${ours.toFixed(2)} back` });
  broken.push(...goesOn(world, state));
  const told = done.filter(({ by, number }) => by === 'the desk' && acknowledged.some((one) => one.number === number));
  if (sumOf(told).gt(state.refunded_elsewhere))
    broken.push({ promise: 7, what: `${sumOf(told)} went back elsewhere, was told, and is not known` });
  return broken;
}

/** Whether a refund came back after a person had seen that it was paid, and before that person said so: that word stands. */
function cameBackUnseen({ told, acknowledged }: World, { number, endsAt, cameBack = false }: TrueRefund): boolean {
  const said = told.flatMap((one) => (one.is === 'resolved' && one.resolution.out_request_no === number ? [one] : []));
  const last = said.at(-1);
  // A later notification that names it tells that it came back after all. One of before, the person has said to know.
  const isTold = acknowledged.some(
    (one) => one.number === number && one.status === 'REFUND_REVOKE' && one.at >= (last?.at ?? 0),
  );
  const isMisread = last?.resolution.outcome === 'REFUNDED' && last.lookedAt <= endsAt && endsAt <= last.at;
  return cameBack && isMisread && !isTold;
}

/** 8. A merchant who is told that a refund goes on by itself has one. */
function goesOn({ told, readable }: World, { refunds }: AfterSaleState): Broken[] {
  const isKnown = (number: string) => readable.has(number) || refunds.some((one) => one.out_request_no === number);
  return told.flatMap((one) =>
    one.is === 'failure' && one.message.includes('goes on by itself') && one.order.number && !isKnown(one.order.number)
      ? [{ promise: 8, what: `${one.order.number} was said to go on by itself, and nobody has it` }]
      : [],
  );
}

/** 7. The other order, to which nothing odd happens, is refunded once, and its ledger says so. */
export function isRight({ refunds }: HostileGateway, state: AfterSaleState | undefined): Broken[] {
  // What a person is asked to look at is not said yet.
  if (!state?.ledger_complete || state.attention !== null) return [];
  const given = sumOf(refunds).toFixed(2);
  return given === state.refunded_amount && refunds.length <= 1
    ? []
    : [{ promise: 7, what: `the other order's ledger says ${state.refunded_amount}, and ${given} went back` }];
}

/** 8. What a person has settled reason by reason does not stay open. */
export function isClosed(world: World, state: AfterSaleState | undefined): Broken[] {
  const open = state?.refunds.filter(({ outcome }) => outcome === null) ?? [];
  // What a bank has begun is watched until its end.
  const isFollowed = /^(DISPUTE|CHARGEBACK)$/.test(state?.trade_status ?? '') && state?.attention === null;
  return open.length > 0 || (world.run?.isRunning && !isFollowed)
    ? [{ promise: 8, what: `settled again and again, and still open: ${JSON.stringify(open)} ${state?.attention}` }]
    : [];
}
