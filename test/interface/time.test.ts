/**
 * Our times agree with a library that shares nothing with ours: js-joda has its own calendar and its own copy of the time
 * zones, where ours are those of Node.js.
 */
import '@js-joda/timezone';
import {
  ChronoUnit,
  DateTimeFormatter,
  Instant,
  LocalTime,
  ZoneId,
  ZoneOffset,
  ZoneRulesProvider,
} from '@js-joda/core';
import * as fc from 'fast-check';
import { checkRequest } from '../../src/gateway/check';
import { CHECKOUT } from '../../src/gateway/checkout';
import { DAY, deadline, MAX_CANCELLATION_MS } from '../../src/gateway/durations';
import { RULE_DEFAULTS } from '../../src/gateway/rules';
import { wireTimestamp } from '../../src/gateway/timestamps';
import { expressEnd, isTimestamp, parseExpress } from '../../src/simulator/time';
import { operation } from '../gateway/operations';
import { faults } from '../gateway/support';

const WIRE = DateTimeFormatter.ofPattern('uuuu-MM-dd HH:mm:ss');
const inZone = (at: number, zone: string) => Instant.ofEpochMilli(at).atZone(ZoneId.of(zone)).format(WIRE);
const utc = (iso: string) => Instant.parse(iso).toEpochMilli();

/**
 * Whether both tell the same offset from UTC. Editions of the time zones differ in a few zones, also about the past
 * (Moldova's), and which edition Node.js has is no matter of ours.
 */
function editionsAgree(at: number, zone: string): boolean {
  const words = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
  const offset = ZoneId.of(zone).rules().offset(Instant.ofEpochMilli(at)).id();
  return words.find(({ type }) => type === 'timeZoneName')?.value === `GMT${offset === 'Z' ? '' : offset}`;
}

/** The zones that both know, by name. */
const known = new Set(ZoneRulesProvider.getAvailableZoneIds());
const ZONES = Intl.supportedValuesOf('timeZone').filter((zone) => known.has(zone));
const PAST = { min: utc('1995-01-01T00:00:00Z'), max: utc('2023-06-30T23:59:59Z') };
const FUTURE = { min: utc('2024-01-01T00:00:00Z'), max: utc('2199-12-31T23:59:59Z') };

const zone = fc.constantFrom(...ZONES);
const year = fc.integer({ min: 1996, max: 2022 });
/** Up to a day and a half around a moment, so that it is passed in every zone. */
const around = (iso: string) => fc.integer({ min: -1.5 * DAY, max: 1.5 * DAY }).map((away) => utc(iso) + away);
const yearEnd = year.chain((y) => around(`${y}-01-01T00:00:00Z`));
const leapDay = fc.integer({ min: 0, max: 6 }).chain((n) => around(`${1996 + 4 * n}-02-29T12:00:00Z`));
const noLeapDay = year.filter((y) => y % 4 !== 0).chain((y) => around(`${y}-03-01T00:00:00Z`));

/** Where a zone changes its clock: the moment itself, and the seconds about it. */
const change = fc
  .tuple(
    zone.filter((name) => !ZoneId.of(name).rules().isFixedOffset()),
    fc.integer(PAST),
    fc.constantFrom(-3_600_000, -1000, -1, 0, 1, 999, 1000, 3_600_000),
  )
  .map(([name, from, away]) => ({ name, at: nextChange(name, from), away }))
  .filter(({ at }) => at !== undefined && at < PAST.max - DAY);

/** The next change of a zone's offset, found by halving, since the library's lists of them are not public. */
function nextChange(name: string, from: number): number | undefined {
  const offset = (at: number) => ZoneId.of(name).rules().offset(Instant.ofEpochMilli(at)).totalSeconds();
  let before = from;
  let after = from;
  for (let month = 0; month < 14 && offset(after) === offset(from); month += 1) after += 30 * DAY;
  if (offset(after) === offset(from)) return undefined;
  before = after - 30 * DAY;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === offset(from)) before = middle;
    else after = middle;
  }
  return after;
}

