/** Why an order is as it is: its facts, and what was concluded from each. Plain JSON. */
import type { CreateResult, PaymentPolicy } from './activities';
import type { AfterSaleResolution, RefundState } from './after-sale';
import type { Silence, Taking } from './attention';
import type { Trade } from './gateway';
import type { NotificationClaim } from './notification';
import type { PaymentResolution } from './payment';

/** Something that a fact has changed, and the rule for it in words. */
export interface Conclusion {
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly rule: string;
}

/** Who told a fact, and what, without anything personal of the buyer. */
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
  /** What others did; null for what follows by itself. It may be private. */
  readonly world: WorldEvent | null;
  readonly concluded: readonly Conclusion[];
}

/** What others do to an order: a replay of these events brings it to the same end. `of`: the other trade that was asked for by its own number. */
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
  /** The settings that the run uses; null before they are read. */
  readonly settings: PaymentPolicy | null;
  /** The latest facts, oldest first. */
  readonly facts: readonly ExplainedFact[];
  /** How many earlier facts are left out. */
  readonly left_out: number;
}
