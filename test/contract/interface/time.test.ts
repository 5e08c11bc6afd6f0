/** The times of the interface on both sides: what the client writes, the simulator takes; deadlines end at the same moment. */
import { deadline } from '../../../src/gateway/pure/durations';
import { wireTimestamp } from '../../../src/gateway/pure/timestamps';
import { expressEnd, isTimestamp } from '../../../src/simulator/time';

describe('timestamp', () => {
  test.each([
    ['2026-03-02T12:00:00Z', 'UTC', '2026-03-02 12:00:00'],
    ['2026-12-31T23:59:59.999Z', 'UTC', '2026-12-31 23:59:59'],
    ['2026-01-01T02:59:59.999Z', 'America/Argentina/Buenos_Aires', '2025-12-31 23:59:59'],
    ['2028-02-29T04:59:59Z', 'America/Bogota', '2028-02-28 23:59:59'],
    ['2026-12-31T23:59:59Z', 'Asia/Kathmandu', '2027-01-01 05:44:59'],
    // São Paulo's last summer time: midnight is skipped when it begins, and an hour comes twice when it ends.
    ['2018-11-04T02:59:59Z', 'America/Sao_Paulo', '2018-11-03 23:59:59'],
    ['2018-11-04T03:00:00Z', 'America/Sao_Paulo', '2018-11-04 01:00:00'],
    ['2019-02-17T01:30:00Z', 'America/Sao_Paulo', '2019-02-16 23:30:00'],
    ['2019-02-17T02:30:00Z', 'America/Sao_Paulo', '2019-02-16 23:30:00'],
    ['2022-09-11T03:59:59Z', 'America/Santiago', '2022-09-10 23:59:59'],
    ['2022-09-11T04:00:00Z', 'America/Santiago', '2022-09-11 01:00:00'],
    ['2024-07-01T05:00:00Z', 'America/Mexico_City', '2024-06-30 23:00:00'],
    // 2096 is a leap year, 2100 is not.
    ['2096-02-29T12:00:00Z', 'Etc/GMT-14', '2096-03-01 02:00:00'],
    ['2100-03-01T00:00:00Z', 'Etc/GMT+3', '2100-02-28 21:00:00'],
  ])('%s in %s is written %s, and the simulator takes it', (instant, zone, wire) => {
    expect(wireTimestamp(Date.parse(instant), zone)).toBe(wire);
    expect(isTimestamp(wire)).toBe(true);
  });

  test.each(['2026-02-29', '2100-02-29', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00', '2026-01-32'])(
    'a date that does not exist is refused by the simulator: %s',
    (date) => expect(isTimestamp(`${date} 12:00:00`)).toBe(false),
  );
});

describe('timeout_express and cancellation_express', () => {
  test.each([
    ['90m', '2026-03-02T12:00:00.000Z', '2026-03-02T13:30:00.000Z'],
    ['2h', '2026-12-31T23:00:00.000Z', '2027-01-01T01:00:00.000Z'],
    ['1d', '2028-02-28T12:00:00.000Z', '2028-02-29T12:00:00.000Z'],
    ['1d', '2027-02-28T12:00:00.000Z', '2027-03-01T12:00:00.000Z'],
    ['366d', '2028-01-01T00:00:00.000Z', '2029-01-01T00:00:00.000Z'],
    ['999999m', '2026-01-01T00:00:00.000Z', '2027-11-26T10:39:00.000Z'],
  ])('%s from %s ends at %s on both sides', (express, from, end) => {
    expect(deadline(express, Date.parse(from))).toBe(Date.parse(end));
    expect(expressEnd(express, Date.parse(from))).toBe(Date.parse(end));
  });

  test.each([
    ['c', '2026-03-02T00:00:00.000Z'],
    ['1c', '2026-03-02T12:00:00.000Z'],
    ['1c', '2026-03-02T23:59:59.000Z'],
  ])(
    '%s from %s ends with that day in UTC: the last millisecond here, the last second in the simulator',
    (express, from) => {
      expect(deadline(express, Date.parse(from))).toBe(Date.parse('2026-03-02T23:59:59.999Z'));
      expect(expressEnd(express, Date.parse(from))).toBe(Date.parse('2026-03-02T23:59:59.000Z'));
    },
  );
});
