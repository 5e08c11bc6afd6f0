/** Times as people read them, on pages and in sentences. Pure. */

/** `2026-03-01 12:00 UTC`, of ISO 8601 or ms since the epoch. */
export const timeText = (time: string | number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
