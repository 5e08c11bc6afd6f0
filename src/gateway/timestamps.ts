/** `timestamp` of every request body (section 2.1): `yyyy-MM-dd HH:mm:ss`. Its time zone is a setting (section 5 leaves it open). */

/** The instant `at` (ms since the epoch) as the wire writes it in an IANA time zone. Throws a RangeError for an unknown zone. */
export function wireTimestamp(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`;
}

/**
 * A time that the gateway tells, such as `transfer_timestamp` (section 6.5): Unix seconds (the sample's) or milliseconds,
 * as a number or as text, or a date in UTC. In ms since the epoch; undefined where it is none of these.
 */
export function readInstant(told: string | undefined): number | undefined {
  const text = told?.trim() ?? '';
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(at) ? undefined : at;
}
