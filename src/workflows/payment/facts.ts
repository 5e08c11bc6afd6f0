/**
 * The facts of a payment: what cannot be computed. `fold.ts` makes the state from them, and nothing else changes it. Times are ms since
 * the epoch, amounts decimal strings in currency units. No fact holds a secret.
 */
import type {
  Attention,
  EarlierPayment,
  EarlierPayments,
  NotificationSignal,
  PaymentData,
  PaymentOutcome,
  Taking,
  Trade,
} from '../../contract';
import type { TradeSeen } from '../../contract/gateway';
import type { WithoutTime } from '../shared/why';
import type { Tried } from './creation-table';
import type { KnownPayment, PendingClaim } from './known-payment';

/** The merchant, or a cancellation, wants the order not to be sent. */
interface Withdrawn {
  readonly is: 'withdrawn';
}

/** The order’s after-sale has begun before the payment's end, and waits to be told of the end. */
interface Followed {
  readonly is: 'followed';
}

// — The creation —

/** From here on a request to create the order may leave us. */
interface Begun {
  readonly is: 'begun';
}

/** How a request to create the order ended. */
interface Answered {
  readonly is: 'answered';
  readonly tried: Tried;
}

/** The pause before an order that may exist is sent again is over. */
interface Rested {
  readonly is: 'rested';
}

/**
 * While the order is created, a query did not show it, or only a trade that says nothing yet. `after`: how many claims there
 * were when the gateway was asked.
 */
interface Missed {
  readonly is: 'missed';
  readonly looked: 'no-such-order' | 'no-answer';
  readonly after: number;
}

/** The gateway made the order and refused it, and a query shows that the order's trade is over. */
interface ShownOver {
  readonly is: 'shown-over';
  readonly trade: Trade;
  /** How many claims there were when the look began. */
  readonly after: number;
}

/** The refused order is alive after all; or an earlier run has sent, or made, the order; or the last look is too old. */
interface Learned {
  readonly is: 'learned';
  readonly of: 'a revived order' | 'an earlier request' | 'an earlier order' | 'a new look';
}

/** The order's payment data, from the gateway's answer or from a trade that was found. `answer`: what callers get. */
interface Created {
  readonly is: 'created';
  readonly data: PaymentData;
  readonly answer: PaymentData | null;
}

/** The gateway made the order and refused it. */
interface Refused {
  readonly is: 'refused';
  readonly error: { readonly code?: string | undefined; readonly sub_code?: string | undefined };
}

// — Earlier runs —

/** What the runs before knew. */
interface Recalled {
  readonly is: 'recalled';
  readonly earlier: EarlierPayments;
}

/** An earlier run has told callers how the order ended: this end stays. */
interface EndedBefore {
  readonly is: 'ended-before';
  readonly end: EarlierPayment;
}

// — What the gateway says —

/** A signed notification, or another signal: without a trade and a status it says nothing. `carried`: it came to an earlier run. */
interface Notified {
  readonly is: 'notified' | 'carried';
  readonly signal: NotificationSignal;
}

/** A look begins. It answers the claims that have come until now. */
interface Looking {
  readonly is: 'looking';
}

/** The gateway shows the trade. `after`: how many claims there were when it was asked; 0 if the answer settles no claim. */
interface Queried {
  readonly is: 'queried';
  readonly trade: Trade & Partial<TradeSeen>;
  readonly after: number;
}

/** The gateway does not show the trade. */
interface Unanswered {
  readonly is: 'unanswered';
  readonly looked: 'no-such-order' | 'no-answer';
  readonly after: number;
}

/** `denied`: the gateway does not know what these claims name. Its replica may be stale, so they stay. `settled`: they need no answer any more. */
interface Read {
  readonly is: 'denied' | 'settled';
  readonly claims: readonly PendingClaim[];
}

/** A notification counts without a query, as `PAYMENTS_CONFIRM_BY_QUERY=false` asks. */
interface Believed {
  readonly is: 'believed';
  readonly claim: PendingClaim;
}

/** Another trade under the order's number: what was said about it, and whether the gateway has answered for it. */
interface Noted {
  readonly is: 'noted';
  readonly other: string;
  readonly said?: {
    readonly trade_status?: string | null | undefined;
    readonly order_amount?: string | null | undefined;
  };
  readonly isAnswered?: boolean;
}

// — Persons and times —

/** A person says how the payment ends. */
interface Decided {
  readonly is: 'decided';
  readonly outcome: PaymentOutcome;
  readonly by: string;
  readonly reason: string;
}

/** A person has taken care of the reason that is shown. */
interface Seen {
  readonly is: 'seen';
  readonly by: string;
  readonly reason: string;
}

/** A person takes on the wait. */
interface Taken extends Readonly<Taking> {
  readonly is: 'taken';
}

interface Raised {
  readonly is: 'raised';
  readonly attention: Attention;
}

/** A reason is over. `silence`: the gateway has answered, or need not answer any more. `no-answer`: Temporal has answered. */
interface Cleared {
  readonly is: 'cleared';
  readonly attention: 'silence' | 'no-answer';
}

/** When the order expires. */
interface Dated {
  readonly is: 'dated';
  readonly expires_at: number;
}

/** The last deadline is over, and the gateway has not ended the trade. */
interface Expired {
  readonly is: 'expired';
}

/** The after-sale has taken these over: what came meanwhile stays. */
interface HandedOut extends Pick<KnownPayment, 'claims' | 'contradicted' | 'ofRefunds' | 'reasons'> {
  readonly is: 'handed-out';
}

export type PaymentFact = { readonly at: number } & (
  | Withdrawn
  | Followed
  | Begun
  | Answered
  | Rested
  | Missed
  | ShownOver
  | Learned
  | Created
  | Refused
  | Recalled
  | EndedBefore
  | Notified
  | Looking
  | Queried
  | Unanswered
  | Read
  | Believed
  | Noted
  | Decided
  | Seen
  | Taken
  | Raised
  | Cleared
  | Dated
  | Expired
  | HandedOut
);

export type FactOf<Kind extends PaymentFact['is']> = Extract<PaymentFact, { readonly is: Kind }>;

export type NewPaymentFact = WithoutTime<PaymentFact>;
