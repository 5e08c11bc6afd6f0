/** timeout_express and cancellation_express: an integer and m, h or d, or c for the end of the current UTC day. */
import * as fc from 'fast-check';
import { cancellationProblem, deadline, timeoutProblem } from '../../../src/gateway/pure/durations';

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('deadline', () => {
  test.each([
    ['90m', '2026-03-02T12:00:00.000Z', '2026-03-02T13:30:00.000Z'],
    ['2h', '2026-12-31T23:00:00.000Z', '2027-01-01T01:00:00.000Z'],
    ['1d', '2026-03-02T12:00:00.000Z', '2026-03-03T12:00:00.000Z'],
    ['1d', '2028-02-28T12:00:00.000Z', '2028-02-29T12:00:00.000Z'],
    ['1d', '2027-02-28T12:00:00.000Z', '2027-03-01T12:00:00.000Z'],
    ['366d', '2028-01-01T00:00:00.000Z', '2029-01-01T00:00:00.000Z'],
  ])('%s after %s is %s', (express, from, until) => expect(iso(deadline(express, at(from)))).toBe(until));

  describe.each(['1c', 'c'])('%s', (express) => {
    test.each([
      ['at the day’s first moment', '2026-03-02T00:00:00.000Z', '2026-03-02T23:59:59.999Z'],
      ['at noon', '2026-03-02T12:00:00.000Z', '2026-03-02T23:59:59.999Z'],
      ['at the day’s last moment', '2026-03-02T23:59:59.999Z', '2026-03-02T23:59:59.999Z'],
      ['on a leap day', '2028-02-29T08:00:00.000Z', '2028-02-29T23:59:59.999Z'],
      ['before a leap day', '2028-02-28T23:59:59.000Z', '2028-02-28T23:59:59.999Z'],
      ['at the end of a year', '2026-12-31T18:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ])('%s ends with that day, in UTC', (_, from, until) => expect(iso(deadline(express, at(from)))).toBe(until));
  });

  test('agrees with the calendar of Date', () => {
    const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    const count = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(moment, count, (from, n) => {
        const add = (change: (date: Date) => void) => {
          const date = new Date(from);
          change(date);
          return date.getTime();
        };
        expect(deadline(`${n}m`, from.getTime())).toBe(add((d) => d.setUTCMinutes(d.getUTCMinutes() + n)));
        expect(deadline(`${n}h`, from.getTime())).toBe(add((d) => d.setUTCHours(d.getUTCHours() + n)));
        expect(deadline(`${n}d`, from.getTime())).toBe(add((d) => d.setUTCDate(d.getUTCDate() + n)));
        expect(deadline('1c', from.getTime())).toBe(add((d) => d.setUTCHours(23, 59, 59, 999)));
      }),
    );
  });

  test.each([
    '',
    '90',
    'm',
    '0m',
    '00m',
    '05m',
    '-5m',
    '+5m',
    '1.5h',
    '1e2m',
    '5 m',
    '5M',
    '5s',
    '2c',
    '0c',
    '1cc',
    ' 1c',
    '1c\n',
    '1m\n',
    '9999999m',
  ])('%j is not in the interface’s form', (express) => expect(deadline(express, 0)).toBeUndefined());
});

describe('a text', () => {
  test.each(['1m', '90m', '2h', '30d', '1c', 'c'])('%s is a valid timeout', (text) =>
    expect(timeoutProblem(text)).toBeUndefined(),
  );

  test.each(['1m', '72h', '4320m', '3d'])('%s is a valid cancellation', (text) =>
    expect(cancellationProblem(text)).toBeUndefined(),
  );

  test.each(['4d', '73h', '4321m'])('%s is a cancellation of more than 3 days', (text) => {
    expect(cancellationProblem(text)).toBe('at most 3 days');
  });

  test('c is not a valid cancellation', () => {
    for (const text of ['c', '1c']) expect(cancellationProblem(text)).toMatch(/a unit: m, h or d/);
  });
});
