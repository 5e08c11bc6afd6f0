/** How each fact changes the state of a payment. Pure: the same facts in the same order give the same state. */
import {
  attentionOfSale,
  classifyTransition,
  type EarlierPayment,
  isNamedByItsCreation,
  isOfTrade,
  isRefundStatus,
  isToldByPolls,
  isUnlikeOrder,
  type LatePayments,
  type NotedTrade,
  type NotificationSignal,
  type OtherTrade,
  outcomeOf,
  type PaymentOutcome,
  readSignal,
  type Source,
  tradesNamedBy,
} from '../../contract';
import { isMoney } from '../../gateway/pure/money';
import { isKnownStatus } from '../../gateway/pure/names';
import { iso } from '../../gateway/pure/timestamps';
import { ANSWERED, raised, shownAttention, withoutReasons, withoutSilence } from '../shared/attention-reasons';
import { withNoted } from '../shared/noted-trades';
import { takenOn, waitAfter } from '../shared/wait';
import { CREATION_SAID, type Tried } from './creation-table';
import type { FactOf, PaymentFact } from './facts';
import { answerFor, knownOfTrade, staysEnded } from './known-before';
import {
  isIn,
  isOver,
  type KnownCreation,
  type KnownPayment,
  mayExist,
  needsDecision,
  type PendingClaim,
  REACHES,
  type Reach,
  saidBy,
  signalsIn,
  withoutClaims,
  withShown,
  withTransition,
} from './known-payment';
import { decidedPayment, seenPayment } from './resolve';

/** What the fold needs of the settings. */
export interface PaymentFoldSettings {
  /** What happens to money that comes after the end of an earlier run. */
  readonly late_payments: LatePayments;
}

/** The state after one more fact. */
export function foldPayment(before: KnownPayment, fact: PaymentFact, settings: PaymentFoldSettings): KnownPayment {
  const known = applied(before, fact, settings);
  return { ...known, wait: waitAfter(known.wait, shownAttention(known.reasons), fact.at) };
}

function applied(known: KnownPayment, fact: PaymentFact, settings: PaymentFoldSettings): KnownPayment {
  switch (fact.is) {
    case 'withdrawn':
      return { ...known, isWithdrawn: true };
    case 'followed':
      return { ...known, isFollowed: true };
    case 'begun':
      return onBegun(known);
    case 'answered':
      return onAnswered(known, fact);
    case 'rested':
      return withCreation(known, { isRested: true, looked: 'not-yet' });
    case 'missed':
      return withCreation(known, { looked: fact.looked, looked_after: fact.after });
    case 'shown-over':
      // The trade is over: for the creation that is the same as no order.
      return withCreation(withIds(known, { ...fact.trade }), { looked: 'no-such-order', looked_after: fact.after });
    case 'learned':
      return onLearned(known, fact);
    case 'created':
      return onCreated(known, fact);
    case 'refused':
      return onRefused(known, fact);
    case 'recalled':
      return onRecalled(known, fact);
    case 'ended-before':
      return onEndedBefore(known, fact);
    case 'notified':
      return onSignal({ ...known, taken: known.taken + 1 }, fact);
    case 'carried':
      return onSignal(known, fact);
    case 'looking':
      return { ...known, looked_after: known.claimed, look: { at: fact.at, isSilent: known.look?.isSilent ?? false } };
    case 'queried':
      return onQueried(known, fact, settings);
    case 'unanswered':
      return onUnanswered(known, fact);
    case 'denied':
      return withDenied(known, fact.claims);
    case 'settled':
      return withoutClaims(known, fact.claims);
    case 'believed':
      return onBelieved(known, fact, settings);
    case 'noted':
      return withOther(known, fact);
    case 'decided':
      return decidedPayment(known, fact);
    case 'seen':
      return seenPayment(known, fact);
    case 'taken':
      return { ...known, wait: takenOn(known.wait, fact) };
    case 'raised':
      return raised(withTold(known, fact), fact.attention);
    case 'cleared':
      return fact.attention === 'silence' ? withoutSilence(known) : withoutReasons(known, [fact.attention]);
    case 'dated':
      return withShown(known, { expires_at: iso(fact.expires_at) });
    case 'expired':
      return onExpired(known, fact);
    case 'handed-out':
      return onHandedOut(known, fact);
  }
}

