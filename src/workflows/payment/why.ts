/** What a payment's facts say, in words, and what is concluded from each. Pure. */
import {
  claimOf,
  classifyTransition,
  type FactsOfRun,
  type NotificationSignal,
  outcomeOf,
  type PaymentInput,
  type PaymentPolicy,
  type SaidFact,
  TRANSITION_KINDS,
  type Trade,
  type WorldEvent,
} from '../../contract';
import { iso } from '../../gateway/pure/timestamps';
import { shownAttention } from '../shared/attention-reasons';
import {
  attentionChanged,
  changed,
  claimWords,
  counted,
  type Explainer,
  explained,
  GATEWAY,
  type LearnedFacts,
  shownWords,
  tradeWords,
  words,
} from '../shared/why';
import { creationRule, type Tried } from './creation-table';
import { orderDeadlines, orderTimes, sendingEnd } from './deadlines';
import type { FactOf, NewPaymentFact, PaymentFact } from './facts';
import { foldPayment, lastKnownStatus, type PaymentFoldSettings } from './fold';
import { creationFacts, type KnownPayment, otherTrades, REACHES } from './known-payment';
import { paymentRule } from './next-step';

/** What a run has been told: its input, when it began (ms since the epoch), its settings, and its facts. */
interface ToldPayment {
  readonly input: PaymentInput;
  readonly began: number;
  readonly policy: PaymentPolicy | undefined;
  readonly learned: Pick<LearnedFacts<KnownPayment, PaymentFact, PaymentFoldSettings>, 'begin' | 'latest' | 'left_out'>;
}

export function explainedPayment({ input, began, policy, learned }: ToldPayment): FactsOfRun {
  const dated = learned.latest.find(({ fact }) => fact.is === 'dated')?.fact.at;
  const next: PaymentExplainer['next'] = (known, at) => policy && nextOf(known, { at, began, dated, input, policy });
  return explained(learned, policy, { fold: foldPayment, said: saidOf, world: worldOf, concluded, next });
}

type PaymentExplainer = Explainer<KnownPayment, PaymentFact, PaymentFoldSettings>;

interface Moment extends Pick<ToldPayment, 'input' | 'began'> {
  readonly at: number;
  /** When the wait for the outcome began, and the deadlines were known. */
  readonly dated: number | undefined;
  readonly policy: PaymentPolicy;
}

function nextOf(
  known: KnownPayment,
  { at, began, dated, input, policy }: Moment,
): ReturnType<PaymentExplainer['next']> {
  if (dated !== undefined && known.shown.expires_at !== null) {
    const stages = orderDeadlines(orderTimes(input), dated, policy);
    const { step, because } = paymentRule(known, at, { isAsked: false, stages }, policy);
    return { step: step.take === 'watch' ? `watch until ${iso(step.due_at)}` : step.take, because };
  }
  // A trade that exists already is not created; and once it is known, the creation is over.
  if (input.kind === 'adopt' || known.shown.payment_data !== null) return undefined;
  return creationRule(creationFacts(known, { until: sendingEnd(input.request, began, policy), now: at }));
}

function concluded(before: KnownPayment, after: KnownPayment) {
  const { shown: was } = before;
  const { shown: is } = after;
  const { reach } = after.creation;
  const known = (one: KnownPayment) => ({ shown: shownAttention(one.reasons), reasons: one.reasons });
  const others = (one: KnownPayment) => words(...otherTrades(one).map(({ trade_no }) => trade_no)) || null;
  return [
    ...changed('our order', before.creation.reach, reach, REACHES[reach]),
    ...changed('trade', was.trade_no, is.trade_no, 'the first answer or notification that names a number names ours'),
    ...statusConcluded(before, after),
    ...changed('outcome', was.outcome, is.outcome, outcomeRule(after)),
    ...changed('other trades', others(before), others(after), 'another number than ours is another trade'),
    ...attentionChanged(known(before), known(after)),
  ];
}

/** A status that was reported, whether it moved the payment or not. */
function statusConcluded(before: KnownPayment, after: KnownPayment) {
  const heard = after.heard?.status;
  if (heard === undefined || after.heard === before.heard) return [];
  const { trade_status: from } = before.shown;
  const rule = TRANSITION_KINDS[classifyTransition(lastKnownStatus(before), heard)];
  if (from !== after.shown.trade_status) return changed('status', from, after.shown.trade_status, rule);
  return heard === from ? [] : [{ what: `status ${heard}`, from, to: from, rule }];
}

function outcomeRule({ shown: { confirmed_by, outcome, trade_status } }: KnownPayment): string {
  if (confirmed_by === 'operator') return 'a person says how it ended';
  if (outcomeOf(trade_status ?? '') !== outcome)
    return 'all deadlines are over, and the gateway has not ended the trade';
  return `the table of statuses: ${trade_status} ends a payment as ${outcome}; known by a ${confirmed_by ?? 'deadline'}`;
}

const US = 'we';
/** Ends of a try that the gateway has not said. */
const OF_OURS: readonly Tried['is'][] = ['interrupted', 'too-soon', 'not-sent', 'ended-outside'];

