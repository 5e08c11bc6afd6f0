const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const MINUTE_MS = MS.m;
export const DAY_MS = MS.d;

/** A time in ms as the gateway writes it: `yyyy-MM-dd HH:mm:ss`, UTC. */
export function utcText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

/** Whether a text is `yyyy-MM-dd HH:mm:ss` and the calendar has that date. */
export function isTimestamp(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const time = Date.parse(`${text.replace(' ', 'T')}Z`);
  // JavaScript reads February 30 as March 2, so only a date that comes back unchanged is real.
  return Number.isFinite(time) && utcText(time) === text;
}

/** How a span of time is written: a number and a unit. */
export const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Reads a span of time: milliseconds as a number, or a text such as `90s`, `2h`, `3d`. Throws a RangeError. */
export function duration(text: string | number): number {
  if (typeof text === 'number') return text;
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const factor = Object.entries(MS).find(([name]) => name === unit)?.[1];
  if (factor === undefined) throw new RangeError(`"${text}" is not a duration such as 90s, 30m, 2h or 3d`);
  return Number(amount) * factor;
}

/**
 * When an express time (`timeout_express`, `cancellation_express`) that was given at `from` is over, both in ms since 1970:
 * after an integer of the unit `m`, `h` or `d`, or with `c` or `1c` at the end of the UTC day. NaN if the text is neither.
 */
export function expressEnd(text: string, from: number): number {
  if (text === 'c' || text === '1c') return new Date(from).setUTCHours(23, 59, 59, 0);
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return Number(amount) > 0 ? from + duration(`${amount}${unit}`) : Number.NaN;
}
