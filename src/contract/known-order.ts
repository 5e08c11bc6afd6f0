/** What is known of an order after its payment. Times are ms since the epoch, amounts decimal strings in currency units. Plain JSON. */
import type { AfterSaleInput, RefundOutcome, RefundState } from './after-sale';
import type { Attention, Wait } from './attention';
import type { NotificationClaim } from './notification';
import type { OtherAmount, OtherTrade, PaymentOutcome, PaymentState, Source, Transition } from './payment';

/** How long a question has to wait, in the words that people read of it. */
export const PATIENCE = {
  'at once': 'at once',
  lag: 'once no replica can be behind',
  'a day': 'after a day',
} as const;
export type Patience = keyof typeof PATIENCE;

/** How far a refund has come, in the words that people read of it. */
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
  /** Which request under this number it is, from 1: a number is free again where there certainly was no refund. */
  readonly attempt: number;
  readonly amount: string;
  readonly currency: string;
  /** Asked for as all that was left: asked for so again, it is the same refund. */
  readonly isAll: boolean;
  readonly requested_at: number;
  readonly phase: RefundPhase;
  /** When it may have left us first, and the status that the trade had; null before. */
  readonly begun: { readonly at: number; readonly shown: string } | null;
  /** When its request was answered, or given up; null before. */
  readonly answered_at: number | null;
  /** The trade has shown a status that only refunds bring, and another one than when it was begun. */
  readonly moved: boolean;
  readonly answer: RefundState['answer'];
  readonly outcome: Exclude<RefundOutcome, 'ACCEPTED'> | null;
  readonly confirmed_by: Source | null;
  /** By then it had ended, whatever the trade shows: its number, or a person, has said so; null before. */
  readonly over_by: number | null;
  /** The status by which it was known to have ended, or how the gateway named it last. */
  readonly named: string | null;
  /**
   * A person has to say what became of it: the table does not tell, or two facts contradict each other. What the table asks, it may
   * also answer later.
   */
  readonly asked: 'by the table' | 'by a contradiction' | null;
  /** What a person was asked before, and has decided: the same is not asked again. */
  readonly decided: { readonly by: string; readonly reason: string; readonly shown: string | null } | null;
  readonly failure: RefundState['failure'];
  /** It has waited for so long that a person is asked: a week for its turn, or a day for its end. */
  readonly isOverdue: boolean;
  /** The settings ask for it, because money came late: no merchant does. */
  readonly isLate: boolean;
}

/** One change of the trade's status. */
export interface KnownTransition extends Transition {
  /** When a query showed it last; ms since the epoch. */
  readonly shown_at?: number;
}

/** A notification that no answer of the gateway has confirmed. `heard`: its place among all that came. */
export interface HeldClaim {
  readonly claim: NotificationClaim;
  readonly heard: number;
}

/** The payment as it ended: what it hands over to the order's after-sale, or what is read of one that is closed. */
export interface PaymentEnd {
  readonly run_id: string;
  readonly ended_at: number;
  /** Its outcome is null where there was no order. */
  readonly state: PaymentState;
  /** Why it needs a person: more than the one that its state shows may hold. */
  readonly reasons: readonly Attention[];
  /** Until when a trade of the order may still be paid; 0 where none may. */
  readonly watch_until: number;
  /** The order was sent more than once: another trade under its number may be ours, too. */
  readonly sent_again: boolean;
  /** The other trades for which the gateway has answered. */
  readonly asked: readonly string[];
  /** The run has only repeated how an earlier one had ended. */
  readonly repeats: boolean;
  /** Whether the payment itself made the order: money of a trade of others is a person's. */
  readonly made_here: boolean;
  /** Whether an order was asked for here: then the number is no deposit's. */
  readonly ordered_here: boolean;
}

/** A trade under the order's number that is not the order's own, and whether the gateway was asked for it by its number. */
export interface NotedTrade extends OtherTrade {
  readonly asked: 'not yet' | 'unanswered' | 'answered';
  /** What the gateway has answered for it last, while it may be the order's own. */
  readonly shown?: string | undefined;
}

/**
 * What a person has said of the order. `knew`: the gateway had shown its money then. `shown`: the trade's status then. `amounts`: those of
 * which persons had read that are not what was ordered.
 */