function onHandedOut(known: KnownPayment, fact: FactOf<'handed-out'>): KnownPayment {
  const { claims, contradicted, ofRefunds, reasons } = fact;
  return {
    ...withoutClaims(known, claims),
    handedOver: [...(known.handedOver ?? []), ...reasons],
    contradicted: known.contradicted.filter((one) => !contradicted.includes(one)),
    ofRefunds: known.ofRefunds.filter((one) => !ofRefunds.includes(one)),
  };
}

// — The creation —

function onBegun(known: KnownPayment): KnownPayment {
  const { begun, resent, reached } = known.creation;
  const again = mayExist(known) ? { resent: resent + 1, isRested: false } : {};
  return withCreation(known, { begun: begun + 1, reached: reached + 1, ...again });
}

function onAnswered(before: KnownPayment, { tried }: FactOf<'answered'>): KnownPayment {
  const reached = before.creation.reached + (MORE_REACHED[tried.is] ?? 0);
  const known = withCreation(before, { tried: before.creation.tried + 1, reached });
  if (tried.is === 'interrupted') return known;
  // An activity that no worker ran does not tell whether this run is a reset.
  const isOwn = !('why' in tried && tried.why === 'missing-activity') || known.creation.isOwn;
  if (tried.is === 'created' || tried.is === 'too-soon') return withCreation(known, { isOwn });
  if (tried.is === 'busy') return withCreation(known, { isOwn, reach: furtherOf(known, 'busy') });
  const { message, error } = tried;
  const reach = reachAfter(known, tried.is);
  const told = withCreation(known, { isOwn, reach, said: CREATION_SAID[tried.is], looked: 'not-yet' });
  // The first request that was not sent raises attention; the next one gets all the rest of the order's time.
  const isLate = tried.is === 'not-sent' && !mayExist(told) ? told.creation.begun > 1 : told.creation.isLate;
  const answered = withCreation(told, { isLate, last: { message, error } });
  return tried.is === 'not-sent' ? answered : withoutSilence(answered);
}

/** A request counts once it is begun. One that certainly made nothing is taken off again; a busy gateway gets one more request. */
const MORE_REACHED: Readonly<Partial<Record<Tried['is'], number>>> = {
  interrupted: -1,
  'not-sent': -1,
  'not-created': -1,
  duplicate: -1,
  busy: 1,
};

/** A gateway that answered "busy" to an earlier try may still have made the order. */
function reachAfter(known: KnownPayment, is: keyof typeof CREATION_SAID): Reach {
  if (is === 'unknown') return furtherOf(known, 'sent');
  if (is === 'ended-outside') return furtherOf(known, 'perhaps');
  return is === 'duplicate' && known.creation.reach === 'busy' ? 'perhaps' : known.creation.reach;
}

const FURTHER = Object.keys(REACHES);
const furtherOf = ({ creation: { reach } }: KnownPayment, other: Reach): Reach =>
  FURTHER.indexOf(other) > FURTHER.indexOf(reach) ? other : reach;

function onLearned(known: KnownPayment, { of }: FactOf<'learned'>): KnownPayment {
  switch (of) {
    case 'a revived order':
      // The gateway made the order and refused it: the live trade under the number is this order, or another system's.
      return withCreation(known, { reach: furtherOf(known, 'perhaps') });
    case 'an earlier request':
      return withCreation(known, { said: 'duplicate' });
    case 'an earlier order':
      return withCreation(known, { reach: furtherOf(known, 'perhaps'), reached: Math.max(1, known.creation.reached) });
    case 'a new look':
      return withCreation(known, { looked: 'not-yet' });
  }
}

