/** The delay before an unknown outcome is tried again: it doubles each time. Pure; in ms. */
const FIRST_BACKOFF_MS = 60_000;
const LONGEST_BACKOFF_MS = 30 * 60_000;

/** The delay that follows a delay of `backoff_ms`. */
export const nextBackoff = (backoff_ms: number) => Math.min(2 * backoff_ms, LONGEST_BACKOFF_MS);

/** The delay after this many tries, from 1. */
export const backoffAfter = (tries: number) => Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
