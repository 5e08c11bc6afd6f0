/** Why an order is as it is: its facts, and what was concluded from each. Plain JSON. */
import type { CreateResult, PaymentPolicy } from './activities';
import type { AfterSaleResolution, RefundState } from './after-sale';
import type { Silence, Taking } from './attention';
import type { Trade } from './gateway';
import type { NotificationClaim } from './notification';
import type { PaymentResolution } from './payment';

/** Something that a fact has changed, and the words of the rule that says so. */
export interface Conclusion {
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly rule: string;
}

/** Who says a fact, and what, without anything personal of the buyer. */
export interface SaidFact {
  readonly by: string;
  readonly said: string;
}

/** A fact as a run has taken it in. */
export interface ExplainedFact extends SaidFact {
  /** Ms since the epoch. */
  readonly at: number;
  /** The fact's name, as facts.ts of its workflow has it. */
  readonly is: string;
  /** What the world did; null for what follows by itself. It may hold what is private. */
  readonly world: WorldEvent | null;
  readonly concluded: readonly Conclusion[];
}

/** What others do to an order: played again, they bring it to the same end. `of`: asked for by its own number, as another trade. */
export type WorldEvent =
  | { readonly is: 'withdrawn' | 'signaled' }
  | { readonly is: 'created'; readonly tried: CreateResult }
  | { readonly is: 'shown'; readonly trade: Partial<Trade>; readonly of?: string }
  | { readonly is: 'missing'; readonly of?: string }
  | { readonly is: 'silent'; readonly why: Silence; readonly of?: string }
  | { readonly is: 'notified'; readonly claim: NotificationClaim }
  | { readonly is: 'refund'; readonly out_request_no: string; readonly amount?: string; readonly currency: string }
  | {
      readonly is: 'refunded';
      readonly answered: {
        readonly said: string;
        readonly answer?: object | null;
        readonly failure?: RefundState['failure'];
      };
    }
  | { readonly is: 'resolved'; readonly resolution: PaymentResolution | AfterSaleResolution }
  | ({ readonly is: 'taken' } & Taking);

/** What a run answers to the query `facts`. */
export interface FactsOfRun {
  /** The settings that it goes by; null before they are read. */
  readonly settings: PaymentPolicy | null;
  /** The latest ones, oldest first. */
  readonly facts: readonly ExplainedFact[];
  /** So many before them are not told. */
  readonly left_out: number;
}