/** The creation's answer has no amount, so the order's own stands until a query says otherwise. */
function onCreated(known: KnownPayment, { data, answer, at }: FactOf<'created'>): KnownPayment {
  // A person ended the payment meanwhile, and callers were told. The after-sale still needs the trade_no.
  if (isOver(known)) return withIds(known, data);
  // If an earlier run gave payment data to callers, all callers keep getting the same data.
  const payment_data = answerFor(known.before, data.trade_no) ?? answer;
  const learned = withoutReasons(withIds(withShown(known, { payment_data }), data), ANSWERED);
  const status = data.trade_status;
  if (typeof status !== 'string' || status === '') return learned;
  // The creation's own answer was lost, and a query found the trade.
  const moved = movedTo(learned, status, data.recovered ? 'query' : 'creation', at);
  // A SUCCESS needs a query or a notification. Every other end means no money, so the answer itself is enough.
  return outcomeOf(status) === 'SUCCESS' ? moved : concluded(moved, status, 'query', { late_payments: 'attention' });
}

function onRefused(known: KnownPayment, { error, at }: FactOf<'refused'>): KnownPayment {
  const refused_because = { code: error.code ?? null, sub_code: error.sub_code ?? null };
  const refused = movedTo(withShown(known, { refused_because }), 'REFUSED', 'creation', at);
  return concluded(refused, 'REFUSED', 'query', { late_payments: 'attention' });
}

// — Earlier runs —

/** Of runs that somebody terminated: a person is asked about their other trades, and this run reads the notifications that they left unread. */
function onRecalled(known: KnownPayment, { earlier, at }: FactOf<'recalled'>): KnownPayment {
  const { other_trades, untaken, reasons, is_followed } = earlier;
  const isFollowed = known.isFollowed || is_followed;
  // Whoever withdrew it was told that nothing was charged.
  const isWithdrawn = known.isWithdrawn || earlier.runs.some(({ withdrawn }) => withdrawn);
  const reached = Math.max(known.creation.reached, ...earlier.runs.map((one) => one.reached));
  const read = withCreation({ ...known, earlier, isFollowed, isWithdrawn }, { isOwn: true, reached });
  const others = other_trades.reduce<readonly NotedTrade[]>(withNoted, read.others);
  const named = { ...read, others };
  // The runs are read again where none had an order: what a person has settled since is not asked again.
  const unsettled = known.earlier === null ? reasons : [];
  const second = other_trades.length > 0 ? (['second-trade'] as const) : [];
  const asked = [...second, ...unsettled].reduce(raised, named);
  const left = untaken.reduce((one, signal) => onSignal(one, { is: 'carried', signal, at }), asked);
  return known.isAdopted ? withBefore(left, knownOfTrade(earlier), at) : left;
}

/** Continues the payment of an earlier run. If that one has ended for good, this run has the same end from the start. */
function withBefore(known: KnownPayment, before: EarlierPayment | undefined, at: number): KnownPayment {
  if (before === undefined) return known;
  const { shown } = known;
  const { order } = before;
  // Somebody terminated the run that watched our trade: its trade_no stays ours, even if another trade was named since.
  const isCutOff = before.outcome === null && order;
  const ours = isCutOff ? (before.trade_no ?? shown.trade_no) : (shown.trade_no ?? before.trade_no);
  const out_trade_no = shown.out_trade_no ?? order?.request.out_trade_no ?? before.out_trade_no;
  const named = withShown(
    { ...known, before, order },
    { trade_no: ours, out_trade_no, ...(order ? saidBy(order) : {}) },
  );
  const recalled = before.other_trades.reduce(notedAtEnd, named);
  return staysEnded(before) ? onEndedBefore(recalled, { is: 'ended-before', end: before, at }) : recalled;
}

/** The end of an earlier run stands: news of another trade under the number does not change it. */
function onEndedBefore(known: KnownPayment, { end }: FactOf<'ended-before'>): KnownPayment {
  const { shown } = known;
  const restored = withShown(
    { ...known, isRestored: true },
    {
      trade_no: end.trade_no ?? shown.trade_no,
      order_amount: shown.order_amount ?? end.order_amount,
      order_currency: shown.order_currency ?? end.order_currency,
      // May be null: a person may have called the payment sold before the gateway showed any status.
      trade_status: end.trade_status,
      payment_data: end.payment_data,
      refused_because: end.refused_because,
      ...(end.mismatch ? { mismatch: end.mismatch } : {}),
      outcome: end.outcome,
      confirmed_by: end.confirmed_by ?? (end.outcome === 'SUCCESS' ? 'query' : null),
    },
  );
  return end.other_trades.reduce(notedAtEnd, restored);
}

