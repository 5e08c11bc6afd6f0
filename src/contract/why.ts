/** Why an order is as it is: its facts, and what was concluded from each. Plain JSON. */
import type { PaymentPolicy } from './activities';

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
  /** The fact itself: facts.ts of its workflow has its fields. */
  readonly fact: { readonly is: string; readonly [field: string]: unknown };
  readonly concluded: readonly Conclusion[];
}

/** What a run answers to the query `facts`. */
export interface FactsOfRun {
  /** The settings that it goes by; null before they are read. */
  readonly settings: PaymentPolicy | null;
  /** The latest ones, oldest first. */
  readonly facts: readonly ExplainedFact[];
  /** So many before them are not told. */
  readonly left_out: number;
}
