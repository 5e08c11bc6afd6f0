/** The result of a look at the gateway, as facts. Pure: `creation.ts` and `await-outcome.ts` look, and learn these facts. */
import {
  isNamedByItsCreation,
  type LookResult,
  type NotedTrade,
  type NotificationSignal,
  outcomeOf,
  type QueriedTrade,
  reportsNewMoney,
  type Trade,
  tradesNamedBy,
} from '../../contract';
import { attentionAfter, type Missing } from '../shared/look';
import type { NewPaymentFact } from './facts';
import { answerFor } from './known-before';
import { earlierOf, isLikeOrder, type KnownPayment, nameOf, type PendingClaim, signalsIn } from './known-payment';

// — While the order is created —

/** A look for the order has not found it. `after`, `claims`: the claims that the look answers. */
export function ofMissed(looked: Missing, claims: readonly PendingClaim[], after: number): NewPaymentFact[] {
  const isDenied = looked.is === 'no-such-order';
  const missed: NewPaymentFact = { is: 'missed', looked: looked.is, after };
  // Without a claim there is no unknown trade: our order is just not made yet.
  const facts: NewPaymentFact[] = isDenied ? [missed, { is: 'cleared', attention: 'silence' }] : [missed];
  if (isDenied && claims.length === 0) return facts;
  return [...facts, ...ofNamed(claims, isDenied), { is: 'raised', attention: attentionAfter(looked) }];
}

/** A query after the gateway made the order and refused it. Unless it shows the order ended, it counts as no answer: the order is watched. */
export const ofRefused = (looked: LookResult, after: number): NewPaymentFact =>
  looked.is === 'found' && outcomeOf(looked.trade.trade_status) !== null
    ? { is: 'shown-over', trade: looked.trade, after }
    : { is: 'missed', looked: 'no-answer', after };

/** The trades that were named and not found. Of several at most one is ours: a person is told even if the gateway is silent. */
function ofNamed(claims: readonly PendingClaim[], isDenied: boolean): NewPaymentFact[] {
  const named = tradesNamedBy(signalsIn(claims));
  const areSeveral = named.length > 1;
  return [
    ...(isDenied ? [{ is: 'denied', claims } as const] : []),
    ...(isDenied || areSeveral ? named.map((other) => ({ is: 'noted', other }) as const) : []),
    ...(areSeveral ? [{ is: 'raised', attention: 'second-trade' } as const] : []),
  ];
}

/** A look found the order, and the answer to its creation was lost. Its notifications are read again once the payment waits. */
export function ofRecovered(known: KnownPayment, trade: Trade): NewPaymentFact[] {
  const { trade_no, trade_status } = trade;
  const earlier = earlierOf(known);
  // What an earlier run gave to callers.
  const payment_data = answerFor(earlier, trade_no);
  const found = {
    ...{ out_trade_no: nameOf(known), ...(trade_no ? { trade_no } : {}), trade_status, recovered: true },
    ...payment_data,
  };
  const answer = payment_data ?? (isLikeOrder(known, trade) ? found : null);
  // No request of this run is known to have left us, and no answer to an earlier run named this trade.
  const isUnproven = known.creation.reach !== 'sent' && !isNamedByItsCreation(earlier ?? {}, trade_no);
  return [
    { is: 'created', data: found, answer },
    { is: 'queried', trade, after: 0 },
    ...(isUnproven ? [{ is: 'raised', attention: 'unproven-trade' } as const] : []),
  ];
}

// — While it waits for its outcome —

/** A query has shown our trade, and perhaps another one under the order's number: that one first, because the payment may end with ours. */
export const ofShown = ({ second, ...trade }: QueriedTrade, after: number): NewPaymentFact[] => [
  ...ofSecond({ second }),
  { is: 'queried', trade, after },
];

/** Another trade under the order's number, if the gateway has shown one. */
export const ofSecond = ({ second }: { readonly second?: QueriedTrade['second'] | undefined }): NewPaymentFact[] =>
  second?.trade_no === undefined ? [] : [{ is: 'noted', other: second.trade_no, said: second, isAnswered: true }];

/** A look has not found the trade, and perhaps another one under the order's number. `after`: the claims that it answers. */
export const ofUnanswered = (looked: Missing, after: number): NewPaymentFact[] => [
  ...(looked.is === 'no-such-order' ? ofSecond(looked) : []),
  { is: 'unanswered', looked: looked.is, after },
  { is: 'raised', attention: attentionAfter(looked) },
];

/** Another trade is named. A person is told at once, as the look may take long; not again once it is answered: it may be settled. */
export const ofOtherNamed = (other: string, before: NotedTrade | undefined): NewPaymentFact[] => [
  { is: 'noted', other },
  ...(before?.asked === 'answered' ? [] : [{ is: 'raised', attention: 'second-trade' } as const]),
];

/** Somebody named the trade of another order: the trade changes nothing here, and the claims that named it are settled. */
export const ofForeign = (claims: readonly PendingClaim[]): NewPaymentFact[] => [
  { is: 'settled', claims },
  { is: 'raised', attention: 'unexpected-signal' },
];

/** A look at another trade. Without an answer it is queried again later. */
export function ofOtherLooked(other: string, looked: LookResult): NewPaymentFact[] {
  if (looked.is === 'no-answer') return [];
  return [{ is: 'noted', other, ...(looked.is === 'found' ? { said: looked.trade } : {}), isAnswered: true }];
}

/**
 * A notification of another trade counts if the gateway shows no such money, or no status is known: the replica may be stale, and
 * money that was acknowledged must not be lost.
 */
export function ofOtherNotified(
  { others }: KnownPayment,
  other: string,
  { trade_status, amount }: NotificationSignal,
): NewPaymentFact[] {
  const known = others.find(({ trade_no }) => trade_no === other);
  if (trade_status === undefined || (known?.trade_status && !reportsNewMoney(known.trade_status, trade_status)))
    return [];
  return [{ is: 'noted', other, said: { trade_status, order_amount: amount } }];
}
