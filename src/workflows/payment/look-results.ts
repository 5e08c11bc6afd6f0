/** What a look at the gateway says of a payment, as facts. Pure: `creation.ts` and `await-outcome.ts` look, and learn these. */
import {
  type LookResult,
  type NotedTrade,
  type NotificationSignal,
  outcomeOf,
  type PaymentData,
  type Trade,
  tradesNamedBy,
} from '../../contract';
import { attentionAfter, type Missing } from '../shared/look';
import { isBehind } from '../shared/stale-read';
import type { NewPaymentFact } from './facts';
import { isLikeOrder, type KnownPayment, nameOf, type PendingClaim, signalsIn } from './known-payment';

// — While the order is created —

/** A look for the order has not found it. `after`, `claims`: those that it answers. */
export function ofMissed(looked: Missing, claims: readonly PendingClaim[], after: number): NewPaymentFact[] {
  const isDenied = looked.is === 'no-such-order';
  const missed: NewPaymentFact = { is: 'missed', looked: looked.is, after };
  // An order of ours that was not made yet is no unknown trade.
  const facts: NewPaymentFact[] = isDenied ? [missed, { is: 'cleared', attention: 'silence' }] : [missed];
  if (isDenied && claims.length === 0) return facts;
  // The look is recorded by the attention that it raises.
  return [...facts, ...ofNamed(claims, isDenied), { is: 'raised', attention: attentionAfter(looked) }];
}

/** A query after the refusal of an order that the gateway made. Where it does not show the order ended, that is no answer: the order is watched. */
export const ofRefused = (looked: LookResult, after: number): NewPaymentFact =>
  looked.is === 'found' && outcomeOf(looked.trade.trade_status) !== null
    ? { is: 'shown-over', trade: looked.trade, after }
    : { is: 'missed', looked: 'no-answer', after };

/** What was named and not found. Of several trades at most one is ours: a person hears of it without the gateway. */
function ofNamed(claims: readonly PendingClaim[], isDenied: boolean): NewPaymentFact[] {
  const named = tradesNamedBy(signalsIn(claims));
  const areSeveral = named.length > 1;
  return [
    ...(isDenied ? [{ is: 'denied', claims } as const] : []),
    ...(isDenied || areSeveral ? named.map((other) => ({ is: 'noted', other }) as const) : []),
    ...(areSeveral ? [{ is: 'raised', attention: 'second-trade' } as const] : []),
  ];
}

/** What earlier runs tell of a trade: what callers were answered, and whether the gateway's answer to one of them named it. */
export interface KnownBefore {
  readonly payment_data: PaymentData | null;
  readonly isProven: boolean;
}

/** The order shows itself, and the answer to its creation was lost. Its notifications are read again once the payment waits. */
export function ofRecovered(known: KnownPayment, trade: Trade, before: KnownBefore): NewPaymentFact[] {
  const { payment_data, isProven } = before;
  const { trade_no, trade_status } = trade;
  const found = {
    ...{ out_trade_no: nameOf(known), ...(trade_no ? { trade_no } : {}), trade_status, recovered: true },
    ...payment_data,
  };
  const answer = payment_data ?? (isLikeOrder(known, trade) ? found : null);
  // Nothing of this run is known to have arrived, and no answer to an earlier one named this trade.
  const isUnproven = known.creation.reach !== 'sent' && !isProven;
  return [
    { is: 'created', data: found, answer },
    { is: 'queried', trade, after: 0 },
    ...(isUnproven ? [{ is: 'raised', attention: 'unproven-trade' } as const] : []),
  ];
}

// — While it waits for its outcome —

/** A look has not found the trade. `after`: the claims that it answers. */
export const ofUnanswered = (looked: Missing, after: number): NewPaymentFact[] => [
  { is: 'unanswered', looked: looked.is, after },
  { is: 'raised', attention: attentionAfter(looked) },
];

/** Another trade is named. It is told at once, because the look may take its time; but once: a person may have settled it. */
export const ofOtherNamed = (other: string, before: NotedTrade | undefined): NewPaymentFact[] => [
  { is: 'noted', other },
  ...(before?.asked === 'answered' ? [] : [{ is: 'raised', attention: 'second-trade' } as const]),
];

/** Somebody named the trade of another order: nothing of it is this order's, and what named it says nothing. */
export const ofForeign = (claims: readonly PendingClaim[]): NewPaymentFact[] => [
  { is: 'settled', claims },
  { is: 'raised', attention: 'unexpected-signal' },
];

/** A look at another trade. Without an answer it is asked for once more. */
export function ofOtherLooked(other: string, looked: LookResult): NewPaymentFact[] {
  if (looked.is === 'no-answer') return [];
  return [{ is: 'noted', other, ...(looked.is === 'found' ? { said: looked.trade } : {}), isAnswered: true }];
}

/**
 * A notification of another trade counts where the trade shows no such money, or nothing is known of it: the replica that answers may
 * be behind, and what was acknowledged as money stays money.
 */
export function ofOtherNotified(
  { others }: KnownPayment,
  other: string,
  { trade_status, amount }: NotificationSignal,
): NewPaymentFact[] {
  const known = others.find(({ trade_no }) => trade_no === other);
  if (trade_status === undefined || (known?.trade_status && !isBehind(known.trade_status, [{ trade_status }])))
    return [];
  return [{ is: 'noted', other, said: { trade_status, order_amount: amount } }];
}
