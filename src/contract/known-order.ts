/** What is known of an order after its payment. Times are ms since the epoch, amounts decimal strings in currency units. Plain JSON. */
import type { AfterSaleInput, RefundOutcome, RefundState } from './after-sale';
import type { Attention, Wait } from './attention';
import type { NotificationClaim } from './notification';
import type { OtherAmount, OtherTrade, PaymentOutcome, PaymentState, Source, Transition } from './payment';

/** How long a question has to wait, in the words that people read. */
export const PATIENCE = {
  'at once': 'at once',
  lag: 'once no replica can be behind',
  'a day': 'after a day',
} as const;
export type Patience = keyof typeof PATIENCE;

/** How far a refund has come, in the words that people read. */
export const REFUND_PHASES = {
  waiting: 'its amount is reserved, and it waits for its turn',
  sending: 'its request may have left us',
  lost: 'its answer is not known: it may have reached the gateway',
  taken: 'the gateway has it, so it counts as gone',
  ended: 'what became of it is known',
} as const;
export type RefundPhase = keyof typeof REFUND_PHASES;

/** One refund of the ledger. */
export interface LedgerRefund {
  readonly number: string;
  /** Which request under this number it is, from 1: a number is free again if there certainly was no refund. */
  readonly attempt: number;
  readonly amount: string;
  readonly currency: string;
  /** It was requested as all that was left: such a request again means the same refund. */
  readonly isAll: boolean;
  readonly requested_at: number;
  readonly phase: RefundPhase;
  /** When it may first have left us, and the trade's status then; null before. */
  readonly begun: { readonly at: number; readonly shown: string } | null;
  /** When its request was answered, or given up; null before. */
  readonly answered_at: number | null;
  /** Since it was begun, the trade has shown a refund status other than `begun.shown`. */
  readonly moved: boolean;
  readonly answer: RefundState['answer'];
  readonly outcome: Exclude<RefundOutcome, 'ACCEPTED'> | null;
  readonly confirmed_by: Source | null;
  /** When a notification with its number, or a person, told its end, whatever the trade shows; null before. */
  readonly over_by: number | null;
  /** The status by which its end became known, or the status in the latest notification with its number. */
  readonly named: string | null;
  /**
   * A person has to say how it ended: the table cannot tell, or two facts contradict each other. A question of the table may later be
   * answered by the table.
   */
  readonly asked: 'by the table' | 'by a contradiction' | null;
  /** A person's decision, and the trade's status then: the same question is not asked again. */
  readonly decided: { readonly by: string; readonly reason: string; readonly shown: string | null } | null;
  readonly failure: RefundState['failure'];
  /** It has waited too long, and a person is asked: a week for its turn, or a day for its end. */
  readonly isOverdue: boolean;
  /** The settings asked for it, because money came late, and no merchant. */
  readonly isLate: boolean;
}

/** One change of the trade's status. */
export interface KnownTransition extends Transition {
  /** When a query showed it last; ms since the epoch. */
  readonly shown_at?: number;
}

/** A notification that no answer of the gateway has confirmed. `heard`: its number in the order of arrival. */
export interface HeldClaim {
  readonly claim: NotificationClaim;
  readonly heard: number;
}

/** The payment as it ended: handed over to the order's after-sale, or read from a closed payment. */
export interface PaymentEnd {
  readonly run_id: string;
  readonly ended_at: number;
  /** Its outcome is null if there was no order. */
  readonly state: PaymentState;
  /** All reasons why it needs a person; its state shows only one. */
  readonly reasons: readonly Attention[];
  /** Until when a trade of the order may still be paid; 0 if none may. */
  readonly watch_until: number;
  /** The order was sent more than once: another trade under its number may be ours, too. */
  readonly sent_again: boolean;
  /** The other trades for which the gateway has answered. */
  readonly asked: readonly string[];
  /** The run has only repeated the end of an earlier run. */
  readonly repeats: boolean;
  /** Whether the payment made the order itself: money of another system's trade needs a person. */
  readonly made_here: boolean;
  /** Whether an order was requested here, and may have been made: then the number is not that of a deposit. */
  readonly ordered_here: boolean;
}

/** A trade under the order's number that is not the order's own, and whether the gateway was asked for it by its trade_no. */
export interface NotedTrade extends OtherTrade {
  readonly asked: 'not yet' | 'unanswered' | 'answered';
  /** The gateway's last answer for it, while it may be the order's own. */
  readonly shown?: string | undefined;
}

/**
 * A person's decision on the order. `knew`: the gateway had shown its money by then. `shown`: the trade's status then. `amounts`: the
 * amounts unlike the order's that persons had been shown.
 */