export interface OrderDecision {
  readonly outcome: PaymentOutcome;
  readonly knew: boolean;
  readonly shown: string | null;
  readonly amounts: readonly OtherAmount[];
}

/**
 * The ledger of a trade: what was paid, and what went back of it. `isComplete`: whether all that went back is among its refunds, or named by
 * a person.
 */
export interface TradeLedger extends Pick<KnownOrder, 'trade_no' | 'paid' | 'history' | 'refunds' | 'elsewhere'> {
  readonly isComplete: boolean;
}

/** All that is known of an order after its payment: the state that its facts make, and what a run hands on to the next one. */
export interface KnownOrder {
  /** Null where no payment has ended, as far as is known. */
  readonly payment: PaymentEnd | null;
  /** The payment ran, and was told that its end is waited for: before we had seen money, or after that. Null where none runs. */
  readonly following: { readonly hasMoney: boolean } | null;
  readonly decision: OrderDecision | null;
  readonly others: readonly NotedTrade[];
  readonly out_trade_no: string | null;
  readonly trade_no: string | null;
  readonly method: string | null;
  /** What was paid; null until the gateway has shown the trade as sold. */
  readonly paid: { readonly amount: string; readonly currency: string } | null;
  /** The gateway's last answer; null before any. `heard`: how many notifications had come when it was asked. */
  readonly seen: {
    readonly status: string;
    readonly asked_at: number;
    /** Since when it has answered the same: what we do, and what is notified, begins that anew. */
    readonly same_since: number;
    readonly heard: number;
    /** What it wrote for the amount, where nobody can read that. */
    readonly unread_amount?: string | undefined;
  } | null;
  readonly history: readonly KnownTransition[];
  readonly refunds: readonly LedgerRefund[];
  /** Of the trades that were the order's own before this one: `paid`, `history`, `refunds` and `elsewhere` are of this one. */
  readonly earlier: readonly TradeLedger[];
  /** What went back by refunds that are not in the ledger, as a person has named it. */
  readonly elsewhere: string;
  /** That the bank takes the money back, as was said last. */
  readonly bank: { readonly status: string; readonly at: number } | null;
  /** The gateway has denied the trade, asked when so many notifications had come. A person who has seen that ends the search. */
  readonly denied: { readonly heard: number; readonly at: number; readonly isSettled: boolean } | null;
  /** How many notifications have come. */
  readonly heard: number;
  readonly held: readonly HeldClaim[];
  /** What was notified, and the gateway contradicts, until a person has looked or an answer agrees. */
  readonly contradicted: readonly NotificationClaim[];
  /** What a notification has named instead of what was ordered, the last one that a person had to compare. */
  readonly mismatch?: OtherAmount | undefined;
  /** Why the trade itself needs a person, in the order in which it came. */
  readonly reasons: readonly Attention[];
  /** Null while nobody is needed. */
  readonly wait: Wait | null;
}

/** The input of a run that continues another one. In any other start, what it has more is not read. */
export interface AfterSaleRunInput extends AfterSaleInput {
  /** What the payment hands over. */
  payment?: HandedOver | undefined;
  /** What the run before knew. */
  sale?: KnownOrder | undefined;
  /** The run that has read what was known before `sale`. Where the run before is another one, it was a reset: `sale` is an old ledger. */
  read_by?: string | undefined;
  /** Until when the settings of the run before asked for a watch, in ms since the epoch. */
  watch_until?: number | undefined;
}

/** What an after-sale would hand on: the query `carried`. Only the next run asks it. */
export interface AfterSaleCarried {
  /** Null where it knows nothing. */
  sale: KnownOrder | null;
  /**
   * Whether that is all that it and earlier runs know. A run that was ended while it read them, or is a reset, and has not noticed, has to be
   * looked past.
   */
  has_read: boolean;
  /** How many notifications this run has taken. One that came after them is in its history alone. */
  taken: number;
  /** The same of what payments have handed over by the signal `payment`. */
  taken_payments: number;
}

/** What a payment hands over at its end: in the input of the after-sale that it starts, or as the signal `payment` to one that runs. */
export interface HandedOver {
  readonly end: PaymentEnd;
  /** What was notified and no look of the payment has confirmed. */
  readonly claims: readonly NotificationClaim[];
  /** What was notified and the gateway contradicts: a person is asked about it already. */
  readonly contradicted: readonly NotificationClaim[];
}
