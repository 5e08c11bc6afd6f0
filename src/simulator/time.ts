const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of the units in which the interface counts. */
export const MINUTE = MS.m;
export const DAY = MS.d;

/** A time as the service writes it: `yyyy-MM-dd HH:mm:ss`, UTC. */
export function utcText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

/** Whether a text is a `yyyy-MM-dd HH:mm:ss` that the calendar has. */
export function isTimestamp(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const time = Date.parse(`${text.replace(' ', 'T')}Z`);
  // A date such as February 30 is read as March 2, so only what comes back unchanged is real.
  return Number.isFinite(time) && utcText(time) === text;
}

/** The last second of the UTC day in which a time lies. */
export function endOfUtcDay(time: number): number {
  return new Date(time).setUTCHours(23, 59, 59, 0);
}

/** How a span of time is written: a number and a unit. */
export const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Reads how far to move the clock: milliseconds as a number, or `90s`, `2h`, `3d`. */
export function duration(text: string | number): number {
  if (typeof text === 'number') return text;
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined) throw new RangeError(`"${text}" is not a duration such as 90s, 30m, 2h or 3d`);
  switch (unit) {
    case 'ms':
    case 's':
    case 'm':
    case 'h':
    case 'd':
      return Number(amount) * MS[unit];
    default:
      throw new RangeError(`"${text}" has no unit`);
  }
}

/** What `timeout_express` and `cancellation_express` say: a span, or the end of the current UTC day. */
export type Express = { span: number } | 'end of UTC day';

/** Reads an express time, `undefined` where it follows no grammar: integer and unit, or `c` with or without its 1. */
export function parseExpress(text: string): Express | undefined {
  if (text === 'c' || text === '1c') return 'end of UTC day';
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const count = Number(amount);
  if (!(count > 0)) return undefined;
  return { span: count * (unit === 'm' ? MS.m : unit === 'h' ? MS.h : MS.d) };
}

/** The moment at which an express time given at `from` is over. */
export function expressEnd(express: Express, from: number): number {
  return express === 'end of UTC day' ? endOfUtcDay(from) : from + express.span;
}