describe('timestamp, in the time zone of the app', () => {
  test('there are hundreds of zones to try, those of Latin America among them', () => {
    expect(ZONES.length).toBeGreaterThan(300);
    for (const zone of ['America/Sao_Paulo', 'America/Mexico_City', 'America/Bogota', 'America/Santiago']) {
      expect(ZONES).toContain(zone);
      for (let at = PAST.min; at < PAST.max; at += 7 * DAY) expect(wireTimestamp(at, zone)).toBe(inZone(at, zone));
    }
  });

  test.each([
    ['any moment', fc.integer(PAST)],
    ['the end of a year', yearEnd],
    ['a leap day', leapDay],
    ['the end of a February without one', noLeapDay],
  ])('in any zone, at %s', (_, moment) => {
    fc.assert(
      fc.property(moment, zone, (at, name) => {
        fc.pre(editionsAgree(at, name));
        expect(wireTimestamp(at, name)).toBe(inZone(at, name));
      }),
      { numRuns: 1000 },
    );
  });

  test('where the clock changes, to the millisecond', () => {
    fc.assert(
      fc.property(change, ({ name, at = 0, away }) => {
        fc.pre(editionsAgree(at + away, name));
        expect(wireTimestamp(at + away, name)).toBe(inZone(at + away, name));
      }),
      { numRuns: 300 },
    );
  });

  test('where the clock goes back an hour is told twice, and where it goes forward one is never told', () => {
    // São Paulo's last summer time ended on 17 February 2019, and its last one began on 4 November 2018.
    const told = (iso: string) => wireTimestamp(utc(iso), 'America/Sao_Paulo');
    expect([told('2019-02-17T01:30:00Z'), told('2019-02-17T02:30:00Z')]).toEqual(Array(2).fill('2019-02-16 23:30:00'));
    expect([told('2018-11-04T02:59:59Z'), told('2018-11-04T03:00:00Z')]).toEqual([
      '2018-11-03 23:59:59',
      '2018-11-04 01:00:00',
    ]);
  });

  test('in UTC and at fixed offsets also in centuries to come, and 2100 is no leap year', () => {
    const fixed = fc.constantFrom('UTC', 'Etc/GMT+3', 'Etc/GMT-14', 'Etc/GMT+12');
    const moment = fc.oneof(fc.integer(FUTURE), around('2100-03-01T00:00:00Z'), around('2096-02-29T12:00:00Z'));
    fc.assert(
      fc.property(moment, fixed, (at, name) => {
        expect(wireTimestamp(at, name)).toBe(inZone(at, name));
      }),
      { numRuns: 1000 },
    );
  });

  test('is one that the simulator takes, and a date that no calendar has is not', () => {
    fc.assert(fc.property(fc.integer(FUTURE), (at) => expect(isTimestamp(wireTimestamp(at, 'UTC'))).toBe(true)));
    const day = fc.record({
      y: fc.integer({ min: 1996, max: 2104 }),
      m: fc.integer({ min: 0, max: 13 }),
      d: fc.nat(32),
    });
    const two = (n: number) => String(n).padStart(2, '0');
    fc.assert(
      fc.property(day, ({ y, m, d }) => {
        const text = `${y}-${two(m)}-${two(d)} 12:00:00`;
        expect(isTimestamp(text)).toBe(parses(`${text.replace(' ', 'T')}Z`));
      }),
      { numRuns: 2000 },
    );
  });
});

function parses(iso: string): boolean {
  try {
    Instant.parse(iso);
    return true;
  } catch {
    return false;
  }
}

describe('timeout_express and cancellation_express', () => {
  const UNITS = { m: ChronoUnit.MINUTES, h: ChronoUnit.HOURS, d: ChronoUnit.DAYS };
  const unit = fc.constantFrom<keyof typeof UNITS>('m', 'h', 'd');
  const count = fc.integer({ min: 1, max: 999_999 });
  const moment = fc.oneof(fc.integer(PAST), fc.integer(FUTURE), yearEnd, leapDay, noLeapDay);
  const later = (at: number, n: number, u: keyof typeof UNITS) =>
    Instant.ofEpochMilli(at).atZone(ZoneOffset.UTC).plus(n, UNITS[u]).toInstant().toEpochMilli();
  const midnightAfter = (at: number) =>
    Instant.ofEpochMilli(at)
      .atZone(ZoneOffset.UTC)
      .toLocalDate()
      .plusDays(1)
      .atTime(LocalTime.MIDNIGHT)
      .toInstant(ZoneOffset.UTC)
      .toEpochMilli();
  const simulated = (express: string, at: number) => {
    const read = parseExpress(express);
    return read && expressEnd(read, at);
  };

  test('end when a calendar says, by the client and by the simulator', () => {
    fc.assert(
      fc.property(moment, count, unit, (at, n, u) => {
        const expected = later(at, n, u);
        expect(deadline(`${n}${u}`, at)).toBe(expected);
        expect(simulated(`${n}${u}`, at)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('c and 1c end with the UTC day: by the client with its last millisecond, by the simulator with its last second', () => {
    fc.assert(
      fc.property(moment, fc.constantFrom('c', '1c'), (at, express) => {
        const expected = midnightAfter(at) - 1;
        expect(deadline(express, at)).toBe(expected);
        expect(simulated(express, at)).toBe(expected - 999);
      }),
      { numRuns: 1000 },
    );
  });

  test('a cancellation is taken exactly where it ends after the timeout, and within 3 days', () => {
    const { request } = operation('/trade/create');
    const express = fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 4400 }), fc.constant<keyof typeof UNITS>('m')),
      fc.tuple(fc.integer({ min: 1, max: 75 }), fc.constant<keyof typeof UNITS>('h')),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constant<keyof typeof UNITS>('d')),
    );
    const timeout = fc.oneof(express, fc.constant('1c' as const));
    fc.assert(
      fc.property(moment, timeout, express, (now, expiry, [n, u]) => {
        const timeout_express = typeof expiry === 'string' ? expiry : expiry.join('');
        const order = { ...request, timeout_express, cancellation_express: `${n}${u}` };
        const refused =
          'cancellation_express' in faults(() => checkRequest(CHECKOUT.rules, order, { ...RULE_DEFAULTS, now }));
        const ends = later(now, n, u);
        const expires = typeof expiry === 'string' ? midnightAfter(now) - 1 : later(now, ...expiry);
        expect({ timeout_express, n, u, refused }).toEqual({
          timeout_express,
          n,
          u,
          refused: ends <= expires || ends > later(now, 3, 'd'),
        });
      }),
      { numRuns: 1000 },
    );
    expect(MAX_CANCELLATION_MS).toBe(later(0, 3, 'd'));
  });
});