/** An other trade of a run that ended by itself. If it has a status, the run has queried the trade, or handed it over to be queried. */
const notedAtEnd = (known: KnownPayment, { trade_no, ...said }: OtherTrade): KnownPayment =>
  noted(known, { other: trade_no, said, isAnswered: said.trade_status !== null });

// — Other trades under the order's number —

/** A person is told of another trade, and again when its status changes: here, where it is noted, so that nothing can come between. */
function withOther(before: KnownPayment, said: Parameters<typeof noted>[1]): KnownPayment {
  const statusIn = ({ others }: KnownPayment) =>
    others.find((one) => one.trade_no === said.other)?.trade_status ?? null;
  const known = noted(before, said);
  return statusIn(known) === statusIn(before) ? known : raised(known, 'second-trade');
}

function noted(
  known: KnownPayment,
  { other, said = {}, isAnswered }: Pick<FactOf<'noted'>, 'other' | 'said' | 'isAnswered'>,
): KnownPayment {
  const { trade_status = null, order_amount = null } = said;
  const asked = isAnswered ? ({ asked: 'answered' } as const) : {};
  return { ...known, others: withNoted(known.others, { trade_no: other, trade_status, order_amount, ...asked }) };
}

// — Notifications —

function onSignal(known: KnownPayment, { signal, at }: FactOf<'notified' | 'carried'>): KnownPayment {
  const said = readSignal(signal) ?? {};
  const { trade_no, trade_status, method } = said;
  if (!trade_no && !trade_status) return known;
  const claimed = known.claimed + 1;
  // The gateway may repeat a notification: it is kept once, as of its latest arrival.
  const others = known.claims.filter((one) => !saysTheSame(one.signal, said));
  const claims = [...others, { signal: said, heard: claimed, isDenied: false }];
  const isOfRefund = said.out_request_no !== undefined && isRefundStatus(trade_status ?? '');
  const ofRefunds = [...known.ofRefunds.filter((one) => !saysTheSame(one, said)), ...(isOfRefund ? [said] : [])];
  const heard = { ...known, claimed, claims, ofRefunds, latest: { trade_status, trade_no, at: iso(at) } };
  const isOurs = isOfTrade(said, known.shown.trade_no);
  return isOurs ? withShown(heard, { method: known.shown.method ?? method ?? null }) : heard;
}

/** Which of the claims that came before a look the look answers. The others count as new again. */
function readUntil(known: KnownPayment, after: number, isSeen: (signal: NotificationSignal) => boolean) {
  const seen = known.claims.filter(({ heard, signal }) => heard <= after && isSeen(signal));
  const unseen = known.claims.filter((one) => one.heard <= after && !seen.includes(one));
  const news = unseen.map((one, i) => ({ ...one, heard: known.claimed + 1 + i }));
  const claims = [...known.claims.filter((one) => !unseen.includes(one)), ...news];
  return { seen, known: { ...known, claims, claimed: known.claimed + news.length } };
}

function withDenied(known: KnownPayment, denied: readonly PendingClaim[]): KnownPayment {
  return { ...known, claims: known.claims.map((one) => (isIn(denied, one) ? { ...one, isDenied: true } : one)) };
}

const saysTheSame = (one: NotificationSignal, other: NotificationSignal) =>
  (['trade_no', 'trade_status', 'amount', 'currency', 'out_request_no'] as const).every(
    (field) => one[field] === other[field],
  );

/**
 * The query does not show what these claims say, so they no longer wait for it. Those about money are remembered, without repetitions; a person
 * is told of them after the poll schedule, unless a decision about the amount is asked for already.
 */