function saidOf(fact: NewPaymentFact): SaidFact {
  switch (fact.is) {
    case 'withdrawn':
      return { by: 'the merchant', said: 'the order is not to be sent' };
    case 'followed':
      return { by: 'the after-sale', said: 'has begun, and waits to be told of the end' };
    case 'begun':
      return { by: US, said: 'from here on a request to create the order may leave us' };
    case 'answered': {
      const { tried } = fact;
      const isOurs = OF_OURS.includes(tried.is);
      const why = 'message' in tried ? tried.message : '';
      return {
        by: isOurs ? US : GATEWAY,
        said: words(tried.is === 'created' ? 'has created the order' : `creation ${tried.is}`, why && `(${why})`),
      };
    }
    case 'rested':
      return { by: 'time', said: 'the pause before the order is sent again is over' };
    case 'missed':
    case 'unanswered':
      return { by: GATEWAY, said: fact.looked };
    case 'learned':
      return { by: US, said: fact.of === 'a new look' ? 'a new look is needed' : `there is ${fact.of}` };
    case 'created':
      return { by: GATEWAY, said: words(text(fact.data.trade_status), tradeWords(text(fact.data.trade_no))) };
    case 'refused':
      return { by: GATEWAY, said: words('refused', fact.error.code, fact.error.sub_code) };
    case 'recalled':
      return { by: 'Temporal', said: counted(fact.earlier.runs.length, 'earlier run') };
    case 'ended-before':
      return { by: 'an earlier run', said: words('ended', fact.end.outcome, fact.end.trade_status) };
    case 'notified':
      return { by: 'a notification', said: signalWords(fact.signal) };
    case 'carried':
      return { by: 'an earlier run', said: `was notified: ${signalWords(fact.signal)}` };
    case 'looking':
      return { by: US, said: 'ask the gateway' };
    case 'queried':
    case 'shown-over':
      return { by: GATEWAY, said: shownWords(fact.trade) };
    case 'denied':
      return { by: GATEWAY, said: `does not know what ${counted(fact.claims.length, 'notification')} named` };
    case 'settled':
      return { by: US, said: `${counted(fact.claims.length, 'notification')} of another trade` };
    case 'believed':
      return { by: 'a notification', said: `counts without a query: ${signalWords(fact.claim.signal)}` };
    case 'noted':
      return { by: GATEWAY, said: words(fact.said?.trade_status, fact.said?.order_amount, tradeWords(fact.other)) };
    case 'decided':
      return { by: `a person, ${fact.by}`, said: `${fact.outcome}: ${fact.reason}` };
    case 'seen':
      return { by: `a person, ${fact.by}`, said: `seen: ${fact.reason}` };
    case 'taken':
      return { by: `a person, ${fact.by}`, said: words('takes it on', fact.note && `(${fact.note})`) };
    case 'raised':
      return { by: US, said: `a person is needed: ${fact.attention}` };
    case 'cleared':
      return { by: US, said: `no ${fact.attention} any more` };
    case 'dated':
      return { by: 'the order', said: `expires at ${iso(fact.expires_at)}` };
    case 'expired':
      return { by: 'time', said: 'the last deadline is over' };
    case 'handed-out':
      return { by: US, said: 'what was notified and not answered is left to the after-sale' };
  }
}

/** What others did; null if the fact is our own conclusion. */
function worldOf(fact: PaymentFact, { shown }: KnownPayment): WorldEvent | null {
  switch (fact.is) {
    case 'withdrawn':
      return { is: 'withdrawn' };
    case 'answered':
      return triedOf(fact.tried);
    case 'missed':
    case 'unanswered':
      return notShown(fact.looked);
    case 'notified':
      return { is: 'notified', claim: claimOf(fact.signal) };
    case 'queried':
    case 'shown-over':
      return { is: 'shown', trade: fact.trade };
    case 'noted':
      if (!fact.isAnswered || fact.other === shown.trade_no) return null;
      return fact.said
        ? { is: 'shown', trade: asTrade(fact.other, fact.said), of: fact.other }
        : { is: 'missing', of: fact.other };
    case 'decided':
      return { is: 'resolved', resolution: { outcome: fact.outcome, by: fact.by, reason: fact.reason } };
    case 'seen':
      return { is: 'resolved', resolution: { by: fact.by, reason: fact.reason } };
    case 'taken':
      return { is: 'taken', by: fact.by, note: fact.note };
    case 'raised':
      if (fact.attention === 'unexpected-signal') return { is: 'signaled' };
      return fact.attention === 'credentials' ? { is: 'silent', why: 'credentials' } : null;
    default:
      return null;
  }
}

const notShown = (looked: 'no-such-order' | 'no-answer'): WorldEvent =>
  looked === 'no-such-order' ? { is: 'missing' } : { is: 'silent', why: 'no-answer' };

function asTrade(
  trade_no: string,
  { trade_status, order_amount }: NonNullable<FactOf<'noted'>['said']>,
): Partial<Trade> {
  return { trade_no, ...(trade_status ? { trade_status } : {}), ...(order_amount ? { order_amount } : {}) };
}

/** A try that was given up got no answer. */
function triedOf(tried: Tried): WorldEvent | null {
  if (tried.is === 'interrupted') return null;
  if (tried.is === 'ended-outside') return { is: 'created', tried: { ...tried, is: 'unknown' } };
  if (tried.is !== 'too-soon') return { is: 'created', tried };
  const error = { outcome: 'not-sent', retryable: true, operation: 'create' } as const;
  return { is: 'created', tried: { is: 'not-sent', why: tried.why, message: '', error } };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const signalWords = (signal: NotificationSignal): string => claimWords(signal) || 'a call to look at the gateway';
