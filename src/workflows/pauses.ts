/** What stays unknown is tried again after this, and then after ever longer. Pure; in ms. */
export const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

export const longerThan = (pause: number) => Math.min(2 * pause, LONGEST_PAUSE_MS);
