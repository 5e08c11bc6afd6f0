/**
 * `timeout_express` and `cancellation_express` (section 4.1): an integer and a unit, `m`, `h`, `d`, or `c` for the end of
 * the current UTC day. Pure, so workflows may import it. All times are milliseconds since the epoch, UTC.
 */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY };

/** The cap that section 8 sets on `cancellation_express`. */
export const MAX_CANCELLATION_MS = 3 * DAY;

/** Gateways write `1c`; the interface's text gives the bare unit, so both are read. */
const END_OF_DAY = /^1?c$/;

/**
 * When an order created at `from` expires by `express`; undefined where the text is not of the interface's form.
 * `c` ends with the last millisecond of the UTC day that `from` lies in.
 */
export function deadline(express: string, from: number): number | undefined {
  if (END_OF_DAY.test(express)) return Math.floor(from / DAY) * DAY + DAY - 1;
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(express) ?? [];
  const length = unit && UNITS[unit];
  return count && length ? from + Number(count) * length : undefined;
}

/** Why `text` cannot be a `timeout_express`, or undefined where it can. */
export function timeoutProblem(text: string): string | undefined {
  return deadline(text, 0) === undefined ? 'must be an integer and a unit: m, h or d (90m), or 1c' : undefined;
}

/** Why `text` cannot be a `cancellation_express`, or undefined where it can. */
export function cancellationProblem(text: string): string | undefined {
  const at = END_OF_DAY.test(text) ? undefined : deadline(text, 0);
  if (at === undefined) return 'must be an integer and a unit: m, h or d (2d)';
  return at > MAX_CANCELLATION_MS ? 'at most 3 days' : undefined;
}
