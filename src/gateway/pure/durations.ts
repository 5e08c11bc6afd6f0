/**
 * `timeout_express` and `cancellation_express` (section 4.1): an integer and a unit, `m`, `h`, `d`, or `c` for the end of
 * the current UTC day. All instants are in ms since the epoch, all lengths in ms.
 */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** No replica of the gateway is further behind than this, in ms: ten settling times. */
export const replicaLag = ({ settling_ms }: { readonly settling_ms: number }): number => 10 * settling_ms;

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY };

/** The longest `cancellation_express` (section 8). */
const MAX_CANCELLATION_MS = 3 * DAY;

/** Gateways write `1c`, the interface's text shows the bare unit: both are read. */
const END_OF_DAY = /^1?c$/;

/**
 * When an order that was created at `from` expires, given its `timeout_express` or `cancellation_express`. `c` means the
 * last millisecond of the UTC day of `from`. Undefined if the text is not in the interface's form.
 */
export function deadline(express: string, from: number): number | undefined {
  if (END_OF_DAY.test(express)) return Math.floor(from / DAY) * DAY + DAY - 1;
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(express) ?? [];
  const length = unit && UNITS[unit];
  return count && length ? from + Number(count) * length : undefined;
}

/** Why `text` is not a valid `timeout_express`; undefined if it is valid. */
export function timeoutProblem(text: string): string | undefined {
  return deadline(text, 0) === undefined ? 'must be an integer and a unit: m, h or d (90m), or 1c' : undefined;
}

/** Why `text` is not a valid `cancellation_express`; undefined if it is valid. */
export function cancellationProblem(text: string): string | undefined {
  const at = END_OF_DAY.test(text) ? undefined : deadline(text, 0);
  if (at === undefined) return 'must be an integer and a unit: m, h or d (2d)';
  return at > MAX_CANCELLATION_MS ? 'at most 3 days' : undefined;
}
