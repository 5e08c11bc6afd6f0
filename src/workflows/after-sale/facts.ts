/**
 * The facts after a payment: what cannot be computed. `fold.ts` makes the state from them, and nothing else changes it. Times are ms since
 * the epoch, amounts decimal strings in currency units. No fact holds a secret or anything personal.
 */
import type {
  Attention,
  NotificationClaim,
  PaymentEnd,
  PaymentOutcome,
  RefundOutcome,
  RefundState,
  Taking,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import type { WithoutTime } from '../shared/why';

/** The order's trade is named, by the payment or by the starter of the after-sale. */
interface Introduced {
  readonly is: 'introduced';
  readonly trade_no?: string | null;
  readonly method?: string | null;
}

/** The payment runs, and was told that the after-sale waits for its end; or it runs no more, and will not report its end. */
interface Following {
  readonly is: 'following';
  readonly isRunning: boolean;
}

/** The payment has ended: it hands itself over, or is read. */
interface Ended {
  readonly is: 'ended';
  readonly payment: PaymentEnd;
  /** Notifications that a person is asked about, because the gateway contradicts them. */
  readonly contradicted: readonly NotificationClaim[];
}

/** The gateway has been asked for another trade under the order's number. `trade`: null if the gateway did not show it, or was silent. */
interface Asked {
  readonly is: 'asked';
  readonly other: string;
  readonly trade: QueriedTrade | null;
  readonly answer: 'answered' | 'unanswered';
}

/** The gateway has answered for the trade. */
interface Queried {
  readonly is: 'queried';
  readonly trade: QueriedTrade;
  /** How many notifications had come when the look began: it proves nothing about later ones. */
  readonly after: number;
}

/** The gateway has not shown the trade: it is silent, refuses us, or denies the trade. */
interface Unanswered {
  readonly is: 'unanswered';
  readonly why: Attention;
  /** How many notifications had come when the look began. */
  readonly after: number;
}

/** A signed notification. */
interface Notified {
  readonly is: 'notified';
  readonly claim: NotificationClaim;
}

/** A merchant has asked for a refund, and it was granted: the amount is reserved. */
interface Requested {
  readonly is: 'requested';
  readonly number: string;
  readonly amount: string;
  readonly currency: string;
  /** Whether it was requested as all that was left. */
  readonly isAll?: boolean;
}

/** From here on the request may leave us. */
interface Begun {
  readonly is: 'begun';
  readonly number: string;
}

/** How a request that was begun ended. */
export type RefundAnswered =
  | { readonly said: 'taken'; readonly answer: NonNullable<RefundState['answer']> }
  /** It never left us, and may be begun again. */
  | { readonly said: 'not-sent' }
  /** There certainly is no refund. */
  | { readonly said: 'refused'; readonly failure: NonNullable<RefundState['failure']> }
  /** The gateway has another refund under this number, which is not ours. */
  | { readonly said: 'taken-by-others'; readonly failure: NonNullable<RefundState['failure']> }
  /** Anything else: it may have reached the gateway. */
  | { readonly said: 'unknown' };

interface Answered {
  readonly is: 'answered';
  readonly number: string;
  readonly answered: RefundAnswered;
}

/** A person has decided something. */
interface Decided {
  readonly is: 'decided';
  readonly by: string;
  readonly reason: string;
  /** How the order has ended. */
  readonly order?: PaymentOutcome;
  /** How this refund has ended. */
  readonly refund?: { readonly number: string; readonly outcome: Exclude<RefundOutcome, 'ACCEPTED'> };
  /** All that went back by refunds that are not in the ledger. */
  readonly elsewhere?: string;
  /** The person has seen this reason, and it needs nobody any more. */
  readonly seen?: Attention | null;
}

/** A person takes on what waits for one. */
interface Taken extends Readonly<Taking> {
  readonly is: 'taken';
}

/** A refund has waited for this long: a timer is over. */
interface Passed {
  readonly is: 'passed';
  /** `a week`: for its turn. `a day`: for its end. */
  readonly deadline: 'a week' | 'a day';
  readonly number: string;
}

/** Something needs a person, and no other fact tells so. `unread`: an earlier run cannot be read. */
interface Noticed {
  readonly is: 'noticed';
  readonly what: 'unread' | 'refund-elsewhere' | 'unexpected-signal' | 'no-answer';
}

export type AfterSaleFact = { readonly at: number } & (
  | Introduced
  | Following
  | Ended
  | Asked
  | Queried
  | Unanswered
  | Notified
  | Requested
  | Begun
  | Answered
  | Decided
  | Taken
  | Passed
  | Noticed
);

export type NewAfterSaleFact = WithoutTime<AfterSaleFact>;