function contradicted(known: KnownPayment, claims: readonly PendingClaim[], at: number): KnownPayment {
  const ofMoney = signalsIn(claims).filter(({ trade_status = '' }) => outcomeOf(trade_status) === 'SUCCESS');
  const remembered = [...known.contradicted];
  for (const one of ofMoney) if (!remembered.some((other) => saysTheSame(one, other))) remembered.push(one);
  const settled = withoutClaims({ ...known, contradicted: remembered }, claims);
  const isDoubted = ofMoney.length > 0 && !needsDecision(known);
  return isDoubted ? { ...settled, doubted_at: known.doubted_at ?? at } : settled;
}

// — The gateway's answers —

/** A query is the truth, except for impossible transitions. It settles the notifications that came before it began. */
function onQueried(
  before: KnownPayment,
  { trade, after, at }: FactOf<'queried'>,
  settings: PaymentFoldSettings,
): KnownPayment {
  const ours = before.shown.trade_no ?? trade.trade_no;
  if (!isOfTrade(trade, ours)) return withOther(before, { other: trade.trade_no ?? '', said: trade, isAnswered: true });
  const { seen, known } = readUntil(before, after, (one) => isOfTrade(one, ours));
  // A poll's answer may have waited for a worker until after a deadline, at which the gateway is asked anew.
  const asked_at = Math.min(trade.asked_at ?? at, at);
  const compared = withOtherAmount(withLook(known, asked_at, false), signalsIn(seen));
  const { order_amount: amount, order_currency: currency } = trade;
  const said = { ...trade, amount, currency };
  const read = withTrade(withoutReasons(compared, ANSWERED), said, { source: 'query', at }, settings);
  // If neither the answer nor we have a trade_no, at most one of the named trades is ours.
  const named = ours ? [] : tradesNamedBy(signalsIn(seen));
  const told =
    named.length > 1
      ? raised(
          named.reduce((now, other) => noted(now, { other }), read),
          'second-trade',
        )
      : read;
  // After the end, the after-sale reads these notifications.
  return isOver(told) ? told : contradicted(told, seen, at);
}

type SaidTrade = NotificationSignal & { readonly trade_status: string };

/** Takes in a trade from a query, or from a believed notification. Paid with another amount, it is a sale only if a person says so. */
function withTrade(
  before: KnownPayment,
  said: SaidTrade,
  { source, at }: { readonly source: Source; readonly at: number },
  settings: PaymentFoldSettings,
): KnownPayment {
  const { trade_status, amount, currency } = said;
  const named = withIds(before, said);
  const { shown } = named;
  const isMismatch = isUnlikeOrder(shown, said);
  const learned = withShown(withOtherAmount(named, [said], trade_status), {
    method: shown.method ?? said.method ?? null,
    order_amount: shown.order_amount ?? (isMoney(amount) ? amount : null),
    order_currency: shown.order_currency ?? currency ?? null,
  });
  const moved = movedTo(learned, trade_status, source, at);
  return isMismatch && outcomeOf(trade_status) === 'SUCCESS' ? moved : concluded(moved, trade_status, source, settings);
}

/** "No such order" contradicts the claims that it answers. One that names a trade stays until our trade_no is known. */
function onUnanswered(known: KnownPayment, { looked, after, at }: FactOf<'unanswered'>): KnownPayment {
  if (looked === 'no-answer') return withLook(known, at, true);
  const ours = known.shown.trade_no;
  const read = readUntil(withLook(known, at, false), after, (one) => isOfTrade(one, ours));
  const denied = read.seen.filter(({ signal }) => !signal.trade_no || ours !== null);
  return contradicted(withDenied(read.known, read.seen), denied, at);
}

const withLook = (known: KnownPayment, at: number, isSilent: boolean): KnownPayment => ({
  ...known,
  look: { at: known.look?.at ?? at, isSilent },
});

function onBelieved(
  known: KnownPayment,
  { claim, at }: FactOf<'believed'>,
  settings: PaymentFoldSettings,
): KnownPayment {
  const settled = withoutClaims(known, [claim]);
  const { trade_status } = claim.signal;
  if (trade_status === undefined) return settled;
  return withTrade(settled, { ...claim.signal, trade_status }, { source: 'notification', at }, settings);
}