export interface OrderDecision {
  readonly outcome: PaymentOutcome;
  readonly knew: boolean;
  readonly shown: string | null;
  readonly amounts: readonly OtherAmount[];
}

/**
 * The ledger of a trade: what was paid, and what went back. `isComplete`: whether all that went back is among its refunds, or named by a
 * person.
 */
export interface TradeLedger extends Pick<KnownOrder, 'trade_no' | 'paid' | 'history' | 'refunds' | 'elsewhere'> {
  readonly isComplete: boolean;
}

/** All that is known of an order after its payment: the state that its facts make, and what a run hands on to the next one. */
export interface KnownOrder {
  /** Null if no payment is known to have ended. */
  readonly payment: PaymentEnd | null;
  /** When a run of the payment ended with this trade first, in ms since the epoch: later runs that find it open make it no younger. */
  readonly first_ended_at: number;
  /** The payment runs, and was told that we wait for its end. `hasMoney`: whether we had seen money then. Null if none runs. */
  readonly following: { readonly hasMoney: boolean } | null;
  readonly decision: OrderDecision | null;
  readonly others: readonly NotedTrade[];
  readonly out_trade_no: string;
  readonly trade_no: string | null;
  readonly method: string | null;
  /** What was paid; null until the gateway has shown the trade as sold. */
  readonly paid: { readonly amount: string; readonly currency: string } | null;
  /** The gateway's last answer; null before any. `heard`: how many notifications had come when it was asked. */
  readonly seen: {
    readonly status: string;
    readonly asked_at: number;
    /** Since when it has answered the same: our requests, and notifications, restart this time. */
    readonly same_since: number;
    readonly heard: number;
    /** The amount as it wrote it, if nobody can read it. */
    readonly unread_amount?: string | undefined;
  } | null;
  readonly history: readonly KnownTransition[];
  readonly refunds: readonly LedgerRefund[];
  /** The ledgers of earlier trades of the order: `paid`, `history`, `refunds` and `elsewhere` are of the present trade. */
  readonly earlier: readonly TradeLedger[];
  /** What went back by refunds that are not in the ledger, as a person has named it. */
  readonly elsewhere: string;
  /** The latest report that the bank takes the money back. */
  readonly bank: { readonly status: string; readonly at: number } | null;
  /** The gateway has denied the trade. `heard`: how many notifications had come when it was asked. `isSettled`: a person has ended the search. */
  readonly denied: { readonly heard: number; readonly at: number; readonly isSettled: boolean } | null;
  /** How many notifications have come. */
  readonly heard: number;
  readonly held: readonly HeldClaim[];
  /** Notifications that the gateway contradicts, until a person has looked or an answer agrees. */
  readonly contradicted: readonly NotificationClaim[];
  /** The last amount unlike the order's that a notification, or a sold trade, has named. */
  readonly mismatch?: OtherAmount | undefined;
  /** Why the trade itself needs a person, in the order in which it came. */
  readonly reasons: readonly Attention[];
  /** Null while nobody is needed. */
  readonly wait: Wait | null;
}

/** The input of a run. `sale` and `watch_until` are read only in a run that continues another one. */
export interface AfterSaleRunInput extends AfterSaleInput {
  /** What the payment hands over. */
  payment?: HandedOver | undefined;
  /** What the run before knew. */
  sale?: KnownOrder | undefined;
  /** The run that has read what was known before `sale`. If it is not the run before, that one was a reset: `sale` is an old ledger. */
  read_by?: string | undefined;
  /** Until when the settings of the run before asked for a watch, in ms since the epoch. */
  watch_until?: number | undefined;
}

/** What an after-sale would hand on: the query `carried`. Only the next run asks it. */
export interface AfterSaleCarried {
  /** Null if it knows nothing. */
  sale: KnownOrder | null;
  /**
   * Whether `sale` is all that this run and earlier runs know. If not (it was ended while it read them, or is a reset without knowing it),
   * the runs before it have to be asked, too.
   */
  has_read: boolean;
  /** How many notifications this run has taken. Later ones are in its history alone. */
  taken: number;
  /** How many signals `payment` this run has taken. Later ones are in its history alone. */
  taken_payments: number;
}

/** What a payment hands over at its end: in the input of the after-sale that it starts, or as the signal `payment` to one that runs. */
export interface HandedOver {
  readonly end: PaymentEnd;
  /** Notifications that no look of the payment has confirmed. */
  readonly claims: readonly NotificationClaim[];
  /** Notifications that the gateway contradicts: a person is asked about them already. */
  readonly contradicted: readonly NotificationClaim[];
}
