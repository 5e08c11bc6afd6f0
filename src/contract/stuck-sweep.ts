/** The sweep for payments that should have moved on. Plain JSON. */
import type { Attention } from './attention';
import type { Told } from './told';

/** A Schedule starts it without an input. */
export interface StuckSweepInput {
  /** Payments count as stuck after this long past their time, in ms; by default an hour. */
  stuck_ms?: number | undefined;
  /** The run before has told the merchant of what is stuck. */
  is_reported?: boolean | undefined;
}

/** The status of a sweep that has looked. */
export const SWEPT = 'SWEPT';

/** What one look found. */
export interface Swept {
  stuck: number;
  /** How many workflows need a person. */
  under_attention: number;
  /** Some of the stuck ones, the newest first. */
  some: { workflow_id: string; status: string | null }[];
}

/** The query `state` of a sweep, and what it returns. */
export interface StuckSweepState extends Swept {
  looked_at: string | null;
  attention: Attention | null;
  resolved: { by: string; reason: string; time: string } | null;
}

export interface StuckSweepActivities {
  /**
   * Takes terminated orders on again, and counts by lists alone: it asks no payment and no gateway. Its metrics say the same. `listeners`: who
   * hears events, as the worker has it.
   */
  'payments.sweep'(input: { stuck_ms: number }): Promise<Told<Swept & { listeners: readonly string[] }>>;
}
