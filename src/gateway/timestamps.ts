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
