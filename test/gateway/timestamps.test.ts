/** `timestamp` of every request: yyyy-MM-dd HH:mm:ss, 19 characters (section 2.1), in the app's time zone. */
import * as fc from 'fast-check';
import { wireTimestamp } from '../../src/gateway/timestamps';

const from = Date.UTC(1990, 0, 1);
const to = Date.UTC(2100, 0, 1);
const moment = fc.integer({ min: from, max: to });

/** The second way: an instant shifted by its zone's offset, read as UTC. */
const shifted = (at: number, offset_ms: number) =>
  new Date(at + offset_ms).toISOString().slice(0, 19).replace('T', ' ');

/** A zone's offset at an instant, from Intl's own words for it: GMT, GMT-03:00, GMT+05:45. */
function offsetOf(zone: string, at: number): number {
  const words = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
  const word = words.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(word) ?? [];
  if (sign === undefined) {
    expect(word).toBe('GMT');
    return 0;
  }
  return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

test.each([
  ['2026-03-02T12:00:00Z', 'UTC', '2026-03-02 12:00:00'],
  ['2026-03-02T00:00:00Z', 'UTC', '2026-03-02 00:00:00'],
  ['2026-03-02T02:59:59Z', 'America/Sao_Paulo', '2026-03-01 23:59:59'],
  ['2026-03-02T03:00:00Z', 'America/Sao_Paulo', '2026-03-02 00:00:00'],
  ['2028-02-29T05:30:00Z', 'America/Mexico_City', '2028-02-28 23:30:00'],
  ['2026-12-31T23:59:59Z', 'Asia/Kathmandu', '2027-01-01 05:44:59'],
  // New York's clocks go from 02:00 to 03:00.
  ['2026-03-08T06:59:59Z', 'America/New_York', '2026-03-08 01:59:59'],
  ['2026-03-08T07:00:00Z', 'America/New_York', '2026-03-08 03:00:00'],
])('%s in %s is %s', (instant, zone, wire) => expect(wireTimestamp(Date.parse(instant), zone)).toBe(wire));

test('in UTC it is the ISO instant', () => {
  fc.assert(fc.property(moment, (at) => expect(wireTimestamp(at, 'UTC')).toBe(shifted(at, 0))));
});

test('in a zone of a fixed offset it is plain arithmetic', () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: -12, max: 14 }), (at, hours) => {
      // Etc/GMT+3 is three hours behind.
      const zone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
      expect(wireTimestamp(at, zone)).toBe(shifted(at, hours * 3_600_000));
    }),
  );
});

test('in any zone it is the instant by that zone’s offset', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  fc.assert(fc.property(moment, zone, (at, z) => expect(wireTimestamp(at, z)).toBe(shifted(at, offsetOf(z, at)))));
});

test('it has 19 characters, the limit of section 8', () => {
  fc.assert(fc.property(moment, (at) => wireTimestamp(at, 'America/Bogota').length === 19));
});

test('a zone that does not exist is an error', () => {
  expect(() => wireTimestamp(0, 'America/Springfield')).toThrow(RangeError);
});