type Amount = Pick<NotificationSignal, 'amount' | 'currency'>;

/** If one of these has another amount than the order, a person has to compare: once, and once more when the trade is paid. */
function withOtherAmount(known: KnownPayment, said: readonly Amount[], status = ''): KnownPayment {
  const other = said.findLast((one) => isUnlikeOrder(known.shown, one));
  if (!other) return known;
  const mismatch = { amount: other.amount ?? null, currency: other.currency ?? null };
  const { amount, currency } = known.shown.mismatch ?? {};
  const isTold = amount === mismatch.amount && currency === mismatch.currency;
  // The same amount again: a person may have seen it already.
  if (isTold && outcomeOf(status) !== 'SUCCESS') return known;
  return raised(withShown(known, { mismatch }), 'amount-mismatch');
}

function movedTo(known: KnownPayment, to: string, source: 'creation' | Source, at: number): KnownPayment {
  const heard = { ...known, heard: { status: to, source, at: iso(at) } };
  const from = known.shown.trade_status;
  // A person may have ended the payment during the query: then nothing changes any more.
  if (from === to || isOver(known)) return heard;
  const kind = classifyTransition(lastKnownStatus(known), to);
  if (kind === 'stale') return heard;
  // The same status again: a person may have seen it already.
  if (kind === 'unlisted') return known.heard?.status === to ? heard : raised(heard, 'unlisted-transition');
  const moved = withTransition(withShown(heard, { trade_status: to }), { from, to, source }, at);
  return isKnownStatus(to) ? moved : raised(moved, 'unknown-status');
}

/** The last status that the transition table lists. Later statuses are compared with this one, even after an unknown status. */
export const lastKnownStatus = ({ history }: KnownPayment): string | null =>
  history.findLast(({ to, source }) => source !== 'operator' && isKnownStatus(to))?.to ?? null;

/** Sets the outcome if this status was accepted and is final. The first outcome stays. */
function concluded(known: KnownPayment, status: string, source: Source, settings: PaymentFoldSettings): KnownPayment {
  const outcome = outcomeOf(status);
  if (outcome === null || isOver(known) || known.shown.trade_status !== status) return known;
  const ended = withShown(known, { outcome, confirmed_by: source });
  if (outcome !== 'SUCCESS') return ended;
  const reason = attentionOfSale(status);
  const sold = withoutReasons(reason ? raised(ended, reason) : ended, ['unconfirmed-notification']);
  // An earlier run that failed, was cancelled or terminated sold nothing either.
  const { before } = sold;
  if (before === undefined || before.outcome === 'SUCCESS') return sold;
  // Money of a trade that is not known to be ours always needs a person.
  const isAccepted = settings.late_payments === 'accept' && isOurTrade(sold);
  return isAccepted ? sold : raised(sold, 'late-payment');
}

/** Whether the earlier run is known to have made this trade. */
const isOurTrade = ({ order, before, shown }: KnownPayment): boolean =>
  order !== null && isNamedByItsCreation(before ?? {}, shown.trade_no);

// — Times —

/** The gateway never ended the trade. */
function onExpired(known: KnownPayment, { at }: FactOf<'expired'>): KnownPayment {
  const outcome: PaymentOutcome = 'EXPIRED';
  const ended = raised(withShown(known, { outcome }), 'never-ended');
  return withTransition(ended, { from: known.shown.trade_status, to: outcome, source: 'deadline' }, at);
}

// — Small changes —

const withTold = (known: KnownPayment, { attention, at }: FactOf<'raised'>): KnownPayment =>
  isToldByPolls(attention) ? { ...known, told_at: { ...known.told_at, [attention]: at } } : known;

function withIds(known: KnownPayment, said: { readonly [field: string]: unknown }): KnownPayment {
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return withShown(known, {
    trade_no: known.shown.trade_no ?? textOf(said.trade_no),
    out_trade_no: known.shown.out_trade_no ?? textOf(said.out_trade_no),
  });
}

const withCreation = (known: KnownPayment, creation: Partial<KnownCreation>): KnownPayment => ({
  ...known,
  creation: { ...known.creation, ...creation },
});
