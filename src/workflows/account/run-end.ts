/** When a run of an account ends, and how much the next one is given. */
import type { WorkflowInfo } from '@temporalio/workflow';

/**
 * A run ends when Temporal suggests it, or after this many events: while no worker runs, signals pile up, and the next
 * worker has to handle all of them within one workflow task. It must exceed the 620 events that all confirmations at once cost to
 * begin: a run that ends before the first answer counts nothing, and the next run begins the same again.
 */
const EVENTS_PER_RUN = 1_000;
/**
 * A run that is about to end starts no more confirmations, and waits this long, and for this many events, for the open
 * ones: each result would keep the server from ending the run. The next run gets what is still open then.
 */
export const DRAIN_TIMEOUT = '10 seconds';
export const DRAIN_EVENTS = 400;
/**
 * A run that would hand on more than `MAX_CARRIED_BYTES` does not end yet. If signals that come while it ends bring it above
 * `MAX_HANDED_ON_BYTES`, it opens again. Temporal fails a workflow that hands on 2 MB.
 */
export const MAX_CARRIED_BYTES = 1_600_000;
export const MAX_HANDED_ON_BYTES = 1_900_000;

export const isLong = ({ continueAsNewSuggested, historyLength }: WorkflowInfo): boolean =>
  continueAsNewSuggested || historyLength >= EVENTS_PER_RUN;

/** A plain Error: the task fails and is retried until a fixed worker runs. The workflow must not end, because it has the ledger. */
export function cannotGoOn(account_id: string, failure: unknown): Error {
  const reason = failure instanceof Error ? failure.message : String(failure);
  return new Error(`Account ${account_id} cannot go on: ${reason}`, { cause: failure });
}
