/** Times on the wire: `timestamp` of every request (section 2.1) and the times in the gateway's messages. */

/**
 * The instant `at` (ms since the epoch) as `yyyy-MM-dd HH:mm:ss` in an IANA time zone. The zone is a setting, because the
 * interface does not name one (section 5). Throws a RangeError for an unknown zone.
 */
export function wireTimestamp(at: number, timeZone: string): string {
  const parts = formatterOf(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`;
}

/** Making a formatter takes far longer than using it, and every request needs one. Zones are settings, so there are few. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(timeZone, formatter);
  return formatter;
}

/** ISO 8601 in UTC, from ms since the epoch. */
export const iso = (at: number): string => new Date(at).toISOString();

/**
 * Reads a time that the gateway sent, such as `transfer_timestamp` (section 6.5): Unix seconds (as in the sample), Unix
 * milliseconds, or a date and time, in UTC unless it names an offset. Returns ms since the epoch; undefined for other text.
 */
export function readInstant(sent: string | undefined): number | undefined {
  const text = sent?.trim() ?? '';
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(at) ? undefined : at;
}
